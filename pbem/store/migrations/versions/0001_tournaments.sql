-- Tables of the log and of tournaments, in the words of PostgreSQL.

CREATE TABLE checkpoint (
    size BIGSERIAL NOT NULL,
    note BYTEA NOT NULL,
    signed TIMESTAMP WITH TIME ZONE NOT NULL,
    kept BOOLEAN DEFAULT '0' NOT NULL,
    CONSTRAINT pk_checkpoint PRIMARY KEY (size)
);

CREATE TABLE leaf (
    id SERIAL NOT NULL,
    game VARCHAR(64) NOT NULL,
    seq INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    phase VARCHAR NOT NULL,
    body BYTEA NOT NULL,
    says BYTEA DEFAULT '' NOT NULL,
    opens VARCHAR NOT NULL,
    number BIGINT,
    written TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_leaf PRIMARY KEY (id),
    CONSTRAINT uq_leaf_game_seq UNIQUE (game, seq),
    CONSTRAINT uq_leaf_number UNIQUE (number)
);
CREATE INDEX ix_leaf_game_phase_seq ON leaf (game, phase, seq);

CREATE TABLE lease (
    name VARCHAR NOT NULL,
    owner VARCHAR NOT NULL,
    until TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_lease PRIMARY KEY (name)
);

CREATE TABLE node (
    level INTEGER NOT NULL,
    place BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    CONSTRAINT pk_node PRIMARY KEY (level, place)
);

CREATE TABLE web_cosignature (
    id SERIAL NOT NULL,
    "key" VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    "by" VARCHAR NOT NULL,
    at BIGINT NOT NULL,
    came TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_web_cosignature PRIMARY KEY (id),
    CONSTRAINT uq_web_cosignature_key_size UNIQUE ("key", size)
);
CREATE INDEX ix_web_cosignature_at ON web_cosignature (at);

CREATE TABLE shown (
    seat_id INTEGER NOT NULL,
    size BIGINT NOT NULL,
    seq INTEGER NOT NULL,
    CONSTRAINT pk_shown PRIMARY KEY (seat_id),
    CONSTRAINT fk_shown_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);

CREATE TABLE witness (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    seat_id INTEGER,
    email VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    "key" VARCHAR NOT NULL,
    base BIGINT NOT NULL,
    unanswered INTEGER NOT NULL,
    gaps INTEGER NOT NULL,
    asked TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_witness PRIMARY KEY (id),
    CONSTRAINT ck_witness_state CHECK (state IN ('asked', 'sworn', 'off')),
    CONSTRAINT fk_witness_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_witness_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_witness_email ON witness (email);
CREATE INDEX ix_witness_game_id ON witness (game_id);
CREATE INDEX ix_witness_state ON witness (state);

CREATE TABLE cosignature (
    id SERIAL NOT NULL,
    witness_id INTEGER NOT NULL,
    size BIGINT NOT NULL,
    "by" VARCHAR NOT NULL,
    at BIGINT NOT NULL,
    came TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_cosignature PRIMARY KEY (id),
    CONSTRAINT fk_cosignature_witness_id_witness FOREIGN KEY(witness_id) REFERENCES witness (id),
    CONSTRAINT uq_cosignature_witness_id_size UNIQUE (witness_id, size)
);

CREATE TABLE statement (
    id SERIAL NOT NULL,
    witness_id INTEGER NOT NULL,
    size BIGINT NOT NULL,
    said BYTEA NOT NULL,
    at BIGINT NOT NULL,
    came TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_statement PRIMARY KEY (id),
    CONSTRAINT fk_statement_witness_id_witness FOREIGN KEY(witness_id) REFERENCES witness (id)
);
CREATE INDEX ix_statement_witness_id ON statement (witness_id);

CREATE TABLE ground (
    id SERIAL NOT NULL,
    edition VARCHAR NOT NULL,
    pool VARCHAR NOT NULL,
    period VARCHAR NOT NULL,
    mu VARCHAR NOT NULL,
    phi VARCHAR NOT NULL,
    CONSTRAINT pk_ground PRIMARY KEY (id),
    CONSTRAINT uq_ground_pool_period_edition UNIQUE (pool, period, edition)
);

CREATE TABLE rating (
    id SERIAL NOT NULL,
    person_id INTEGER NOT NULL,
    pool VARCHAR NOT NULL,
    period VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    mu VARCHAR NOT NULL,
    phi VARCHAR NOT NULL,
    vol VARCHAR NOT NULL,
    CONSTRAINT pk_rating PRIMARY KEY (id),
    CONSTRAINT fk_rating_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT uq_rating_person_id_pool_period UNIQUE (person_id, pool, period)
);
CREATE INDEX ix_rating_pool_period ON rating (pool, period);

CREATE TABLE tournament (
    id VARCHAR(11) NOT NULL,
    title VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    stage INTEGER NOT NULL,
    rules VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    conduct VARCHAR NOT NULL,
    system VARCHAR NOT NULL,
    edition VARCHAR NOT NULL,
    phases INTEGER NOT NULL,
    fields VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    held_why VARCHAR NOT NULL,
    wake TIMESTAMP WITH TIME ZONE,
    director_id INTEGER,
    director_generation INTEGER NOT NULL,
    director_language VARCHAR NOT NULL,
    desk_at TIMESTAMP WITH TIME ZONE,
    facts VARCHAR NOT NULL,
    root VARCHAR NOT NULL,
    created TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_tournament PRIMARY KEY (id),
    CONSTRAINT ck_tournament_state CHECK (state IN ('draft', 'open', 'shut', 'playing', 'held', 'over', 'cancelled')),
    CONSTRAINT fk_tournament_director_id_person FOREIGN KEY(director_id) REFERENCES person (id),
    CONSTRAINT fk_tournament_edition_edition FOREIGN KEY(edition) REFERENCES edition (digest)
);
CREATE INDEX ix_tournament_wake ON tournament (wake);

CREATE TABLE challenge (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    challenger INTEGER NOT NULL,
    challenged INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    accepted INTEGER NOT NULL,
    CONSTRAINT pk_challenge PRIMARY KEY (id),
    CONSTRAINT ck_challenge_state CHECK (state IN ('open', 'accepted', 'declined', 'withdrawn', 'lapsed', 'fallen')),
    CONSTRAINT fk_challenge_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_challenge_tournament_id_number_challenger_challenged UNIQUE (tournament_id, number, challenger, challenged)
);

CREATE TABLE docket (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    line VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    code VARCHAR NOT NULL,
    CONSTRAINT pk_docket PRIMARY KEY (id),
    CONSTRAINT fk_docket_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_docket_tournament_id_number UNIQUE (tournament_id, number)
);

CREATE TABLE follower (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    person_id INTEGER NOT NULL,
    language VARCHAR NOT NULL,
    told TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_follower PRIMARY KEY (id),
    CONSTRAINT fk_follower_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT fk_follower_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_follower_tournament_id_person_id UNIQUE (tournament_id, person_id)
);
CREATE INDEX ix_follower_person_id ON follower (person_id);

CREATE TABLE round (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    stage INTEGER NOT NULL,
    number INTEGER NOT NULL,
    within INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    opens TIMESTAMP WITH TIME ZONE NOT NULL,
    draws TIMESTAMP WITH TIME ZONE,
    starts TIMESTAMP WITH TIME ZONE,
    ends TIMESTAMP WITH TIME ZONE,
    closed TIMESTAMP WITH TIME ZONE,
    slate VARCHAR NOT NULL,
    beacon VARCHAR NOT NULL,
    sig VARCHAR NOT NULL,
    lots VARCHAR NOT NULL,
    drawn VARCHAR NOT NULL,
    asked BOOLEAN NOT NULL,
    CONSTRAINT pk_round PRIMARY KEY (id),
    CONSTRAINT ck_round_state CHECK (state IN ('planned', 'shut', 'drawn', 'playing', 'closed', 'void')),
    CONSTRAINT fk_round_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_round_tournament_id_number_attempt UNIQUE (tournament_id, number, attempt)
);
CREATE INDEX ix_round_state_draws ON round (state, draws);

CREATE TABLE team (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    captain INTEGER,
    since INTEGER NOT NULL,
    start INTEGER NOT NULL,
    barred VARCHAR NOT NULL,
    entered TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_team PRIMARY KEY (id),
    CONSTRAINT ck_team_state CHECK (state IN ('in', 'withdrawn', 'expelled', 'left')),
    CONSTRAINT fk_team_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_team_tournament_id_name UNIQUE (tournament_id, name),
    CONSTRAINT uq_team_tournament_id_number UNIQUE (tournament_id, number)
);

CREATE TABLE board (
    id SERIAL NOT NULL,
    round_id INTEGER NOT NULL,
    board INTEGER NOT NULL,
    leg VARCHAR NOT NULL,
    first INTEGER NOT NULL,
    second INTEGER NOT NULL,
    game_id VARCHAR,
    state VARCHAR NOT NULL,
    how VARCHAR NOT NULL,
    first_halves INTEGER NOT NULL,
    second_halves INTEGER NOT NULL,
    margin INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    ended VARCHAR NOT NULL,
    price INTEGER NOT NULL,
    adjudged VARCHAR NOT NULL,
    rated VARCHAR NOT NULL,
    CONSTRAINT pk_board PRIMARY KEY (id),
    CONSTRAINT ck_board_state CHECK (state IN ('due', 'playing', 'scored', 'disputed', 'final')),
    CONSTRAINT fk_board_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_board_round_id_round FOREIGN KEY(round_id) REFERENCES round (id),
    CONSTRAINT uq_board_game_id UNIQUE (game_id),
    CONSTRAINT uq_board_round_id_board_leg UNIQUE (round_id, board, leg)
);

CREATE TABLE entrant (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    pace INTEGER NOT NULL,
    tables INTEGER NOT NULL,
    languages VARCHAR NOT NULL,
    team_id INTEGER,
    strength INTEGER NOT NULL,
    accepted VARCHAR NOT NULL,
    since INTEGER NOT NULL,
    out_after INTEGER,
    resting VARCHAR NOT NULL,
    left_once BOOLEAN NOT NULL,
    offered_until TIMESTAMP WITH TIME ZONE,
    offered_for INTEGER,
    declined VARCHAR NOT NULL,
    start INTEGER NOT NULL,
    barred VARCHAR NOT NULL,
    told INTEGER DEFAULT '-1' NOT NULL,
    entered TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_entrant PRIMARY KEY (id),
    CONSTRAINT ck_entrant_state CHECK (state IN ('asks', 'waiting', 'offered', 'in', 'withdrawn', 'expelled', 'left')),
    CONSTRAINT fk_entrant_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT fk_entrant_team_id_team FOREIGN KEY(team_id) REFERENCES team (id),
    CONSTRAINT fk_entrant_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_entrant_tournament_id_number UNIQUE (tournament_id, number),
    CONSTRAINT uq_entrant_tournament_id_person_id UNIQUE (tournament_id, person_id)
);
CREATE INDEX ix_entrant_person_id ON entrant (person_id);

CREATE TABLE lineup (
    id SERIAL NOT NULL,
    team_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    boards VARCHAR NOT NULL,
    CONSTRAINT pk_lineup PRIMARY KEY (id),
    CONSTRAINT fk_lineup_team_id_team FOREIGN KEY(team_id) REFERENCES team (id),
    CONSTRAINT uq_lineup_team_id_number UNIQUE (team_id, number)
);

CREATE TABLE bid (
    id SERIAL NOT NULL,
    board_id INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    side VARCHAR NOT NULL,
    points INTEGER NOT NULL,
    CONSTRAINT pk_bid PRIMARY KEY (id),
    CONSTRAINT fk_bid_board_id_board FOREIGN KEY(board_id) REFERENCES board (id),
    CONSTRAINT uq_bid_board_id_entrant UNIQUE (board_id, entrant)
);

CREATE TABLE dispute (
    id SERIAL NOT NULL,
    tournament_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    board_id INTEGER NOT NULL,
    "by" INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    until TIMESTAMP WITH TIME ZONE NOT NULL,
    appealed BOOLEAN NOT NULL,
    ruling VARCHAR NOT NULL,
    CONSTRAINT pk_dispute PRIMARY KEY (id),
    CONSTRAINT ck_dispute_state CHECK (state IN ('director', 'jury', 'ruled', 'final')),
    CONSTRAINT fk_dispute_board_id_board FOREIGN KEY(board_id) REFERENCES board (id),
    CONSTRAINT fk_dispute_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id),
    CONSTRAINT uq_dispute_tournament_id_number UNIQUE (tournament_id, number)
);

CREATE TABLE silence (
    id SERIAL NOT NULL,
    board_id INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    asked TIMESTAMP WITH TIME ZONE NOT NULL,
    until TIMESTAMP WITH TIME ZONE NOT NULL,
    gave_up BOOLEAN NOT NULL,
    never BOOLEAN NOT NULL,
    CONSTRAINT pk_silence PRIMARY KEY (id),
    CONSTRAINT ck_silence_state CHECK (state IN ('asked', 'director', 'offered', 'accepted', 'open', 'closed')),
    CONSTRAINT fk_silence_board_id_board FOREIGN KEY(board_id) REFERENCES board (id)
);
CREATE INDEX ix_silence_board_id ON silence (board_id);

CREATE TABLE vote (
    id SERIAL NOT NULL,
    dispute_id INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    until TIMESTAMP WITH TIME ZONE NOT NULL,
    word VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    appeal BOOLEAN NOT NULL,
    CONSTRAINT pk_vote PRIMARY KEY (id),
    CONSTRAINT fk_vote_dispute_id_dispute FOREIGN KEY(dispute_id) REFERENCES dispute (id),
    CONSTRAINT uq_vote_dispute_id_entrant UNIQUE (dispute_id, entrant)
);

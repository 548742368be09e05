-- Tables of games and letters, in the words of PostgreSQL; 0001_the_first_release.py says which SQLite has.

CREATE TABLE edition (
    digest VARCHAR NOT NULL,
    system VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    CONSTRAINT pk_edition PRIMARY KEY (digest)
);

CREATE TABLE person (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    rating_public BOOLEAN NOT NULL,
    CONSTRAINT pk_person PRIMARY KEY (id)
);

CREATE TABLE address (
    id SERIAL NOT NULL,
    person_id INTEGER NOT NULL,
    email VARCHAR NOT NULL,
    CONSTRAINT pk_address PRIMARY KEY (id),
    CONSTRAINT fk_address_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT uq_address_email UNIQUE (email)
);
CREATE INDEX ix_address_person_id ON address (person_id);

CREATE TABLE game (
    id VARCHAR(20) NOT NULL,
    system VARCHAR NOT NULL,
    scenario VARCHAR NOT NULL,
    edition_digest VARCHAR NOT NULL,
    scheme VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    held_why VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    weekdays VARCHAR NOT NULL,
    hour INTEGER NOT NULL,
    grace_hours INTEGER NOT NULL,
    undo_minutes INTEGER NOT NULL,
    root VARCHAR NOT NULL,
    created TIMESTAMP WITH TIME ZONE NOT NULL,
    open_seats BOOLEAN NOT NULL,
    terms VARCHAR NOT NULL,
    result VARCHAR NOT NULL,
    asked_by INTEGER,
    emptied TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_game PRIMARY KEY (id),
    CONSTRAINT ck_game_state CHECK (state IN ('forming', 'running', 'held', 'over')),
    CONSTRAINT fk_game_asked_by_person FOREIGN KEY(asked_by) REFERENCES person (id),
    CONSTRAINT fk_game_edition_digest_edition FOREIGN KEY(edition_digest) REFERENCES edition (digest)
);
CREATE INDEX ix_game_asked_by ON game (asked_by);
CREATE INDEX ix_game_created ON game (created);
CREATE INDEX ix_game_state ON game (state);

CREATE TABLE observer (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    person_id INTEGER NOT NULL,
    language VARCHAR NOT NULL,
    CONSTRAINT pk_observer PRIMARY KEY (id),
    CONSTRAINT fk_observer_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_observer_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT uq_observer_game_id_person_id UNIQUE (game_id, person_id)
);
CREATE INDEX ix_observer_person_id ON observer (person_id);

CREATE TABLE seat (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    name VARCHAR(12) NOT NULL,
    side VARCHAR NOT NULL,
    person_id INTEGER,
    generation INTEGER NOT NULL,
    language VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    map VARCHAR NOT NULL,
    nonce VARCHAR NOT NULL,
    template VARCHAR NOT NULL,
    last_letter VARCHAR NOT NULL,
    strikes INTEGER NOT NULL,
    bounces INTEGER NOT NULL,
    unreachable TIMESTAMP WITH TIME ZONE,
    missed INTEGER NOT NULL,
    silent TIMESTAMP WITH TIME ZONE,
    spent INTEGER NOT NULL,
    notify VARCHAR NOT NULL,
    reminded BOOLEAN NOT NULL,
    repeats VARCHAR NOT NULL,
    repeats_from INTEGER,
    muted VARCHAR NOT NULL,
    press_forbidden BOOLEAN NOT NULL,
    bot VARCHAR NOT NULL,
    published VARCHAR NOT NULL,
    pen_name VARCHAR NOT NULL,
    CONSTRAINT pk_seat PRIMARY KEY (id),
    CONSTRAINT fk_seat_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_seat_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT uq_seat_game_id_name UNIQUE (game_id, name)
);
CREATE INDEX ix_seat_person_id ON seat (person_id);

CREATE TABLE standby (
    id SERIAL NOT NULL,
    person_id INTEGER NOT NULL,
    game_id VARCHAR,
    CONSTRAINT pk_standby PRIMARY KEY (id),
    CONSTRAINT fk_standby_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_standby_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT uq_standby_person_id_game_id UNIQUE (person_id, game_id)
);
CREATE INDEX ix_standby_game_id ON standby (game_id);

CREATE TABLE absence (
    id SERIAL NOT NULL,
    seat_id INTEGER NOT NULL,
    first VARCHAR NOT NULL,
    last VARCHAR NOT NULL,
    CONSTRAINT pk_absence PRIMARY KEY (id),
    CONSTRAINT fk_absence_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_absence_seat_id ON absence (seat_id);

CREATE TABLE writer (
    id SERIAL NOT NULL,
    seat_id INTEGER NOT NULL,
    email VARCHAR NOT NULL,
    first TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_writer PRIMARY KEY (id),
    CONSTRAINT fk_writer_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_writer_seat_id_email UNIQUE (seat_id, email)
);

CREATE TABLE picture (
    digest VARCHAR(64) NOT NULL,
    png BYTEA NOT NULL,
    made TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_picture PRIMARY KEY (digest)
);
CREATE INDEX ix_picture_made ON picture (made);

CREATE TABLE poll (
    account VARCHAR NOT NULL,
    folder VARCHAR NOT NULL,
    begun TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_poll PRIMARY KEY (account, folder)
);

CREATE TABLE raw (
    sha256 VARCHAR(64) NOT NULL,
    body BYTEA NOT NULL,
    CONSTRAINT pk_raw PRIMARY KEY (sha256)
);

CREATE TABLE tally (
    about VARCHAR NOT NULL,
    word VARCHAR NOT NULL,
    count BIGINT NOT NULL,
    CONSTRAINT pk_tally PRIMARY KEY (about, word)
);

CREATE TABLE gathered (
    id SERIAL NOT NULL,
    seat_id INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    body VARCHAR NOT NULL,
    letter VARCHAR NOT NULL,
    CONSTRAINT pk_gathered PRIMARY KEY (id),
    CONSTRAINT fk_gathered_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_gathered_seat_id ON gathered (seat_id);

CREATE TABLE inbox (
    id SERIAL NOT NULL,
    account VARCHAR NOT NULL,
    folder VARCHAR NOT NULL,
    uidvalidity BIGINT NOT NULL,
    uid BIGINT NOT NULL,
    message_id VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    sender VARCHAR NOT NULL,
    internaldate TIMESTAMP WITH TIME ZONE NOT NULL,
    taken TIMESTAMP WITH TIME ZONE NOT NULL,
    seat_id INTEGER,
    verdict VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    copy_of INTEGER,
    CONSTRAINT pk_inbox PRIMARY KEY (id),
    CONSTRAINT fk_inbox_copy_of_inbox FOREIGN KEY(copy_of) REFERENCES inbox (id),
    CONSTRAINT fk_inbox_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT fk_inbox_sha256_raw FOREIGN KEY(sha256) REFERENCES raw (sha256),
    CONSTRAINT uq_inbox_account_folder_uidvalidity_uid UNIQUE (account, folder, uidvalidity, uid)
);
CREATE INDEX ix_inbox_copy_of ON inbox (copy_of);
CREATE UNIQUE INDEX ix_inbox_one_original ON inbox (message_id, sha256) WHERE copy_of IS NULL;
CREATE INDEX ix_inbox_seat_id_taken ON inbox (seat_id, taken);
CREATE INDEX ix_inbox_sender ON inbox (sender);
CREATE INDEX ix_inbox_sha256 ON inbox (sha256);
CREATE INDEX ix_inbox_taken ON inbox (taken);
CREATE INDEX ix_inbox_verdict_taken ON inbox (verdict, taken);

CREATE TABLE outbox (
    id SERIAL NOT NULL,
    message_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    game_id VARCHAR,
    seat_id INTEGER,
    inbox_id INTEGER,
    recipient VARCHAR NOT NULL,
    envelope_sender VARCHAR NOT NULL,
    reply_to VARCHAR NOT NULL,
    in_reply_to VARCHAR NOT NULL,
    "references" VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    attempts INTEGER NOT NULL,
    created TIMESTAMP WITH TIME ZONE NOT NULL,
    next_try TIMESTAMP WITH TIME ZONE NOT NULL,
    last_code INTEGER,
    last_text VARCHAR NOT NULL,
    bounced VARCHAR NOT NULL,
    owner VARCHAR DEFAULT '' NOT NULL,
    until TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_outbox PRIMARY KEY (id),
    CONSTRAINT ck_outbox_state CHECK (state IN ('queued', 'sent', 'failed')),
    CONSTRAINT fk_outbox_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_outbox_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id),
    CONSTRAINT fk_outbox_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_outbox_message_id UNIQUE (message_id)
);
CREATE INDEX ix_outbox_created ON outbox (created);
CREATE INDEX ix_outbox_envelope_sender ON outbox (envelope_sender);
CREATE INDEX ix_outbox_game_id_created ON outbox (game_id, created);
CREATE INDEX ix_outbox_given_up ON outbox (id) WHERE state = 'failed' AND last_text NOT LIKE 'overtaken by %';
CREATE INDEX ix_outbox_inbox_id ON outbox (inbox_id);
CREATE INDEX ix_outbox_recipient ON outbox (recipient);
CREATE INDEX ix_outbox_seat_id_kind_id ON outbox (seat_id, kind, id);
CREATE INDEX ix_outbox_state_next_try ON outbox (state, next_try);

CREATE TABLE press (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    seat_id INTEGER NOT NULL,
    inbox_id INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    "to" VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    delivered BOOLEAN NOT NULL,
    kept_from VARCHAR NOT NULL,
    rides INTEGER NOT NULL,
    CONSTRAINT pk_press PRIMARY KEY (id),
    CONSTRAINT fk_press_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_press_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id),
    CONSTRAINT fk_press_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_press_game_id ON press (game_id);
CREATE INDEX ix_press_seat_id ON press (seat_id);

CREATE TABLE attempt (
    id SERIAL NOT NULL,
    outbox_id INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    code INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    CONSTRAINT pk_attempt PRIMARY KEY (id),
    CONSTRAINT fk_attempt_outbox_id_outbox FOREIGN KEY(outbox_id) REFERENCES outbox (id)
);
CREATE INDEX ix_attempt_outbox_id ON attempt (outbox_id);
CREATE INDEX ix_attempt_taken ON attempt (id) WHERE code BETWEEN 200 AND 299;

CREATE TABLE content (
    outbox_id INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    body BYTEA,
    CONSTRAINT pk_content PRIMARY KEY (outbox_id),
    CONSTRAINT fk_content_outbox_id_outbox FOREIGN KEY(outbox_id) REFERENCES outbox (id)
);

CREATE TABLE begun (
    account VARCHAR NOT NULL,
    folder VARCHAR NOT NULL,
    uidvalidity BIGINT NOT NULL,
    uid BIGINT NOT NULL,
    lives INTEGER NOT NULL,
    sha256 VARCHAR NOT NULL,
    CONSTRAINT pk_begun PRIMARY KEY (account, folder, uidvalidity, uid)
);

CREATE TABLE war (
    id VARCHAR(16) NOT NULL,
    system VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    opening VARCHAR NOT NULL,
    record VARCHAR NOT NULL,
    sued VARCHAR NOT NULL,
    CONSTRAINT pk_war PRIMARY KEY (id),
    CONSTRAINT ck_war_state CHECK (state IN ('going', 'over'))
);

CREATE TABLE basis (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    ruling INTEGER NOT NULL,
    "after" INTEGER NOT NULL,
    events VARCHAR NOT NULL,
    CONSTRAINT pk_basis PRIMARY KEY (id),
    CONSTRAINT fk_basis_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT uq_basis_game_id_number UNIQUE (game_id, number)
);

CREATE TABLE due (
    id SERIAL NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    kind VARCHAR NOT NULL,
    game_id VARCHAR NOT NULL,
    cause VARCHAR NOT NULL,
    judged VARCHAR,
    CONSTRAINT pk_due PRIMARY KEY (id),
    CONSTRAINT fk_due_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT uq_due_game_id_kind_cause UNIQUE (game_id, kind, cause)
);
CREATE INDEX ix_due_at_kind_id ON due (at, kind, id);

CREATE TABLE moderator (
    game_id VARCHAR NOT NULL,
    person_id INTEGER,
    generation INTEGER NOT NULL,
    language VARCHAR NOT NULL,
    zone VARCHAR NOT NULL,
    plays BOOLEAN NOT NULL,
    CONSTRAINT pk_moderator PRIMARY KEY (game_id),
    CONSTRAINT fk_moderator_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_moderator_person_id_person FOREIGN KEY(person_id) REFERENCES person (id)
);
CREATE INDEX ix_moderator_person_id ON moderator (person_id);

CREATE TABLE phase (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    attempt INTEGER NOT NULL,
    run INTEGER NOT NULL,
    again_of INTEGER,
    state VARCHAR NOT NULL,
    void_by INTEGER,
    opened TIMESTAMP WITH TIME ZONE NOT NULL,
    deadline TIMESTAMP WITH TIME ZONE NOT NULL,
    closed TIMESTAMP WITH TIME ZONE,
    orders VARCHAR,
    slate VARCHAR,
    rolls VARCHAR,
    events_digest VARCHAR,
    state_digest VARCHAR,
    shown VARCHAR,
    CONSTRAINT pk_phase PRIMARY KEY (id),
    CONSTRAINT ck_phase_state CHECK (state IN ('open', 'closed', 'resolved', 'void')),
    CONSTRAINT fk_phase_again_of_phase FOREIGN KEY(again_of) REFERENCES phase (id),
    CONSTRAINT fk_phase_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT uq_phase_game_id_number UNIQUE (game_id, number),
    CONSTRAINT uq_phase_game_id_turn_name_attempt_run UNIQUE (game_id, turn, name, attempt, run)
);
CREATE INDEX ix_phase_going_on ON phase (game_id) WHERE state IN ('open', 'closed');
CREATE UNIQUE INDEX ix_phase_one_open ON phase (game_id) WHERE state = 'open';

CREATE TABLE ruling (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    phase VARCHAR NOT NULL,
    line VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    CONSTRAINT pk_ruling PRIMARY KEY (id),
    CONSTRAINT fk_ruling_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT uq_ruling_game_id_number UNIQUE (game_id, number)
);

CREATE TABLE snapshot (
    game_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    body VARCHAR NOT NULL,
    CONSTRAINT pk_snapshot PRIMARY KEY (game_id, number),
    CONSTRAINT fk_snapshot_game_id_game FOREIGN KEY(game_id) REFERENCES game (id)
);

CREATE TABLE war_game (
    game_id VARCHAR NOT NULL,
    war_id VARCHAR NOT NULL,
    place INTEGER NOT NULL,
    ended VARCHAR NOT NULL,
    CONSTRAINT pk_war_game PRIMARY KEY (game_id),
    CONSTRAINT fk_war_game_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_war_game_war_id_war FOREIGN KEY(war_id) REFERENCES war (id),
    CONSTRAINT uq_war_game_war_id_place UNIQUE (war_id, place)
);

CREATE TABLE appeal (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    seat_id INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    phase VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    answer VARCHAR,
    CONSTRAINT pk_appeal PRIMARY KEY (id),
    CONSTRAINT fk_appeal_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_appeal_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_appeal_game_id_number UNIQUE (game_id, number)
);

CREATE TABLE delay (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    seat_id INTEGER,
    cause VARCHAR NOT NULL,
    seconds INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_delay PRIMARY KEY (id),
    CONSTRAINT fk_delay_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT fk_delay_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_delay_phase_id ON delay (phase_id);
CREATE INDEX ix_delay_seat_id ON delay (seat_id);

CREATE TABLE draft (
    id SERIAL NOT NULL,
    game_id VARCHAR NOT NULL,
    generation INTEGER NOT NULL,
    lines VARCHAR NOT NULL,
    asked TIMESTAMP WITH TIME ZONE NOT NULL,
    phase_id INTEGER,
    "after" INTEGER NOT NULL,
    made TIMESTAMP WITH TIME ZONE,
    numbers VARCHAR NOT NULL,
    CONSTRAINT pk_draft PRIMARY KEY (id),
    CONSTRAINT fk_draft_game_id_game FOREIGN KEY(game_id) REFERENCES game (id),
    CONSTRAINT fk_draft_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id)
);
CREATE INDEX ix_draft_asked ON draft (asked);
CREATE INDEX ix_draft_game_id ON draft (game_id);

CREATE TABLE event (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    cite VARCHAR NOT NULL,
    body VARCHAR NOT NULL,
    CONSTRAINT pk_event PRIMARY KEY (id),
    CONSTRAINT fk_event_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT uq_event_phase_id_number UNIQUE (phase_id, number)
);

CREATE TABLE proposal (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    seat_id INTEGER NOT NULL,
    word VARCHAR NOT NULL,
    CONSTRAINT pk_proposal PRIMARY KEY (id),
    CONSTRAINT ck_proposal_word CHECK (word IN ('draw', 'concede')),
    CONSTRAINT fk_proposal_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT fk_proposal_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_proposal_phase_id_seat_id_word UNIQUE (phase_id, seat_id, word)
);

CREATE TABLE segment (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    slate VARCHAR NOT NULL,
    events VARCHAR NOT NULL,
    letter VARCHAR,
    position VARCHAR,
    opened TIMESTAMP WITH TIME ZONE NOT NULL,
    deadline TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_segment PRIMARY KEY (id),
    CONSTRAINT ck_segment_state CHECK (state IN ('asking', 'closed')),
    CONSTRAINT fk_segment_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT uq_segment_phase_id_number UNIQUE (phase_id, number)
);

CREATE TABLE use (
    id SERIAL NOT NULL,
    command VARCHAR NOT NULL,
    seat_id INTEGER NOT NULL,
    person_id INTEGER,
    phase_id INTEGER,
    about VARCHAR NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_use PRIMARY KEY (id),
    CONSTRAINT fk_use_person_id_person FOREIGN KEY(person_id) REFERENCES person (id),
    CONSTRAINT fk_use_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT fk_use_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE INDEX ix_use_at ON use (at);
CREATE INDEX ix_use_person_id_at ON use (person_id, at);
CREATE INDEX ix_use_seat_id_command ON use (seat_id, command);

CREATE TABLE wish (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    seat_id INTEGER NOT NULL,
    word VARCHAR NOT NULL,
    CONSTRAINT pk_wish PRIMARY KEY (id),
    CONSTRAINT ck_wish_word CHECK (word IN ('wait', 'go', 'done')),
    CONSTRAINT fk_wish_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT fk_wish_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_wish_phase_id_seat_id UNIQUE (phase_id, seat_id)
);

CREATE TABLE later (
    id SERIAL NOT NULL,
    seat_id INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    repeated VARCHAR,
    inbox_id INTEGER NOT NULL,
    dated TIMESTAMP WITH TIME ZONE,
    received TIMESTAMP WITH TIME ZONE NOT NULL,
    luck VARCHAR NOT NULL,
    CONSTRAINT pk_later PRIMARY KEY (id),
    CONSTRAINT fk_later_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id),
    CONSTRAINT fk_later_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_later_seat_id_turn UNIQUE (seat_id, turn)
);

CREATE TABLE order_set (
    id SERIAL NOT NULL,
    phase_id INTEGER NOT NULL,
    seat_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    inbox_id INTEGER,
    dated TIMESTAMP WITH TIME ZONE,
    received TIMESTAMP WITH TIME ZONE NOT NULL,
    mark VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    waits BOOLEAN NOT NULL,
    repeated VARCHAR,
    luck VARCHAR NOT NULL,
    CONSTRAINT pk_order_set PRIMARY KEY (id),
    CONSTRAINT ck_order_set_origin CHECK (origin IN ('letter', 'later', 'repeated', 'bot')),
    CONSTRAINT ck_order_set_state CHECK (state IN ('queued', 'replaced', 'cancelled', 'carried')),
    CONSTRAINT fk_order_set_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id),
    CONSTRAINT fk_order_set_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id),
    CONSTRAINT fk_order_set_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_order_set_phase_id_seat_id_revision UNIQUE (phase_id, seat_id, revision)
);
CREATE INDEX ix_order_set_inbox_id ON order_set (inbox_id);
CREATE UNIQUE INDEX ix_order_set_one_queued ON order_set (phase_id, seat_id) WHERE state = 'queued';

CREATE TABLE question (
    id SERIAL NOT NULL,
    segment_id INTEGER NOT NULL,
    seat_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    "window" VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    answer VARCHAR,
    revision INTEGER NOT NULL,
    CONSTRAINT pk_question PRIMARY KEY (id),
    CONSTRAINT fk_question_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT fk_question_segment_id_segment FOREIGN KEY(segment_id) REFERENCES segment (id),
    CONSTRAINT uq_question_segment_id_seat_id_number UNIQUE (segment_id, seat_id, number)
);
CREATE INDEX ix_question_seat_id ON question (seat_id);

CREATE TABLE standing (
    id SERIAL NOT NULL,
    seat_id INTEGER NOT NULL,
    scope VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    inbox_id INTEGER NOT NULL,
    CONSTRAINT pk_standing PRIMARY KEY (id),
    CONSTRAINT fk_standing_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id),
    CONSTRAINT fk_standing_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id),
    CONSTRAINT uq_standing_seat_id_scope UNIQUE (seat_id, scope)
);

BEGIN TRANSACTION;
CREATE TABLE absence (
	id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	first VARCHAR NOT NULL, 
	last VARCHAR NOT NULL, 
	CONSTRAINT pk_absence PRIMARY KEY (id), 
	CONSTRAINT fk_absence_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE address (
	id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	email VARCHAR NOT NULL, 
	CONSTRAINT pk_address PRIMARY KEY (id), 
	CONSTRAINT fk_address_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_address_email UNIQUE (email)
);
INSERT INTO "address" VALUES(1,1,'ann@players.example');
INSERT INTO "address" VALUES(2,2,'bob@players.example');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE appeal (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	phase VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	answer VARCHAR, 
	CONSTRAINT pk_appeal PRIMARY KEY (id), 
	CONSTRAINT fk_appeal_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_appeal_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_appeal_game_id_number UNIQUE (game_id, number)
);
CREATE TABLE attempt (
	id INTEGER NOT NULL, 
	outbox_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	code INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	CONSTRAINT pk_attempt PRIMARY KEY (id), 
	CONSTRAINT fk_attempt_outbox_id_outbox FOREIGN KEY(outbox_id) REFERENCES outbox (id)
);
CREATE TABLE basis (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	ruling INTEGER NOT NULL, 
	"after" INTEGER NOT NULL, 
	events VARCHAR NOT NULL, 
	CONSTRAINT pk_basis PRIMARY KEY (id), 
	CONSTRAINT fk_basis_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT uq_basis_game_id_number UNIQUE (game_id, number)
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
CREATE TABLE bid (
	id INTEGER NOT NULL, 
	board_id INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	side VARCHAR NOT NULL, 
	points INTEGER NOT NULL, 
	CONSTRAINT pk_bid PRIMARY KEY (id), 
	CONSTRAINT fk_bid_board_id_board FOREIGN KEY(board_id) REFERENCES board (id), 
	CONSTRAINT uq_bid_board_id_entrant UNIQUE (board_id, entrant)
);
CREATE TABLE board (
	id INTEGER NOT NULL, 
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
CREATE TABLE challenge (
	id INTEGER NOT NULL, 
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
CREATE TABLE checkpoint (
	size BIGINT NOT NULL, 
	note BLOB NOT NULL, 
	signed DATETIME NOT NULL, 
	kept BOOLEAN DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_checkpoint PRIMARY KEY (size)
);
INSERT INTO "checkpoint" VALUES(9,X'67616D65732E6578616D706C652F7062656D0A390A6E446C78794A45326A66656E6E35507734576373654435696C44776642576A56305536413850346C7273773D0A0AE280942067616D65732E6578616D706C652F7062656D20676A626E6D3251456F3149502B7350635159663363315650544C704875723142586C2B5A2B506A77523034776D724D627366493932394B646D79384E364335654957374736334F45796D5A7634657630537874466D6859684C77383D0A','2026-05-04 12:00:00.000000',0);
INSERT INTO "checkpoint" VALUES(15,X'67616D65732E6578616D706C652F7062656D0A31350A4878424E6E645648794A5732696B494A75654D784944714D4C5535524C4632736E3255534D6259795235553D0A0AE280942067616D65732E6578616D706C652F7062656D20676A626E6D2B365479485739353672347A707A4B672B497A327641644A48494B4358344E33774F554B335A697A3379395044706B4E5835794349584C584C7438774D326C73363362514B30706345714F4A42374B3743716F4641773D0A','2026-05-07 12:00:00.000000',0);
CREATE TABLE content (
	outbox_id INTEGER NOT NULL, 
	model VARCHAR NOT NULL, 
	body BLOB, 
	CONSTRAINT pk_content PRIMARY KEY (outbox_id), 
	CONSTRAINT fk_content_outbox_id_outbox FOREIGN KEY(outbox_id) REFERENCES outbox (id)
);
INSERT INTO "content" VALUES(1,'{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example","blocks":[],"closing":[],"errors":[],"game":"g1","kind":"invitation","opening":[{"args":{"game":"g1","seat":"north","title":{"msg":{"args":{},"text":"A toy"}}},"text":"You have the seat {seat} in the game {game}: {title}."},{"args":{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example"},"text":"All letters of this seat go to {address}."},{"args":{},"text":"Whoever knows this address can give orders for you: keep it to yourself. HELP lists what you can write."}],"phase":"","report":null,"rules":"toy","seat":"north","subject":{"args":{"game":"g1","what":{"msg":{"args":{},"text":"your seat"}}},"text":"[{game}] {what}"},"template":[],"title":{"args":{},"text":"A toy"},"warnings":[]}',NULL);
INSERT INTO "content" VALUES(2,'{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example","blocks":[],"closing":[],"errors":[],"game":"g1","kind":"invitation","opening":[{"args":{"game":"g1","seat":"south","title":{"msg":{"args":{},"text":"A toy"}}},"text":"You have the seat {seat} in the game {game}: {title}."},{"args":{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example"},"text":"All letters of this seat go to {address}."},{"args":{},"text":"Whoever knows this address can give orders for you: keep it to yourself. HELP lists what you can write."}],"phase":"","report":null,"rules":"toy","seat":"south","subject":{"args":{"game":"g1","what":{"msg":{"args":{},"text":"your seat"}}},"text":"[{game}] {what}"},"template":[],"title":{"args":{},"text":"A toy"},"warnings":[]}',NULL);
INSERT INTO "content" VALUES(3,'{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example","blocks":[],"closing":[],"errors":[],"form":{"after":0,"language":"en","standing":[]},"game":"g1","kind":"report","opening":[{"args":{"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":5,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Tuesday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Your orders are wanted by {when}."}],"phase":"T1.north~1","report":{"blocks":[{"lines":[[0,{"args":{"space":1,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[],"head":[{"lines":[[0,{"args":{"others":[{"msg":{"args":{"seat":"south","side":{"msg":{"args":{"side":"blue"},"text":"{side}"}}},"text":"{side} (seat {seat})"}}],"side":{"msg":{"args":{"seat":"north","side":{"msg":{"args":{"side":"red"},"text":"{side}"}}},"text":"{side} (seat {seat})"}}},"text":"You play {side}. The others: {others}."}]],"title":{"args":{},"text":"The battle"}},{"lines":[],"title":{"args":{},"text":"What counts, and how one wins"}},{"lines":[[0,{"args":{},"text":"Pace: by phases. You write all orders of a phase in one letter; they are carried out together when all orders are in or the deadline comes."}],[0,{"args":{},"text":"Reactions: your standing orders answer the enemy, else the rules'' default; ASK in them has you asked by letter."}]],"title":{"args":{},"text":"What is agreed"}},{"lines":[[0,{"args":{},"text":"What stands in brackets is the number of a rule: RULES and that number tells it. #3 is a happening: WHY 3 takes it apart."}]],"title":{"args":{},"text":"Abbreviations"}},{"lines":[[0,{"args":{},"text":"HELP lists the commands; HELP orders and HELP standing tell more. RULES, CHART, MAP, MOVES: rulebook, charts, map, what could be done. BRIEF: this again. The guide: docs/players.en.md, with the program."}]],"title":{"args":{},"text":"Where to read on"}}],"summary":[],"title":{"args":{"turn":1},"text":"Turn {turn}"}},"rules":"toy","seat":"north","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{"when":{"msg":{"args":{"day":{"msg":{"args":{},"text":"Tue"}},"hour":"20:00"},"text":"{day} {hour}"}}},"text":"your move by {when}"}}},"text":"[{game}] T{turn} {what}"},"template":["ORDERS T1 #jm6c","# MOVE Ant TO s2","# MOVE Bee TO s3","END"],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
INSERT INTO "content" VALUES(4,'{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example","blocks":[],"closing":[],"errors":[],"game":"g1","kind":"report","opening":[{"args":{"seats":["north"],"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":5,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Tuesday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Nothing is wanted of you now; orders are awaited from {seats} by {when}."}],"phase":"T1.north~1","report":{"blocks":[{"lines":[[0,{"args":{"space":1,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[],"head":[{"lines":[[0,{"args":{"others":[{"msg":{"args":{"seat":"north","side":{"msg":{"args":{"side":"red"},"text":"{side}"}}},"text":"{side} (seat {seat})"}}],"side":{"msg":{"args":{"seat":"south","side":{"msg":{"args":{"side":"blue"},"text":"{side}"}}},"text":"{side} (seat {seat})"}}},"text":"You play {side}. The others: {others}."}]],"title":{"args":{},"text":"The battle"}},{"lines":[],"title":{"args":{},"text":"What counts, and how one wins"}},{"lines":[[0,{"args":{},"text":"Pace: by phases. You write all orders of a phase in one letter; they are carried out together when all orders are in or the deadline comes."}],[0,{"args":{},"text":"Reactions: your standing orders answer the enemy, else the rules'' default; ASK in them has you asked by letter."}]],"title":{"args":{},"text":"What is agreed"}},{"lines":[[0,{"args":{},"text":"What stands in brackets is the number of a rule: RULES and that number tells it. #3 is a happening: WHY 3 takes it apart."}]],"title":{"args":{},"text":"Abbreviations"}},{"lines":[[0,{"args":{},"text":"HELP lists the commands; HELP orders and HELP standing tell more. RULES, CHART, MAP, MOVES: rulebook, charts, map, what could be done. BRIEF: this again. The guide: docs/players.en.md, with the program."}]],"title":{"args":{},"text":"Where to read on"}}],"summary":[],"title":{"args":{"turn":1},"text":"Turn {turn}"}},"rules":"toy","seat":"south","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{"seats":["north"]},"text":"waiting for {seats}"}}},"text":"[{game}] T{turn} {what}"},"template":[],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
INSERT INTO "content" VALUES(5,'{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example","blocks":[{"lines":["| Good morning."],"title":{"args":{"readers":["south"],"seat":"north"},"text":"{seat} to {readers}"}}],"closing":[{"args":{"seat":"north"},"text":"To answer, write PRESS TO {seat}, your lines below it, and ENDPRESS."}],"errors":[],"game":"g1","kind":"press","opening":[],"phase":"T1.north~1","report":null,"rules":"toy","seat":"south","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{},"text":"a letter to you"}}},"text":"[{game}] T{turn} {what}"},"template":[],"title":{"args":{},"text":"A toy"},"warnings":[]}',NULL);
INSERT INTO "content" VALUES(6,'{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example","blocks":[{"lines":["ORDERS T1","MOVE Ant TO s2","END"],"title":{"args":{},"text":"Your orders as I understand them"}},{"lines":[],"title":{"args":{},"text":"What your attacks are worth, as far as can be foreseen"},"weigh":{"after":0,"orders":"MOVE Ant TO s2\n","standing":[]}},{"lines":["| Good morning."],"title":{"args":{"readers":["south"],"seat":"north"},"text":"{seat} to {readers}"}}],"closing":[],"errors":[],"game":"g1","kind":"receipt","opening":[{"args":{"revision":1},"text":"Your orders are in: revision {revision}."},{"args":{},"text":"All orders are in; the dice are rolled now."},{"args":{"seats":["south"]},"text":"Your letter is passed on to {seats}."}],"phase":"T1.north~1","report":null,"rules":"toy","seat":"north","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{},"text":"orders received"}}},"text":"[{game}] T{turn} {what}"},"template":[],"title":{"args":{},"text":"A toy"},"warnings":[]}',NULL);
INSERT INTO "content" VALUES(7,'{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example","blocks":[],"closing":[{"args":{},"text":"Dice: pbemdice/v1, grade C. They follow from the closed orders by a key of this server, as the attachment pbemdice.txt proves. Whoever runs this server could foresee them, and if he plays, or has a friend who plays, could choose among them by trying orders; nobody else could."},{"args":{},"text":"The attachment opens what all seats had ordered for this phase."}],"errors":[],"game":"g1","kind":"report","opening":[{"args":{"seats":["south"],"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":5,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Tuesday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Nothing is wanted of you now; orders are awaited from {seats} by {when}."}],"phase":"T1.south~1","report":{"blocks":[{"lines":[[0,{"args":{"space":2,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[{"details":[{"args":{"data":"{''die'': 6, ''to'': 2, ''unit'': ''Ant''}"},"text":"{data}"}],"kept":[],"outcome":false,"rule":"T1","text":{"args":{},"text":"A counter moved."}}],"head":[],"summary":[],"title":{"args":{"turn":1},"text":"Turn {turn}"}},"rules":"toy","seat":"north","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{"seats":["south"]},"text":"waiting for {seats}"}}},"text":"[{game}] T{turn} {what}"},"template":[],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
INSERT INTO "content" VALUES(8,'{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example","blocks":[],"closing":[{"args":{},"text":"Dice: pbemdice/v1, grade C. They follow from the closed orders by a key of this server, as the attachment pbemdice.txt proves. Whoever runs this server could foresee them, and if he plays, or has a friend who plays, could choose among them by trying orders; nobody else could."},{"args":{},"text":"The attachment opens what all seats had ordered for this phase."}],"errors":[],"form":{"after":1,"language":"en","standing":[]},"game":"g1","kind":"report","opening":[{"args":{"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":5,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Tuesday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Your orders are wanted by {when}."}],"phase":"T1.south~1","report":{"blocks":[{"lines":[[0,{"args":{"space":2,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[{"details":[{"args":{"data":"{''die'': 6, ''to'': 2, ''unit'': ''Ant''}"},"text":"{data}"}],"kept":[],"outcome":false,"rule":"T1","text":{"args":{},"text":"A counter moved."}}],"head":[],"summary":[],"title":{"args":{"turn":1},"text":"Turn {turn}"}},"rules":"toy","seat":"south","subject":{"args":{"game":"g1","turn":1,"what":{"msg":{"args":{"when":{"msg":{"args":{"day":{"msg":{"args":{},"text":"Tue"}},"hour":"20:00"},"text":"{day} {hour}"}}},"text":"your move by {when}"}}},"text":"[{game}] T{turn} {what}"},"template":["ORDERS T1 #byqb","# MOVE Cat TO s6","# MOVE Dog TO s7","END"],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
INSERT INTO "content" VALUES(9,'{"address":"pbem+g1-north-dhezidrxaqgexxsz@games.example","blocks":[],"closing":[{"args":{},"text":"Dice: pbemdice/v1, grade C. They follow from the closed orders by a key of this server, as the attachment pbemdice.txt proves. Whoever runs this server could foresee them, and if he plays, or has a friend who plays, could choose among them by trying orders; nobody else could."},{"args":{},"text":"The attachment opens what all seats had ordered for this phase."}],"errors":[],"form":{"after":2,"language":"en","standing":[]},"game":"g1","kind":"report","opening":[{"args":{"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":8,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Friday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Your orders are wanted by {when}."}],"phase":"T2.north~1","report":{"blocks":[{"lines":[[0,{"args":{"space":2,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[],"head":[],"summary":[],"title":{"args":{"turn":2},"text":"Turn {turn}"}},"rules":"toy","seat":"north","subject":{"args":{"game":"g1","turn":2,"what":{"msg":{"args":{"when":{"msg":{"args":{"day":{"msg":{"args":{},"text":"Fri"}},"hour":"20:00"},"text":"{day} {hour}"}}},"text":"your move by {when}"}}},"text":"[{game}] T{turn} {what}"},"template":["ORDERS T2 #c453","# MOVE Ant TO s3","# MOVE Bee TO s3","END"],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
INSERT INTO "content" VALUES(10,'{"address":"pbem+g1-south-esjov54rnyq6qur6@games.example","blocks":[],"closing":[{"args":{},"text":"Dice: pbemdice/v1, grade C. They follow from the closed orders by a key of this server, as the attachment pbemdice.txt proves. Whoever runs this server could foresee them, and if he plays, or has a friend who plays, could choose among them by trying orders; nobody else could."},{"args":{},"text":"The attachment opens what all seats had ordered for this phase."}],"errors":[],"game":"g1","kind":"report","opening":[{"args":{"seats":["north"],"when":{"msg":{"args":{"date":{"msg":{"args":{"month":{"msg":{"args":{},"text":"May"}},"number":8,"year":"2026"},"text":"{number} {month} {year}"}},"day":{"msg":{"args":{},"text":"Friday"}},"hour":"20:00"},"text":"{day} {date}, {hour} UTC"}}},"text":"Nothing is wanted of you now; orders are awaited from {seats} by {when}."},{"args":{"count":1},"text":"No orders came from you by the deadline: your forces did nothing but follow standing orders. Missed so far: {count}."}],"phase":"T2.north~1","report":{"blocks":[{"lines":[[0,{"args":{"space":2,"unit":"Ant"},"text":"{unit} at s{space}"}],[0,{"args":{"space":2,"unit":"Bee"},"text":"{unit} at s{space}"}],[0,{"args":{"space":5,"unit":"Cat"},"text":"{unit} at s{space}"}],[0,{"args":{"space":6,"unit":"Dog"},"text":"{unit} at s{space}"}]],"title":{"args":{},"text":"Counters"}}],"entries":[],"head":[],"summary":[],"title":{"args":{"turn":2},"text":"Turn {turn}"}},"rules":"toy","seat":"south","subject":{"args":{"game":"g1","turn":2,"what":{"msg":{"args":{"seats":["north"]},"text":"waiting for {seats}"}}},"text":"[{game}] T{turn} {what}"},"template":[],"title":{"args":{},"text":"A toy"},"wanted":1,"warnings":[]}',NULL);
CREATE TABLE cosignature (
	id INTEGER NOT NULL, 
	witness_id INTEGER NOT NULL, 
	size BIGINT NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at BIGINT NOT NULL, 
	came DATETIME NOT NULL, 
	CONSTRAINT pk_cosignature PRIMARY KEY (id), 
	CONSTRAINT fk_cosignature_witness_id_witness FOREIGN KEY(witness_id) REFERENCES witness (id), 
	CONSTRAINT uq_cosignature_witness_id_size UNIQUE (witness_id, size)
);
CREATE TABLE delay (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	seat_id INTEGER, 
	cause VARCHAR NOT NULL, 
	seconds INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_delay PRIMARY KEY (id), 
	CONSTRAINT fk_delay_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT fk_delay_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE dispute (
	id INTEGER NOT NULL, 
	tournament_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	board_id INTEGER NOT NULL, 
	"by" INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	until DATETIME NOT NULL, 
	appealed BOOLEAN NOT NULL, 
	ruling VARCHAR NOT NULL, 
	CONSTRAINT pk_dispute PRIMARY KEY (id), 
	CONSTRAINT ck_dispute_state CHECK (state IN ('director', 'jury', 'ruled', 'final')), 
	CONSTRAINT fk_dispute_board_id_board FOREIGN KEY(board_id) REFERENCES board (id), 
	CONSTRAINT fk_dispute_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_dispute_tournament_id_number UNIQUE (tournament_id, number)
);
CREATE TABLE docket (
	id INTEGER NOT NULL, 
	tournament_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	line VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	code VARCHAR NOT NULL, 
	CONSTRAINT pk_docket PRIMARY KEY (id), 
	CONSTRAINT fk_docket_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_docket_tournament_id_number UNIQUE (tournament_id, number)
);
CREATE TABLE draft (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	generation INTEGER NOT NULL, 
	lines VARCHAR NOT NULL, 
	asked DATETIME NOT NULL, 
	phase_id INTEGER, 
	"after" INTEGER NOT NULL, 
	made DATETIME, 
	numbers VARCHAR NOT NULL, 
	CONSTRAINT pk_draft PRIMARY KEY (id), 
	CONSTRAINT fk_draft_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_draft_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id)
);
CREATE TABLE due (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind VARCHAR NOT NULL, 
	game_id VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	judged VARCHAR, 
	CONSTRAINT pk_due PRIMARY KEY (id), 
	CONSTRAINT fk_due_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT uq_due_game_id_kind_cause UNIQUE (game_id, kind, cause)
);
INSERT INTO "due" VALUES(1,'2026-05-08 20:00:00.000000','close','g1','deadline',NULL);
CREATE TABLE edition (
	digest VARCHAR NOT NULL, 
	system VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	CONSTRAINT pk_edition PRIMARY KEY (digest)
);
INSERT INTO "edition" VALUES('sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0','toy','{"rules":"toy 1","scenario":"turns","turns":2}');
CREATE TABLE entrant (
	id INTEGER NOT NULL, 
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
	offered_until DATETIME, 
	offered_for INTEGER, 
	declined VARCHAR NOT NULL, 
	start INTEGER NOT NULL, 
	barred VARCHAR NOT NULL, 
	told INTEGER DEFAULT '-1' NOT NULL, 
	entered DATETIME NOT NULL, 
	CONSTRAINT pk_entrant PRIMARY KEY (id), 
	CONSTRAINT ck_entrant_state CHECK (state IN ('asks', 'waiting', 'offered', 'in', 'withdrawn', 'expelled', 'left')), 
	CONSTRAINT fk_entrant_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_entrant_team_id_team FOREIGN KEY(team_id) REFERENCES team (id), 
	CONSTRAINT fk_entrant_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_entrant_tournament_id_number UNIQUE (tournament_id, number), 
	CONSTRAINT uq_entrant_tournament_id_person_id UNIQUE (tournament_id, person_id)
);
CREATE TABLE event (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	cite VARCHAR NOT NULL, 
	body VARCHAR NOT NULL, 
	CONSTRAINT pk_event PRIMARY KEY (id), 
	CONSTRAINT fk_event_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT uq_event_phase_id_number UNIQUE (phase_id, number)
);
INSERT INTO "event" VALUES(1,1,1,'moved','T1','{"cite":"T1","data":{"die":6,"to":2,"unit":"Ant"},"kind":"moved"}');
INSERT INTO "event" VALUES(2,1,2,'ended','T9','{"cite":"T9","data":{"moving":"north","turn":1},"kind":"ended"}');
INSERT INTO "event" VALUES(3,2,1,'ended','T9','{"cite":"T9","data":{"moving":"south","turn":1},"kind":"ended"}');
CREATE TABLE follower (
	id INTEGER NOT NULL, 
	tournament_id VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	language VARCHAR NOT NULL, 
	told DATETIME, 
	CONSTRAINT pk_follower PRIMARY KEY (id), 
	CONSTRAINT fk_follower_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_follower_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_follower_tournament_id_person_id UNIQUE (tournament_id, person_id)
);
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
	created DATETIME NOT NULL, 
	open_seats BOOLEAN NOT NULL, 
	terms VARCHAR NOT NULL, 
	result VARCHAR NOT NULL, 
	asked_by INTEGER, 
	emptied DATETIME, 
	CONSTRAINT pk_game PRIMARY KEY (id), 
	CONSTRAINT ck_game_state CHECK (state IN ('forming', 'running', 'held', 'over')), 
	CONSTRAINT fk_game_asked_by_person FOREIGN KEY(asked_by) REFERENCES person (id), 
	CONSTRAINT fk_game_edition_digest_edition FOREIGN KEY(edition_digest) REFERENCES edition (digest)
);
INSERT INTO "game" VALUES('g1','toy','turns','sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0','pbemdice/v1','running','','UTC','0123456',20,24,0,'<g1.-.root.-.avpgm2yj@games.example>','2026-05-04 12:00:00.000000',0,'{"reminder_hours":0}','',NULL,NULL);
CREATE TABLE gathered (
	id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	body VARCHAR NOT NULL, 
	letter VARCHAR NOT NULL, 
	CONSTRAINT pk_gathered PRIMARY KEY (id), 
	CONSTRAINT fk_gathered_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE ground (
	id INTEGER NOT NULL, 
	edition VARCHAR NOT NULL, 
	pool VARCHAR NOT NULL, 
	period VARCHAR NOT NULL, 
	mu VARCHAR NOT NULL, 
	phi VARCHAR NOT NULL, 
	CONSTRAINT pk_ground PRIMARY KEY (id), 
	CONSTRAINT uq_ground_pool_period_edition UNIQUE (pool, period, edition)
);
CREATE TABLE inbox (
	id INTEGER NOT NULL, 
	account VARCHAR NOT NULL, 
	folder VARCHAR NOT NULL, 
	uidvalidity BIGINT NOT NULL, 
	uid BIGINT NOT NULL, 
	message_id VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	sender VARCHAR NOT NULL, 
	internaldate DATETIME NOT NULL, 
	taken DATETIME NOT NULL, 
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
INSERT INTO "inbox" VALUES(1,'box','INBOX',1,1,'<1@players.example>','41d16d905e41801842c3639da1ecfdbe8fa81c068f0d46a36cd898c661312421','ann@players.example','2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',1,'seat','receipt',NULL);
CREATE TABLE later (
	id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	repeated VARCHAR, 
	inbox_id INTEGER NOT NULL, 
	dated DATETIME, 
	received DATETIME NOT NULL, 
	luck VARCHAR NOT NULL, 
	CONSTRAINT pk_later PRIMARY KEY (id), 
	CONSTRAINT fk_later_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id), 
	CONSTRAINT fk_later_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_later_seat_id_turn UNIQUE (seat_id, turn)
);
CREATE TABLE leaf (
	id INTEGER NOT NULL, 
	game VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	phase VARCHAR NOT NULL, 
	body BLOB NOT NULL, 
	says BLOB DEFAULT '' NOT NULL, 
	opens VARCHAR NOT NULL, 
	number BIGINT, 
	written DATETIME NOT NULL, 
	CONSTRAINT pk_leaf PRIMARY KEY (id), 
	CONSTRAINT uq_leaf_game_seq UNIQUE (game, seq), 
	CONSTRAINT uq_leaf_number UNIQUE (number)
);
INSERT INTO "leaf" VALUES(1,'g1',0,'open','T1.north~1',X'7062656D646963652F76312F6F70656E0A67616D652067310A73657120300A70726576202D0A626F647920303664303831613532373964613030346139633864383966633266656465366661316165373636343531393635343331616435376431613565666237383233640A',X'7062656D646963652F76312F736179730A73616C7420663633306464633330646566393734616664396330613633386365653633303232353733656335316432343765663966323733343662323633343934303062360A70686173652054312E6E6F7274687E310A4420313737383031313230300A64656C746120300A636861696E206E6F6E650A726F756E6420300A65646974696F6E207368613235363A323737383237393930333733623036616531346166306536373065343137316665366333663063336636383935646339356330653966636436336665303063300A737461746520686D61633A326639383334373036376536336632373534356531613934646235323336303637366262383732396139303261646134636134316561643135303064366265330A7365617473206E6F72746820736F7574680A73797374656D20746F790A706163652070686173650A6F70656E656420706C617965640A626F7473202D0A72756C696E67202D0A','{"moving":"north","turn":1,"units":[["Ant","north",1],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}',1,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(2,'g1',1,'order','T1.north~1',X'7062656D646963652F76312F6F726465720A67616D652067310A73657120310A7072657620666364316662313434323236623465653564626262373166663031346636656635316464346639316130326564376436643432626230386262363033396137320A626F647920316264653735636662313934366338613238356163656263393737376165363637386433386334313030343637303639393264613262383834353335643965390A',X'7062656D646963652F76312F736179730A73616C7420363164313865313936353136373664633038653737316138326535386431613335343363366562646530376133306634656231616331626436356164633063370A70686173652054312E6E6F7274687E310A73656174206E6F7274680A72657620310A6F7264657273204A397257637631384B79376153373071546C3358417A596838464D5A4A7045386657353878454256642B593D0A7374616E64696E6720524E4A6D4758465530756457465641453032503553786C4B536861382B6A616D4B6E49672F4D6E4649316F3D0A656D6C20343164313664393035653431383031383432633336333964613165636664626538666138316330363866306434366133366364383938633636313331323432310A7265637620313737373839363030300A','["MOVE Ant TO s2\n",[]]',2,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(3,'g1',2,'deadline','T1.north~1',X'7062656D646963652F76312F646561646C696E650A67616D652067310A73657120320A7072657620613166633931626434613134336134663131333931316335653864323464666336313733396535303361393738333632643539386532343234383232643437650A626F647920613836666530396230663231643832306130613731663766343335646564373932356235336164336131343830396665366134643162303332356162346634310A',X'7062656D646963652F76312F736179730A73616C7420303032343338313433383261386438356633336563323134656634613632313264643963313462383833343964386561613938616566396630396339326438650A70686173652054312E6E6F7274687E310A4420313737373839363030300A726F756E6420300A636175736520616C6C2D696E0A','',3,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(4,'g1',3,'order','T1.north~1',X'7062656D646963652F76312F6F726465720A67616D652067310A73657120330A7072657620383636323038393363333665366564396465643837643330343135646637366665623365306634313962393032353264353964633466663166656461616466610A626F647920613364333266623338306463653861623036386438303662623562366565373065373430656132666132353037393633323830613665376162636132363334630A',X'7062656D646963652F76312F736179730A73616C7420343235326133383066396339646132636338333630613461363534393538393066353230666366336637343830323132333637363833393965313535653562630A70686173652054312E6E6F7274687E310A7365617420736F7574680A72657620300A6F72646572732054615962436D417066554163636C2F6537386742365678702B7958744E61626E4A6D53444773376B4659733D0A7374616E64696E67204236487477443146346F6C495969754A774B4D35362B5952674A7143686B49324B6C63702F492B62792B303D0A656D6C202D0A7265637620300A','["",[]]',4,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(5,'g1',4,'close','T1.north~1',X'7062656D646963652F76312F636C6F73650A67616D652067310A73657120340A7072657620326138626239643732393934653865313562353636323637316361643765316337666438343466343037376265323864333834323365316234333834366162640A70686173652054312E6E6F7274687E310A7365676D656E7420310A67726F75707320616C6C0A626F647920303865343965633166353332353735306463323035653536643336346535376235393164653138316331306337343762356437396233663765393138376439390A',X'7062656D646963652F76312F736179730A73616C7420646138613761653130313436396237386332366437626266376432306434636565616132323961386431303438303862353330643135356166306335643535630A736C61746520613066393865616165663562383966336538346661366537356632393563326539643561633533316431323466643233313733313536386338653338653064370A7365656E202D0A','pbemdice/v1/slate
game g1
phase T1.north~1
segment 1
previous -
edition sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0
state hmac:2f98347067e63f27545e1a94db52360676bb8729a902ada4ca41ead1500d6be3
dice own
groups all
beacon none
seat north 1 J9rWcv18Ky7aS70qTl3XAzYh8FMZJpE8fW58xEBVd+Y= RNJmGXFU0udWFVAE02P5SxlKSha8+jamKnIg/MnFI1o=
seat south 0 TaYbCmApfUAccl/e78gB6Vxp+yXtNabnJmSDGs7kFYs= B6HtwD1F4olIYiuJwKM56+YRgJqChkI2Klcp/I+by+0=
',5,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(6,'g1',5,'roll','T1.north~1',X'7062656D646963652F76312F726F6C6C0A67616D652067310A73657120350A7072657620323233643832393337373034643634626435386664393231356133363566346362323866323661323261316563653339386134653134663566383132303937380A70686173652054312E6E6F7274687E310A7365676D656E7420310A67726F75707320616C6C0A626F647920303864363365323035336334343631316636373465646333376665653434346632396332363737613339633836656134623863613734313966356336663261380A',X'7062656D646963652F76312F736179730A73616C7420666338373531386331623832393335353231353464643963613134323362633036633638333632366162343437333061303935383132353064663066323262300A736967206E6F6E650A67726F757020616C6C20373761616461373039636433653537343637303839313536383862316437643134616537336433313830393237343138363739326239386331636663653330303263356561353739396636663163336433383831633664383665656264323432653437396131323232346262666435323730336332326438326161333930366335393531333936336233323538303662366338663036623734623537306130610A6D616E6966657374207368613235363A386432623238346162366465623561666333373165303838386664353564636131613035613135383934366561336565366535383536306239393637313232380A','pbemdice/v1/manifest
game g1
phase T1.north~1
segment 1
group all
roll 1 Ant>s2/push 1d6 6
',6,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(7,'g1',6,'result','T1.north~1',X'7062656D646963652F76312F726573756C740A67616D652067310A73657120360A7072657620616332343938343563613762376432386364636630333362303061643237323466633032623631613737623966326637313631393036623735313463386432360A626F647920343534653462623430363066623932303637313834626463643237643331326661383736313737306534613036626538633662633563393865663334663035300A',X'7062656D646963652F76312F736179730A73616C7420363762663063353938613764326135353232643438306663343965383635623963376436633038633439386131656432363266393531633462333232356234330A70686173652054312E6E6F7274687E310A737461746520686D61633A323731383331623836666532623564326631363039653066613563323563333032626662636434393432643063303737346339643362316464303231626631630A7265706F727420686D61633A376661343263643064333361613338363431333934373739313030303935633364366431623863626433636262303362383535383636653839623533663061340A','{"moving":"south","turn":1,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}',7,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(8,'g1',7,'open','T1.south~1',X'7062656D646963652F76312F6F70656E0A67616D652067310A73657120370A7072657620343133333435343361636438343366363434323730656337623835353230383336396233663461626138376232613532666336343036373666656134346131320A626F647920343532343463616330643632393436613234643539306166396137396335373263643531653936353935343134646631376635323235366363656563623733640A',X'7062656D646963652F76312F736179730A73616C7420613036396130313861633063623338336363306132303761393463643930353533376236663564376638326439646264363634623138633039623664653736610A70686173652054312E736F7574687E310A4420313737383031313230300A64656C746120300A636861696E206E6F6E650A726F756E6420300A65646974696F6E207368613235363A323737383237393930333733623036616531346166306536373065343137316665366333663063336636383935646339356330653966636436336665303063300A737461746520686D61633A653535366132366235333939373730663562353361326136646338366533356566633231656632663361613431393036656133376136613033616532326463370A7365617473206E6F72746820736F7574680A73797374656D20746F790A706163652070686173650A6F70656E656420706C617965640A626F7473202D0A72756C696E67202D0A','{"moving":"south","turn":1,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}',8,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(9,'-',0,'genesis','',X'7062656D646963652F76312F67656E657369730A67616D65202D0A73657120300A70726576202D0A6C6F672067616D65732E6578616D706C652F7062656D2B38323336653739622B415731452B546E344B6451316D4C7A6533616B4E344232326E36705179714D2B6A477779696B7551445532730A76726620343461393430633061353934373563666435326262323464303039353362336637353731633635623639353635653131353237643131373436626164383731650A636861696E206E6F6E650A',X'','',0,'2026-05-04 12:00:00.000000');
INSERT INTO "leaf" VALUES(10,'g1',8,'order','T1.south~1',X'7062656D646963652F76312F6F726465720A67616D652067310A73657120380A7072657620323634386261623761353038366532316432306635343133653063613030373066346138386334323463363462366261623839633665376132366230663661390A626F647920343438343761333262353431316333356161396662616235353936643834343437303734636439346439336132643665346638613033666330343861623030310A',X'7062656D646963652F76312F736179730A73616C7420623931393663333166653934303931633431396462393137633635623535323261393762633265343936343032643263316233646132303461343762666139650A70686173652054312E736F7574687E310A73656174206E6F7274680A72657620300A6F7264657273204F69434A5670716B4C617166336F6371644D32454532345671796D597A4D555247336439394379356330453D0A7374616E64696E67207045546630566E51546D7245504A554337336C55577A562B4B412B48714F39386973656A2B2B59496472673D0A656D6C202D0A7265637620300A','["",[]]',9,'2026-05-07 12:00:00.000000');
INSERT INTO "leaf" VALUES(11,'g1',9,'order','T1.south~1',X'7062656D646963652F76312F6F726465720A67616D652067310A73657120390A7072657620613337636662353535326330363162623263383030386431643264636431633832626332393566643530386639366663386464643938626466656331303538630A626F647920323966613731656134396563373861643933383934306133636131386466366437663634623534653936616330393266623462386533636234653566386237380A',X'7062656D646963652F76312F736179730A73616C7420336433333538623861303837396135373235646430356262623934643334383734653535636330633432623537313836316533623030366439303237333932610A70686173652054312E736F7574687E310A7365617420736F7574680A72657620300A6F7264657273203751555869506D34525653325A3768477168463066414470696F66626D2F316C4D574633706461646273553D0A7374616E64696E67205749644D727A495A313179736838695273722B496443346D34346C4E50557A314E74795364513163774E733D0A656D6C202D0A7265637620300A','["",[]]',10,'2026-05-07 12:00:00.000000');
INSERT INTO "leaf" VALUES(12,'g1',10,'close','T1.south~1',X'7062656D646963652F76312F636C6F73650A67616D652067310A7365712031300A7072657620353465363934663734336634373066323262643464623235343861383739613862303735643639316430333865366364613037373636373938393364353135610A70686173652054312E736F7574687E310A7365676D656E7420310A67726F75707320616C6C0A626F647920323935383438376362313762636164653563663065666236353636393765313939356664383564323133663837333163393235616164353134356239613562620A',X'7062656D646963652F76312F736179730A73616C7420363366373931653766396530396235313534633138666164306465633561343133393863363334363765373066393961663965303134396634383661656136350A736C61746520366134316635646166623765643334393864633162636134633731343936356564386130316462326537623436363332306266373761353065343166366261330A7365656E202D0A','pbemdice/v1/slate
game g1
phase T1.south~1
segment 1
previous -
edition sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0
state hmac:e556a26b5399770f5b53a2a6dc86e35efc21ef2f3aa41906ea37a6a03ae22dc7
dice own
groups all
beacon none
seat north 0 OiCJVpqkLaqf3ocqdM2EE24VqymYzMURG3d99Cy5c0E= pETf0VnQTmrEPJUC73lUWzV+KA+HqO98isej++YIdrg=
seat south 0 7QUXiPm4RVS2Z7hGqhF0fADpiofbm/1lMWF3pdadbsU= WIdMrzIZ11ysh8iRsr+IdC4m44lNPUz1NtySdQ1cwNs=
',11,'2026-05-07 12:00:00.000000');
INSERT INTO "leaf" VALUES(13,'g1',11,'roll','T1.south~1',X'7062656D646963652F76312F726F6C6C0A67616D652067310A7365712031310A7072657620393438313334323732306138653766326631313264663666393536393066643965333732663838663664343239636431316439343664393861386362376137630A70686173652054312E736F7574687E310A7365676D656E7420310A67726F75707320616C6C0A626F647920633434663238626532656633303238306261336431623731353365666462366364636266303633656265316439623733303630303261353630656138396363310A',X'7062656D646963652F76312F736179730A73616C7420633739643730303636313438396165633361336237666563613539343865326431396239623731636661616263333632336339306135636530353232643062350A736967206E6F6E650A67726F757020616C6C20373939393365303439396439313732663231356533363530643661363137313236653833326265396666316166383064393632303333623033343266343632326631633133666461616439373438303236343463373332373833363561646635343138333166653634623633626462343132656433633634306361346562353864363834633036633361613862353139323630313330373339613561643030320A6D616E6966657374207368613235363A343561336461353031613038333238323434633263303136633461323434623133633635326365316539386666616531633936393262616563336538376336390A','pbemdice/v1/manifest
game g1
phase T1.south~1
segment 1
group all
',12,'2026-05-07 12:00:00.000000');
INSERT INTO "leaf" VALUES(14,'g1',12,'result','T1.south~1',X'7062656D646963652F76312F726573756C740A67616D652067310A7365712031320A7072657620386432326232653931666262336666653438323063653435623566633737306231366366363463306233626435313861383865356361306665633634353037650A626F647920306131663235663336383533643936623133313633626131653134313135663334363339303165313564623630663861336663346232313663376232386331660A',X'7062656D646963652F76312F736179730A73616C7420373134373036343065616466383965366464633832313832306638323134343230383261353230336665346432313065633938666564346539366261333333330A70686173652054312E736F7574687E310A737461746520686D61633A636664323563633761633933623936336133313432313766323662383338626635616465353362313562363239353538313737323861346131613135363363650A7265706F727420686D61633A313562646663303339343564393730376233383737643536643238353831666466393630386236316234336231373332333131333132666438323535366235340A','{"moving":"north","turn":2,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}',13,'2026-05-07 12:00:00.000000');
INSERT INTO "leaf" VALUES(15,'g1',13,'open','T2.north~1',X'7062656D646963652F76312F6F70656E0A67616D652067310A7365712031330A7072657620313133373434313738303034653831626230396562363062633764363536366231333836663734636663376236643330333030336337326162323932323962370A626F647920376432613964383433616362366565623665623534653965616465346136386431306636336533373630336566326135623163623430396238343934383665640A',X'7062656D646963652F76312F736179730A73616C7420616461653533663436613138373965646163626363383064393866623837373634636430353564333130373961346431303364646161623730623531646330300A70686173652054322E6E6F7274687E310A4420313737383237303430300A64656C746120300A636861696E206E6F6E650A726F756E6420300A65646974696F6E207368613235363A323737383237393930333733623036616531346166306536373065343137316665366333663063336636383935646339356330653966636436336665303063300A737461746520686D61633A333064353131353962393163343962373637656330313438333731383137633033386430663561396631656438393662636164663837353366626639306532310A7365617473206E6F72746820736F7574680A73797374656D20746F790A706163652070686173650A6F70656E656420706C617965640A626F7473202D0A72756C696E67202D0A','{"moving":"north","turn":2,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}',14,'2026-05-07 12:00:00.000000');
CREATE TABLE lease (
	name VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	until DATETIME NOT NULL, 
	CONSTRAINT pk_lease PRIMARY KEY (name)
);
INSERT INTO "lease" VALUES('log','alone','2026-05-07 11:59:30.000000');
INSERT INTO "lease" VALUES('breakers','alone','2026-05-07 11:59:30.000000');
CREATE TABLE lineup (
	id INTEGER NOT NULL, 
	team_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	boards VARCHAR NOT NULL, 
	CONSTRAINT pk_lineup PRIMARY KEY (id), 
	CONSTRAINT fk_lineup_team_id_team FOREIGN KEY(team_id) REFERENCES team (id), 
	CONSTRAINT uq_lineup_team_id_number UNIQUE (team_id, number)
);
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
CREATE TABLE node (
	level INTEGER NOT NULL, 
	place BIGINT NOT NULL, 
	digest BLOB NOT NULL, 
	CONSTRAINT pk_node PRIMARY KEY (level, place)
);
INSERT INTO "node" VALUES(0,0,X'603DDED0EB385DA9BBBBCD9C762AFBABD90117B2846288E19C31A09019E653ED');
INSERT INTO "node" VALUES(0,1,X'FCD1FB144226B4EE5DBBB71FF014F6EF51DD4F91A02ED7D6D42BB08BB6039A72');
INSERT INTO "node" VALUES(1,0,X'BBB324A5B7A1A9ADAFF691BD30EE29D21DAB0651216A1223DA48A3F3A1B43CD5');
INSERT INTO "node" VALUES(0,2,X'A1FC91BD4A143A4F113911C5E8D24DFC61739E503A978362D598E2424822D47E');
INSERT INTO "node" VALUES(0,3,X'86620893C36E6ED9DED87D30415DF76FEB3E0F419B90252D59DC4FF1FEDAADFA');
INSERT INTO "node" VALUES(1,1,X'24CBF42033CDC3A719BFDF25C434CA60A72E2E708E851C2B5711F38035C3C7CD');
INSERT INTO "node" VALUES(2,0,X'148A09D5634313E9A1185052DF167145148E23CDF0BD5E40E2E486A8AE932F5E');
INSERT INTO "node" VALUES(0,4,X'2A8BB9D72994E8E15B5662671CAD7E1C7FD844F4077BE28D38423E1B43846ABD');
INSERT INTO "node" VALUES(0,5,X'223D82937704D64BD58FD9215A365F4CB28F26A22A1ECE398A4E14F5F8120978');
INSERT INTO "node" VALUES(1,2,X'910F4CD287CDA38D79EB18286AC8C2F8A4B7265787E3E103BD9C9C64E47F29B7');
INSERT INTO "node" VALUES(0,6,X'AC249845CA7B7D28CDCF033B00AD2724FC02B61A77B9F2F7161906B7514C8D26');
INSERT INTO "node" VALUES(0,7,X'41334543ACD843F644270EC7B855208369B3F4ABA87B2A52FC640676FEA44A12');
INSERT INTO "node" VALUES(1,3,X'20096FDC00DB257A448D96C320D1A1F948FF9C0F358B6EB214335F8C4FB56331');
INSERT INTO "node" VALUES(2,1,X'07E0B3D4C7E99DE2DA01088736D422890862E6C7C3DD434B10518EB4763CE83B');
INSERT INTO "node" VALUES(3,0,X'AEE5277B777BD784E67A3278C3AEDB96602CA4D563A546336CF7066B06DEA928');
INSERT INTO "node" VALUES(0,8,X'2648BAB7A5086E21D20F5413E0CA0070F4A88C424C64B6BAB89C6E7A26B0F6A9');
INSERT INTO "node" VALUES(0,9,X'A37CFB5552C061BB2C8008D1D2DCD1C82BC295FD508F96FC8DDD98BDFEC1058C');
INSERT INTO "node" VALUES(1,4,X'C74692A79B61F8553D3F60629074F4438C9D3A02474F22DED8ACCA165374382B');
INSERT INTO "node" VALUES(0,10,X'54E694F743F470F22BD4DB2548A879A8B075D691D038E6CDA0776679893D515A');
INSERT INTO "node" VALUES(0,11,X'9481342720A8E7F2F112DF6F95690FD9E372F88F6D429CD11D946D98A8CB7A7C');
INSERT INTO "node" VALUES(1,5,X'0FF8F1263374F4D7B4F7B19B66509CA19C60C44BE72FA54EA92DD2836D7F8BCE');
INSERT INTO "node" VALUES(2,2,X'04C199A7D0D3C6FBE5F2BD05CE800178EC72C522B931DAB4814DBA70234B09CF');
INSERT INTO "node" VALUES(0,12,X'8D22B2E91FBB3FFE4820CE45B5FC770B16CF64C0B3BD518A88E5CA0FEC64507E');
INSERT INTO "node" VALUES(0,13,X'113744178004E81BB09EB60BC7D6566B1386F74CFC7B6D303003C72AB29229B7');
INSERT INTO "node" VALUES(1,6,X'10A6145EAEC7C842411CD7887D1200C0243BCFBC89AEB8D5EDA03B7B273A2928');
INSERT INTO "node" VALUES(0,14,X'BBEDE44DFD365B494336021932B2A23A734BCF7F80B07F46B699C4974FFDD7C5');
CREATE TABLE observer (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	language VARCHAR NOT NULL, 
	CONSTRAINT pk_observer PRIMARY KEY (id), 
	CONSTRAINT fk_observer_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_observer_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_observer_game_id_person_id UNIQUE (game_id, person_id)
);
CREATE TABLE order_set (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	inbox_id INTEGER, 
	dated DATETIME, 
	received DATETIME NOT NULL, 
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
INSERT INTO "order_set" VALUES(1,1,1,1,'MOVE Ant TO s2
','queued',1,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000','dbedf449bcf110a86d6b0ede0c7a190d','letter',0,'','');
CREATE TABLE outbox (
	id INTEGER NOT NULL, 
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
	created DATETIME NOT NULL, 
	next_try DATETIME NOT NULL, 
	last_code INTEGER, 
	last_text VARCHAR NOT NULL, 
	bounced VARCHAR NOT NULL, 
	owner VARCHAR DEFAULT '' NOT NULL, 
	until DATETIME, 
	CONSTRAINT pk_outbox PRIMARY KEY (id), 
	CONSTRAINT ck_outbox_state CHECK (state IN ('queued', 'sent', 'failed')), 
	CONSTRAINT fk_outbox_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_outbox_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id), 
	CONSTRAINT fk_outbox_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_outbox_message_id UNIQUE (message_id)
);
INSERT INTO "outbox" VALUES(1,'<g1.-.invitation.north.2t2sahbr@games.example>','invitation','g1',1,NULL,'ann@players.example','pbem+bounce-l4vmxtp7d7k76vc5@games.example','pbem+g1-north-dhezidrxaqgexxsz@games.example','','<g1.-.root.-.avpgm2yj@games.example>','en','html','sent',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(2,'<g1.-.invitation.south.qaljjtf7@games.example>','invitation','g1',2,NULL,'bob@players.example','pbem+bounce-a345iy3gkpalkrqm@games.example','pbem+g1-south-esjov54rnyq6qur6@games.example','','<g1.-.root.-.avpgm2yj@games.example>','en','html','sent',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(3,'<g1.T1.north~1.report.north.k4hdf65g@games.example>','report','g1',1,NULL,'ann@players.example','pbem+bounce-5yxuxryd5efzqdrv@games.example','pbem+g1-north-dhezidrxaqgexxsz@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.-.invitation.north.2t2sahbr@games.example>','en','html','sent',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(4,'<g1.T1.north~1.report.south.7qd7wiji@games.example>','report','g1',2,NULL,'bob@players.example','pbem+bounce-xzvse2rob2vr6e5e@games.example','pbem+g1-south-esjov54rnyq6qur6@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.-.invitation.south.qaljjtf7@games.example>','en','html','sent',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(5,'<g1.T1.north~1.press.south.lyc5jnon@games.example>','press','g1',2,NULL,'bob@players.example','pbem+bounce-lymsfywzpt5zorkr@games.example','pbem+g1-south-esjov54rnyq6qur6@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.north~1.report.south.7qd7wiji@games.example>','en','html','queued',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(6,'<g1.T1.north~1.receipt.north.hwx4gyqp@games.example>','receipt','g1',1,1,'ann@players.example','pbem+bounce-x5syel5y5zd2vc2i@games.example','pbem+g1-north-dhezidrxaqgexxsz@games.example','<1@players.example>','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.north~1.report.north.k4hdf65g@games.example> <1@players.example>','en','html','queued',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(7,'<g1.T1.south~1.report.north.hmxtceom@games.example>','report','g1',1,NULL,'ann@players.example','pbem+bounce-2cpkez5zdiz6th4o@games.example','pbem+g1-north-dhezidrxaqgexxsz@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.north~1.receipt.north.hwx4gyqp@games.example>','en','html','queued',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(8,'<g1.T1.south~1.report.south.kmxyae3y@games.example>','report','g1',2,NULL,'bob@players.example','pbem+bounce-e2zhjbw4msrmr36f@games.example','pbem+g1-south-esjov54rnyq6qur6@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.north~1.press.south.lyc5jnon@games.example>','en','html','queued',0,'2026-05-04 12:00:00.000000','2026-05-04 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(9,'<g1.T2.north~1.report.north.ocauisaw@games.example>','report','g1',1,NULL,'ann@players.example','pbem+bounce-sd5sawbrqn5vbyr5@games.example','pbem+g1-north-dhezidrxaqgexxsz@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.south~1.report.north.hmxtceom@games.example>','en','html','queued',0,'2026-05-07 12:00:00.000000','2026-05-07 12:00:00.000000',NULL,'','','',NULL);
INSERT INTO "outbox" VALUES(10,'<g1.T2.north~1.report.south.tyvhbxpo@games.example>','report','g1',2,NULL,'bob@players.example','pbem+bounce-siwk6xke7kda3iqq@games.example','pbem+g1-south-esjov54rnyq6qur6@games.example','','<g1.-.root.-.avpgm2yj@games.example> <g1.T1.south~1.report.south.kmxyae3y@games.example>','en','html','queued',0,'2026-05-07 12:00:00.000000','2026-05-07 12:00:00.000000',NULL,'','','',NULL);
CREATE TABLE person (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	language VARCHAR NOT NULL, 
	zone VARCHAR NOT NULL, 
	rating_public BOOLEAN NOT NULL, 
	CONSTRAINT pk_person PRIMARY KEY (id)
);
INSERT INTO "person" VALUES(1,'ann','en','UTC',0);
INSERT INTO "person" VALUES(2,'bob','en','UTC',0);
CREATE TABLE phase (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	attempt INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	again_of INTEGER, 
	state VARCHAR NOT NULL, 
	void_by INTEGER, 
	opened DATETIME NOT NULL, 
	deadline DATETIME NOT NULL, 
	closed DATETIME, 
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
INSERT INTO "phase" VALUES(1,'g1',1,1,'north',1,1,NULL,'resolved',NULL,'2026-05-04 12:00:00.000000','2026-05-05 20:00:00.000000','2026-05-04 12:00:00.000000','{"north":[1,"MOVE Ant TO s2\n",[]],"south":[0,"",[]]}','pbemdice/v1/slate
game g1
phase T1.north~1
segment 1
previous -
edition sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0
state hmac:2f98347067e63f27545e1a94db52360676bb8729a902ada4ca41ead1500d6be3
dice own
groups all
beacon none
seat north 1 J9rWcv18Ky7aS70qTl3XAzYh8FMZJpE8fW58xEBVd+Y= RNJmGXFU0udWFVAE02P5SxlKSha8+jamKnIg/MnFI1o=
seat south 0 TaYbCmApfUAccl/e78gB6Vxp+yXtNabnJmSDGs7kFYs= B6HtwD1F4olIYiuJwKM56+YRgJqChkI2Klcp/I+by+0=
','[["Ant>s2/push",1,6,[6]]]','sha256:a22426042769d278848629071aa882d27decc7dbfcba4501de5906faccf7eebb','sha256:57962abc50aaf801990b0e5293a0422f143f9c254389f205b03ff04e7081e7bd','{"rules":{},"sets":[[1,"north"],[1,"south"]]}');
INSERT INTO "phase" VALUES(2,'g1',2,1,'south',1,1,NULL,'resolved',NULL,'2026-05-04 12:00:00.000000','2026-05-05 20:00:00.000000','2026-05-07 12:00:00.000000','{"north":[0,"",[]],"south":[0,"",[]]}','pbemdice/v1/slate
game g1
phase T1.south~1
segment 1
previous -
edition sha256:277827990373b06ae14af0e670e4171fe6c3f0c3f6895dc95c0e9fcd63fe00c0
state hmac:e556a26b5399770f5b53a2a6dc86e35efc21ef2f3aa41906ea37a6a03ae22dc7
dice own
groups all
beacon none
seat north 0 OiCJVpqkLaqf3ocqdM2EE24VqymYzMURG3d99Cy5c0E= pETf0VnQTmrEPJUC73lUWzV+KA+HqO98isej++YIdrg=
seat south 0 7QUXiPm4RVS2Z7hGqhF0fADpiofbm/1lMWF3pdadbsU= WIdMrzIZ11ysh8iRsr+IdC4m44lNPUz1NtySdQ1cwNs=
','[]','sha256:00a344856e404fcd12fa30ca52b672dc8a53e8994c2ecc37513ed6571eea9b29','sha256:bcc233eb25c5557bdf714fa4f7ae8b93efcd20cfc77483500e9d2efdb0554820','{"rules":{},"sets":[[1,"north"],[1,"south"]]}');
INSERT INTO "phase" VALUES(3,'g1',3,2,'north',1,1,NULL,'open',NULL,'2026-05-07 12:00:00.000000','2026-05-08 20:00:00.000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE picture (
	digest VARCHAR(64) NOT NULL, 
	png BLOB NOT NULL, 
	made DATETIME NOT NULL, 
	CONSTRAINT pk_picture PRIMARY KEY (digest)
);
CREATE TABLE poll (
	account VARCHAR NOT NULL, 
	folder VARCHAR NOT NULL, 
	begun DATETIME NOT NULL, 
	CONSTRAINT pk_poll PRIMARY KEY (account, folder)
);
INSERT INTO "poll" VALUES('box','INBOX','2026-05-07 12:00:00.000000');
CREATE TABLE press (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	seat_id INTEGER NOT NULL, 
	inbox_id INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	"to" VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	delivered BOOLEAN NOT NULL, 
	kept_from VARCHAR NOT NULL, 
	rides INTEGER NOT NULL, 
	CONSTRAINT pk_press PRIMARY KEY (id), 
	CONSTRAINT fk_press_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_press_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id), 
	CONSTRAINT fk_press_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
INSERT INTO "press" VALUES(1,'g1',1,1,1,'south','Good morning.','2026-05-04 12:00:00.000000',1,'',0);
CREATE TABLE proposal (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	word VARCHAR NOT NULL, 
	CONSTRAINT pk_proposal PRIMARY KEY (id), 
	CONSTRAINT ck_proposal_word CHECK (word IN ('draw', 'concede')), 
	CONSTRAINT fk_proposal_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT fk_proposal_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_proposal_phase_id_seat_id_word UNIQUE (phase_id, seat_id, word)
);
CREATE TABLE question (
	id INTEGER NOT NULL, 
	segment_id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	window VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	answer VARCHAR, 
	revision INTEGER NOT NULL, 
	CONSTRAINT pk_question PRIMARY KEY (id), 
	CONSTRAINT fk_question_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT fk_question_segment_id_segment FOREIGN KEY(segment_id) REFERENCES segment (id), 
	CONSTRAINT uq_question_segment_id_seat_id_number UNIQUE (segment_id, seat_id, number)
);
CREATE TABLE rating (
	id INTEGER NOT NULL, 
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
CREATE TABLE raw (
	sha256 VARCHAR(64) NOT NULL, 
	body BLOB NOT NULL, 
	CONSTRAINT pk_raw PRIMARY KEY (sha256)
);
INSERT INTO "raw" VALUES('41d16d905e41801842c3639da1ecfdbe8fa81c068f0d46a36cd898c661312421',X'46726F6D3A20616E6E40706C61796572732E6578616D706C650D0A546F3A207062656D2B67312D6E6F7274682D6468657A69647278617167657878737A4067616D65732E6578616D706C650D0A5375626A6563743A206F72646572730D0A4D6573736167652D49443A203C3140706C61796572732E6578616D706C653E0D0A446174653A204D6F6E2C203034204D617920323032362031323A30303A3030202B303030300D0A4D494D452D56657273696F6E3A20312E300D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D7574662D380D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20386269740D0A0D0A4F52444552532054310D0A4D4F564520416E7420544F2073320D0A454E440D0A0D0A505245535320544F20736F7574680D0A476F6F64206D6F726E696E672E0D0A454E445052455353');
CREATE TABLE round (
	id INTEGER NOT NULL, 
	tournament_id VARCHAR NOT NULL, 
	stage INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	within INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	opens DATETIME NOT NULL, 
	draws DATETIME, 
	starts DATETIME, 
	ends DATETIME, 
	closed DATETIME, 
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
CREATE TABLE ruling (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	phase VARCHAR NOT NULL, 
	line VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	CONSTRAINT pk_ruling PRIMARY KEY (id), 
	CONSTRAINT fk_ruling_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT uq_ruling_game_id_number UNIQUE (game_id, number)
);
CREATE TABLE seat (
	id INTEGER NOT NULL, 
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
	unreachable DATETIME, 
	missed INTEGER NOT NULL, 
	silent DATETIME, 
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
INSERT INTO "seat" VALUES(1,'g1','north','red',1,1,'en','UTC','html','on','c453','ORDERS T2 #c453
# MOVE Ant TO s3
# MOVE Bee TO s3
END','<g1.T2.north~1.report.north.ocauisaw@games.example>',0,0,NULL,0,NULL,0,'',1,'',1,'',0,'','','');
INSERT INTO "seat" VALUES(2,'g1','south','blue',2,1,'en','UTC','html','on','','','<g1.T2.north~1.report.south.tyvhbxpo@games.example>',1,0,NULL,1,NULL,259200,'',1,'',NULL,'',0,'','','');
CREATE TABLE segment (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	slate VARCHAR NOT NULL, 
	events VARCHAR NOT NULL, 
	letter VARCHAR, 
	position VARCHAR, 
	opened DATETIME NOT NULL, 
	deadline DATETIME, 
	CONSTRAINT pk_segment PRIMARY KEY (id), 
	CONSTRAINT ck_segment_state CHECK (state IN ('asking', 'closed')), 
	CONSTRAINT fk_segment_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT uq_segment_phase_id_number UNIQUE (phase_id, number)
);
CREATE TABLE shown (
	seat_id INTEGER NOT NULL, 
	size BIGINT NOT NULL, 
	seq INTEGER NOT NULL, 
	CONSTRAINT pk_shown PRIMARY KEY (seat_id), 
	CONSTRAINT fk_shown_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE silence (
	id INTEGER NOT NULL, 
	board_id INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	asked DATETIME NOT NULL, 
	until DATETIME NOT NULL, 
	gave_up BOOLEAN NOT NULL, 
	never BOOLEAN NOT NULL, 
	CONSTRAINT pk_silence PRIMARY KEY (id), 
	CONSTRAINT ck_silence_state CHECK (state IN ('asked', 'director', 'offered', 'accepted', 'open', 'closed')), 
	CONSTRAINT fk_silence_board_id_board FOREIGN KEY(board_id) REFERENCES board (id)
);
CREATE TABLE snapshot (
	game_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	body VARCHAR NOT NULL, 
	CONSTRAINT pk_snapshot PRIMARY KEY (game_id, number), 
	CONSTRAINT fk_snapshot_game_id_game FOREIGN KEY(game_id) REFERENCES game (id)
);
INSERT INTO "snapshot" VALUES('g1',0,'{"moving":"north","turn":1,"units":[["Ant","north",1],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}');
INSERT INTO "snapshot" VALUES('g1',1,'{"moving":"south","turn":1,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}');
INSERT INTO "snapshot" VALUES('g1',2,'{"moving":"north","turn":2,"units":[["Ant","north",2],["Bee","north",2],["Cat","south",5],["Dog","south",6]]}');
CREATE TABLE standby (
	id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	game_id VARCHAR, 
	CONSTRAINT pk_standby PRIMARY KEY (id), 
	CONSTRAINT fk_standby_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_standby_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_standby_person_id_game_id UNIQUE (person_id, game_id)
);
CREATE TABLE standing (
	id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	scope VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	inbox_id INTEGER NOT NULL, 
	CONSTRAINT pk_standing PRIMARY KEY (id), 
	CONSTRAINT fk_standing_inbox_id_inbox FOREIGN KEY(inbox_id) REFERENCES inbox (id), 
	CONSTRAINT fk_standing_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_standing_seat_id_scope UNIQUE (seat_id, scope)
);
CREATE TABLE statement (
	id INTEGER NOT NULL, 
	witness_id INTEGER NOT NULL, 
	size BIGINT NOT NULL, 
	said BLOB NOT NULL, 
	at BIGINT NOT NULL, 
	came DATETIME NOT NULL, 
	CONSTRAINT pk_statement PRIMARY KEY (id), 
	CONSTRAINT fk_statement_witness_id_witness FOREIGN KEY(witness_id) REFERENCES witness (id)
);
CREATE TABLE tally (
	about VARCHAR NOT NULL, 
	word VARCHAR NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_tally PRIMARY KEY (about, word)
);
INSERT INTO "tally" VALUES('game','forming',0);
INSERT INTO "tally" VALUES('game','running',1);
CREATE TABLE team (
	id INTEGER NOT NULL, 
	tournament_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	captain INTEGER, 
	since INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	barred VARCHAR NOT NULL, 
	entered DATETIME NOT NULL, 
	CONSTRAINT pk_team PRIMARY KEY (id), 
	CONSTRAINT ck_team_state CHECK (state IN ('in', 'withdrawn', 'expelled', 'left')), 
	CONSTRAINT fk_team_tournament_id_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id), 
	CONSTRAINT uq_team_tournament_id_name UNIQUE (tournament_id, name), 
	CONSTRAINT uq_team_tournament_id_number UNIQUE (tournament_id, number)
);
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
	wake DATETIME, 
	director_id INTEGER, 
	director_generation INTEGER NOT NULL, 
	director_language VARCHAR NOT NULL, 
	desk_at DATETIME, 
	facts VARCHAR NOT NULL, 
	root VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_tournament PRIMARY KEY (id), 
	CONSTRAINT ck_tournament_state CHECK (state IN ('draft', 'open', 'shut', 'playing', 'held', 'over', 'cancelled')), 
	CONSTRAINT fk_tournament_director_id_person FOREIGN KEY(director_id) REFERENCES person (id), 
	CONSTRAINT fk_tournament_edition_edition FOREIGN KEY(edition) REFERENCES edition (digest)
);
CREATE TABLE use (
	id INTEGER NOT NULL, 
	command VARCHAR NOT NULL, 
	seat_id INTEGER NOT NULL, 
	person_id INTEGER, 
	phase_id INTEGER, 
	about VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_use PRIMARY KEY (id), 
	CONSTRAINT fk_use_person_id_person FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT fk_use_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT fk_use_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE vote (
	id INTEGER NOT NULL, 
	dispute_id INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	until DATETIME NOT NULL, 
	word VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	appeal BOOLEAN NOT NULL, 
	CONSTRAINT pk_vote PRIMARY KEY (id), 
	CONSTRAINT fk_vote_dispute_id_dispute FOREIGN KEY(dispute_id) REFERENCES dispute (id), 
	CONSTRAINT uq_vote_dispute_id_entrant UNIQUE (dispute_id, entrant)
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
CREATE TABLE web_cosignature (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	size BIGINT NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at BIGINT NOT NULL, 
	came DATETIME NOT NULL, 
	CONSTRAINT pk_web_cosignature PRIMARY KEY (id), 
	CONSTRAINT uq_web_cosignature_key_size UNIQUE ("key", size)
);
CREATE TABLE wish (
	id INTEGER NOT NULL, 
	phase_id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	word VARCHAR NOT NULL, 
	CONSTRAINT pk_wish PRIMARY KEY (id), 
	CONSTRAINT ck_wish_word CHECK (word IN ('wait', 'go', 'done')), 
	CONSTRAINT fk_wish_phase_id_phase FOREIGN KEY(phase_id) REFERENCES phase (id), 
	CONSTRAINT fk_wish_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_wish_phase_id_seat_id UNIQUE (phase_id, seat_id)
);
CREATE TABLE witness (
	id INTEGER NOT NULL, 
	game_id VARCHAR NOT NULL, 
	seat_id INTEGER, 
	email VARCHAR NOT NULL, 
	language VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	base BIGINT NOT NULL, 
	unanswered INTEGER NOT NULL, 
	gaps INTEGER NOT NULL, 
	asked DATETIME NOT NULL, 
	CONSTRAINT pk_witness PRIMARY KEY (id), 
	CONSTRAINT ck_witness_state CHECK (state IN ('asked', 'sworn', 'off')), 
	CONSTRAINT fk_witness_game_id_game FOREIGN KEY(game_id) REFERENCES game (id), 
	CONSTRAINT fk_witness_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id)
);
CREATE TABLE writer (
	id INTEGER NOT NULL, 
	seat_id INTEGER NOT NULL, 
	email VARCHAR NOT NULL, 
	first DATETIME NOT NULL, 
	CONSTRAINT pk_writer PRIMARY KEY (id), 
	CONSTRAINT fk_writer_seat_id_seat FOREIGN KEY(seat_id) REFERENCES seat (id), 
	CONSTRAINT uq_writer_seat_id_email UNIQUE (seat_id, email)
);
CREATE INDEX ix_address_person_id ON address (person_id);
CREATE INDEX ix_game_asked_by ON game (asked_by);
CREATE INDEX ix_game_created ON game (created);
CREATE INDEX ix_game_state ON game (state);
CREATE INDEX ix_observer_person_id ON observer (person_id);
CREATE INDEX ix_seat_person_id ON seat (person_id);
CREATE INDEX ix_standby_game_id ON standby (game_id);
CREATE INDEX ix_absence_seat_id ON absence (seat_id);
CREATE INDEX ix_picture_made ON picture (made);
CREATE INDEX ix_gathered_seat_id ON gathered (seat_id);
CREATE INDEX ix_inbox_copy_of ON inbox (copy_of);
CREATE UNIQUE INDEX ix_inbox_one_original ON inbox (message_id, sha256) WHERE copy_of IS NULL;
CREATE INDEX ix_inbox_seat_id_taken ON inbox (seat_id, taken);
CREATE INDEX ix_inbox_sender ON inbox (sender);
CREATE INDEX ix_inbox_sha256 ON inbox (sha256);
CREATE INDEX ix_inbox_taken ON inbox (taken);
CREATE INDEX ix_inbox_verdict_taken ON inbox (verdict, taken);
CREATE INDEX ix_outbox_created ON outbox (created);
CREATE INDEX ix_outbox_envelope_sender ON outbox (envelope_sender);
CREATE INDEX ix_outbox_game_id_created ON outbox (game_id, created);
CREATE INDEX ix_outbox_given_up ON outbox (id) WHERE state = 'failed' AND last_text NOT LIKE 'overtaken by %';
CREATE INDEX ix_outbox_inbox_id ON outbox (inbox_id);
CREATE INDEX ix_outbox_recipient ON outbox (recipient);
CREATE INDEX ix_outbox_seat_id_kind_id ON outbox (seat_id, kind, id);
CREATE INDEX ix_outbox_state_next_try ON outbox (state, next_try);
CREATE INDEX ix_press_game_id ON press (game_id);
CREATE INDEX ix_press_seat_id ON press (seat_id);
CREATE INDEX ix_attempt_outbox_id ON attempt (outbox_id);
CREATE INDEX ix_attempt_taken ON attempt (id) WHERE code BETWEEN 200 AND 299;
CREATE INDEX ix_due_at_kind_id ON due (at, kind, id);
CREATE INDEX ix_moderator_person_id ON moderator (person_id);
CREATE INDEX ix_phase_going_on ON phase (game_id) WHERE state IN ('open', 'closed');
CREATE UNIQUE INDEX ix_phase_one_open ON phase (game_id) WHERE state = 'open';
CREATE INDEX ix_delay_phase_id ON delay (phase_id);
CREATE INDEX ix_delay_seat_id ON delay (seat_id);
CREATE INDEX ix_draft_asked ON draft (asked);
CREATE INDEX ix_draft_game_id ON draft (game_id);
CREATE INDEX ix_use_at ON use (at);
CREATE INDEX ix_use_person_id_at ON use (person_id, at);
CREATE INDEX ix_use_seat_id_command ON use (seat_id, command);
CREATE INDEX ix_order_set_inbox_id ON order_set (inbox_id);
CREATE UNIQUE INDEX ix_order_set_one_queued ON order_set (phase_id, seat_id) WHERE state = 'queued';
CREATE INDEX ix_question_seat_id ON question (seat_id);
CREATE INDEX ix_leaf_game_phase_seq ON leaf (game, phase, seq);
CREATE INDEX ix_web_cosignature_at ON web_cosignature (at);
CREATE INDEX ix_witness_email ON witness (email);
CREATE INDEX ix_witness_game_id ON witness (game_id);
CREATE INDEX ix_witness_state ON witness (state);
CREATE INDEX ix_statement_witness_id ON statement (witness_id);
CREATE INDEX ix_rating_pool_period ON rating (pool, period);
CREATE INDEX ix_tournament_wake ON tournament (wake);
CREATE INDEX ix_follower_person_id ON follower (person_id);
CREATE INDEX ix_round_state_draws ON round (state, draws);
CREATE INDEX ix_entrant_person_id ON entrant (person_id);
CREATE INDEX ix_silence_board_id ON silence (board_id);
CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
CREATE TRIGGER basis_no_update BEFORE UPDATE ON basis BEGIN SELECT RAISE(ABORT, 'basis is append-only'); END;
CREATE TRIGGER basis_no_delete BEFORE DELETE ON basis BEGIN SELECT RAISE(ABORT, 'basis is append-only'); END;
CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf WHEN OLD.number IS NOT NULL OR NEW.game IS NOT OLD.game OR NEW.seq IS NOT OLD.seq OR NEW.kind IS NOT OLD.kind OR NEW.phase IS NOT OLD.phase OR NEW.body IS NOT OLD.body OR NEW.written IS NOT OLD.written BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END;
CREATE TRIGGER leaf_no_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END;
CREATE TRIGGER game_counted_new AFTER INSERT ON game BEGIN INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; END;
CREATE TRIGGER game_counted_moved AFTER UPDATE OF state ON game WHEN (OLD.state <> NEW.state) BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; END;
CREATE TRIGGER game_counted_gone AFTER DELETE ON game BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; END;
COMMIT;

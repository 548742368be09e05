-- Rows that are never changed, and counts of games.

CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

CREATE TRIGGER basis_no_update BEFORE UPDATE ON basis BEGIN SELECT RAISE(ABORT, 'basis is append-only'); END;

CREATE TRIGGER basis_no_delete BEFORE DELETE ON basis BEGIN SELECT RAISE(ABORT, 'basis is append-only'); END;

CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf WHEN OLD.number IS NOT NULL OR NEW.game IS NOT OLD.game OR NEW.seq IS NOT OLD.seq OR NEW.kind IS NOT OLD.kind OR NEW.phase IS NOT OLD.phase OR NEW.body IS NOT OLD.body OR NEW.written IS NOT OLD.written BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END;

CREATE TRIGGER leaf_no_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END;

CREATE TRIGGER game_counted_new AFTER INSERT ON game BEGIN INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; END;

CREATE TRIGGER game_counted_moved AFTER UPDATE OF state ON game WHEN (OLD.state <> NEW.state) BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; END;

CREATE TRIGGER game_counted_gone AFTER DELETE ON game BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; END;

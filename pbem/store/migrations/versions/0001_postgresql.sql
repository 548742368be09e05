-- Rows that are never changed, and counts of games.

CREATE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'event is append-only'; END $$;

CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION event_append_only();

CREATE FUNCTION basis_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'basis is append-only'; END $$;

CREATE TRIGGER basis_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON basis FOR EACH STATEMENT EXECUTE FUNCTION basis_append_only();

CREATE FUNCTION leaf_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'UPDATE' AND OLD.number IS NULL AND NEW.game = OLD.game AND NEW.seq = OLD.seq AND NEW.kind = OLD.kind AND NEW.phase = OLD.phase AND NEW.body = OLD.body AND NEW.written = OLD.written THEN RETURN NEW; END IF; RAISE EXCEPTION 'leaf is append-only'; END $$;

CREATE TRIGGER leaf_append_only BEFORE UPDATE OR DELETE ON leaf FOR EACH ROW EXECUTE FUNCTION leaf_append_only();

CREATE FUNCTION game_counted_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; RETURN NULL; END $$;

CREATE TRIGGER game_counted_new AFTER INSERT ON game FOR EACH ROW EXECUTE FUNCTION game_counted_new();

CREATE FUNCTION game_counted_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; INSERT INTO tally (about, word, count) VALUES ('game', NEW.state, 1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + 1; RETURN NULL; END $$;

CREATE TRIGGER game_counted_moved AFTER UPDATE OF state ON game FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION game_counted_moved();

CREATE FUNCTION game_counted_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tally (about, word, count) VALUES ('game', OLD.state, -1) ON CONFLICT (about, word) DO UPDATE SET count = tally.count + -1; RETURN NULL; END $$;

CREATE TRIGGER game_counted_gone AFTER DELETE ON game FOR EACH ROW EXECUTE FUNCTION game_counted_gone();

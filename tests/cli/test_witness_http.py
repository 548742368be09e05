"""A witness asked by HTTP: a real port on the loopback address, and clients that mean no good."""

import http.client
import socket
import threading
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from pbem.audit import checkpoint, note, signing, submission
from pbem.audit.witness import LONGEST_TEXT
from pbem.cli.exit_codes import CommandError
from pbem.cli.log_output import open_log
from pbem.cli.main import main
from pbem.cli.witness import MOST_CONNECTIONS, WitnessAnswering, WitnessHttpServer
from pbem.cli.witness_cosigner import open_witness_home
from pbem.store.durable import UnwritableFile
from tests.audit.test_submission import submitted
from tests.audit.test_witness import FORK, LOG, noted

START = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Clock:
    def now(self):
        return START


@pytest.fixture
def home(tmp_path):
    with pytest.raises(SystemExit):
        main(["witness", "init", str(tmp_path), "--address", "ana@friends.test", "--log", LOG.text])
    return open_witness_home(tmp_path / "witness.toml")


@contextmanager
def listening(home, seconds=30.0):
    server = WitnessHttpServer("127.0.0.1", 0, WitnessAnswering(home, Clock(), open_log()), seconds)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def post(server, request, path=submission.SUBMISSION_PATH):
    line = http.client.HTTPConnection("127.0.0.1", server.server_port)
    line.request("POST", path, request if isinstance(request, bytes) else submission.write(request))
    answer = line.getresponse()
    response = answer.status, answer.read(), answer.headers["Content-Type"]
    line.close()
    return response


def test_a_checkpoint_is_cosigned_and_held_after_a_new_start(home):
    with listening(home) as server:
        status, body, _ = post(server, submitted(5))
        line = submission.parse_cosignature(body, home.key)
        assert status == 200
        assert checkpoint.cosigning_times(note.add_signatures(noted(5), line), [home.key], signing.verify) == {
            home.key.name: int(START.timestamp())
        }
    with listening(home) as server:
        assert post(server, submitted(9)) == (409, b"5\n", "text/x.tlog.size")
        assert post(server, submitted(9, 5))[0] == 200
        assert post(server, submitted(12, 9, FORK))[0] == 422


def test_two_requests_on_one_connection(home):
    with listening(home) as server:
        line = http.client.HTTPConnection("127.0.0.1", server.server_port)
        for size, old in ((5, 0), (9, 5)):
            line.request("POST", submission.SUBMISSION_PATH, submission.write(submitted(size, old)))
            answer = line.getresponse()
            assert (answer.status, answer.read()[:3]) == (200, "\N{EM DASH}".encode())
        line.close()


def test_what_else_is_asked_is_not_here(home):
    with listening(home) as server:
        assert post(server, submitted(5), "/")[0] == 404
        assert post(server, b"x" * (LONGEST_TEXT + 1))[0] == 413
        assert post(server, b"x")[0] == 400


def raw(server, *chunks):
    with socket.create_connection(("127.0.0.1", server.server_port)) as line:
        for data in chunks:
            line.sendall(data)
        got = b""
        while more := line.recv(4096):
            got += more
        return got


def test_a_request_that_does_not_say_how_long_it_is_is_refused(home):
    with listening(home) as server:
        for length in (b"", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999\r\n"):
            got = raw(server, b"POST /add-checkpoint HTTP/1.1\r\nHost: x\r\n" + length + b"\r\n")
            assert got.startswith(b"HTTP/1.1 411 ")


def test_who_begins_and_says_no_more_is_cut_off(home):
    with listening(home, seconds=0.05) as server:
        assert raw(server, b"POST /add-check") == b""
        assert raw(server, b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 100\r\n\r\nold 5\n") == b""
    assert home.load().seen == ()


def test_too_many_at_a_time_are_sent_away_and_the_others_served(home):
    with listening(home) as server:
        lines = [http.client.HTTPConnection("127.0.0.1", server.server_port) for _ in range(MOST_CONNECTIONS)]
        for line in lines:
            line.request("POST", submission.SUBMISSION_PATH, submission.write(submitted(5)))
            line.getresponse().read()
        assert raw(server) == b""
        lines.pop().close()
        for line in lines:
            line.request("POST", "/", b"")
            assert line.getresponse().status == 404
            line.close()


def test_nothing_is_told_that_cannot_be_written_down(home, monkeypatch):
    answering = WitnessAnswering(home, Clock(), open_log())

    def full(path, content):
        raise UnwritableFile(28, "full")

    with monkeypatch.context() as patched:
        patched.setattr("pbem.store.durable.replace_file", full)
        assert answering.answer(submission.write(submitted(5))).status == 500
    assert answering.answer(submission.write(submitted(5))).status == 200


def test_a_witness_who_was_told_no_log_is_no_use(tmp_path):
    with pytest.raises(SystemExit):
        main(["witness", "init", str(tmp_path), "--address", "ana@friends.test"])
    with pytest.raises(CommandError, match="which log"):
        WitnessAnswering(open_witness_home(tmp_path / "witness.toml"), Clock(), open_log())


@pytest.mark.parametrize("where", ["8750", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000"])
def test_where_to_listen_is_an_address(where, home, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["witness", "serve", "--listen", where, "--config", str(home.path.parent / "witness.toml")])
    assert ended.value.code == 2
    assert "HOST:PORT" in capsys.readouterr().err

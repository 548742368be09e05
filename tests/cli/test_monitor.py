"""`pbem monitor`: the files of a log read from a folder or by HTTP, and what is said of them."""

import http.server
import threading
from contextlib import contextmanager
from functools import partial

import pytest

from pbem.audit import merkle, tiles
from pbem.cli.exit_codes import CommandError
from pbem.cli.main import main
from pbem.cli.monitor import open_files
from pbem.cli.web import HttpConnection, check_address
from tests.audit.test_monitor import LOG, OTHER_VRF, SECOND, SECOND_SIGN, played


def written(log, folder):
    """The files of a log as a server writes them."""
    folder.mkdir(exist_ok=True)
    tree = merkle.Tree(log.data)
    for tile in tiles.new_tiles(len(log.data)):
        path = folder / tile.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if tile.level is None:
            path.write_bytes(tiles.leaf_bundle(log.data[tile.first : tile.first + tile.width]))
        else:
            nodes = [tree.node(tile.level * 8, tile.first + number) for number in range(tile.width)]
            path.write_bytes(b"".join(nodes))
    for index, note in log.vouched.items():
        (folder / "rotate").mkdir(exist_ok=True)
        (folder / "rotate" / str(index)).write_bytes(note)
    (folder / "checkpoint").write_bytes(log.signed())
    return folder


@pytest.fixture
def run(capsys):
    def command(*words):
        with pytest.raises(SystemExit) as ended:
            main(["monitor", *map(str, words)])
        output = capsys.readouterr()
        return ended.value.code, output.out, output.err

    return command


def test_a_log_is_watched_and_the_next_look_held_against_it(run, tmp_path):
    log, state = played(), tmp_path / "state.json"
    www = written(log, tmp_path / "www")
    code, out, _ = run(www, "--state", state)
    assert (code, out.splitlines()[0].split()[:4]) == (0, ["ok", "19", "leaves", "of"])
    assert LOG.text in out
    for _ in range(600):
        log.disclose()
    written(log, www)
    assert run(www, "--state", state, "--log-key", LOG.text)[0] == 0
    kept = state.read_bytes()
    del log.data[-100:]
    code, out, _ = run(written(log, tmp_path / "other"), "--state", state)
    assert code == 1
    assert out.startswith("FALSE        the log was made smaller: it has 519 leaves, and 619")
    assert out.count("example.com/pbem\n") == 2
    assert state.read_bytes() == kept


def test_new_keys_are_told_and_no_fault(run, tmp_path):
    log = played()
    log.rotate(SECOND, SECOND_SIGN, OTHER_VRF, "keys")
    code, out, _ = run(written(log, tmp_path / "www"))
    assert code == 0
    assert "goes on as example.com/pbem/2, because of: keys" in out


def test_findings_are_a_line_each_and_bounded(run, tmp_path):
    log = played()
    for _ in range(1200):
        log.close("g3")
    code, out, _ = run(written(log, tmp_path / "www"))
    assert (code, out.count("closed a second time")) == (1, 1000)
    assert "and 199 more" in out


def test_findings_as_a_letter_and_no_letter_where_there_are_none(run, tmp_path):
    log = played()
    www = written(log, tmp_path / "www")
    assert run(www, "--mail", "ann@example.org")[:2] == (0, "")
    log.close("g1", "T1~1")
    code, out, _ = run(written(log, www), "--mail", "ann@example.org")
    assert code == 1
    assert out.startswith("To: ann@example.org\nSubject: pbem monitor: ")
    assert "\n\n" in out
    assert "closed a second time" in out
    assert run(www, "--mail", "ann@example.org\nBcc: all@example.org")[0] == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda www: (www / "checkpoint").unlink(),
        lambda www: (www / "checkpoint").write_bytes(b"x"),
        lambda www: (www / "tile/entries/000.p/19").unlink(),
        lambda www: (www / "tile/entries/000.p/19").write_bytes(b"\0"),
        lambda www: (www / "tile/entries/000.p/19").write_bytes(b"\x20\0" + b"x" * 0x2000),
    ],
)
def test_what_cannot_be_read_is_not_checked(spoil, run, tmp_path):
    www = written(played(), tmp_path / "www")
    spoil(www)
    code, out, _ = run(www)
    assert code == 2
    assert out.startswith("NOT CHECKED  ")


def test_a_tile_that_has_become_full_meanwhile_is_read_in_its_place(run, tmp_path):
    log = played()
    www = written(log, tmp_path / "www")
    note = log.signed()
    for _ in range(300):
        log.disclose()
    written(log, www)
    (www / "tile/entries/000.p/19").unlink()
    (www / "checkpoint").write_bytes(note)
    assert run(www)[0] == 0


def test_a_state_that_cannot_be_read_stops_it(run, tmp_path):
    www, state = written(played(), tmp_path / "www"), tmp_path / "state"
    state.write_text("{}")
    code, _, err = run(www, "--state", state)
    assert (code, "a fork is not seen" in err) == (2, True)


@contextmanager
def serving(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


def test_a_log_is_watched_by_http(run, tmp_path):
    log = played()
    for _ in range(600):
        log.disclose()
    www = written(log, tmp_path / "www")
    with serving(partial(Quiet, directory=str(tmp_path))) as address:
        assert run(f"{address}/www/")[0] == 0
        assert run(f"{address}/else")[0] == 2
    (www / "tile/entries/000").write_bytes((www / "tile/entries/001").read_bytes())
    assert run(www)[0] == 1


def answering(status, headers, body):
    class Handler(Quiet):
        def do_GET(self):
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

    return Handler


def test_a_redirection_is_not_followed(tmp_path):
    with serving(partial(Quiet, directory=str(tmp_path))) as inside:
        (tmp_path / "checkpoint").write_bytes(b"secret")
        away = answering(302, [("Location", f"{inside}/checkpoint"), ("Content-Length", "0")], b"")
        with serving(away) as address, pytest.raises(OSError, match="HTTP 302"):
            open_files(address)("checkpoint", 100)


@pytest.mark.parametrize(
    ("headers", "body", "words"),
    [
        ([("Content-Length", "200")], b"x" * 200, "longer than 100"),
        ([], b"x" * 200, "longer than 100"),
        ([("Content-Length", "90")], b"x" * 20, "breaks off"),
        ([("Transfer-Encoding", "chunked")], b"zz\r\n", "no HTTP"),
    ],
)
def test_an_answer_is_bounded_and_whole(headers, body, words):
    with serving(answering(200, headers, body)) as address, pytest.raises(OSError, match=words):
        open_files(address)("checkpoint", 100)


def test_an_answer_that_never_ends_is_cut_off():
    done = threading.Event()

    class Slow(Quiet):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "50")
            self.end_headers()
            done.wait(60)
            self.close_connection = True

    with serving(Slow) as address:
        with pytest.raises(OSError, match=r"."), HttpConnection(address, 0.1) as line:
            line.get("checkpoint", 100)
        done.set()


@pytest.mark.parametrize(
    "address",
    [
        "http://log.example.org",
        "ftp://log.example.org",
        "https://",
        "https://a@log.example.org",
        "file:///etc/passwd",
        "https://log.example.org/?x",
        "https://log.example.org/a b",
        "https://log.example.org:x",
        "http://10.0.0.1/",
    ],
)
def test_an_address_is_https_or_this_machine(address):
    with pytest.raises(ValueError, match=r"."):
        check_address(address)
    with pytest.raises(CommandError):
        open_files(address)


@pytest.mark.parametrize("address", ["https://log.example.org/pbem/", "http://127.0.0.1:80", "http://[::1]:8/x"])
def test_other_addresses_are_asked(address):
    assert check_address(address) == address.rstrip("/")

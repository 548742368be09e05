"""The log as static files: what a reader finds is the log, whatever was written before and wherever it broke off."""

import stat

import pytest

from pbem.audit import checkpoint, merkle, note, signing, tiles
from pbem.audit.checkpoint import Checkpoint
from pbem.log import published, sequencer
from pbem.runtime.transaction import UserError
from pbem.store import durable, hot_statements, queries
from tests.harness.server import SECRETS, open_server


@pytest.fixture
def server(tmp_path):
    return open_server(tmp_path)


def size_of(session):
    """How many leaves have a number."""
    number = queries.log.last_number(session)
    return 0 if number is None else number + 1


def grow(server, count):
    """So many more leaves, signed as one batch."""
    with server.work() as work:
        before = size_of(work.session)
        for number in range(before, before + count):
            leaf = sequencer.Noted(number, "link", "", f"leaf {number}\n".encode())
            hot_statements.add_leaves(work.session, "g1", ((leaf, ""),), work.now)
        work.session.flush()
        sequencer.sign_waiting(work, queries.log.waiting_leaves(work.session), sequencer.head(work.session))


def read(folder):
    """The tree that a reader of the files finds, by the checkpoint and the bundles alone."""
    tree = checkpoint.read_signed((folder / "checkpoint").read_bytes(), SECRETS.log, signing.verify)
    whole = merkle.Tree()
    for tile in tiles.new_tiles(tree.size):
        data = (folder / tile.name).read_bytes()
        if tile.level is None:
            for leaf in tiles.leaves_in(data, tile.width):
                whole.append(leaf)
        else:
            hashes = [whole.node(tile.level * 8, tile.first + number) for number in range(tile.width)]
            assert data == b"".join(hashes)
    assert merkle.tree_root(whole.node, len(whole)) == tree.root
    return tree.size


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_what_is_published_is_the_log_at_any_size(server, tmp_path):
    out, size = tmp_path / "www", 0
    assert published.publish(server, out) == 0
    for more in (1, 30, 225, 1, 300, 1000):
        grow(server, more)
        assert published.publish(server, out) > 0
        assert published.publish(server, out) == 0
        with server.session() as session:
            size = size_of(session)
        assert read(out) == size
        assert names(out) >= {"checkpoint", *(tile.name for tile in tiles.new_tiles(size))}
    assert "tile/0/000.p/31" not in names(out)
    assert stat.S_IMODE((out / "checkpoint").stat().st_mode) == 0o644


def test_only_what_is_new_is_written(server, tmp_path, monkeypatch):
    grow(server, 600)
    published.publish(server, tmp_path / "www")
    grow(server, 1)
    written = []

    def put(path, content, made):
        written.append(path.name)
        path.write_bytes(content)

    monkeypatch.setattr(durable, "replace_file", put)
    published.publish(server, tmp_path / "www")
    assert len(written) == 3
    assert written[-1] == "checkpoint"


def test_a_publication_that_broke_off_shows_the_tree_before_and_goes_on(server, tmp_path, monkeypatch):
    out = tmp_path / "www"
    grow(server, 300)
    published.publish(server, out)
    size = read(out)
    grow(server, 600)
    put, left = durable.replace_file, [2]

    def full(path, content, made):
        left[0] -= 1
        if left[0] < 0:
            raise durable.UnwritableFile(28, "full")
        put(path, content, made)

    with monkeypatch.context() as patched:
        patched.setattr(durable, "replace_file", full)
        with pytest.raises(durable.UnwritableFile):
            published.publish(server, out)
    assert checkpoint.parse_checkpoint(note.parse((out / "checkpoint").read_bytes())).size == size
    published.publish(server, out)
    assert read(out) == size + 600


@pytest.mark.parametrize("tree", [(10_000, bytes(32)), (5, bytes(32))])
def test_a_folder_with_another_tree_of_this_log_is_left_as_it_is(tree, server, tmp_path):
    grow(server, 20)
    out = tmp_path / "www"
    out.mkdir()
    other = checkpoint.sign(Checkpoint(SECRETS.log.name, *tree), SECRETS.log, SECRETS.sign)
    (out / "checkpoint").write_bytes(other)
    with pytest.raises(UserError, match="another log"):
        published.publish(server, out)
    assert (out / "checkpoint").read_bytes() == other
    (out / "checkpoint").write_bytes(b"nothing\n")
    with pytest.raises(UserError, match="no checkpoint"):
        published.publish(server, out)


def test_under_another_name_all_is_written_anew(server, tmp_path):
    out = tmp_path / "www"
    grow(server, 20)
    published.publish(server, out)
    old = Checkpoint(f"{SECRETS.log.name}/7", 300, bytes(32))
    (out / "checkpoint").write_bytes(checkpoint.sign(old, SECRETS.log, SECRETS.sign))
    (out / "tile" / "0" / "001.p").mkdir(parents=True)
    (out / "tile" / "0" / "001.p" / "44").write_bytes(b"old")
    published.publish(server, out)
    assert not (out / "tile" / "0" / "001.p").exists()
    read(out)

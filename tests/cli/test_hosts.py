"""Two machines on one database: what was signed last lies in another, and each of them finds out a restore by it."""

import re
import shutil

import pytest
from sqlalchemy import text

from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.store.engine import open_engine
from pbem.store.external_record import RowRecord
from tests.harness.command_line import MOROCCO, SPAIN, CommandLine
from tests.postgresql import cluster, other, url

pytestmark = pytest.mark.full

ORDERS = "ORDERS T1\nPASS\nEND\n"
LOG = "example.org/pbem"


class Machines:
    """A cluster with the database of a server and another; machines, each with its own folder and the same keys."""

    def __init__(self, cluster, first, tmp_path):
        self.address, self.first, self.folder = url(cluster), first, tmp_path
        games, self.kept = other(cluster, "games"), other(cluster, "kept")
        settings = (first.folder / "pbem.toml").read_text()
        settings = re.sub(r'(?m)^url = ""$', f'url = "{games}"', settings, count=1)
        settings = re.sub(r'(?m)^signed = ""$', f'signed = "{self.kept}"', settings, count=1)
        (first.folder / "pbem.toml").write_text(settings)

    def sql(self, *statements):
        engine = open_engine(self.address)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for statement in statements:
                connection.execute(text(statement))
        engine.dispose()

    def another(self):
        folder = self.folder / "another"
        folder.mkdir()
        for name in ("pbem.toml", "pbem.key", "log.key", "dice.key"):
            shutil.copy(self.first.folder / name, folder)
        machine = CommandLine(folder, self.first.capsys)
        machine.count = 100
        return machine

    def remembered(self):
        signed = SignedTreeRecord(RowRecord(open_engine(self.kept), LOG))
        known = signed.read()
        signed.close()
        assert known is not None
        return known.tree


@pytest.fixture
def machines(hand, tmp_path_factory):
    with cluster() as folder:
        yield Machines(folder, hand, tmp_path_factory.mktemp("machines"))


def test_a_restore_is_found_on_every_machine_and_mended_on_one(machines):
    first = machines.first
    first.fine("game", "new", "ceuta-1", "--scenario", "castillejos", "--undo", "0")
    spain = first.fine("seat", "invite", "ceuta-1", "spain", SPAIN).strip()
    morocco = first.fine("seat", "invite", "ceuta-1", "morocco", MOROCCO).strip()
    first.fine("game", "start", "ceuta-1")
    far = machines.another()
    assert first.deliver(SPAIN, spain, ORDERS)[0] == 0
    assert not (first.folder / "log.signed").exists()
    before = machines.remembered()
    assert (before.origin, before.size > 0) == (LOG, True)

    machines.sql("CREATE DATABASE backup TEMPLATE games")
    assert far.deliver(MOROCCO, morocco, ORDERS)[0] == 0
    newest = machines.remembered()
    assert newest.size > before.size
    assert first.fine("log", "check").endswith("all is as it was signed\n")

    machines.sql("DROP DATABASE games", "CREATE DATABASE games TEMPLATE backup")
    for machine in (first, far):
        code, _, err = machine("log", "show")
        assert (code, f"{newest.size} leaves of the log were signed" in err, "pbem log recover" in err) == (
            1,
            True,
            True,
        )
    output = first.fine("log", "recover", "--yes")
    assert f"The log goes on as {LOG}/2" in output
    assert f"admits to {newest.size} before" in output
    assert machines.remembered().origin == f"{LOG}/2"
    assert far.deliver(MOROCCO, morocco, "STATUS\n")[0] == 0
    assert far.fine("log", "check").endswith("all is as it was signed\n")

    machines.sql("DROP DATABASE kept", "CREATE DATABASE kept")
    code, _, err = far("log", "show")
    assert (code, "in postgresql+psycopg://" in err, "is gone" in err) == (1, True, True)
    assert f"{LOG} in postgresql" in first.fine("log", "recover", "--intact")
    assert far("log", "show")[0] == 0


def test_the_database_of_the_log_is_none_to_remember_it_in(machines):
    path = machines.first.folder / "pbem.toml"
    path.write_text(path.read_text().replace("/kept?", "/games?"))
    code, _, err = machines.first("game", "list")
    assert (code, err.startswith("pbem: log.signed is to name another database")) == (2, True)


def test_a_database_that_is_away_is_told(machines):
    path = machines.first.folder / "pbem.toml"
    path.write_text(path.read_text().replace("/kept?", "/nowhere?"))
    code, _, err = machines.first("game", "list")
    assert (code, err.startswith("pbem: what was signed last cannot be asked for: ")) == (2, True)
    assert 'database "nowhere" does not exist' in err
    code, output, _ = machines.first("doctor")
    assert code == 1
    assert re.search(r"WRONG +log +what was signed last cannot be asked for: .*nowhere", output)

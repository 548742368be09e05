"""Texts are kept, compared and printed; and commits that update them move no file and tell what they change."""

import shutil
import subprocess

import pytest

from tests.contract import __main__ as command
from tests.contract import commits, kept
from tests.needed import need

BEFORE = {"one": "first\nsecond\nthird\n", "two": "alike\n"}
NOW = {"one": "first\nother\nthird\n", "three": "new\n", "two": "alike\n"}
DIFFERENCE = [
    "Contract: help: texts new 1, gone 0, changed 1; lines +2 -1",
    "@@ one",
    " first",
    "-second",
    "+other",
    " third",
    "+======== three",
]


def test_texts_are_read_back_as_they_were_kept():
    assert kept.unpacked(kept.packed(NOW)) == NOW
    assert kept.unpacked(kept.packed({})) == {}


@pytest.mark.parametrize("text", ["no line feed", "a line\n======== that looks like a name\n"])
def test_a_text_that_could_not_be_read_back_is_refused(text):
    with pytest.raises(ValueError, match="ends with a line feed"):
        kept.packed({"one": text, "two": ""})


def test_a_difference_is_summed_up_and_cut():
    difference = kept.compare("help", BEFORE, NOW)
    assert difference is not None
    assert difference.shown() == DIFFERENCE
    assert difference.shown(2) == [*DIFFERENCE[:3], "(4 lines more)"]
    assert kept.compare("help", NOW, dict(NOW)) is None


def test_a_section_that_is_new_is_summed_up():
    difference = kept.compare("help", {}, NOW)
    assert difference is not None
    assert difference.shown() == ["Contract: help: texts new 3, gone 0, changed 0; lines +0 -0"]


@pytest.fixture
def sections(tmp_path, monkeypatch):
    """One section whose texts a test says, kept in a folder of its own."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    now = dict(BEFORE)
    monkeypatch.setattr(command, "SECTIONS", {"help": lambda: now})
    kept.read.cache_clear()
    yield now
    kept.read.cache_clear()


def test_the_command_prints_what_differs_and_keeps_it_if_told(sections, capsys):
    assert command.main(["--write"]) == 0
    assert command.main([]) == 0
    assert capsys.readouterr().out.endswith("Nothing that is frozen has changed.\n")
    sections.clear()
    sections.update(NOW)
    assert command.main([]) == 1
    assert capsys.readouterr().out == "\n".join([*DIFFERENCE, "", command.ADVICE, ""])
    assert command.main(["help", "--write"]) == 0
    assert command.main([]) == 0
    with pytest.raises(SystemExit):
        command.main(["no-section"])


class Repository:
    """A repository with one section kept and one module."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "main")
        (folder / "tests" / "contract").mkdir(parents=True)
        self.keep(BEFORE)
        (folder / "module.py").write_text("".join(f"line {number}\n" for number in range(20)))
        self.commit("begin")

    def git(self, *words):
        who = ("-c", "user.name=Ana", "-c", "user.email=ana@players.example", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=self.folder, check=True, capture_output=True)

    def keep(self, texts):
        (self.folder / "tests" / "contract" / "help.txt.xz").write_bytes(kept.packed(texts))

    def commit(self, *message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--cleanup", "whitespace", "--message", "\n".join(message))

    def faults(self, revisions="HEAD"):
        return commits.faults(self.folder, revisions)


@pytest.fixture
def repository(tmp_path):
    need([] if shutil.which("git") else ["git"])
    return Repository(tmp_path)


def test_a_commit_that_tells_the_difference_is_fine(repository):
    repository.keep(NOW)
    repository.commit("help: say it otherwise", "", "As players asked.", "", *DIFFERENCE)
    assert repository.faults() == []
    assert repository.faults("main^..main") == []


def test_a_commit_that_updates_nothing_may_move_files(repository):
    repository.git("mv", "module.py", "moved.py")
    repository.commit("module: move it")
    assert repository.faults() == []


@pytest.mark.parametrize("way", [("mv", "module.py", "moved.py"), ("rm", "module.py")])
def test_a_commit_that_updates_the_contract_moves_and_removes_no_file(repository, way):
    repository.keep(NOW)
    repository.git(*way)
    repository.commit("help: say it otherwise", "", *DIFFERENCE)
    (fault,) = repository.faults()
    assert "updates the contract and moves or removes a file:" in fault
    assert "module.py" in fault


def test_a_commit_that_leaves_a_line_out_is_refused(repository, subtests):
    for lost, line in enumerate(DIFFERENCE):
        with subtests.test(line):
            repository.keep(NOW)
            repository.commit("help: say it otherwise", "", *DIFFERENCE[:lost], *DIFFERENCE[lost + 1 :])
            (fault,) = repository.faults()
            assert "its body does not hold the difference of help" in fault
            assert line.strip() in fault
            repository.git("reset", "--quiet", "--hard", "HEAD^")


def test_every_commit_of_a_range_is_checked(repository):
    repository.keep(NOW)
    repository.commit("help: say it otherwise")
    repository.commit("module: leave it")
    assert repository.faults() == []
    (fault,) = repository.faults("main~2..main")
    assert "help: say it otherwise: its body does not hold" in fault

"""What the guide for those who run a server promises beyond its commands: the unit, the image, what is installed."""

import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli.alerts import SENTENCES
from pbem.games.africa1860 import edition as africa1860
from pbem.games.peninsular import edition as peninsular
from pbem.runtime.terms import Terms
from tests.docs.settings import DOCUMENT, make_document
from tests.needed import need

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "server.md").read_text("utf-8")
TROUBLE = (ROOT / "docs" / "trouble.md").read_text("utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text("utf-8")
UNIT = (ROOT / "config" / "pbem.service").read_text("utf-8")
ALLOWED = 20
"""Tenths of exposure that a unit may have by systemd-analyze; one without any hardening has 96."""


def names(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements" / lock).read_text("utf-8"), re.MULTILINE))


def test_the_unit_in_the_guide_is_the_one_that_is_shipped():
    assert f"```\n{UNIT}```\n" in GUIDE


def test_the_unit_gives_a_server_its_own_folder_and_that_of_public_pages():
    for line in (
        "User=pbem",
        "EnvironmentFile=-/etc/pbem.env",
        "ProtectSystem=strict",
        "ReadWritePaths=/srv/pbem -/srv/www",
        "UMask=0077",
        "NoNewPrivileges=true",
        "CapabilityBoundingSet=",
    ):
        assert f"\n{line}\n" in UNIT
    assert re.search(r"^MemoryMax=\d+[MG]$", UNIT, re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("name", ["pbem.service", "pbem-backup.service", "pbem-backup.timer", "pbem-failed@.service"])
def test_systemd_reads_each_unit(tmp_path, name):
    analyzer = shutil.which("systemd-analyze") or ""
    need([] if analyzer else ["systemd-analyze"])
    # The programs that units name are not installed here.
    text = re.sub(r"(?m)^(ExecStart=)\S+", r"\1/bin/true", (ROOT / "config" / name).read_text("utf-8"))
    unit = tmp_path / name.replace("@", "@pbem")
    unit.write_text(text)
    (tmp_path / "pbem-backup.service").write_text("[Service]\nExecStart=/bin/true\n" if "timer" in name else text)
    process = subprocess.run([analyzer, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, ""), process.stderr


@pytest.mark.full
def test_systemd_itself_finds_little_that_the_unit_leaves_open():
    """Where systemd is not installed nobody can say so, and the lines above have to do."""
    analyzer = shutil.which("systemd-analyze") or ""
    need([] if analyzer else ["systemd-analyze"])
    unit = str(ROOT / "config" / "pbem.service")
    asked = [analyzer, "security", "--offline=true", f"--threshold={ALLOWED}", "--no-pager", unit]
    process = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout[-300:] + process.stderr
    assert "says 1.4" in GUIDE


def test_a_server_gets_no_tools_of_development():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile.partition("\ninstall:")[2].partition(".PHONY")[0]
    assert "$(if $(EXTRAS),extras,runtime).txt" in recipe
    assert "--require-hashes" in recipe
    assert "dev.txt" not in recipe
    tools = {"pytest", "mypy", "ruff", "hypothesis", "playwright", "import-linter", "hatchling", "uv"}
    assert tools <= names("dev.txt")
    assert not tools & names("runtime.txt")
    assert not tools & names("extras.txt")


def test_what_extras_add_is_what_is_tested_in_the_same_versions():
    runtime, extras = names("runtime.txt"), names("extras.txt")
    assert runtime <= extras
    assert {"psycopg", "dkimpy", "py-arkworks-bls12381"} <= extras - runtime
    pinned = re.compile(r"^([a-z0-9-]+==\S+)", re.MULTILINE)
    locks = [
        set(pinned.findall((ROOT / "requirements" / name).read_text("utf-8"))) for name in ("extras.txt", "dev.txt")
    ]
    assert locks[0] <= locks[1]


IMAGE = (ROOT / "Dockerfile").read_text("utf-8")


def copied_into_the_image() -> list[str]:
    """List what the first stage of the image copies from the tree."""
    return [path for line in re.findall(r"^COPY (?!--from)(.+) \S+$", IMAGE, re.MULTILINE) for path in line.split()]


def test_the_image_has_the_extras_and_copies_only_what_is_let_in():
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = set(copied_into_the_image())
    assert {"requirements/extras.txt", "README.md"} <= copied <= let_in
    assert "python -m hatchling build -t wheel -d /dist" in IMAGE


@pytest.mark.full
def test_what_is_copied_into_the_image_gives_a_wheel(tmp_path):
    """Its first stage, without Docker."""
    for name in copied_into_the_image():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert len([*(tmp_path / "dist").glob("*.whl")]) == 1


def test_the_image_is_asked_for_its_health_by_the_heartbeat():
    (line,) = re.findall(r"^HEALTHCHECK .*$", IMAGE, re.MULTILINE)
    assert line.endswith('CMD ["pbem", "doctor", "--alive", "--config", "/data/pbem.toml"]')
    assert IMAGE.rindex("USER pbem") < IMAGE.index("HEALTHCHECK")


def test_every_word_of_an_alert_stands_in_the_guide():
    for word in SENTENCES:
        assert f"`{word}`" in SETTINGS.partition("`command` under `[alerts]`")[2][:600], word
        assert f"`{word}`" in TROUBLE, word


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_no_document_says_that_a_database_is_copied_by_hand(path):
    text = path.read_text("utf-8")
    assert '.backup "' not in text
    assert "sqlite3 /srv" not in text


def test_the_tables_of_settings_are_made_from_the_file():
    assert make_document() == DOCUMENT.read_text("utf-8"), "python -m tests.docs.settings"


def test_every_term_of_a_game_stands_in_the_guide_with_its_default():
    rows = re.findall(
        r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| (.+?) \| ", SETTINGS.partition("## Terms of a game")[2], re.M
    )
    shown = {name: default.strip("`") for names, default in rows for name in re.findall(r"`(\w+)`", names)}
    defaults = {name: "/".join(value) if name == "ladder" else str(value) for name, value in Terms()._asdict().items()}
    assert shown.pop("beacon") == shown.pop("delta") == "as in `pbem.toml".strip("`")
    set_elsewhere = {"board", "questions", "beacon", "delta"}
    assert shown == {name: default for name, default in defaults.items() if name not in set_elsewhere}


def test_every_option_of_the_rules_stands_in_the_guide():
    rows = re.findall(r"^\| `(\w+)=(\S+)` \| (\w+) \|", SETTINGS.partition("## Options of the rules")[2], re.M)
    assert {name for name, _, _ in rows} == {*africa1860.OPTIONS, *peninsular.OPTIONS}
    for name, value, games in rows:
        assert value in africa1860.OPTIONS[name]
        assert (name in peninsular.OPTIONS) == (games == "both")


def test_the_settings_that_are_shipped_are_nobodys_passwords():
    assert (
        re.findall(
            r'^(?:password|client_secret|refresh_token) = "(.+)"$', (ROOT / "config" / "pbem.toml").read_text(), re.M
        )
        == []
    )
    assert stat.S_ISREG((ROOT / "SECURITY.md").stat().st_mode)

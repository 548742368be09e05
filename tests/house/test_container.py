"""Check the image, the files that start it, and the workflow: what each of them names is there."""

import re
import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from pbem.cli.settings import Settings
from tests.docs.test_examples import known
from tests.house.sources import ROOT
from tests.needed import need

IMAGE = (ROOT / "Dockerfile").read_text("utf-8")
FOLDER = ROOT / "config" / "container"
COMPOSE = yaml.safe_load((FOLDER / "compose.yml").read_text("utf-8"))
SERVICE = COMPOSE["services"]["pbem"]
PODMAN = "/usr/libexec/podman:/usr/lib/podman"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


class Unit(RawConfigParser):
    """A unit of systemd; a key that stands there twice has both values, a line each."""

    def __init__(self, text: str) -> None:
        super().__init__(delimiters="=", comment_prefixes="#", interpolation=None)
        joined: dict[str, dict[str, str]] = {}
        section = ""
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                key, value = line.split("=", 1)
                kept = joined.setdefault(section, {})
                kept[key] = f"{kept[key]}\n{value}" if key in kept else value
        self.read_dict(joined)

    def optionxform(self, name: str) -> str:
        return name


UNIT = Unit((FOLDER / "pbem.container").read_text("utf-8"))
CONTAINER = UNIT["Container"]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their words, comments left out."""
    lines = re.sub(r"^#.*\n", "", IMAGE, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines if line.strip()]


def test_the_image_copies_what_is_there_and_what_its_first_stage_makes():
    copied = [words.split() for name, words in instructions() if name == "COPY"]
    for *sources, _ in (words for words in copied if not words[0].startswith("--")):
        for source in sources:
            assert (ROOT / source).exists(), source
    assert [words for words in copied if words[0].startswith("--")] == [["--from=build", "/dist/*.whl", "/tmp/"]]
    assert ("RUN", "python -m hatchling build -t wheel -d /dist") in instructions()


def test_both_stages_have_one_base_without_a_registry_whose_digest_a_release_gives():
    bases = [words for name, words in instructions() if name in ("ARG", "FROM")]
    assert bases == ["BASE=python:3.11-slim", "${BASE} AS build", "${BASE}"]
    assert "--build-arg BASE=python:3.11-slim@sha256:" in (ROOT / "docs" / "releasing.md").read_text("utf-8")


def test_nobody_but_the_server_s_user_runs_it():
    users = [words for name, words in instructions() if name == "USER"]
    ((number, name),) = re.findall(r"useradd --system --uid (\d+) .*? (\w+) +&&", IMAGE.replace("\\\n", ""))
    assert users == [name]
    assert SERVICE["user"] == f"{number}:{number}"
    assert (CONTAINER["User"], CONTAINER["Group"]) == (number, number)
    assert f"uid={number},gid={number},mode=0400" in CONTAINER["Secret"]


def test_nothing_but_the_volume_can_be_written_and_nothing_more_is_allowed():
    assert (SERVICE["read_only"], SERVICE["cap_drop"], SERVICE["tmpfs"]) == (True, ["ALL"], ["/tmp"])
    assert SERVICE["security_opt"] == ["no-new-privileges:true"]
    assert {CONTAINER["ReadOnly"], CONTAINER["NoNewPrivileges"]} == {"true"}
    assert (CONTAINER["DropCapability"], CONTAINER["Tmpfs"]) == ("all", "/tmp")
    (folder,) = (words for name, words in instructions() if name == "VOLUME")
    assert [mount.split(":")[1] for mount in (*SERVICE["volumes"], CONTAINER["Volume"])] == [folder, folder]
    assert {mount.split(":")[0] for mount in SERVICE["volumes"]} == COMPOSE["volumes"].keys()


def test_its_health_is_asked_for_alike_wherever_it_runs():
    (health,) = (words for name, words in instructions() if name == "HEALTHCHECK")
    options = dict(re.findall(r"--(\S+)=(\S+)", health.partition("CMD")[0]))
    words = yaml.safe_load(health.partition("CMD")[2])
    check = SERVICE["healthcheck"]
    assert check["test"] == ["CMD", *words]
    assert {name.replace("_", "-"): str(value) for name, value in check.items() if name != "test"} == options
    assert shlex.split(CONTAINER["HealthCmd"]) == words
    quadlet = {name: CONTAINER[f"Health{''.join(map(str.title, name.split('-')))}"] for name in options}
    assert quadlet == options
    known(words[1:], health)


def test_the_commands_that_its_files_name_exist():
    (started,) = (yaml.safe_load(words) for name, words in instructions() if name == "CMD")
    lines = [started]
    for file in FOLDER.iterdir():
        lines += [shlex.split(line) for line in re.findall(r"pbem (pbem init [^,\n]*)", file.read_text("utf-8"))]
    assert len(lines) == 3
    for words in lines:
        known(words[1:], " ".join(words))


def test_every_variable_is_a_setting_and_every_secret_a_file():
    quadlet = dict(line.split("=", 1) for line in CONTAINER["Environment"].splitlines())
    for variables in (SERVICE["environment"], quadlet):
        for name, value in variables.items():
            section, key = name.removeprefix("PBEM_").lower().split("__")
            annotation: Any = Settings.model_fields[section].annotation
            assert annotation.model_fields[key].annotation is not None
            assert value.startswith("/run/secrets/")
    assert {value.rpartition("/")[2] for value in SERVICE["environment"].values()} == {*SERVICE["secrets"]}
    assert {*SERVICE["secrets"]} == COMPOSE["secrets"].keys()
    assert {value.rpartition("/")[2] for value in quadlet.values()} == {CONTAINER["Secret"].split(",")[0]}


def test_a_unit_of_podman_stops_and_starts_as_that_of_systemd():
    plain = Unit((ROOT / "config" / "pbem.service").read_text("utf-8"))["Service"]
    service = UNIT["Service"]
    for key in ("Restart", "RestartSec", "RestartPreventExitStatus", "TimeoutStartSec", "MemoryMax"):
        assert service[key] == plain[key]
    assert (CONTAINER["StopTimeout"], CONTAINER["PidsLimit"]) == (plain["TimeoutStopSec"], plain["TasksMax"])
    assert SERVICE["stop_grace_period"] == f"{plain['TimeoutStopSec']}s"
    assert (str(SERVICE["pids_limit"]), SERVICE["mem_limit"].upper()) == (plain["TasksMax"], plain["MemoryMax"])


@pytest.mark.full
def test_podman_itself_reads_the_unit(tmp_path):
    """It refuses a key that it does not know. Where Podman is not installed, or older than 4.4, nobody can say so."""
    reader = shutil.which("quadlet", path=PODMAN) or ""
    need([] if reader else ["quadlet"])
    shutil.copy(FOLDER / "pbem.container", tmp_path)
    made = subprocess.run(
        [reader, "-dryrun"], env={"QUADLET_UNIT_DIRS": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    assert "--read-only --user 10001:10001" in made.stdout


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_runs_what_the_makefile_has_on_every_python_that_is_named(file):
    jobs = yaml.safe_load(file.read_text("utf-8"))["jobs"]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    steps = [step for job in jobs.values() for step in job["steps"]]
    made = [shlex.split(step["run"]) for step in steps if step.get("run", "").startswith("make")]
    assert ["make", "test"] in made
    assert {word for words in made for word in words[1:]} <= targets
    assert all(re.fullmatch(r"[a-z]+/[a-z-]+@v\d+", step["uses"]) for step in steps if "uses" in step)
    named = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert jobs["test"]["strategy"]["matrix"]["python"] == named
    assert f'requires-python = ">={named[0]}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_there_is_a_workflow():
    assert [file.name for file in WORKFLOWS] == ["test.yml"]

"""The steps of the Dockerfile, and pipx, on a fresh Debian: no engine of containers is needed, and none is tried.

Both stages of the image run in one folder by chroot, with Debian's Python in place of that of the base.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.machine import CommandFailed, Machine, missing
from tests.house.sources import ROOT
from tests.house.test_container import instructions

pytestmark = pytest.mark.deploy

PYTHON = "/opt/python"
READ_ONLY = """
set -eu
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
mount --bind "$2" "$1/data"
exec chroot --userspec=10001:10001 "$1" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/data sh -c "$3"
"""


@pytest.fixture(scope="module")
def image() -> Iterator[Machine]:
    """A fresh machine on which the steps of the image were done."""
    folder = ROOT / "build" / "deploy"
    if lacking := missing(folder):
        pytest.skip(f"NOT RUN: no machine can be made here without {', '.join(lacking)}")
    try:
        made = Machine.make(folder, "image")
    except CommandFailed as failed:
        pytest.skip(f"NOT RUN: no machine can be made here: {str(failed)[-300:]!r}")
    with made as machine:
        machine.run(f"python3 -m venv {PYTHON}")
        machine.write("/usr/local/bin/python", f'#!/bin/sh\nexec {PYTHON}/bin/python "$@"\n', mode=0o755)
        follow(machine)
        yield machine


def follow(machine: Machine) -> None:
    """Do what each line of the Dockerfile says; ARG, FROM and what concerns a running container say nothing to do."""
    folder = "/"
    for name, words in instructions():
        if name == "WORKDIR":
            machine.run(f"mkdir -p {(folder := words)}")
        elif name == "COPY" and words.startswith("--from"):
            _, source, target = words.split()
            machine.run(f"cp {source} {target}")
        elif name == "COPY":
            *sources, target = words.split()
            for source in sources:
                copy(ROOT / source, machine.path(posixpath.join(folder, target)))
        elif name == "RUN":
            machine.run(words, folder=folder, patience=900)


def copy(source: Path, target: Path) -> None:
    """Copy as COPY does: what is in a folder, or a file into a folder."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    else:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def run_read_only(machine: Machine, data: Path, command: str) -> tuple[int, str]:
    """Run a command as the image's user, with nothing to write but /data and /tmp."""
    words = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(machine.root), str(data), command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_the_image_s_user_runs_the_server_s_commands_with_a_root_that_cannot_be_written(image, tmp_path):
    shutil.chown(tmp_path, 10001, 10001)
    code, output = run_read_only(
        image, tmp_path, f"id -u; touch /opt/x || touch /opt/python/x || {PYTHON}/bin/pbem init /data"
    )
    assert (code, output.splitlines()[0]) == (0, "10001"), output
    assert {"pbem.toml", "pbem.key", "log.key", "dice.key"} <= {file.name for file in tmp_path.iterdir()}
    (health,) = (words for name, words in instructions() if name == "HEALTHCHECK")
    command = " ".join(re.findall(r'"([^"]+)"', health))
    code, output = run_read_only(image, tmp_path, f"{PYTHON}/bin/{command}")
    assert (code, output.count("Traceback")) == (1, 0), output
    for extra in ("psycopg", "py_arkworks_bls12381", "dkim", "resvg_py", "typst"):
        image.run(f"python -c 'import {extra}'")


def test_pipx_takes_the_wheel_and_the_source_distribution(image):
    target = image.path("/root/dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    image.run("apt-get -qq install -y --no-install-recommends pipx", patience=600)
    for kind in ("whl", "tar.gz"):
        image.run(f'pipx install --force "$(echo /root/dist/*.{kind})[try]"', patience=900)
        assert image.run("/root/.local/bin/pbem --version").startswith("pbem ")
        assert "against a bot" in image.run("/root/.local/bin/pbem try --help")

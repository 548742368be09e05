"""What is handed out declares what it imports, holds what its tests need, and plays where it is installed."""

import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import urllib.request
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

import docs_site
from hatch_build import CustomMetadataHook
from tests.cli.test_try import PATIENCE, Running
from tests.house.sources import ROOT, below

_READ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PYPROJECT, TOOLS = _READ["project"], _READ["tool"]
OUTSIDE = {"atheris", "psycopg"}
"""Never imported by a name of ours: SQLAlchemy loads the one by its address, `make fuzz-mail` starts the other."""
ASKED_FOR = {"embedded": {"aiosmtpd", "pymap", "pysasl", "proxyprotocol"}, "pdf": {"typst"}, "lmtp": {"aiosmtpd"}}
ASKED_FOR |= {"pictures": {"PIL", "resvg_py"}, "beacon": {"py_arkworks_bls12381"}, "dkim": {"dkim", "dns"}}
ASKED_FOR |= {"try": {*ASKED_FOR["embedded"], "starlette", "uvicorn"}}
"""What stands in an extra, by the names that are imported."""
HANDED_ON = [
    ".ci",
    ".github",
    "CODE_OF_CONDUCT.md",
    "docs_site.py",
    "hatch_build.py",
    "mkdocs.yml",
    ".dockerignore",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Dockerfile",
    "LICENSE",
]
HANDED_ON += ["Makefile", "README.md", "SECURITY.md", "benchmarks", "config", "docs", "pbem", "pyproject.toml"]
HANDED_ON += ["requirements", "templates", "tests"]
BEGUN = ["pbem.cli.main", pytest.param("pbem.cli.daemon", marks=pytest.mark.full)]


def plain(name: str) -> str:
    """PEP 503: the name of a distribution as it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(wanted: Iterable[str]) -> set[str]:
    return {plain(re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]) for requirement in wanted}


@cache
def libraries() -> frozenset[str]:
    """Return the libraries that the package imports anywhere, by the names of their packages."""
    tops = {imported.module.split(".")[0] for source in below() for imported in source.imports}
    return frozenset(tops - sys.stdlib_module_names - {"pbem"})


@cache
def packages_distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


def distributions(packages: Iterable[str]) -> set[str]:
    return {plain(packages_distributions()[package][0]) for package in packages}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    extras = PYPROJECT["optional-dependencies"]
    every = declared(PYPROJECT["dependencies"]).union(*(declared(extra) for extra in extras.values()))
    assert distributions(libraries()) == every - OUTSIDE


def test_what_is_always_imported_stands_in_no_extra():
    extras = PYPROJECT["optional-dependencies"]
    asked_for = set().union(*ASKED_FOR.values())
    assert distributions(libraries() - asked_for) == declared(PYPROJECT["dependencies"])
    for extra, packages in ASKED_FOR.items():
        assert distributions(packages) == declared(extras[extra])


@pytest.mark.parametrize("name", BEGUN)
def test_a_server_starts_without_any_extra(name):
    """Whatever stands in an extra is imported where it is used, or by a module that nobody needs to begin."""
    hidden = sorted(set().union(*ASKED_FOR.values()))
    code = f"import sys\nsys.modules.update(dict.fromkeys({hidden!r}))\nimport {name}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and source distribution, as they would be handed out."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def wheel_of(template: Path, folder: Path) -> Path:
    """Build a game from outside as its author would hand it out: a wheel of its own."""
    source = folder / "beacon"
    shutil.copytree(template, source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(source / "dist")]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = (source / "dist").glob("*.whl")
    return wheel


def environment(home: Path, *wheels: Path) -> Path:
    """Install wheels in an environment of their own, beside our libraries; return the folder of its commands."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    options = ["--quiet", "--no-deps", "--no-index", "--offline", "--compile-bytecode", "--python", str(python)]
    install = [sys.executable, "-m", "uv", "pip", "install", *options, *map(str, wheels)]
    subprocess.run(install, check=True, cwd=home)
    (site,) = home.glob("lib/python*/site-packages")
    # Ours follow: what `make setup` put there of this checkout by a path file is not read from here.
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", "utf-8")
    return home / "bin"


TEMPLATE = ROOT / "docs" / "template"
OLDER = ROOT / "tests" / "fixtures" / "template_1_0"
"""The template as 1.0.0 had it, kept unchanged: what authors made of it goes on."""


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    return environment(folder / "home", built[0], wheel_of(TEMPLATE, folder))


@pytest.fixture(scope="module")
def installed_with_older_game(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("older")
    return environment(folder / "home", built[0], wheel_of(OLDER, folder))


@pytest.mark.full
def test_the_source_distribution_holds_what_its_tests_need(built):
    with tarfile.open(built[1]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    kept = [
        path
        for handed_on in HANDED_ON
        for path in ([ROOT / handed_on] if (ROOT / handed_on).is_file() else (ROOT / handed_on).rglob("*"))
    ]
    wanted = {path.relative_to(ROOT).as_posix() for path in kept if path.is_file()}
    left_out = {name for name in wanted - names if "__pycache__" not in name and "/." not in name}
    assert left_out == set()


@pytest.mark.full
def test_the_wheel_says_what_it_is(installed):
    (site,) = installed.parent.glob("lib/python*/site-packages")
    (distribution,) = metadata.distributions(name="pbem", path=[str(site)])
    fields = distribution.metadata
    assert (fields["Requires-Python"], fields["Description-Content-Type"]) == (">=3.11", "text/markdown")
    assert (ROOT / "README.md").read_text("utf-8").splitlines()[0] in str(fields.json["description"])
    assert {"Typing :: Typed", "Topic :: Communications :: Email"} <= {*(fields.get_all("Classifier") or ())}
    assert any(path.name == "py.typed" for path in distribution.files or ())


LINKS = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
REPOSITORY = "https://git.example.org/games/pbem"


def metadata_of(repository: str) -> dict[str, Any]:
    """What the build's hook makes of the metadata for a repository."""
    fields: dict[str, Any] = {"version": "1.2.3"}
    CustomMetadataHook(str(ROOT), {"repository": repository}).update(fields)
    return fields


@pytest.mark.full
def test_no_link_of_the_readme_in_the_wheel_is_relative(installed):
    (site,) = installed.parent.glob("lib/python*/site-packages")
    (distribution,) = metadata.distributions(name="pbem", path=[str(site)])
    fields = distribution.metadata
    repository = TOOLS["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    assert all(":" in to for _, to in LINKS.findall(str(fields.json["description"])))
    assert len(fields.get_all("Project-URL") or ()) == len(metadata_of(repository)["urls"])
    assert fields["Author"] == "The authors of pbem"


def test_links_and_pictures_of_the_readme_lead_to_the_release_in_the_repository():
    text = metadata_of(REPOSITORY)["readme"]["text"]
    links = LINKS.findall(text)
    assert len(links) == len(LINKS.findall((ROOT / "README.md").read_text("utf-8"))) > 40
    assert {bool(picture) for picture, _ in links} == {True, False}
    for picture, to in links:
        kind = "raw" if picture else "blob"
        assert to.startswith(f"{REPOSITORY}/{kind}/v1.2.3/"), to
        assert (ROOT / to.removeprefix(f"{REPOSITORY}/{kind}/v1.2.3/").partition("#")[0]).is_file(), to


def test_before_it_is_published_the_readme_has_the_words_of_its_links_and_no_picture():
    fields = metadata_of("")
    assert (fields["urls"], LINKS.findall(fields["readme"]["text"])) == ({}, [])
    assert "Then read Your first game or Quick start." in fields["readme"]["text"]


def test_every_address_of_the_package_leads_to_a_page_of_the_repository_that_is_there():
    urls = metadata_of(REPOSITORY)["urls"]
    assert {"Documentation", "Source", "Issues", "Changelog", "Security"} == urls.keys()
    for url in urls.values():
        path = url.removeprefix(REPOSITORY).removeprefix("/blob/v1.2.3/")
        assert path in {"", "/issues"} or (ROOT / path).is_file()


def test_the_site_links_to_the_repository_once_there_is_one():
    repository = TOOLS["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    assert docs_site.on_config(SimpleNamespace()).repo_url == (repository or None)


@pytest.mark.parametrize(
    "repository", ["git.example.org/pbem", "https://git.example.org", f"{REPOSITORY}/", "https://a b/c"]
)
def test_a_repository_that_is_no_address_stops_the_build(repository):
    with pytest.raises(ValueError, match="repository"):
        metadata_of(repository)


@pytest.mark.full
def test_try_shows_its_page_from_the_wheel(installed, tmp_path):
    command = [installed / "pbem", "try", "--no-browser"]
    process = subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with process:
        try:
            printed = Running(process).said
            (address,) = re.findall(r"http://127\.0\.0\.1:\d+/\S+", printed)
            with urllib.request.urlopen(address, timeout=PATIENCE) as page:  # noqa: S310 - its address is printed above
                assert (page.status, b"<title>" in page.read()) == (200, True)
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


@pytest.mark.full
def test_the_source_distribution_gives_the_same_wheel(built, tmp_path):
    with tarfile.open(built[1]) as source:
        source.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    (again,) = tmp_path.glob("*.whl")
    with ZipFile(built[0]) as first, ZipFile(again) as second:
        assert {item.filename: item.CRC for item in first.infolist()} == {
            item.filename: item.CRC for item in second.infolist()
        }


@pytest.mark.full
def test_what_is_installed_plays_outside_of_the_tree(installed, tmp_path):
    process = subprocess.run(
        [installed / "python", "-c", "import pbem; print(pbem.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert process.stdout.startswith(str(installed.parent))
    command = [installed / "pbem", "demo", "--turns", "2", "--out", str(tmp_path / "out")]
    played = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert played.returncode == 0, played.stdout + played.stderr
    assert "\ndemo-1: 4 phases resolved again, all the same\n" in played.stdout
    assert "letters verify: " in played.stdout


class Hand:
    """Who runs the installed command in a folder of his own."""

    def __init__(self, commands: Path, folder: Path) -> None:
        self.commands, self.folder = commands, folder

    def __call__(self, *words: str, text: str = "") -> str:
        ran = subprocess.run(
            [self.commands / "pbem", *words],
            capture_output=True,
            text=True,
            input=text,
            check=False,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin"},
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout


@pytest.mark.full
@pytest.mark.parametrize("commands", ["installed", "installed_with_older_game"])
def test_a_game_in_a_wheel_of_its_own_plays_replays_and_verifies_in_one_file(commands, request, tmp_path):
    """The template, built, installed beside pbem, played out by letter; its players check it with bare Python."""
    hand = Hand(request.getfixturevalue(commands), tmp_path)
    assert re.search(r"^beacon +dusk ", hand("scenarios"), re.M)
    hand("init", ".")
    hand("game", "new", "one", "--scenario", "dusk", "--undo", "0", "--option", "turns=1")
    to = {seat: hand("seat", "invite", "one", seat, f"{seat}@players.test").strip() for seat in ("north", "south")}
    hand("game", "start", "one")
    for seat, order in (("north", "MARCH Owl TO Hill"), ("south", "MARCH Gull TO Cove")):
        letter = (
            f"From: {seat}@players.test\nTo: {to[seat]}\nMessage-ID: <{seat}@players.test>\n\nORDERS T1\n{order}\nEND\n"
        )
        hand("mail", "deliver", "-", text=letter)
    assert "one: 2 phases resolved again, all the same" in hand("replay", "one")
    hand("mail", "read", "north@players.test", "--out", "letters")
    hand("verify", "--pyz", "verify.pyz")
    bare = [sys.executable, "-I", "-S", "verify.pyz", "--full", "letters"]
    checked = subprocess.run(bare, capture_output=True, text=True, check=False, cwd=tmp_path, env={})
    assert checked.stderr == ""
    assert re.search(r"^ok +rules ", checked.stdout, re.M), checked.stdout
    assert checked.returncode == 0, checked.stdout


@pytest.mark.full
def test_the_template_of_1_0_passes_its_own_tests(installed_with_older_game):
    python = installed_with_older_game / "python"
    run = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default::DeprecationWarning", "tests"]
    tests = subprocess.run(run, capture_output=True, text=True, check=False, cwd=OLDER, env={"PATH": "/usr/bin:/bin"})
    assert tests.returncode == 0, tests.stdout + tests.stderr

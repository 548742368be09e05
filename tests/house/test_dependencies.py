"""Check that each dependency has its reason in a table, and a licence under which pbem can be passed on with it."""

import json
import re

import pytest

from tests.house import packages
from tests.house.packages import Package, bill_of_materials
from tests.house.sources import ROOT
from tests.house.test_distribution import PYPROJECT, declared, plain
from tests.house.test_tree import REGISTRIES

PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
LOCKS = [ROOT / "requirements" / name for name in ("extras.txt", "runtime.txt")]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)[1:]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_each_dependency_has_a_reason():
    table = rows("Always")
    assert [plain(row[0]) for row in table] == sorted(declared(PYPROJECT["dependencies"]))
    assert all(cell for row in table for cell in row)


def test_each_package_of_an_extra_has_a_reason():
    named = {plain(row[0]): {*row[1].split(", ")} for row in rows("Extras")}
    extras = PYPROJECT["optional-dependencies"]
    assert named == {
        name: {extra for extra, wanted in extras.items() if name in declared(wanted)}
        for name in set().union(*map(declared, extras.values()))
    }


@pytest.fixture(scope="module")
def listed():
    return packages.packages(*LOCKS)


def test_each_package_has_a_licence_that_is_allowed(listed):
    assert [f"{package.name}: {package.licence}" for package in listed if not package.is_allowed] == []
    assert {"lxml", "sqlalchemy"} < {package.name for package in listed if not package.is_extra}
    assert "psycopg" in {package.name for package in listed if package.is_extra}


@pytest.mark.parametrize(
    ("licence", "always", "in_an_extra"),
    [
        ("MIT OR Apache-2.0", True, True),
        ("Apache-2.0 AND BSD-2-Clause", True, True),
        ("LGPL-3.0-only", False, True),
        ("MIT AND GPL-3.0-only", False, False),
        ("UNKNOWN", False, False),
        ("a (b", False, False),
        ("", False, False),
    ],
)
def test_a_licence_is_allowed_if_all_that_it_names_are(licence, always, in_an_extra):
    made = Package("x", "1", (), licence, False, ())
    assert (made.is_allowed, made._replace(is_extra=True).is_allowed) == (always, in_an_extra)


def test_the_table_of_licences_ends_with_1_if_one_is_not_allowed(monkeypatch, capsys, listed):
    monkeypatch.setattr(packages, "packages", lambda *locks: [listed[0], listed[0]._replace(licence="GPL-3.0-only")])
    assert packages.main(["licences"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert (first.endswith("not allowed"), second.endswith("not allowed")) == (False, True)


def test_the_bill_of_materials_has_every_package_with_its_hashes_and_names_no_registry(listed):
    text = bill_of_materials(listed)
    made = json.loads(text)
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert made["metadata"]["component"]["version"] == PYPROJECT["version"]
    assert {part["name"] for part in made["components"]} == {package.name for package in listed}
    for part in made["components"]:
        assert part["hashes"], part["name"]
        assert part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}"
    needed = {part["ref"]: part.get("dependsOn", []) for part in made["dependencies"]}
    assert {"pydantic", "typing-extensions"} <= {*needed["pydantic-settings"], *needed["pydantic"]}
    assert needed.keys() == {"pbem"} | {package.name for package in listed}
    assert not re.search("|".join(map(re.escape, REGISTRIES)), text)


def test_no_server_has_what_opens_connections_that_nothing_asks_for():
    for lock in LOCKS:
        names = set(re.findall(r"^([a-z0-9-]+)==", lock.read_text("utf-8"), re.MULTILINE))
        assert not names & {"requests", "urllib3", "certifi", "httpx", "numpy"}, lock.name

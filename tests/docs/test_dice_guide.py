"""What is said of the dice to players and to whoever writes a verifier: the die by hand, and every block there is."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.audit import beacon, bundle, leaves
from pbem.audit.dice import DiceStream
from tests.needed import need

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("dice-log*.md"))
FORMAT = "".join(path.read_text("utf-8") for path in PAGES)
GUIDES = ("dice.md", "dados.es.md")
VECTORS = json.loads((DOCS.parent / "tests" / "audit" / "vectors.json").read_text("utf-8"))


def by_hand(name: str) -> tuple[str, str, list[tuple[str, ...]]]:
    """The command of a guide, what it prints, and the rows that read it."""
    text = (DOCS / name).read_text("utf-8")
    command = re.findall(r"^```sh\n(printf .*)\n```$", text, re.M)
    printed = re.findall(r"^SHA2-256\(stdin\)= ([0-9a-f]{64})$", text, re.M)
    rows = re.findall(r"^\| ([0-9a-f]{2}) \| (\d+) \| (\d) \| \*\*(\d)\*\* \|$", text, re.M)
    assert (len(command), len(printed)) == (1, 1)
    return command[0], printed[0], rows


@pytest.mark.parametrize("name", GUIDES)
def test_the_die_by_hand_is_read_as_the_guide_reads_it(name):
    command, printed, rows = by_hand(name)
    assert [row[0] for row in rows] == re.findall("..", printed)[:3]
    assert all(int(pair, 16) == int(number) for pair, number, _, _ in rows)
    assert all((int(number) % 6, int(left) + 1) == (int(left), int(die)) for _, number, left, die in rows)
    beta = bytes.fromhex(command.rpartition("hexkey:")[2])
    assert tuple(int(row[3]) for row in rows) == DiceStream(beta).roll("B>C/shock attacker", 3, 6)
    assert [int(row[3]) for row in rows] == VECTORS["die"]["cases"][0]["values"]


@pytest.mark.parametrize("name", GUIDES)
def test_openssl_prints_what_the_guide_shows(name):
    need([] if shutil.which("openssl") else ["openssl"])
    command, printed, _ = by_hand(name)
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode().rpartition("= ")[2].strip() == printed


@pytest.mark.parametrize("kind", sorted(leaves.LEAF_FORMS))
def test_the_format_lays_down_every_kind_of_leaf(kind):
    (row,) = (line for line in FORMAT.splitlines() if line.startswith(f"| `{kind}` | `"))
    named = re.findall(r"`([A-Za-z]+)`", row.split("|")[2])
    says = [key for key, _ in leaves.LEAF_FORMS[kind]]
    assert set(says[3:] if kind in ("close", "roll") else says) <= {*named, "group"}
    assert "prev" not in named


@pytest.mark.parametrize(
    "part",
    sorted(
        {
            line
            for text in VECTORS["pbemdice_v1"]["bundles"].values()
            for line in re.findall("^pbemdice/v1/(.*)$", text, re.M)
        }
    ),
)
def test_the_format_names_every_block_of_an_attachment(part):
    assert re.search(rf"`{part}`|/v1/{part}$", FORMAT, re.M)


def test_the_letters_grades_and_the_beacon_of_the_format_are_those_of_the_program():
    assert all(f"`{letter}`" in FORMAT for letter in bundle.LETTER_KINDS)
    assert beacon.QUICKNET.hash in FORMAT
    assert beacon.QUICKNET.public.hex() in re.sub(r"\s", "", FORMAT)
    assert str(beacon.QUICKNET.genesis) in FORMAT


def test_every_chapter_that_is_linked_is_there():
    for path in (*PAGES, *(DOCS / name for name in GUIDES)):
        for target in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
            name, _, anchor = target.partition("#")
            text = (DOCS / name if name else path).read_text("utf-8")
            if anchor:
                assert anchor in {slug(line) for line in re.findall(r"^#+ (.*)$", text, re.M)}, target


def slug(heading: str) -> str:
    """A heading as it is linked to."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

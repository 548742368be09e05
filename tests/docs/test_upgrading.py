"""The guide for those who come from 1.0.0 names every setting that is new and every module that moved."""

import re
import tomllib
from pathlib import Path

from pbem.names_of_1_0 import MOVED

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/upgrading.md").read_text("utf-8")


def settings_of_1_0():
    """The settings that 1.0.0 shipped, as (section, key)."""
    lines = (ROOT / "tests/fixtures/settings_1_0.txt").read_text("utf-8").splitlines()
    return {(line[1 : line.index("]")], key) for line in lines for key in line.split()[1:]}


def test_every_setting_that_is_new_is_named_and_none_has_gone():
    shipped = tomllib.loads((ROOT / "config/pbem.toml").read_text("utf-8"))
    today = {(section, key) for section, settings in shipped.items() for key in settings}
    assert settings_of_1_0() <= today
    rows = re.findall(r"^\| `(\w+)` under (.+?) \|", GUIDE, re.MULTILINE)
    named = {(section, key) for key, sections in rows for section in re.findall(r"`\[(\w+)\]`", sections)}
    assert named == today - settings_of_1_0()


def test_every_module_that_has_another_name_is_listed():
    assert dict(re.findall(r"^\| `(pbem\.[\w.]+)` \| `(pbem\.[\w.]+)` \|$", GUIDE, re.MULTILINE)) == MOVED

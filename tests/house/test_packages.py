"""Check that the packages of core and campaign each say what is in them, and that nothing lies beside them."""

from tests.house.sources import PBEM, below

LINES = 10


def test_the_packages_of_the_campaign_are_all_there_and_nothing_lies_beside_them():
    lower = {"base", "people", "chain", "turn", "proofs", "contest"}
    wanted = lower | {"commands", "moderator", "wars", "tournaments", "door"}
    assert {path.name for path in (PBEM / "campaign").iterdir() if path.suffix == "" and path.name[0] != "_"} == wanted
    assert [path.name for path in (PBEM / "campaign").glob("*.py")] == ["__init__.py"]


def test_a_package_says_in_a_few_lines_what_is_in_it_and_what_it_may_import():
    packages = [source for source in below("campaign", "core") if source.is_package]
    assert {source.name.rpartition("/")[0] for source in packages} == {
        source.name.rpartition("/")[0] for source in below("campaign", "core")
    }
    for source in packages:
        assert 1 <= len(source.docstring.splitlines()) <= LINES, source.name
        assert "May import" in source.docstring or source.name.count("/") == 2, source.name

"""Seat addresses: written, read from the right, and nothing else taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail import address
from pbem.mail.address import OwnAddresses, SeatAddress

TOKEN = "abcdefghijklmnop"
SEAT = SeatAddress("pbem", "wt-042", "spain", TOKEN, "example.org")
OWN = OwnAddresses("pbem", "example.org", ("mail.example.org",))


def test_an_address_as_it_stands_in_a_letter():
    assert address.format_address(SEAT) == "pbem+wt-042-spain-abcdefghijklmnop@example.org"
    assert address.parse_address("PBEM+WT-042-Spain-ABCDEFGHIJKLMNOP@Example.ORG", "pbem") == SEAT


@given(
    st.from_regex(r"[a-z0-9-]{1,20}", fullmatch=True),
    st.from_regex(r"[a-z][a-z0-9]{0,11}", fullmatch=True),
    st.from_regex(r"[a-z2-7]{16}", fullmatch=True),
)
def test_what_is_written_is_read(game, seat, token):
    there = SeatAddress("pbem", game, seat, token, "example.org")
    assert address.parse_address(address.format_address(there), "pbem") == there
    assert address.parse_address(address.format_address(there).upper(), "PBEM") == there


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "pbem@example.org",
        "pbem+@example.org",
        f"pbem+wt-042-spain-{TOKEN}",
        f"pbem+wt-042-spain-{TOKEN}@",
        f"pbem+wt-042-spain-{TOKEN}@-",
        f"other+wt-042-spain-{TOKEN}@example.org",
        f"pbem+wt-042-spain-{TOKEN}x@example.org",
        "pbem+wt-042-spain-abcdefghijklmno1@example.org",
        f"pbem+wt_042-spain-{TOKEN}@example.org",
        f"pbem+wt-042-1spain-{TOKEN}@example.org",
        f"pbem+spain-{TOKEN}@example.org",
        f"pbem+{'g' * 21}-spain-{TOKEN}@example.org",
        f"pbem+wt-042-spain-{TOKEN}@example.org\r\nBcc: x@example.org",
        f"pbem+wt-042-spain-{TOKEN}@evil.org@",
    ],
)
def test_no_seat(text):
    assert address.parse_address(text, "pbem") is None


@pytest.mark.parametrize(
    "parts",
    [
        {"game": "WT"},
        {"game": ""},
        {"seat": "1"},
        {"seat": "spain-x"},
        {"token": "short"},
        {"domain": "a b"},
        {"domain": "x\r\n"},
        {"local": "a\nb"},
        {"local": "l" * 40},
    ],
)
def test_parts_that_do_not_fit_are_not_written(parts):
    with pytest.raises(ValueError, match=r"address|local part"):
        address.format_address(SEAT._replace(**parts))


def test_the_longest_ids_leave_13_for_the_local_part():
    longest = SeatAddress("l" * 13, "g" * 20, "s" * 12, TOKEN, "example.org")
    assert len(address.format_address(longest).partition("@")[0]) == address.LONGEST_LOCAL_PART
    with pytest.raises(ValueError, match="local part"):
        address.format_address(longest._replace(local="l" * 14))


def test_own_addresses_are_told_by_local_part_and_domain():
    assert OWN.address == "pbem@example.org"
    assert OWN.holds("PBEM+anything@Mail.Example.org")
    assert not OWN.holds("pbem@example.com")
    assert not OWN.holds("pbemx@example.org")
    assert OWN.seat(address.format_address(SEAT)) == SEAT
    assert OWN.seat(address.format_address(SEAT._replace(domain="example.com"))) is None


def test_bounces_come_back_to_an_address_that_names_the_letter():
    sender = address.format_bounce("pbem", "k3f7q2zz", "example.org")
    assert sender == "pbem+bounce-k3f7q2zz@example.org"
    assert OWN.bounce(sender.upper()) == "k3f7q2zz"
    assert OWN.bounce(address.format_address(SEAT)) is None
    assert OWN.seat(sender) is None
    with pytest.raises(ValueError, match="tag"):
        address.format_bounce("pbem", "K-3", "example.org")


@pytest.mark.parametrize(
    "bad", ["", "a", "a@", "@b", "a b@c", "a@b\r\n", "a@b\nRCPT TO:<x@y>", "ñ@b.c", "a@[::1]", "a..b@c"]
)
def test_addresses_that_no_envelope_takes(bad):
    with pytest.raises(ValueError, match="not an address"):
        address.check_address(bad)


def test_authors_and_recipients_are_found_in_headers():
    value = '"boss@example.org" <Ana@Example.org>, jose@players.test'
    assert address.author_address(value) == "ana@example.org"
    assert address.find_addresses(value) == ["boss@example.org", "ana@example.org", "jose@players.test"]
    assert address.author_address("ana@example.org (Ana)") == "ana@example.org"
    assert address.author_address("nobody") == ""
    assert address.base_address("Ana+War@Example.org") == "ana@example.org"


@pytest.mark.parametrize(
    "written",
    [
        f"pbem+wt-042-spain-{TOKEN}@example.org",
        f"pbem%2Bwt-042-spain-{TOKEN}%40example.org",
        f"pbem\uff0bwt-042-spain-{TOKEN}",
        f"pbem&#43;wt-042-spain-{TOKEN}",
        f"pbem+wt\u2011042\u2011spain\u2011{TOKEN}@example.org",
        "pbem+wt-042-\nspain-abcdefghijklmnop@example.org",
        "> pbem+wt-042-spain-abcdefgh\n> ijklmnop@example.org",
        "pbem=2Bwt-042-spain-abcdefgh=\r\nijklmnop@example.org",
    ],
)
def test_a_token_is_struck_out_however_its_address_is_written(written):
    struck = address.strike_tokens(f"Write to {written} soon")
    assert "abcdefgh" not in struck
    assert "ijklmnop" not in struck
    assert struck.endswith(" soon")
    assert "spain" in struck


@pytest.mark.parametrize("text", ["2+2-is-four", "1+a-b-cdefghijklmnopqrstu", "well-known things", "%2B-%2B"])
def test_nothing_else_is_struck_out(text):
    assert address.strike_tokens(text) == text


@pytest.mark.parametrize("shape", ["+", "+a-", "a-", "+a\n", "+a-b-", "%2B-", "+-\n-a\n"])
def test_striking_out_takes_time_in_proportion(shape):
    """A pattern that looked far ahead at each of these would not end."""
    assert address.strike_tokens("+" + shape * 50_000) == "+" + shape * 50_000

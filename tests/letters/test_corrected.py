"""A correction under fog tells a side what it may see, and not a byte about the rest."""

import re

import pytest

from pbem.runtime.terms import Terms
from tests.harness.session import PlayedSession

WHY = " BECAUSE a counter was laid down wrongly"
UNSEEN = (
    "EDIT UNIT Nizam STEPS 2",
    "EDIT UNIT Nizam STEPS 3 DEMORALISED YES",
    "EDIT UNIT MuleyAbbas AT Garganta",
    "EDIT UNIT GuardiaNegra AT Campamento ; UNIT Bujari STEPS 1",
)
AFTER = ("ESTADO; MAPA; HISTORIA", "ORDENES T1\nACTIVAR Nudos\nFUEGO Montana1 A Cresta\nFIN")


def spain_gets(folder, line):
    """All that Spain is sent from the correction on, masked of what is different every time."""
    folder.mkdir()
    scene = PlayedSession(folder, Terms.from_words({"reminder_hours": "0"}), "UTC", {"fog": "on"}, killed=False)
    scene.rule(line + WHY, lambda point: None)
    letters = [part.text for part in scene.sent(whole=True) if part.head == "out spain"]
    for text in AFTER:
        scene.arrive("spain", text)
        letters += [part.text for part in scene.sent(whole=True) if part.head == "out spain"]
    scene.server.engine.dispose()
    # The tree that the form sends back is a hash over all leaves, salted ones that stay sealed among them.
    return [re.sub(r"^# SEEN .*$", "# SEEN", text, flags=re.MULTILINE) for text in letters]


@pytest.mark.parametrize("line", UNSEEN[1:])
def test_what_is_corrected_out_of_sight_changes_no_byte_for_the_other_side(tmp_path, line):
    letters = spain_gets(tmp_path / "one", line)
    assert letters == spain_gets(tmp_path / "other", UNSEEN[0])
    assert "Usted no puede ver nada de ello." in letters[0]
    assert not any(name in letter for letter in letters for name in ("Nizam", "Muley", "Bujari", "GuardiaNegra"))

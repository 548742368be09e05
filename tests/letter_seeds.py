"""Letters that were found costly, or that look so: where the search for costlier ones begins."""

from __future__ import annotations

N = 1_000_000


def _filled(piece: str, most: int = 250_000) -> str:
    return piece * (most // len(piece))


def _pages(page: str, count: int) -> str:
    part = f"--b\r\nContent-Type: text/html\r\n\r\n{page}\r\n"
    return part * count + "--b--\r\n"


def near_misses(count: int) -> list[str]:
    """Names of units and places with a slip in each, no two alike."""
    names = ("Castillejos", "Montana1", "Vergara", "Orozco", "Cuenca", "Coldstream", "DuncanA", "Refuerzo", "Alcazaba")
    letters = "abcdefghijklmnopqrstuvwxyz"
    two = ((number, letter, other) for number in range(1, 6) for letter in letters for other in letters)
    made = (f"{name[:index]}{char}{name[index:-1]}{other}" for index, char, other in two for name in names)
    return [*dict.fromkeys(made)][:count]


def _grouped(words: list[str], each: int) -> list[list[str]]:
    return [words[index : index + each] for index in range(0, len(words), each)]


def _lists(words: list[str], each: int) -> list[str]:
    return [", ".join(group) for group in _grouped(words, each)]


_NEAR = near_misses(20_000)
GROWING = (
    "\ufdfa",
    "\ufdfb",
    "\u3316",
    "\u0390",
    "\u1fb7",
    "\ufb03",
    "\uac01",
    "\U0001d400",
    "\uff21",
    "\u01c4",
    "\u4e00",
)
"""Characters that become several where text is normalised or folded, or that no table remembers."""
_SHEET = (
    "<style>"
    + "".join(f".c{number}, p.d{number} b, #e{number}{{text-decoration:line-through}}" for number in range(9_000))
    + "</style>"
)
_ARMOUR = "-----BEGIN PGP SIGNED MESSAGE-----\n"

_NEW = (
    *(f"{char * 1_900}\n" * (250_000 // (1_900 * len(char.encode()))) for char in GROWING),
    *(_filled(char, 250_000 // len(char.encode())) for char in GROWING[:4]),
    *(
        "".join(f"{verb} {names} TO Sierra\n" for names in _lists(_NEAR, 150)[:100])
        for verb in ("MOVE", "BRING", "FIRE")
    ),
    "".join(f"WHEN ASSAULTED AND {names} HOLD: FALLBACK {names}\n" for names in _lists(_NEAR[:9_000], 60)),
    "".join(f"{name}\n" for name in _NEAR[:3_900]),
    "".join(f"attack {' '.join(names)}. " for names in _grouped(_NEAR[:9_000], 60)),
    " ".join(_NEAR[:18_000]),
    f"I would like {' '.join(_NEAR[:390])} to attack Cresta. " * 30,
    "".join(f"LATER T{turn}\nMOVE {names} TO Sierra\nEND\n" for turn, names in enumerate(_lists(_NEAR[:9_000], 99), 2)),
    "".join(f"PLAY {name}; SEEK {name}; JOIN {name}; CHALLENGE {name}; RATING {name}\n" for name in _NEAR[:780]),
    "".join(f"EXTEND {name} 48h BECAUSE {name}\n" for name in _NEAR[:3_900]),
    "EXTEND R1 48h BECAUSE x\n" * 3_900,
    "".join(f"{word}\n" for word in ("STANDINGS", "CROSSTABLE", "ROUND R1", "TEAMS", "RATING") * 8),
    "".join(f"LINEUP {names}\n" for names in _lists([str(n) for n in range(30_000)], 300)),
    "".join(f"STAUTS {name}\n" for name in _NEAR[:3_900]),
    "".join(f"ord{'abcdefgh'[index % 8]}rs t{index}\n" for index in range(3_900)),
    "move nobody to nowhere\n" * 3_900,
    _SHEET + "<p class='d1 x y z' id=e1>x<b>y</b></p>" * 7_000,
    "<style>"
    + "".join(f".c{number},#c{number}{{text-decoration:line-through}}" for number in range(24))
    + "</style>"
    + "<b>x" * 29_000,
    "<style>" + _filled("a,", 900_000) + "{text-decoration:line-through}</style><p>x",
    "<style>p{text-decoration:line-through}</style>" * 9_000 + "<p>x" * 9_000,
    "<s>x</s>y" * 14_900,
    "<p style='text-decoration:line-through'>x" * 23_000,
    ("<p style='" + "x:y; " * 190 + "'>x") * 990,
    "<p style='padding-left:99999em'>" + "x<br>" * 20_000,
    "<p style='margin-bottom:99999em'>x" * 25_000,
    "<p " + "".join(f"a{number}=b " for number in range(90_000)) + ">x",
    ("<p " + "".join(f"a{number} " for number in range(1_900)) + ">x") * 80,
    "<a href=x>" * 29_000 + "x",
    "<ul>" * 190 + "<li>x" * 25_000,
    "<p>" + "x\u0336" * 160_000,
    _filled("a<https://x>"),
    "1. MOVE Leon TO Sierra\n" * 3_900,
    "- * + 1. a) MOVE Leon\n" * 3_900,
    "".join(f"{'> ' * (number % 30)}On 1 Jan 2026 a{number}@b.c wrote:\n" for number in range(3_900)),
    "accion, a\u00e7\u00e3o, \u0141\u00f3d\u017a, \u0391\u03b8\u03ae\u03bd\u03b1, \u041c\u043e\u0441\u043a\n" * 3_000,
    (_ARMOUR + "Hash: x\n\n- x\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n") * 600,
    _ARMOUR + "Hash: SHA256\n" * 3_900,
    "References: <a@b.c>\n" * 3_200,
    "Received: from x by y\n" * 2_900,
    *(
        f"--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n{_filled(piece, N)}"
        for piece in ("=", "QQ==", "A!")
    ),
    f"--b\r\nContent-Type: text/plain{'; a=b' * 800}\r\n\r\nx\r\n" * 60,
    "".join(f'--b\r\nContent-Type: image/png; name="{"=?utf-8?b?QUFB?= " * 15}"\r\n\r\nx\r\n' for number in range(490)),
    "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain\r\n\r\n"
    + "word " * 49_000
    + "\r\n--c\r\nContent-Type: text/html\r\n\r\n<p>"
    + "word " * 49_000,
)
"""Characters that grow, near-misses of names, style sheets and attributes, armour, encodings."""

SEEDS: tuple[str, ...] = (
    *_NEW,
    "STATUS\n" + _filled("xq;"),
    _filled("STATUS;"),
    "STATUS\n" + "xq nothing of this\n" * 3_900,
    "MOVE Nobody TO Nowhere\n" * 3_900,
    _filled("HELP;"),
    _filled("LIST;"),
    "ODDS ASSAULT Cresta WITH Leon\n" * 3_900,
    _filled("ODDS ASSAULT Cresta WITH Leon;"),
    _filled("PASS;"),
    "PASS\n" * 3_900,
    _filled("WHY #1;"),
    "WHY #1 T1\n" * 3_900,
    _filled("xq;"),
    _filled("Leon,"),
    _filled("a"),
    _filled("\u00e9\u0301"),
    _filled("\u2026"),
    _filled("MOVE Leon TO Sierra;"),
    "MOVE Leon TO Sierra\n" * 3_900,
    _filled("IF x;"),
    _filled("STANDING ALL;"),
    "STANDING ALL\nWHEN ASSAULTED STAND\nENDSTANDING\n" * 1_300,
    "WHEN ASSAULTED VANGUARD Leon\n" * 3_900,
    "LATER T4\nxq\nEND\n" * 1_300,
    "HISTORY\n" * 3_900,
    "MAP\n" * 3_900,
    "RULES 8\n" * 3_900,
    _filled("1A "),
    "EXTEND 1h\n" * 3_900,
    "ADDRESS x@y.example\n" * 3_900,
    "".join(f"ADDRESS x{n}@y.example\n" for n in range(3_900)),
    "SAY hello\n" * 3_900,
    "PRESS TO ALL\nx\nENDPRESS\n" * 1_300,
    "JOIN g1\n" * 3_900,
    "OBSERVE g1\n" * 3_900,
    "HOLD BECAUSE x\n" * 3_900,
    "PREDICT\n" * 3_900,
    "EXPORT\n" * 3_900,
    "ANNOUNCE " + _filled("word "),
    "ANNOUNCE x\n" + ("word " * 12 + "\n") * 3_900,
    "nothing\n" * 3_900,
    "PASS\n" * 390,
    "ACTIVATE Nudos\nMOVE Cuenca, Montana1, Orozco, Vergara TO Loma\n" * 195,
    "ACTIVATE Nudos\n" + "ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n" * 380,
    "IF TURN 1\n" * 11 + "MOVE 2/95 TO 1312\n" * 350 + "ENDIF\n" * 11,
    "MOVE 2/95 TO 1312\n" * 390,
    "MOVE DuncanA TO 1211; UNLIMBER DuncanA\n" * 190,
    "FIRE DuncanA TO 1312\n" * 390,
    "ASSAULT 1312 WITH 2/95, 1/28, Coldstream\n" * 390,
    "ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n"
    + "ODDS ASSAULT Cresta WITH Cuenca, Montana1, Vergara LED BY Orozco\n" * 2,
    "ASSAULT 1312 WITH 2/95, 1/28\nODDS ASSAULT 1312 WITH 2/95\nODDS ASSAULT 1312 WITH 1/28\n",
    "WHEN ASSAULTED AND (MY STEPS LESS THAN 2 OR ENEMY STEPS MORE THAN 3): FALLBACK Nudos\n" * 390,
    "ACTIVATE Cresta\n" * 390,
    "MOVE Leon TO Sierra;" * 390,
    "IF TURN 1\nPASS\nENDIF\n" * 130,
    "WHEN ASSAULTED STAND\n" * 390,
    "MOVE " + "Leon, " * 300 + "TO Sierra\n",
    ("MOVE " + "Leon, " * 300 + "TO Sierra\n") * 100,
    "".join(f"{word}\n" for word in ("STATUS", "HELP", "MAP", "HISTORY", "LIST", "CHART", "RULES 1", "RULES 8")),
    "".join(f"HELP {word}\n" for word in ("orders", "standing", "dice", "commands", "later")),
    "".join(f"LATER T{turn}\nPASS\nEND\n" for turn in range(2, 22)),
    "<b>x</b>" * 14_900,
    "<p class=" + "x" * 40 + ">y" * 1,
    ("<p class=" + "x" * 25 + ">y") * 25_000,
    "<blockquote>x</blockquote>" * 14_900,
    "<div>" * 29_900,
    "<table><tr><td>x</td></tr></table>" * 4_900,
    _filled("<div>x", N),
    _filled("<b>x</b>", N // 4),
    _filled("<blockquote>x</blockquote>", N),
    _filled("<table><tr><td>x</td></tr></table>", N),
    "<pre>" + _filled("x\n", 8_000) + "</pre>",
    "<p>" + _filled("x ", N) + "</p>",
    _filled("&lt;", N),
    "".join(f"--b\r\nContent-Type: text/plain\r\n\r\n{'x' * 3_900}\r\n" for n in range(240)) + "--b--\r\n",
    "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + _filled("\u0301", N // 4),
    "--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + _filled("=41", N),
    "--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + _filled("QUJD\r\n", 290_000),
    "--b\r\nContent-Type: message/delivery-status\r\n\r\n" + _filled("Action: x\r\n\r\n", 500_000),
    _filled("5.1.1 ", N),
    _filled("\r\nmessage-id: ", N),
    _filled("pbem+g1-spain-abcdefghijklmnop@games.example "),
    *(_pages(page, count) for page, count in (("<p>x" * 29_900, 8), ("<b>x" * 14_900, 2), ("<p>x" * 3_700, 8))),
    "a: b\n" * 12_000,
    "a: b\n" * 480,
    "To: " + _filled("a@b.c, ", 60_000) + "\n",
    "To: " + _filled("pbem+g1-spain-abcdefghijklmnop@games.example ", 60_000) + "\n",
    "X: y\n" + " \n" * 30_000,
    "References: " + _filled("<a@b.c> ", 60_000) + "\n",
    "Subject: " + _filled("=?utf-8?b?QUFB?= ", 60_000) + "\n",
    "Content-Type: multipart/mixed" + _filled("; a=b", 60_000) + "\n",
    "Content-Disposition: attachment; filename=" + _filled('"a" ', 60_000) + "\n",
    "Content-Disposition: attachment" + "".join(f"; filename*{number}*=x" for number in range(3_000)) + "\n",
    "Received: " + _filled("(", 60_000) + "\n",
    "Received: from x by y; " + _filled("Mon, 1 Jan 2026 ", 60_000) + "\n",
    "From: " + _filled("<a@b.c>,", 60_000) + "\n",
    "From: x\n" * 8_000,
    _filled("(dkim=pass ", 8_000) + _filled(")", 700),
    _filled("dkim=pass header.d=players.example; ", 8_000),
    _filled("x ", 60_000),
    (" " * 199 + "x") * 990,
    (" " * 199 + "x") * 4_900,
    (" " * 60 + "x\n") * 3_900,
    _filled("\t \t", 500_000),
    "pbemdice/v1/saw\n" + "hash AAAA\n" * 1_500,
    "pbemdice/v1/refuses\nkey a+00000000+AAAA\nwhy gap\n" + "text x\n" * 2_300,
    "pbemdice/v1/ask\nlog a+00000000+AAAA\nold 1\n" + "hash " + "A" * 43 + "=\n",
    "pbemdice/v1/ask\n" + _filled("by x y\n", 16_000),
    "pbemdice/v1/saw\n" + _filled("key x\n", 16_300),
    "# SEEN 1 " + "A" * 43 + "=\n",
    ("# SEEN 1 " + "A" * 43 + "= abcdefgh\n") * 3_900,
    "--b\nContent-Type: multipart/mixed; boundary=c\n\n" + "--c\nContent-Type: message/rfc822\n\n" * 5,
    "".join(f"--b\nContent-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n" for number in range(19))
    + _filled("x\n", 90_000),
    "--b\nContent-Type: text/plain\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n"
    + ("M" + "A" * 60 + "\n") * 15_000,
    "--b\nContent-Type: text/plain; format=flowed; delsp=yes\n\n" + _filled("> x \n", 100_000),
    "--b\nContent-Type: text/plain; format=flowed\n\n" + "x \n" * 40_000,
)

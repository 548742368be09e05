"""The commands of one line, in both languages: what they are called and what may follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

__all__ = [
    "ADDRESS",
    "ANSWERS",
    "CODE",
    "COMMANDS",
    "EXTENSION",
    "JOIN",
    "NOTIFY",
    "OBSERVE",
    "PRESETS",
    "SET_WITNESS",
    "STANDBY",
    "TAKEOVER",
    "TOPICS",
    "WHY",
    "Form",
    "from_table",
    "hours",
]


class Form(NamedTuple):
    """How a command is written: its phrases in all languages, what may follow them, and an example in two of them.

    What follows is compared folded (no case, no accents). `anyone` marks what may be asked without a seat.
    """

    name: str
    phrases: tuple[str, ...]
    rest: re.Pattern[str]
    example: str
    spanish: str
    anyone: bool = False


PRESETS = {
    "cautious": ("CAUTIOUS", "PRUDENTE"),
    "balanced": ("BALANCED", "EQUILIBRADA", "EQUILIBRADO"),
    "aggressive": ("AGGRESSIVE", "AGRESIVA", "AGRESIVO"),
}
"""Ready-made standing orders by the name a game knows them by."""

TOPICS = {
    "orders": ("ORDERS", "ORDENES"),
    "standing": ("STANDING", "DOCTRINA"),
    "letters": ("LETTERS", "CARTAS"),
    "deadlines": ("DEADLINES", "PLAZOS"),
    "dice": ("DICE", "DADOS"),
    "ask": ("ASK", "CONSULTAR"),
    "commands": ("COMMANDS", "COMANDOS"),
}
"""What HELP tells more about."""


def from_table(table: Mapping[str, tuple[str, ...]], word: str) -> str:
    """The entry that a folded word names; empty if none."""
    return next((name for name, words in table.items() if word in (w.lower() for w in words)), "")


_NOTHING = re.compile("")
_LANGUAGE = re.compile(r"(en|english|ingles)|(es|espanol|spanish|castellano)")
_ANYTHING = re.compile(r"\S.*")
_TURN = re.compile(r"(?:t ?\d{1,4})?")
_TURNS = re.compile(r"(?:t ?\d{1,4}(?: ?- ?t? ?\d{1,4})?)?")
_NAME = re.compile(r"[^\W_][\w' .-]{0,39}")
_RULE = re.compile(r"[a-z]{0,2}\d{1,2}(?:\.\d{1,2}){0,5}")
_CHART = re.compile(r"(?:[\w.-]+ ?){0,3}")
_PRESET = re.compile("|".join(word.lower() for words in PRESETS.values() for word in words))
_ZONE = re.compile(r"[\w+/-]+(?: [\w+/-]+){0,2}")
_FORMAT = re.compile(r"text|texto|html|reader|lector")
WHY = re.compile(r"(?P<number>\d{1,3})(?: t ?(?P<turn>\d{1,4})(?:[. ] ?(?P<phase>[a-z][a-z0-9]*))?)?\??")
"""What follows WHY, without the mark before the number: the number, perhaps the turn, perhaps the phase."""
JOIN = re.compile(
    r"(?P<game>[a-z0-9-]{1,20})(?: (?:as|como) (?P<seat>[a-z][a-z0-9]{0,11}))?"
    r"(?: (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows JOIN: the game, perhaps the seat or side, perhaps the code that was mailed back."""
OBSERVE = re.compile(
    r"(?P<stop>stop|fin)(?: (?P<left>[a-z0-9-]{1,20}))?"
    r"|(?P<game>[a-z0-9-]{1,20})(?: (?P<end>stop|fin)| (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows OBSERVE: the game, perhaps the code that was mailed back; or STOP, perhaps with the game."""
EXTENSION = re.compile(r"(?P<count>\d{1,3}) ?(?P<unit>h|hours?|horas?|d|days?|dias?)?")
"""What follows EXTEND: hours, or days."""
_DAYS = re.compile(r"(?:\d|day|dia).*")
_CLOCK = r"(?: (?:at |a las )?(?P<{name}>[01]?\d|2[0-3])(?::00|h)?)?"
NOTIFY = re.compile(
    r"(?P<all>all|todos?)"
    rf"|(?P<daily>daily|diario){_CLOCK.format(name='hour')}"
    r"|(?P<weekly>weekly|semanal)(?: (?:on |el )?(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    rf"|lunes|martes|miercoles|jueves|viernes|sabado|domingo))?{_CLOCK.format(name='at')}"
    r"|(?P<no>no |sin )?(?:con )?(?P<reminders>reminders|recordatorios)|"
)
"""What follows SET NOTIFY: how news come, on which day and at which hour; whether there are reminders; or nothing."""


def hours(extension: re.Match[str]) -> int:
    """The hours that an extension says."""
    return int(extension["count"]) * (24 if (extension["unit"] or "h").startswith("d") else 1)


CODE = re.compile(r"(?:(?:code|codigo) (?P<code>[a-z2-7]{8}))?")
"""What follows a command that is confirmed: nothing, or the code that was mailed back."""
STANDBY = re.compile(
    r"(?P<stop>stop|fin)"
    r"|(?:(?!(?:code|codigo)\b)(?P<game>[a-z0-9-]{1,20}) ?)?(?:(?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows STANDBY: perhaps a game, perhaps the code that was mailed back; or STOP."""
TAKEOVER = re.compile(
    r"(?P<game>[a-z0-9-]{1,20})(?: (?:as|como) (?P<seat>[a-z][a-z0-9]{0,11}))?"
    r"(?: (?:code|codigo) (?P<code>[a-z2-7]{8}))?"
)
"""What follows TAKEOVER: the game, perhaps the seat, perhaps the code that was mailed back."""
ADDRESS = re.compile(
    r"(?P<email>[^\s@]{1,64}@[^\s@]{1,190})(?: (?:code|codigo) (?P<here>[a-z2-7]{8}) (?P<there>[a-z2-7]{8}))?"
)
"""What follows ADDRESS: the new address, perhaps the codes that were mailed to the old one and to the new one."""
SET_WITNESS = re.compile(r"(?P<off>off|stop|no|fin)|(?P<email>[^\s@]{1,64}@[^\s@]{1,190})|")
"""What follows SET WITNESS: an address, or OFF, or nothing."""
ANSWERS = re.compile(r"(?:\d{1,3} ?[:)=-]? ?[a-z](?:[ ,]+|$))+")
"""A line that is an answer though it does not begin with RESPOND: 1A 2D."""

COMMANDS: tuple[Form, ...] = (
    Form("status", ("STATUS", "ESTADO"), _NOTHING, "STATUS", "ESTADO"),
    Form("rotate", ("ROTATE", "ROTAR"), _NOTHING, "ROTATE", "ROTAR"),
    Form("help", ("HELP", "AYUDA"), re.compile(r"(?:\S+ ?){0,3}"), "HELP orders", "AYUDA ordenes", anyone=True),
    Form("cancel", ("CANCEL", "CANCELAR"), _NOTHING, "CANCEL", "CANCELAR"),
    Form("respond", ("RESPOND", "RESPONDER"), _ANYTHING, "RESPOND 1A 2D", "RESPONDER 1A 2D"),
    Form("done", ("DONE", "LISTO"), _NOTHING, "DONE", "LISTO"),
    Form("replace", ("REPLACE", "REEMPLAZAR"), _NOTHING, "REPLACE", "REEMPLAZAR"),
    Form("preset", ("STANDING", "DOCTRINA"), _PRESET, "STANDING CAUTIOUS", "DOCTRINA PRUDENTE"),
    Form("cancel-standing", ("CANCEL STANDING", "CANCELAR DOCTRINA"), _NOTHING, "CANCEL STANDING", "CANCELAR DOCTRINA"),
    Form(
        "cancel-later",
        ("CANCEL LATER", "CANCELAR DESPUES", "CANCELAR MAS TARDE"),
        _TURN,
        "CANCEL LATER T3",
        "CANCELAR DESPUES T3",
    ),
    Form(
        "cancel-repeated",
        ("CANCEL @", "CANCEL REPEATED", "CANCELAR @", "CANCELAR REPETIDAS"),
        _NOTHING,
        "CANCEL @",
        "CANCELAR @",
    ),
    Form("map", ("MAP", "MAPA"), _TURN, "MAP T1", "MAPA T1"),
    Form("moves", ("MOVES", "MOVIMIENTOS"), _NAME, "MOVES place", "MOVIMIENTOS lugar"),
    Form("odds", ("ODDS", "PROBABILIDAD"), _ANYTHING, "ODDS ASSAULT ...", "PROBABILIDAD ASALTAR ..."),
    Form(
        "trial",
        ("TEST STANDING", "PROBAR DOCTRINA"),
        _ANYTHING,
        "TEST STANDING place BY units",
        "PROBAR DOCTRINA lugar POR unidades",
    ),
    Form("history", ("HISTORY", "HISTORIA"), _TURNS, "HISTORY T1-T2", "HISTORIA T1-T2"),
    Form("why", ("WHY", "PORQUE", "POR QUE"), WHY, "WHY #12 T3", "PORQUE #12 T3"),
    Form("dice", ("DICE", "DADOS"), _TURNS, "DICE T1", "DADOS T1"),
    Form("rule", ("RULES", "RULE", "REGLAS", "REGLA"), _RULE, "RULES 8.4", "REGLA 8.4"),
    Form("chart", ("CHART", "CHARTS", "TABLA"), _CHART, "CHART name", "TABLA nombre"),
    Form("wait", ("WAIT", "ESPERAR"), _NOTHING, "WAIT", "ESPERAR"),
    Form("no-wait", ("NOWAIT", "NO WAIT", "NOESPERAR", "NO ESPERAR"), _NOTHING, "NOWAIT", "NOESPERAR"),
    Form("go", ("GO", "YA"), _NOTHING, "GO", "YA"),
    Form("extend", ("EXTEND", "PRORROGA", "PRORROGAR"), EXTENSION, "EXTEND 48h", "PRORROGA 48h"),
    Form("vacation", ("VACATION", "VACACIONES"), _DAYS, "VACATION day TO day", "VACACIONES dia A dia"),
    Form("language", ("SET LANG", "SET LANGUAGE", "FIJAR IDIOMA"), _LANGUAGE, "SET LANG en", "FIJAR IDIOMA es"),
    Form("zone", ("SET TZ", "SET ZONE", "FIJAR ZONA"), _ZONE, "SET TZ Europe/Madrid", "FIJAR ZONA Europe/Madrid"),
    Form("format", ("FORMAT", "SET FORMAT", "FORMATO", "FIJAR FORMATO"), _FORMAT, "FORMAT TEXT", "FORMATO TEXTO"),
    Form(
        "notify",
        ("SET NOTIFY", "NOTIFY", "FIJAR AVISOS", "AVISOS"),
        NOTIFY,
        "SET NOTIFY DAILY 18",
        "FIJAR AVISOS DIARIO 18",
    ),
    Form(
        "witness",
        ("SET WITNESS", "WITNESS", "FIJAR TESTIGO", "TESTIGO"),
        SET_WITNESS,
        "SET WITNESS friend@address",
        "FIJAR TESTIGO amigo@direccion",
    ),
    Form("list", ("LIST", "LISTA"), _NOTHING, "LIST", "LISTA", anyone=True),
    Form("join", ("JOIN", "UNIRSE A", "UNIRSE"), JOIN, "JOIN game AS seat", "UNIRSE partida COMO puesto", anyone=True),
    Form("observe", ("OBSERVE", "OBSERVAR"), OBSERVE, "OBSERVE game", "OBSERVAR partida", anyone=True),
    Form("say", ("SAY", "ANUNCIAR"), _ANYTHING, "SAY words", "ANUNCIAR palabras"),
    Form("appeal", ("APPEAL", "RECURSO"), _ANYTHING, "APPEAL #12 words", "RECURSO #12 palabras"),
    Form("standby", ("STANDBY", "RESERVA"), STANDBY, "STANDBY", "RESERVA", anyone=True),
    Form("takeover", ("TAKEOVER", "RELEVAR"), TAKEOVER, "TAKEOVER game", "RELEVAR partida", anyone=True),
    Form("draw", ("DRAW", "TABLAS"), CODE, "DRAW", "TABLAS"),
    Form("concede", ("CONCEDE", "RENDIRSE"), CODE, "CONCEDE", "RENDIRSE"),
    Form("resign", ("RESIGN", "ABANDONAR"), CODE, "RESIGN", "ABANDONAR"),
    Form("claim", ("CLAIM", "RECLAMAR"), CODE, "CLAIM", "RECLAMAR"),
    Form("resend", ("RESEND", "REENVIAR"), _TURN, "RESEND T1", "REENVIAR T1"),
    Form("address", ("ADDRESS", "DIRECCION"), ADDRESS, "ADDRESS new@address", "DIRECCION nueva@direccion"),
)
"""One more command is one more row here and one more handler in `commands`. One without examples is not offered."""

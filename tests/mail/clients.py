"""How mail clients introduce what they quote or forward, in seven languages: the words that stand above a quote.

Each is written after the habit of a client; the letters themselves are ours. `{judge}` and `{seat}` are who wrote the
quoted letter, `{player}` is to whom.
"""

from __future__ import annotations

from typing import NamedTuple

LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")

LONG = {
    "en": "Saturday, November 21, 2026",
    "es": "sábado, 21 de noviembre de 2026",
    "de": "Samstag, 21. November 2026",
    "fr": "samedi 21 novembre 2026",
    "it": "sabato 21 novembre 2026",
    "pt": "sábado, 21 de novembro de 2026",
    "nl": "zaterdag 21 november 2026",
}
FIELDS = {
    "en": ("From", "Sent", "To", "Subject", "Date"),
    "es": ("De", "Enviado", "Para", "Asunto", "Fecha"),
    "de": ("Von", "Gesendet", "An", "Betreff", "Datum"),
    "fr": ("De", "Envoyé", "À", "Objet", "Date"),
    "it": ("Da", "Inviato", "A", "Oggetto", "Data"),
    "pt": ("De", "Enviado", "Para", "Assunto", "Data"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp", "Datum"),
}
ORIGINAL = {
    "en": "Original message",
    "es": "Mensaje original",
    "de": "Ursprüngliche Nachricht",
    "fr": "Message d’origine",
    "it": "Messaggio originale",
    "pt": "Mensagem original",
    "nl": "Oorspronkelijk bericht",
}
FORWARDED = {
    "en": "Forwarded message",
    "es": "Mensaje reenviado",
    "de": "Weitergeleitete Nachricht",
    "fr": "Message transféré",
    "it": "Messaggio inoltrato",
    "pt": "Mensagem encaminhada",
    "nl": "Doorgestuurd bericht",
}
BEGIN = {
    "en": "Begin forwarded message:",
    "es": "Inicio del mensaje reenviado:",
    "de": "Anfang der weitergeleiteten Nachricht:",
    "fr": "Début du message réexpédié :",
    "it": "Inizio messaggio inoltrato:",
    "pt": "Início da mensagem reencaminhada:",
    "nl": "Begin doorgestuurd bericht:",
}
SIGNED = {
    "en": "Sent from my Galaxy",
    "es": "Enviado desde mi Galaxy",
    "de": "Von meinem Galaxy gesendet",
    "fr": "Envoyé depuis mon Galaxy",
    "it": "Inviato dal mio Galaxy",
    "pt": "Enviado do meu Galaxy",
    "nl": "Verzonden vanaf mijn Galaxy",
}
WHO = "{judge} <{seat}>"

# "On ... wrote", by client and language.
WROTE = {
    "gmail": {
        "en": f"On Sat, Nov 21, 2026 at 10:00\u202fAM {WHO} wrote:",
        "es": "El sáb, 21 nov 2026 a las 10:00, {judge} (<{seat}>) escribió:",
        "de": f"Am Sa., 21. Nov. 2026 um 10:00 Uhr schrieb {WHO}:",
        "fr": f"Le sam. 21 nov. 2026 à 10:00, {WHO} a écrit :",
        "it": f"Il giorno sab 21 nov 2026 alle ore 10:00 {WHO} ha scritto:",
        "pt": f"Em sáb., 21 de nov. de 2026 às 10:00, {WHO} escreveu:",
        "nl": f"Op za 21 nov 2026 om 10:00 schreef {WHO}:",
    },
    "apple": {
        "en": f"On 21 Nov 2026, at 10:00, {WHO} wrote:",
        "es": f"El 21 nov 2026, a las 10:00, {WHO} escribió:",
        "de": f"Am 21.11.2026 um 10:00 schrieb {WHO}:",
        "fr": f"Le 21 nov. 2026 à 10:00, {WHO} a écrit :",
        "it": f"Il giorno 21 nov 2026, alle ore 10:00, {WHO} ha scritto:",
        "pt": f"No dia 21/11/2026, às 10:00, {WHO} escreveu:",
        "nl": f"Op 21 nov 2026, om 10:00 heeft {WHO} het volgende geschreven:",
    },
    "thunderbird": {
        "en": "On 11/21/26 10:00, {judge} wrote:",
        "es": "El 21/11/26 a las 10:00, {judge} escribió:",
        "de": "Am 21.11.26 um 10:00 schrieb {judge}:",
        "fr": "Le 21/11/2026 à 10:00, {judge} a écrit :",
        "it": "Il 21/11/26 10:00, {judge} ha scritto:",
        "pt": "Em 21/11/2026 10:00, {judge} escreveu:",
        "nl": "Op 21-11-2026 om 10:00 schreef {judge}:",
    },
    "yahoo": {
        "en": f"On Saturday, November 21, 2026 at 10:00:00 AM GMT+1, {WHO} wrote:",
        "es": f"En sábado, 21 de noviembre de 2026, 10:00:00 CET, {WHO} escribió:",
        "de": f"Am Samstag, 21. November 2026 um 10:00:00 MEZ hat {WHO} Folgendes geschrieben:",
        "fr": f"Le samedi 21 novembre 2026 à 10:00:00 UTC+1, {WHO} a écrit :",
        "it": f"Il sabato 21 novembre 2026 alle ore 10:00:00 CET, {WHO} ha scritto:",
        "pt": f"Em sábado, 21 de novembro de 2026 10:00:00 BRT, {WHO} escreveu:",
        "nl": f"Op zaterdag 21 november 2026 om 10:00:00 CET schreef {WHO}:",
    },
    "proton": {
        "en": f"On Saturday, November 21st, 2026 at 10:00, {WHO} wrote:",
        "es": f"El sábado, 21 de noviembre de 2026 a las 10:00, {WHO} escribió:",
        "de": f"{WHO} schrieb am Samstag, 21. November 2026 um 10:00:",
        "fr": f"Le samedi 21 novembre 2026 à 10:00, {WHO} a écrit :",
        "it": f"Il sabato 21 novembre 2026 alle 10:00, {WHO} ha scritto:",
        "pt": f"Sábado, 21 de Novembro de 2026 às 10:00, {WHO} escreveu:",
        "nl": f"Op zaterdag 21 november 2026 om 10:00 schreef {WHO}:",
    },
    "airmail": {
        "en": "On 21 November 2026 at 10:00:00, {judge} ({seat}) wrote:",
        "es": "El 21 de noviembre de 2026 a las 10:00:00, {judge} ({seat}) escribió:",
        "de": "Am 21. November 2026 um 10:00:00, {judge} ({seat}) schrieb:",
        "fr": "Le 21 novembre 2026 à 10:00:00, {judge} ({seat}) a écrit:",
        "it": "Il 21 novembre 2026 alle 10:00:00, {judge} ({seat}) ha scritto:",
        "pt": "Em 21 de novembro de 2026 em 10:00:00, {judge} ({seat}) escreveu:",
        "nl": "Op 21 november 2026 om 10:00:00, {judge} ({seat}) schreef:",
    },
    "mutt": {
        "en": "On Sat, Nov 21, 2026 at 10:00:00AM +0100, {judge} wrote:",
        "es": "El sáb, 21 nov 2026, a las 10:00:00 +0100, {judge} escribió:",
        "de": "* {judge} <{seat}> [2026-11-21 10:00 +0100]:",
        "fr": "Le Sat, Nov 21, 2026 at 10:00:00AM +0100, {judge} écrivait :",
        "it": "On Sat, Nov 21, 2026 at 10:00:00AM +0100, {judge} scriveva:",
        "pt": "{judge} [2026-11-21 10:00]:",
        "nl": "* {judge} ({seat}) [26-11-21 10:00]:",
    },
    "webmail": {
        "en": "{judge} <{seat}> wrote on 21/11/2026 10:00:00:",
        "es": "{judge} <{seat}> escribió el 21/11/2026 10:00:",
        "de": "> {judge} <{seat}> hat am 21.11.2026 10:00 CET geschrieben:",
        "fr": "{judge} <{seat}> a écrit le 21/11/2026 10:00 :",
        "it": "{judge} <{seat}> ha scritto il 21/11/2026 10:00:",
        "pt": "Citando {judge} <{seat}>:",
        "nl": "{judge} <{seat}> schreef op 21-11-2026 10:00:",
    },
    "horde": {
        "en": "Quoting {judge} <{seat}>:",
        "es": "Citando a {judge} <{seat}>:",
        "de": "Zitat von {judge} <{seat}>:",
        "fr": "{judge} <{seat}> a écrit :",
        "it": "Citando {judge} <{seat}>:",
        "pt": "Citação de {judge} <{seat}>:",
        "nl": "Citeren {judge} <{seat}>:",
    },
}

# Without a colon at the end, or set in dashes.
ZOHO = {
    "en": f"---- On Sat, 21 Nov 2026 10:00:00 +0100 {WHO} wrote ----",
    "es": f"---- El sáb, 21 nov 2026 10:00:00 +0100 {WHO} escribió ----",
    "de": f"---- Am Sa, 21 Nov 2026 10:00:00 +0100 schrieb {WHO} ----",
    "fr": f"---- Le sam., 21 nov. 2026 10:00:00 +0100 {WHO} a écrit ----",
    "it": f"---- Il sab, 21 nov 2026 10:00:00 +0100 {WHO} ha scritto ----",
    "pt": f"---- Ativado sáb, 21 nov 2026 10:00:00 +0100 {WHO} escreveu ----",
    "nl": f"---- Op za, 21 nov. 2026 10:00:00 +0100 schreef {WHO} ----",
}
OLD_YAHOO = {
    "en": f"--- On Sat, 11/21/26, {WHO} wrote:",
    "es": f"--- El sáb 21/11/26, {WHO} escribió:",
    "de": f"--- {WHO} schrieb am Sa, 21.11.2026:",
    "fr": f"--- En date de : Sam 21.11.26, {WHO} a écrit :",
    "it": f"--- Sab 21/11/26, {WHO} ha scritto:",
    "pt": f"--- Em sáb, 21/11/26, {WHO} escreveu:",
    "nl": f"--- Op za 21-11-26, {WHO} schreef:",
}


def fields(language: str, order: str = "FSTO", gap: str = " ", mark: str = "", line: str = "\n") -> str:
    """A mail header set into the text: F who, S when, T to whom, O about what, D when by another word."""
    who, sent, to, about, date = FIELDS[language]
    when = f"{LONG[language]} 10:00"
    headers = {
        "F": (who, WHO),
        "S": (sent, when),
        "D": (date, when),
        "T": (to, "<{player}>"),
        "O": (about, "wt-042 T3"),
    }
    colon = " :" if language == "fr" and gap else ":"
    return line.join(f"{mark}{headers[key][0]}{colon}{mark}{gap}{headers[key][1]}" for key in order)


class Quoting(NamedTuple):
    """What a client sets above a quote, the mark before its lines, and at which column it breaks what it sets above."""

    above: str
    mark: str = "> "
    width: int = 0


def quotings(language: str) -> dict[str, Quoting]:
    """Every client's way to quote, in a language."""
    made = {}
    for client, words in WROTE.items():
        made[client] = Quoting(words[language])
        for width in (72, 56, 40, 28):
            made[f"{client}-{width}"] = Quoting(words[language], width=width)
    rule, word, passed = "_" * 32, ORIGINAL[language], FORWARDED[language]
    made |= {
        "yahoo-bare": Quoting("    " + WROTE["yahoo"][language] + "  \n", mark=" "),
        "gmail-bare": Quoting(WROTE["gmail"][language] + "\n", mark=""),
        "old-gmail": Quoting(f"2026/11/21 {WHO}"),
        "zoho": Quoting(ZOHO[language] + "\n", mark=""),
        "zoho-72": Quoting(ZOHO[language], mark="> ", width=72),
        "old-yahoo": Quoting(OLD_YAHOO[language] + "\n", mark=""),
        "outlook": Quoting(f"-----{word}-----\n{fields(language)}\n", mark=""),
        "outlook-marked": Quoting(f"> -----{word}-----\n> " + fields(language, line="\n> "), mark="> "),
        "outlook-web": Quoting(f"{rule}\n{fields(language)}\n", mark=""),
        "outlook-app": Quoting(f"{rule}\n{fields(language, 'FSTO')}", mark=""),
        "outlook-stars": Quoting(fields(language, mark="*") + "\n", mark=""),
        "hotmail": Quoting(fields(language, "DFTO", gap="") + "\n", mark=""),
        "two-fields": Quoting(fields(language, "FD") + "\n", mark=""),
        "gmx": Quoting(fields(language, "SFTO") + "\n", mark=""),
        "mac-outlook": Quoting(fields(language, "FDTO") + "\n", mark=""),
        "samsung": Quoting(f"-------- {word} --------\n{fields(language, 'FDTO')}\n", mark=""),
        "samsung-line": Quoting(f"-------- {word} --------{fields(language, 'FDTO', line=' ')}\n", mark=""),
        "samsung-flat": Quoting(fields(language, "FDTO", line=" ") + "\n", mark=""),
        "yahoo-line": Quoting(fields(language, "FTSO", line=" ") + "\n", mark=""),
        "proton-old": Quoting(f"‐‐‐‐‐‐‐ {word} ‐‐‐‐‐‐‐\n{WROTE['proton'][language]}\n", mark=""),
        "notes": Quoting("-----{judge} <{seat}> wrote: -----\n" + fields(language, "TFDO") + "\n", mark=""),
        "dashes": Quoting(f"------------------ {word} ------------------\n", mark=""),
        "bars": Quoting(WROTE["thunderbird"][language], mark="| "),
        "initials": Quoting(WROTE["thunderbird"][language], mark="J> "),
        "fwd-gmail": Quoting(f"---------- {passed} ---------\n{fields(language, 'FDOT')}\n\n", mark=""),
        "fwd-yahoo": Quoting(f"----- {passed} -----{fields(language, 'FTSO', line='')}\n", mark=""),
        "fwd-yahoo-lines": Quoting(f"   ----- {passed} -----\n{fields(language, 'FTSO')}\n", mark=" "),
        "fwd-samsung": Quoting(f"-------- {word} --------{fields(language, 'FDTO', line=' ')} \n", mark=""),
        "fwd-zoho": Quoting(
            f"============ {passed} ============\n{fields(language, 'FTDO')}\n============ {passed} ============\n",
            mark="",
        ),
        "fwd-airmail": Quoting(f"{BEGIN[language]}\n\n{fields(language, 'FDOT')}\n", mark=""),
        "fwd-apple": Quoting(f"> {BEGIN[language]}\n> \n> " + fields(language, "FOD", line="\n> "), mark="> "),
        "fwd-thunderbird": Quoting(f"-------- {passed} --------\n{fields(language, 'ODFT')}\n\n", mark=""),
    }
    return made

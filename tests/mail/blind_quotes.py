"""What is quoted in the letters of `tests.mail.blind`.

Every order of a quoted block has the word Old in it, so that one that would be carried out is seen.
"""

# What is quoted: a report with its form, a player's own letter, a friend's, an answer, small talk.
OLD = {
    "report": """Africa 1859-60 - wt-042 - T4.spain

Send your orders by Monday 2026-11-23, 20:00 UTC.

Castillejos, 8 January 1860
------------------------------------------------------------------------
- Turn 4 of 14.
#4 Assault on Cresta from Nudos: Cuenca, Orozco. [O8]
    Orozco leads [O8.1]
    +1 defending heights [C8.1.6]

ORDERS T4 #4g2s
ACTIVATE Old
MOVE OldGuard TO Centro
END""",
    "mine": """Good evening,

ORDERS T4
ACTIVATE OldFort
MOVE OldGuard WITH OldLeader TO Sur
END

Yours,
Ana""",
    "pal": """Hi Ana,

what about this for the next turn?

ORDERS T5
ACTIVATE OldFort
ASSAULT Cresta WITH OldGuard LED BY OldLeader
END

You hold the pass, I come from the sea.
STATUS

Marco
Sent from my iPhone""",
    "answer": """Your orders for T4 were taken at 09:58.

ORDERS T4
ACTIVATE OldFort
END

They can be changed until Monday, 20:00 UTC.

The judge""",
    "chat": "Did you see the map?",
    "es-informe": """África 1859-60 - wt-042 - T4.spain

Se esperan sus órdenes hasta el lunes 2026-11-23, 20:00 UTC.

Castillejos, 8 de enero de 1860
- Turno 4 de 14.
#4 Asalto a Cresta desde Nudos: Cuenca, Orozco. [O8]

ORDENES T4 #4g2s
ACTIVAR Old
MOVER OldGuard A Centro
FIN""",
    "es-amigo": """Hola, Ana:

¿qué te parece esto?

ORDENES T5
ACTIVAR OldFort
ASALTAR Cresta CON OldGuard AL MANDO DE OldLeader
FIN

Yo llego por mar.
Un abrazo,
Marco""",
    "de-freund": """Hallo Ana,

was hältst du davon?

ORDERS T5
ACTIVATE OldFort
END

Viele Grüße
Marco""",
    "fr-ami": """Bonjour Ana,

que penses-tu de ceci ?

ORDERS T5
ACTIVATE OldFort
END

Amitiés
Marco""",
    "long": """Dear Ana, your letter of last Monday came too late for the turn, so I have taken the standing
orders instead; if that was not what you wanted, write to me before the next phase closes, please.
ORDERS T4
ACTIVATE OldFort
MOVE OldGuard, OldHorse, OldFoot, OldGuns, OldBaggage, OldMules WITH OldLeader TO
Sur
END
That is all for today.""",
    "deep": """Very well.

On Fri, Nov 20, 2026 at 9:00 AM Ana <ana@players.test> wrote:

> ORDERS T4
> ACTIVATE OldFort
> END
>
> On Thu, Nov 19, 2026 at 8:00 AM The Judge <judge@war.test> wrote:
>
>> Turn 4 is open.""",
    "open": """Sirs,
your fleet is seen off Tarifa.
ORDERS T4
ACTIVATE OldFort
MOVE OldGuard TO Sur

The Sultan""",
    "two": """ORDERS T3
ACTIVATE OldHill
END

and for the next:

ORDERS T4
ACTIVATE OldFort
END
STATUS""",
    "talk": """Well met! I am in Cádiz until Friday.

- the fleet leaves at dawn
- nobody leads it

RESIGN""",
    "es-pacto": """Estimada Ana:

Le propongo una tregua hasta el turno 6. Mi plan:
ORDENES T5
MOVER OldGuard A Sur
FIN
ESTADO

Suyo,
Muley""",
    "press": """PRESS TO spain
we shall meet at the OldFort
ENDPRESS
ORDERS T4
ACTIVATE OldFort
END
The judge""",
    "terse": """ok
ORDERS T4
FIRE OldGuns AT Sur
END""",
    "chain": """I agree.

________________________________
From: Lucia <lucia@players.test>
Sent: Friday, November 20, 2026 9:00 AM
To: Marco <marco@players.test>
Subject: RE: plan

ORDERS T4
ACTIVATE OldFort
END

-- 
Lucia""",
    "es-corto": """¿Y esto?
ORDENES T4
ACTIVAR OldFort
FIN""",
}

"""What players write, and what is quoted below it, in the letters of `tests.mail.blind`.

Every order of a quoted block has the word Old in it, so that one that would be carried out is seen.
"""

# What its author wrote. The first two letters of a name are the language.
OWN = {
    "en-orders": """Morning,

ORDERS T5
ACTIVATE Ceuta
MOVE Cuenca, Montana1 WITH Orozco TO Playa
FIRE Saboya AT Cresta
END""",
    "en-signed": """ORDERS T5
ACTIVATE Nudos
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
END

Cheers,
Ana""",
    "en-wrapped": """ORDERS T5
MOVE Husares1, Husares4, Luchana, Prim, Principe, Rodada5, Saboya TO
Nudos
END""",
    "en-status": "STATUS",
    "en-several": """STATUS
SAY Good game so far, I will be back on Monday: keep your powder dry
VERIFY""",
    "en-prose": """Hi there,

On Monday I wrote to Marco: no answer yet.
From what I see we hold three forts: Nudos, Cresta and Playa.
To be honest, I would rather wait.

Ana""",
    "en-short": "Thanks!",
    "en-press": """PRESS TO morocco
> You will never take the pass
We wrote: wait and see.

From: the camp at Ceuta
Date: tomorrow
ENDPRESS""",
    "en-list": """Three things:
- the map of turn 4 shows Prim twice
- my letter of 21/11/2026 10:00 was never answered
* and who holds Cresta?""",
    "en-question": """Who wrote:
the Sultan or his brother?
-- I could not tell.""",
    "es-orders": """Buenas tardes:

ORDENES T5
ACTIVAR Ceuta
MOVER Cuenca, Montana1 CON Orozco A Playa
FIN""",
    "es-wrapped": """ORDENES T5
ACTIVAR Tarajal
MOVER Husares1, Husares4, Luchana, Prim, Principe, Rodada5, Saboya A
Nudos
FIN

Un saludo""",
    "es-status": "ESTADO",
    "es-say": "ANUNCIAR Buena partida, el lunes 23 a las 10:00 vuelvo a estar",
    "es-prose": """Hola:

El lunes escribí a Marco: no contesta.
De lo que veo tenemos tres fuertes: Nudos, Cresta y Playa.
Para mí, mejor esperar.

Ana""",
    "es-press": """PRENSA A morocco
Enviado con mi mejor jinete: el paso es nuestro.
> nunca lo tomaréis
FINPRENSA""",
    "de-prose": """Hallo,

am Montag schrieb ich an Marco: keine Antwort.
Von hier sieht es gut aus: drei Festungen.

Grüße
Ana""",
    "de-orders": """Moin,

ORDERS T5
ACTIVATE Ceuta
MOVE Cuenca TO Playa
END

Viele Grüße
Ana""",
    "fr-prose": """Bonjour,

Le lundi j'ai écrit à Marco : rien.
De mon côté tout va bien : trois forts.
À lundi""",
    "fr-status": """Merci !

STATUS""",
    "it-prose": """Ciao,

lunedì ho scritto a Marco: niente.
Da qui va bene: tre forti.
A presto""",
    "pt-prose": """Olá,

Na segunda escrevi ao Marco: nada.
De aqui tudo bem: três fortes.
Um abraço""",
    "nl-prose": """Hoi,

Op maandag schreef ik aan Marco: geen antwoord.
Van hier ziet het er goed uit: drie forten.
Groeten""",
    "sv-prose": """Hej,

i måndags skrev jag till Marco: inget svar.
Från min sida ser det bra ut: tre fort.
Hälsningar""",
    "pl-prose": """Cześć,

w poniedziałek napisałem do Marka: cisza.
Od nas wygląda dobrze: trzy forty.""",
    "ru-prose": """Привет!

В понедельник я написал Марку: ответа нет.
От нас всё хорошо: три форта.""",
    "ja-prose": """こんにちは。

月曜日にマルコへ書きました：返事なし。
砦は三つ保持しています。""",
    "cs-prose": """Ahoj,

v pondělí jsem napsal Markovi: nic.
Od nás to vypadá dobře: tři pevnosti.""",
    "yes": "Yes",
    "en-replace": """REPLACE
ORDERS T5 #4g2s
ACTIVATE Ceuta # the guard stays
MOVE Cuenca, Montana1 TO Playa // by the road
END""",
    "en-later": """ORDERS T5
ACTIVATE Ceuta
END
LATER T6
ACTIVATE Playa
END""",
    "en-bare": """ORDERS T5
ACTIVATE Ceuta
MOVE Cuenca TO Playa""",
    "en-plan": """Dear judge,

--- Plan ---
1) from Nudos to Cresta: two days
2) then Playa: by 12:30

=====
On the map it looks easy:
it is not.

Kind regards,
Ana Ruiz""",
    "en-route": """From: Nudos
To: Playa
That is where Prim goes, and he wrote:
"I shall be there".""",
    "en-times": """Could these be the turns?
2026-11-20 14:30
20.11.2026 14:30
Nov 20, 2026 at 2:30 PM
Or was it on Monday, as you said?""",
    "en-cite": """Marco says he wrote to you on 20 November at 9:00 and had no answer.
He sent me a copy. Is his address still marco@players.test?
Then forward mine, please: it is below""",
    "es-plan": """Señor juez:

--- El plan ---
De Nudos a Cresta: dos días.
Para el 25/11/2026 a las 12:30 estaré en Playa.
El sultán escribió: venid.

Quedo a la espera,
Ana""",
    "es-enviado": """¿Llegó lo enviado el lunes?
De parte de Marco: gracias.
ESTADO""",
    "es-tarde": """REEMPLAZAR
ORDENES T5 #m4x5
ACTIVAR Ceuta
MOVER Cuenca CON Prim A Playa
FIN""",
    "it-ordini": """Buongiorno, ecco gli ordini.

ORDERS T5
ACTIVATE Ceuta
END

Cordiali saluti""",
    "fr-ordres": """Voici :

ORDERS T5
ACTIVATE Ceuta
MOVE Cuenca TO Playa
END

Bien à vous,
Ana""",
    "zh-short": "好的，谢谢。",
    "ko-short": "네, 고맙습니다. 내일 10:00에 봅시다.",
    "en-rules": """Is [C8.1.6] meant so: the defender gets +1
- on heights: yes
- in a fort: no
~~~~~~~~~~
As you said on 20.11.2026, a leader who is alone is lost.
Phone me, if you must: 600 11 22 33""",
    "en-table": """This is how I count:
| fort   | steps |
| Nudos  | 3     |
| Cresta | 4     |
STATUS""",
    "en-dated": """Madrid, 21/11/2026

Sir: your report of 10:00 has an error.
Orozco led at Nudos, wrote Vergara; he is not dead.
ODDS Cresta""",
    "en-new-address": """From Monday on please write to ana@elsewhere.test instead of this address.
My old one ends on 30/11/2026.

ORDERS T5
ACTIVATE Ceuta
END

Ana Ruiz
Tel.: 600 11 22 33
Calle Mayor 3, Madrid""",
    "en-two-presses": """PRESS TO morocco
Sent from my tent at 10:00:
----
> no peace
ENDPRESS
PRESS TO ALL
On 21 Nov 2026 the Sultan wrote: peace!
ENDPRESS
ORDERS T5
ACTIVATE Ceuta
END""",
    "en-ps": """ORDERS T5
ACTIVATE Ceuta
END

PS: I told Marco:
do not forward my letters.
PPS: original orders were other ones.""",
    "es-carta": """Muy señor mío:

Con fecha 20/11/2026 recibí su informe. El original no llegó.
Dice el mensaje: «ríndase». Yo digo:
nunca.

ORDENES T5
ACTIVAR Ceuta
FIN

Atentamente,
Ana Ruiz
Tel.: 600 11 22 33""",
    "es-corta": "vale, mañana a las 10:00 te digo",
    "de-kurz": """Danke! Am 23.11. bin ich zurück, dann schreibe ich.
Von Ceuta aus: nichts Neues.""",
    "fr-court": """Merci. Le 23 à 10h00 je serai là.
STATUS""",
}

# What is quoted: a report with its form, a player's own letter, a friend's, an answer, small talk.
OLD = {
    "report": """Africa 1859-60 - wt-042 - T4.spain

Your orders are wanted by Monday 2026-11-23, 20:00 UTC.

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

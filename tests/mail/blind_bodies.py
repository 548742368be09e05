"""What players write in the letters of `tests.mail.blind`; a name begins with its language."""

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

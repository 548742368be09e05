"""Translate the verdict's sentences into Spanish; gaps stay the same."""

from __future__ import annotations

from .more_words import REFUSALS, TOURNAMENT_SENTENCES

UNVERIFIABLE = (
    "NOT CHECKED, because the log alone says it: which letter brought orders (order.eml), why a closing time was moved "
    "(deadline.cause), the options of a game (edition.options), salts (leaf.salt), who entrants are and "
    "what they accepted (enter.person, enter.accepted), "
    "ratings (rated.pool, rated.period, rated.ratings)."
)
"""The sentence on what no verifier can check, whatever letters there are."""

ONLY_FULL_MODE = (
    "NOT CHECKED without the rules: whether they were applied to these dice (result.report), and whether they give the "
    "edition of the game (edition, camp, battle, war.terms): pbem verify --full runs them again."
)
"""The sentence on what only full mode checks."""

SPANISH = {
    **REFUSALS,
    **TOURNAMENT_SENTENCES,
    # The verdict
    "FALSE": "FALSO",
    "NOT CHECKED": "NO COMPROBADO",
    "ok": "bien",
    "this program failed; the lines above say where. That says nothing about the letters: NOT CHECKED.": (
        "este programa ha fallado; las líneas de arriba dicen dónde. No dice nada de las cartas: NO COMPROBADO."
    ),
    " and ": " y ",
    "a letter": "una carta",
    "{} letters": "{} cartas",
    "a witness": "un testigo",
    "{} witnesses": "{} testigos",
    "and {} more": "y {} más",
    "All of it is true.": "Todo es verdad.",
    "Nothing is false; not everything could be checked.": "Nada es falso; no todo se ha podido comprobar.",
    "Something is FALSE: {}. Keep these letters, and show them to the others.": (
        "Hay algo FALSO: {}. Guarde estas cartas y enséñelas a los demás."
    ),
    "{}: FALSE. These dice are not to be believed: {}.": "{}: FALSO. No hay que creer estos dados: {}.",
    "{}: grade A. The dice could not be foreseen by anybody; seen by {}.": (
        "{}: grado A. Nadie podía prever los dados; visto por {}."
    ),
    "{}: grade B. The dice could not be foreseen by anybody, if the clock of your mail server is right; seen by {}.": (
        "{}: grado B. Nadie podía prever los dados, si el reloj de su servidor de correo va bien; visto por {}."
    ),
    "{}: grade C. Nobody else could foresee the dice; the server could have: {}.": (
        "{}: grado C. Nadie más podía prever los dados; el servidor sí: {}."
    ),
    "It is attempt {} of {}.": "Es el intento {} de {}.",
    "Not checked: {}.": "Sin comprobar: {}.",
    "One die by hand: {}": "Un dado a mano: {}",
    "Compare this line with the other players, by another way than this server:": (
        "Compare esta línea con los demás jugadores, por otro camino que este servidor:"
    ),
    # What each check holds
    "every pbemdice.txt is written as it must be": "cada pbemdice.txt está escrito como debe",
    "the keys are those of the log's first leaf, and yours": (
        "las claves son las de la primera hoja del registro, y la suya"
    ),
    "the log has signed every checkpoint": "el registro ha firmado cada sello",
    "every leaf is in the log": "cada hoja está en el registro",
    "each game's leaves follow one another, none changed or left out": (
        "las hojas de cada partida van seguidas, ninguna cambiada ni omitida"
    ),
    "every later log begins with the earlier ones": "cada registro posterior empieza con los anteriores",
    "what was signed before a restore is so after it": "lo firmado antes de una restauración sigue igual después",
    "each segment was closed once, on the list that was hashed": "cada tramo se cerró una vez, con la lista sellada",
    "what is rolled was declared when the list was closed": "lo que se tira estaba declarado al cerrar la lista",
    "a phase is played or resolved again by a ruling alone": "una fase solo se repite por una decisión del moderador",
    "the closed lists have the last orders of every seat": "las listas cerradas tienen las últimas órdenes de cada uno",
    "your orders are what was logged and closed": "sus órdenes son las registradas y cerradas",
    "what was closed for the others was fixed by their orders alone": (
        "lo cerrado para los demás lo fijaron solo sus órdenes"
    ),
    "the beacon's round was fixed before": "la ronda del faro se fijó antes",
    "the beacon's value is the beacon's": "el valor del faro es del faro",
    "the secret of every roll is proven": "el secreto de cada tirada está probado",
    "every die follows from it": "cada dado se sigue de él",
    "rolls are called as the game's rolls are; whether the rules asked for them, full mode says": (
        "las tiradas se llaman como las del juego; si las reglas las pedían, lo dice el modo completo"
    ),
    "every roll is listed and numbered": "cada tirada está en la lista y numerada",
    "what was opened is what was sealed": "lo abierto es lo que se selló",
    "the grade is deserved": "el grado es merecido",
    "the rules, run again on what was opened, give the same rolls, events and positions": (
        "las reglas, aplicadas de nuevo a lo abierto, dan las mismas tiradas, sucesos y posiciones"
    ),
    ONLY_FULL_MODE: (
        "NO COMPROBADO sin las reglas: si se aplicaron a estos dados (result.report) y si dan la edición de la partida "
        "(edition, camp, battle, war.terms): pbem verify --full las aplica de nuevo."
    ),
    UNVERIFIABLE: (
        "NO COMPROBADO, porque solo lo dice el registro: qué carta trajo unas órdenes (order.eml), por qué se cambió "
        "una hora de cierre (deadline.cause), las opciones de una partida (edition.options), las sales (leaf.salt), "
        "quiénes son los inscritos y qué aceptaron "
        "(enter.person, enter.accepted), las valoraciones (rated.pool, rated.period, rated.ratings)."
    ),
    # Wars
    "leaf {} names a game before it, and is not its first": (
        "la hoja {} nombra una partida anterior, y no es la primera"
    ),
    "{} go on from leaf {} of it: there is one war, and more than one course of it": (
        "{} siguen a su hoja {}: hay una guerra, y más de un curso de ella"
    ),
    "{} go on from it one after another, and no phase of it was opened in between": (
        "{} la siguen una tras otra, y entre ellas no se abrió ninguna fase suya"
    ),
    "leaf {} begins a war, and is not its first": "la hoja {} empieza una guerra, y no es su primera",
    "it is of the war {}, and goes on from one of {}": "es de la guerra {}, y sigue a una de {}",
    "whether its salt follows from the key of the dice is not known: add the letters of the games before": (
        "no se sabe si su sal sale de la clave de los dados: añada las cartas de las partidas anteriores"
    ),
    "its war was begun under version 1.0.0: the server could have chosen the salt of its edition": (
        "su guerra empezó con la versión 1.0.0: el servidor podía elegir la sal de su edición"
    ),
    "the salt of its edition does not follow from the key of the dice": (
        "la sal de su edición no sale de la clave de los dados"
    ),
    "it goes on from leaf {} of {}, which is in no letter here: add the letters of that game": (
        "sigue a la hoja {} de {}, que no está en ninguna carta de aquí: añada las cartas de esa partida"
    ),
    "it goes on from another leaf {} of {} than that of letters": "sigue a otra hoja {} de {} que la de las cartas",
    "leaf {} of {} came after what goes on from it": "la hoja {} de {} vino después de lo que la sigue",
    "leaf {} was not the last of {} when it went on from it": "la hoja {} no era la última de {} cuando la siguió",
    "it is a later part of a war, and names no game that it goes on from": (
        "es una parte posterior de una guerra, y no nombra ninguna partida a la que siga"
    ),
    # Letters and log
    "there is no pbemdice.txt here": "aquí no hay ningún pbemdice.txt",
    "it shows no leaf at all": "no enseña ninguna hoja",
    "leaf {} begins the log anew with other keys: other dice": (
        "la hoja {} empieza de nuevo el registro con otras claves: otros dados"
    ),
    "leaf {} begins the log anew, and calls it {}": "la hoja {} empieza de nuevo el registro y lo llama {}",
    "leaf {} does not follow {}": "la hoja {} no sigue a la {}",
    "leaf {} gives the log other keys: ask others whether they were told of {} too": (
        "la hoja {} da al registro otras claves: pregunte a los demás si también les dijeron {}"
    ),
    "leaf {} is not proven to be in the log": "no está probado que la hoja {} esté en el registro",
    "leaf {} was logged before leaf {}": "la hoja {} se registró antes que la {}",
    "leaves {} to {} are in no letter: one is missing": "las hojas {} a {} no están en ninguna carta: falta una",
    "no letter proves that the log of {} leaves is that of {}": (
        "ninguna carta prueba que el registro de {} hojas sea el de {}"
    ),
    "no letter shows the first leaf of the log: add your welcome letter": (
        "ninguna carta enseña la primera hoja del registro: añada su carta de bienvenida"
    ),
    "no welcome letter: compare with yours that the key of the log is {}": (
        "falta la carta de bienvenida: compare con la suya que la clave del registro es {}"
    ),
    "the key of the dice is none: it could prove two outputs": (
        "la clave de los dados no vale: podría probar dos resultados"
    ),
    "the key of the log is of another kind": "la clave del registro es de otro tipo",
    "the key of the log is {}, not the one that you named": "la clave del registro es {}, no la que usted ha dicho",
    "the leaf with the keys is not the first of the log": "la hoja de las claves no es la primera del registro",
    "the log and the dice have one key": "el registro y los dados tienen la misma clave",
    "the log does not begin with the tree that a witness saw": "el registro no empieza con el árbol que vio un testigo",
    "the log has not signed this, or its key is not known": "el registro no lo ha firmado, o no se conoce su clave",
    "the log is not proven to go on from an earlier one": "no está probado que el registro continúe uno anterior",
    "there are two logs of {} leaves": "hay dos registros de {} hojas",
    "what a witness saw does not hold the closed list": "lo que vio un testigo no contiene la lista cerrada",
    "{} was shown another log of {} leaves": "a {} le enseñaron otro registro de {} hojas",
    "another letter shows another leaf {} of {}": "otra carta enseña otra hoja {} de {}",
    "leaf {} of {} stands in the log twice": "la hoja {} de {} está dos veces en el registro",
    # Orders
    "it is disclosed, and what was closed for {} is not opened": "está revelado, y lo cerrado para {} no se abre",
    "it is to {}, which is no seat of the phase": "va dirigida a {}, que no juega la fase",
    "leaf {} says you sent what no letter opens to you": "la hoja {} dice que usted envió lo que ninguna carta le abre",
    "letters open revision {} of {} in two ways": "las cartas abren de dos maneras la revisión {} de {}",
    "no leaf is about its phase {}": "ninguna hoja trata de su fase {}",
    "nothing in the log says what was closed for {}": "nada en el registro dice qué se cerró para {}",
    "revision {} of {} is neither in the log nor closed": "la revisión {} de {} no está registrada ni cerrada",
    "revision {} of {} is not what was logged last": "la revisión {} de {} no es la última registrada",
    "the list that {} was closed in is in no letter": "la lista en que se cerró a {} no está en ninguna carta",
    "the result is told to {}, and not what it was played by": "a {} se le cuenta el resultado y no con qué se jugó",
    "the revisions of {} go back": "las revisiones de {} van hacia atrás",
    "the salt of orders of {} is not proven": "la sal de las órdenes de {} no está probada",
    "what was closed for {} is not revision {}": "lo cerrado para {} no es la revisión {}",
    "what was closed for {} is sealed until the game is over": "lo cerrado para {} sigue sellado hasta el final",
    "what was logged for {} is not revision {}": "lo registrado para {} no es la revisión {}",
    "what {} is said to have been played by is not what was closed": (
        "aquello con que se dice que jugó {} no es lo que se cerró"
    ),
    "what {} was played by is open; that it was not chosen later is sealed until the game is over": (
        "se ve con qué jugó {}; que no se eligió después sigue sellado hasta el final"
    ),
    "{} of {} out of time": "{} de {} fuera de tiempo",
    "order": "órdenes",
    "answer": "respuesta",
    # Phases
    "a list that was never closed": "una lista que nunca se cerró",
    "it came out {} times, resolved once more {} times": "salió {} veces, y se resolvió de nuevo {} veces",
    "it did not begin in the position in which the first attempt began, and no ruling changed that": (
        "no empezó en la posición en que empezó el primer intento, y ninguna decisión la cambió"
    ),
    "it did not begin in the position in which the first attempt began: whether rulings made that, full mode says": (
        "no empezó en la posición en que empezó el primer intento: si fue por decisiones, lo dice el modo completo"
    ),
    "it has another beacon than its game": "tiene otro faro que su partida",
    "it has another beacon than the server": "tiene otro faro que el servidor",
    "it was opened before the attempt before it": "se abrió antes que el intento anterior",
    "it was opened twice": "se abrió dos veces",
    "leaf {} has a wrong round": "la hoja {} tiene una ronda equivocada",
    "leaves between opening and closing are in no letter, or withheld": (
        "hojas entre la apertura y el cierre no están en ninguna carta, o se ocultan"
    ),
    "no round was fixed for segment {}": "no se fijó ronda para el tramo {}",
    "no ruling is named by which it was opened again": "no se nombra decisión por la que se abrió de nuevo",
    "ruling {} does not have this phase resolved once more": "la decisión {} no hace resolver de nuevo esta fase",
    "ruling {} does not have it wait for another round": "la decisión {} no hace esperar otra ronda",
    "ruling {} opens no phase again: {}": "la decisión {} no abre de nuevo ninguna fase: {}",
    "ruling {}, by which it is resolved once more, does not stand before it": (
        "la decisión {}, por la que se resuelve de nuevo, no está antes"
    ),
    "ruling {}, by which it is resolved once more, is in no letter": (
        "la decisión {}, por la que se resuelve de nuevo, no está en ninguna carta"
    ),
    "ruling {}, by which it waits for another round, does not stand before it": (
        "la decisión {}, por la que espera otra ronda, no está antes"
    ),
    "ruling {}, by which it waits for another round, is in no letter": (
        "la decisión {}, por la que espera otra ronda, no está en ninguna carta"
    ),
    "ruling {}, by which it was opened again, does not stand before it": (
        "la decisión {}, por la que se abrió de nuevo, no está antes"
    ),
    "ruling {}, by which it was opened again, is in no letter": (
        "la decisión {}, por la que se abrió de nuevo, no está en ninguna carta"
    ),
    "segment {} rolled other groups than it was closed with": "el tramo {} tiró otros grupos que los cerrados",
    "segment {} was closed before the one before it was rolled": "el tramo {} se cerró antes de tirar el anterior",
    "segment {} was closed with other groups than its list has": "el tramo {} se cerró con otros grupos que su lista",
    "segment {} was closed {} times": "el tramo {} se cerró {} veces",
    "segment {} was rolled before it was closed": "el tramo {} se tiró antes de cerrarse",
    "segment {} was rolled {} times": "el tramo {} se tiró {} veces",
    "something came before it was opened": "algo vino antes de que se abriera",
    "something was closed or rolled after the result": "algo se cerró o se tiró después del resultado",
    "the attempt before it is not to be seen": "no se ve el intento anterior",
    "the closed list is of another phase": "la lista cerrada es de otra fase",
    "the first attempt is in no letter: whether this began as it did": (
        "el primer intento no está en ninguna carta: no se sabe si este empezó igual"
    ),
    "the leaf that opened it is in no letter, or is withheld": (
        "la hoja que la abrió no está en ninguna carta, o se oculta"
    ),
    "the list does not follow that of the segment before": "la lista no sigue a la del tramo anterior",
    "the list has another beacon than the phase": "la lista tiene otro faro que la fase",
    "the list has another edition or position than the phase was opened with": (
        "la lista tiene otra edición o posición que la de apertura"
    ),
    "the list has another round than was said": "la lista tiene otra ronda que la dicha",
    "the list has other seats than the phase was opened with": "la lista tiene otros jugadores que la apertura",
    "the list of the segment before is in no letter": "la lista del tramo anterior no está en ninguna carta",
    "the list that was closed is in no letter": "la lista que se cerró no está en ninguna carta",
    "the phase does not say which attempt it is": "la fase no dice qué intento es",
    "there is a round, but no beacon": "hay una ronda, pero no hay faro",
    "this is run {}, not {}": "es la resolución {}, no la {}",
    # After a restore
    "a log of {} leaves that the server denies": "un registro de {} hojas que el servidor niega",
    "no letter shows by which leaf epoch {} of the log ended": (
        "ninguna carta enseña con qué hoja acabó la época {} del registro"
    ),
    "signed before the restore, and gone from the log": "firmado antes de la restauración, y ya no está en el registro",
    "signed before the restore, and not in the log again yet": (
        "firmado antes de la restauración, y aún no vuelve a estar en el registro"
    ),
    "signed before the restore, and what it said is withheld": (
        "firmado antes de la restauración, y se oculta qué decía"
    ),
    "the log said otherwise before the restore": "el registro decía otra cosa antes de la restauración",
    "the log was begun anew: of {} leaves it kept the first {}; what the others said is not proven to be kept": (
        "el registro empezó de nuevo: de {} hojas conservó las primeras {}; no está probado que lo demás se conserve"
    ),
    "it was opened while {} had no result": "se abrió cuando {} no tenía resultado",
    "no letter brought revision {} of {}": "ninguna carta trajo la revisión {} de {}",
    "leaf {} says that a bot wrote in your place: whether you were away you alone know": (
        "la hoja {} dice que un bot escribió en su lugar: si estaba ausente solo lo sabe usted"
    ),
    "no letter took back revision {} of {}": "ninguna carta retiró la revisión {} de {}",
    "what leaf {} says, of the kind {}, is not to be withheld": (
        "lo que dice la hoja {}, de la clase {}, no debe ocultarse"
    ),
    "it is reported, and what was rolled is in no letter": "tiene informe, y lo tirado no está en ninguna carta",
    "everything is disclosed, and this phase is not": "todo está revelado, y esta fase no",
    "it was begun anew after a restore, and nothing shows that this was before round {} was out": (
        "empezó de nuevo tras una restauración, y nada enseña que fuera antes de salir la ronda {}"
    ),
    "its {} is not that of the phase before": "su {} no es el de la fase anterior",
    "whether this game has the groups {} is not known here: names that are free vary the dice": (
        "no se sabe aquí si este juego tiene los grupos {}: los nombres libres varían los dados"
    ),
    "it is disclosed, and what leaf {} says is withheld": "está revelado, y se oculta lo que dice la hoja {}",
    "{} does not begin where this ended": "{} no empieza donde esta acabó",
    # Rolls
    "a beacon without a value, or a value without a beacon": "un faro sin valor, o un valor sin faro",
    "a position is not the one that was logged": "una posición no es la registrada",
    "a segment of run {} is in no letter": "un tramo de la resolución {} no está en ninguna carta",
    "group {} is hidden until it is disclosed": "el grupo {} está oculto hasta que se revele",
    "group {} was not hidden under this proof": "el grupo {} no se ocultó bajo esta prueba",
    "it is disclosed, and what ruling {} says is not opened": "está revelado, y no se abre lo que dice la decisión {}",
    "it is disclosed, and a position of it is not opened": "está revelado, y no se abre una posición suya",
    "it is disclosed, and group {} is not opened": "está revelado, y el grupo {} no se abre",
    "it is disclosed, and what was rolled is in no letter": "está revelado, y lo tirado no está en ninguna carta",
    "its beacon {} is not a public one": "su faro {} no es público",
    "no roll of {} is called {}": "ninguna tirada de {} se llama {}",
    "rolls are missing, or listed twice": "faltan tiradas, o están dos veces",
    "ruling {} is not the one that was logged": "la decisión {} no es la registrada",
    "segment {} of run {} has no list of what was rolled": "el tramo {} de la resolución {} no tiene lista de tiradas",
    "the closed list, or the key of the dice, is in no letter": (
        "la lista cerrada, o la clave de los dados, no está en ninguna carta"
    ),
    "the edition is not that of {}": "la edición no es la de {}",
    "the edition is of a game of which no phase is in letters": (
        "la edición es de una partida de la que no hay fases en las cartas"
    ),
    "the key of the dice is not known": "no se conoce la clave de los dados",
    "the proof of group {} is false": "la prueba del grupo {} es falsa",
    "the secret of digests is not proven": "el secreto de los resúmenes no está probado",
    "the signature is not that of round {}": "la firma no es la de la ronda {}",
    "there are more dice than are thrown here": "hay más dados de los que aquí se tiran",
    "what rolls of {} are called is not known here": "aquí no se sabe cómo se llaman las tiradas de {}",
    "what segment {} rolled is withheld": "se oculta lo que tiró el tramo {}",
    "what was rolled in a hidden group is sealed until it is disclosed": (
        "lo tirado en un grupo oculto sigue sellado hasta que se revele"
    ),
    "what was rolled is in no letter, or hidden until it is disclosed": (
        "lo tirado no está en ninguna carta, o está oculto hasta que se revele"
    ),
    "what was rolled is listed for a roll that is not here": "hay una lista de lo tirado sin su tirada",
    "what was rolled is not what was logged": "lo tirado no es lo registrado",
    "{} did not roll {}": "{} no sacó {}",
    "{} has other rules, or another pace": "{} tiene otras reglas, u otro ritmo",
    # Time
    "it was left off when its first dice were known: that the rules ask there, full mode says": (
        "se interrumpió sabidos sus primeros dados: que las reglas pregunten ahí lo dice el modo completo"
    ),
    "that the rules ask for these rolls and no others is not checked here: full mode does": (
        "que las reglas pidan estas tiradas y no otras no se comprueba aquí: lo hace el modo completo"
    ),
    "revision {} of {} leaves out numbers, and each number is another roll": (
        "la revisión {} de {} se salta números, y cada número es otra tirada"
    ),
    "leaf {} says that a letter of yours took your orders back: whether you sent it you alone know": (
        "la hoja {} dice que una carta suya retiró sus órdenes: si la envió, solo usted lo sabe"
    ),
    "{} is said to have been shown a log of {} leaves, and no letter here is of that": (
        "se dice que a {} se le enseñó un registro de {} hojas, y ninguna carta de aquí es de él"
    ),
    "{} is said to have been shown {} leaves, when the log had {}": (
        "se dice que a {} se le enseñaron {} hojas, cuando el registro tenía {}"
    ),
    "{} is said to have been shown the log, and is no seat": (
        "se dice que a {} se le enseñó el registro, y no es un jugador"
    ),
    "this game was begun when {} {} was closed, which has not come out since: it may be the same game": (
        "esta partida empezó con {} {} ya cerrada, que no ha salido desde entonces: puede ser la misma partida"
    ),
    "a false cosignature": "una firma de testigo falsa",
    "a false statement of what was seen": "una declaración falsa de lo que se vio",
    "a witness saw the log, and does not say that he saw this closed list, and no other": (
        "un testigo vio el registro, y no dice que viera esta lista cerrada y ninguna otra"
    ),
    "bots play in it, whose orders the server could vary: {}": (
        "juegan en ella programas, cuyas órdenes el servidor podía variar: {}"
    ),
    "by ruling {} it waited for another beacon than it was closed for": (
        "por la decisión {} esperó a otro faro que aquel con que se cerró"
    ),
    "cosigned by {}, whose key you have not named: believe it with --witness KEY": (
        "firmado por {}, cuya clave no ha nombrado: créalo con --witness CLAVE"
    ),
    "it claims a witness, and no letter shows one": "dice tener un testigo, y ninguna carta lo enseña",
    "it claims {}; what is here proves {}": "dice merecer {}; lo que hay aquí prueba {}",
    "it grades {}, and shows no roll of it": "da un grado a {}, y no enseña ninguna tirada suya",
    "it waited for no beacon": "no esperó a ningún faro",
    "its beacon is not a public one": "su faro no es público",
    "its closing time was put off, and nothing shows that this was before round {} was out": (
        "su cierre se aplazó, y nada enseña que fuera antes de salir la ronda {}"
    ),
    "no letter shows the closed list": "ninguna carta enseña la lista cerrada",
    "no letter shows when a mailbox knew the closed list": (
        "ninguna carta enseña cuándo conoció un buzón la lista cerrada"
    ),
    "the closed list came too late to prove that it is older than the round": (
        "la lista cerrada llegó tarde para probar que es anterior a la ronda"
    ),
    "the list was closed before the closing time": "la lista se cerró antes de la hora",
    "the witness {} has a key of the server itself": "el testigo {} tiene una clave del propio servidor",
    "what is here does not prove it": "lo que hay aquí no lo prueba",
    "without a public beacon the grade is C, not {}": "sin faro público el grado es C, no {}",
    "{} has seen another closed list": "{} ha visto otra lista cerrada",
    "{} of {} witnesses have seen the closed list": "{} de {} testigos han visto la lista cerrada",
}

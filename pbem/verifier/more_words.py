"""Translate reasons of refusal and sentences about tournaments into Spanish."""

from __future__ import annotations

REFUSALS = {
    "it is no letter": "no es una carta",
    "it is larger than {} MiB: part it": "pasa de {} MiB: divídalo",
    "it has more than {} letters: part it": "tiene más de {} cartas: divídalo",
    "its {} is larger than {} MiB": "su {} pasa de {} MiB",
    "its header is too long": "su cabecera es demasiado larga",
    "its header has too many lines": "su cabecera tiene demasiadas líneas",
    "it has too many parts": "tiene demasiadas partes",
    "it has too many parts, or parts in parts": "tiene demasiadas partes, o partes dentro de partes",
    "it has more parts than are read here": "tiene más partes de las que aquí se leen",
    "it has more leaves than are read here": "tiene más hojas de las que aquí se leen",
    "it has more proofs than are checked here": "tiene más pruebas de las que aquí se comprueban",
    "no base64: {}": "esto no es base64: {}",
    "no base64 of {} bytes: {}": "esto no es base64 de {} bytes: {}",
    "no key: {}": "esto no es una clave: {}",
    "no {} is written like this: {}": "ningún bloque {} se escribe así: {}",
    "it is of a newer version of the format than this program knows: check it by a newer one": (
        "es de una versión del formato más nueva que este programa: compruébelo con uno más nuevo"
    ),
    "there is no block of this kind: {}": "no hay bloques de este tipo: {}",
    "a bundle is ASCII": "un paquete es ASCII",
    "a bundle has a checkpoint at its end": "un paquete lleva al final el sello del registro",
    "a bundle begins with its head": "un paquete empieza por su cabecera",
    "a bundle has one edition, and one proof of what went before": (
        "un paquete tiene una edición, y una prueba de lo anterior"
    ),
    "the parts of a bundle have one order": "las partes de un paquete tienen un orden fijo",
    "a checkpoint has a name, a size and a root": "un sello tiene nombre, tamaño y raíz",
    "a checkpoint ends with signatures": "un sello acaba con firmas",
    "a signature reads -- name base64": "una firma se escribe -- nombre base64",
    "a witness sees one list of a segment, and signs that": "un testigo ve una lista de cada tramo, y la firma",
    "a long text is cut in pieces of 120": "un texto largo se corta en trozos de 120",
    "leaf {} of {} contradicts itself": "la hoja {} de {} se contradice",
    "the groups of leaf {} of {} are not in order, each once": (
        "los grupos de la hoja {} de {} no están en orden, cada uno una vez"
    ),
    "this is not the body of leaf {} of {}": "este no es el cuerpo de la hoja {} de {}",
    "after a leaf come its body, unless it is withheld, and its proof": (
        "tras una hoja vienen su cuerpo, si no se oculta, y su prueba"
    ),
    "a seat has two commitments in the first segment, and one in the others": (
        "cada jugador tiene dos compromisos en el primer tramo y uno en los demás"
    ),
    "a slate has its groups and seats in order, each once": (
        "una lista tiene en orden sus grupos y jugadores, cada uno una vez"
    ),
    "the first segment, and no other, has no slate before it": (
        "el primer tramo, y ningún otro, no tiene lista anterior"
    ),
    "a roll has as many values as dice": "una tirada tiene tantos valores como dados",
    "the numbers of a manifest rise": "los números de una lista de tiradas crecen",
    "the rules of the first segment are numbered from 1": "las reglas del primer tramo se numeran desde 1",
    "a rule is one of so many": "una regla es una de tantas",
    "a key after --witness is no witness's: its owner prints the right one with `pbem witness key`": (
        "una clave de testigo no lo es: su dueño enseña la buena con `pbem witness key`"
    ),
    "--quorum N: so many of the witnesses that you name must agree, 1 or more": (
        "han de coincidir 1 o más de los testigos que nombre, y no más de los que hay"
    ),
    "it is no file": "no es un fichero",
    "cannot read {}: there is nothing there": "no se puede leer {}: no hay nada ahí",
    "it cannot be read: {}": "no se puede leer: {}",
    "it ends": "se acaba",
}

TOURNAMENT_SENTENCES = {
    "lots were drawn from lists that were shut, tables paired once, and scored as they ended": (
        "los sorteos salen de listas cerradas, cada mesa se emparejó una vez y puntúa como acabó"
    ),
    "a list of a draw has everybody once, and others in their order": (
        "la lista de un sorteo tiene a cada uno una vez, y a los demás en su orden"
    ),
    "a list of teams has a line-up for each, nobody in two, and no more than there are boards": (
        "una lista de equipos tiene una alineación de cada uno, nadie en dos y no más que tableros"
    ),
    "a board has its own tables in order, each once, and one that plays": (
        "un tablero tiene sus propias mesas en orden, cada una una vez, y alguna que juega"
    ),
    "a list of a draw that was never shut": "una lista de un sorteo que nunca se cerró",
    "a board that was never bound": "un tablero que nunca se ató",
    "a text is opened that leaf {} of {} does not name": "se abre un texto que la hoja {} de {} no nombra",
    "a tournament is founded by its first leaf, once: leaf {}": (
        "un torneo se funda en su primera hoja, una vez: hoja {}"
    ),
    "it is founded under the name of {}": "se funda con el nombre de {}",
    "its list was shut {} times": "su lista se cerró {} veces",
    "its lots were drawn {} times": "se sorteó {} veces",
    "lots were drawn before the list was shut": "se sorteó antes de cerrar la lista",
    "it was paired before lots were drawn": "se emparejó antes de sortear",
    "the list that was shut is in no letter": "la lista que se cerró no está en ninguna carta",
    "it was drawn again, and no verdict says so before": "se sorteó de nuevo, y ninguna decisión lo dice antes",
    "the list that was shut is of another draw": "la lista cerrada es de otro sorteo",
    "its rules are not those that it was founded with": "sus reglas no son aquellas con que se fundó",
    "leaves of the tournament are in no letter: who is to be listed is not known": (
        "hojas del torneo no están en ninguna carta: no se sabe quién debe figurar"
    ),
    "{} is listed, and never entered": "{} figura, y nunca se inscribió",
    "{} is listed with another strength than he entered with": "{} figura con otra fuerza que al inscribirse",
    "{} is away in the list, and rests, otherwise than the log says": (
        "la lista y el registro no dicen lo mismo de si {} está ausente"
    ),
    "{} is listed with {}, and the leaves before say {}": "{} figura con {}, y las hojas anteriores dicen {}",
    "stage {} does not follow stage {}": "la etapa {} no sigue a la etapa {}",
    "the rules of the tournament are in no letter": "las reglas del torneo no están en ninguna carta",
    "a match has {} boards in the list, and {} by the rules": (
        "un encuentro tiene {} tableros en la lista, y {} según las reglas"
    ),
    "a ruling is in no letter: who is barred from whom is not known": (
        "una decisión no está en ninguna carta: no se sabe a quiénes se separa"
    ),
    "the list bars {}, and rulings {}": "la lista separa {}, y las decisiones {}",
    "{} lines up {}, and by its captain {}": "{} alinea a {}, y según su capitán a {}",
    "its leaves are of version {}, which is newer than this program: check it by a newer one": (
        "sus hojas son de la versión {}, más nueva que este programa: compruébelo con uno más nuevo"
    ),
    "{} is to play, and is not listed": "{} debe jugar, y no figura",
    "{} challenges {} in the list, and no leaf says that this was accepted": (
        "{} reta a {} en la lista, y ninguna hoja dice que se aceptara"
    ),
    "{} challenged {}, which is not in the list: full mode says whether the ladder allowed it": (
        "{} retó a {}, y no figura: si la escalera lo permitía lo dice el modo completo"
    ),
    "who goes on into stage {} is not checked here: full mode does": (
        "quién pasa a la etapa {} no se comprueba aquí: lo hace el modo completo"
    ),
    "the list is not in the order of seeds": "la lista no está en el orden de las cabezas de serie",
    "board {} was paired twice": "el tablero {} se emparejó dos veces",
    "{} is no longer at board {}, and no letter says that he left": (
        "{} ya no está en el tablero {}, y ninguna carta dice que se fuera"
    ),
    "somebody was paired twice": "alguien se emparejó dos veces",
    "board {} is played at a table of another: {}": "el tablero {} se juega en una mesa de otro: {}",
    "{} is paired, and is away or not listed": "{} está emparejado, y está ausente o no figura",
    "{} is in the list, and in no pair": "{} figura, y no está en ninguna pareja",
    "by the table before it others go on, or as other seeds: {}": (
        "según la clasificación anterior pasan otros, o con otro orden: {}"
    ),
    "by its bracket and the scores before it others meet: {}": (
        "según el cuadro y los tanteos anteriores se enfrentan otros: {}"
    ),
    "the rules are in no letter: of which battle it is to be is not known": (
        "las reglas no están en ninguna carta: no se sabe qué batalla ha de jugarse"
    ),
    "how many rounds of its stage were before is in no letter: its battle is not checked": (
        "ninguna carta dice cuántas rondas de su etapa hubo antes: su batalla no se comprueba"
    ),
    "that its battle follows from the rules and lots is not checked": (
        "no se comprueba que su batalla resulte de las reglas y del sorteo"
    ),
    "board {} is of battle {}, and by rules, lots and choices of {}": (
        "el tablero {} juega la batalla {}, y según las reglas, el sorteo y las elecciones la {}"
    ),
    "the battle of board {} was chosen twice": "la batalla del tablero {} se eligió dos veces",
    "the choices of board {} are of others, or of battles that are not there": (
        "las elecciones del tablero {} son de otros, o de batallas que no hay"
    ),
    "board {} was played, and no leaf says that its battle was chosen": (
        "el tablero {} se jugó, y ninguna hoja dice que se eligiera su batalla"
    ),
    "the tables of battle {} are of several editions": "las mesas de la batalla {} son de varias ediciones",
    "tables of several battles are of one edition: {}": "mesas de batallas distintas son de una misma edición: {}",
    "by its ties stage {} was not over": "por sus eliminatorias la etapa {} no había terminado",
    "{} and {} do not exchange the sides of their last game": ("{} y {} no cambian los bandos de su última partida"),
    "{} and {} are not to meet: that nothing else was possible, full mode says": (
        "{} y {} no deben encontrarse: que no hubiera otra posibilidad lo dice el modo completo"
    ),
    "that this is the cheapest of all pairings is not checked here: full mode does": (
        "que este sea el emparejamiento más barato no se comprueba aquí: lo hace el modo completo"
    ),
    "leaf {} scores board {} of {}, where that table was not paired": (
        "la hoja {} puntúa el tablero {} de {}, donde esa mesa no se emparejó"
    ),
    "leaf {} scores a table again, and nothing new came of it": (
        "la hoja {} puntúa una mesa de nuevo, sin nada nuevo en ella"
    ),
    "scores name the last leaves of tables whose letters are not here: {}": (
        "hay puntuaciones por la última hoja de mesas cuyas cartas no están aquí: {}"
    ),
    "leaf {} scores {} by a leaf of another game": "la hoja {} puntúa {} por una hoja de otra partida",
    "leaf {} scores {} by a leaf that was not its last": "la hoja {} puntúa {} por una hoja que no era la última",
    "lots waited for no beacon: whoever runs the server could have chosen them": (
        "el sorteo no esperó a ningún faro: quien lleva el servidor podía elegirlo"
    ),
    "nothing shows that lots were needed before round {} was out": (
        "nada enseña que el sorteo hiciera falta antes de salir la ronda {}"
    ),
    "a tournament of version 1 has no later lots": "un torneo de la versión 1 no tiene sorteos posteriores",
    "lots {} were needed twice under one name": "el sorteo {} se pidió dos veces con un nombre",
    "lots {} were drawn twice": "el sorteo {} se hizo dos veces",
    "lots {} were drawn before they were needed": "el sorteo {} se hizo antes de pedirlo",
    "there are no lots of this name: {}": "no hay sorteos de este nombre: {}",
    "lots {} were needed again, and nothing had happened": "el sorteo {} se pidió de nuevo, y nada había ocurrido",
    "lots {} were needed again: whoever runs the server could have known those before": (
        "el sorteo {} se pidió de nuevo: quien lleva el servidor podía conocer el anterior"
    ),
    "lots {} are drawn among people": "el sorteo {} es entre personas",
    "leaves of the tournament are in no letter: who may be a juror is not known": (
        "hojas del torneo no están en ninguna carta: no se sabe quién puede ser jurado"
    ),
    "the ruling that {} is about is in no letter": "el fallo de que trata {} no está en ninguna carta",
    "nobody sits at the table that {} is about": "nadie se sienta a la mesa de que trata {}",
    "others may be jurors than {} says": "pueden ser jurados otros que los que dice {}",
    "who of the jurors of {} is of another score group is not checked here": (
        "qué jurados de {} son de otro grupo de puntos no se comprueba aquí"
    ),
    "others were drawn than the lots {} give": "salieron otros que los que da el sorteo {}",
    "nothing shows that the list was shut before round {} was out": (
        "nada enseña que la lista se cerrara antes de salir la ronda {}"
    ),
    "in an mbox without lengths a letter may bring the time of another: keep each as a file of its own, or a Maildir": (
        "en un mbox sin longitudes una carta puede traer la hora de otra: guarde cada una en su propio fichero, o en "
        "un Maildir"
    ),
    "lots {} were never drawn, and later ones about its table were: the server could have chosen": (
        "el sorteo {} nunca se hizo, y otros posteriores sobre su mesa sí: el servidor pudo elegir"
    ),
    "{} entered again, and had not left": "{} se inscribió de nuevo sin haberse marchado",
    "{} entered, and no verdict says so before": "{} se inscribió sin que antes lo dijera ninguna decisión",
    "{} was expelled, and no verdict says so before": "{} fue expulsado, y ningún fallo lo dice antes",
    "it was founded under version 1.0.0: the server could have chosen hours, zones and halves in the list": (
        "se fundó con la versión 1.0.0: el servidor pudo elegir horas, husos y medios puntos de la lista"
    ),
    "board {} is played at another table than it was paired for": (
        "el tablero {} se juega en otra mesa que la de su emparejamiento"
    ),
    "the two at board {} exchanged sides, and nothing was bid for them": (
        "los dos del tablero {} cambiaron de bando sin que hubiera pujas"
    ),
    "leaf {} scores a table by more or less than there is to win": (
        "la hoja {} puntúa una mesa con más o menos de lo que se puede ganar"
    ),
    "that scores are what their games came to is not checked here, full mode does: {}": (
        "que las puntuaciones sean lo que dieron sus partidas no se comprueba aquí, lo hace el modo completo: {}"
    ),
    "leaf {} scores 0:0 as if neither player came, and {} did not leave": (
        "la hoja {} puntúa 0:0 como si no hubiera venido nadie, y {} no se marchó"
    ),
    "leaf {} scores 0:0 as if neither player came, and {} sent orders: whether he gave up is not in the log": (
        "la hoja {} puntúa 0:0 como si no hubiera venido nadie, y {} envió órdenes: el registro no dice si abandonó"
    ),
    "leaf {} is not the verdict that its number says": "la hoja {} no es el fallo que dice su número",
    "leaf {} has the table of {}, which was not drawn before": (
        "la hoja {} tiene la clasificación de {}, que no se había sorteado antes"
    ),
    "leaf {} is a ruling in {}, which was not opened before": (
        "la hoja {} es una decisión en {}, que no se había abierto antes"
    ),
    # Teams
    "{} takes the place of {}, who is of another team": "{} ocupa el puesto de {}, que es de otro equipo",
    "{} plays for two teams, or for one that never entered": "{} juega en dos equipos, o en uno que nunca se inscribió",
    "{} is lined up for {}, and is away or no member of it": (
        "{} está alineado con {}, y está ausente o no es miembro suyo"
    ),
    "{} lines up {}, where {} could sit": "{} alinea a {}, donde podían sentarse {}",
    "board {} is in no pair, and others of its match are": (
        "el tablero {} no está en ninguna pareja, y otros de su encuentro sí"
    ),
    "board {} is of a team that meets nobody, or of no team": (
        "el tablero {} es de un equipo sin rival, o de ningún equipo"
    ),
    "board {} is not of two teams as lined up": "el tablero {} no es de dos equipos como se alinearon",
    "board {} is one that neither team has anybody for": "para el tablero {} no tiene a nadie ningún equipo",
    "board {} of two line-ups is in no pair": "el tablero {} de dos alineaciones no está en ninguna pareja",
    "board {} is not of {} and {}, as they were lined up": "el tablero {} no es de {} y {}, como se alinearon",
    # Boards
    "the board was bound {} times": "el tablero se ató {} veces",
    "the board was dealt {} times": "el tablero se repartió {} veces",
    "the board was dealt before it was bound": "el tablero se repartió antes de atarse",
    "the board that was bound is in no letter": "el tablero que se ató no está en ninguna carta",
    "the board that was bound is another": "el tablero que se ató es otro",
    "leaves of the tournament are in no letter: which tables the board has is not known": (
        "hojas del torneo no están en ninguna carta: no se sabe qué mesas tiene el tablero"
    ),
    "leaves of the tournament are in no letter: its board may have been bound twice": (
        "hojas del torneo no están en ninguna carta: su tablero pudo atarse dos veces"
    ),
    "the board leaves out a table that was paired, or has another: {}": (
        "el tablero omite una mesa emparejada, o tiene otra: {}"
    ),
    "no letter shows that {} had closed": "ninguna carta enseña que {} hubiera cerrado",
    "{} closed another list than the board has": "{} cerró otra lista que la del tablero",
    "{} closed after the board was bound": "{} cerró después de atarse el tablero",
    "the board leaves out {}, which closed for it": "el tablero omite {}, que cerró para él",
    "that {} was no longer one of the board is in no letter": "que {} ya no fuera del tablero no está en ninguna carta",
    "its dice are those of a board of other tables, or of another phase": (
        "sus dados son los de un tablero de otras mesas, o de otra fase"
    ),
    "a phase that is played again has dice of its own": "una fase que se repite tiene dados propios",
    "no letter shows that its board was bound, and on which lists": (
        "ninguna carta enseña que su tablero se atara, ni con qué listas"
    ),
    "its list is not the one that its board has": "su lista no es la que tiene su tablero",
    "its board has another beacon than its list, or an earlier round": (
        "su tablero tiene otro faro que su lista, o una ronda anterior"
    ),
    "the tables of its stage have one luck, and this list has dice of its own": (
        "las mesas de su etapa tienen la misma suerte, y esta lista tiene dados propios"
    ),
    "no letter shows how its board was dealt": "ninguna carta enseña cómo se repartió su tablero",
    "its dice are not those that its board was dealt": "sus dados no son los que se repartieron a su tablero",
}

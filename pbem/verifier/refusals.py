"""Why a letter or a key cannot be read, in Spanish by the English; what stands in gaps is the same."""

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
    "there is no block of this kind: {}": "no hay bloques de este tipo: {}",
    "a bundle is ASCII": "un paquete es ASCII",
    "a bundle has a checkpoint at its end": "un paquete lleva al final el sello del registro",
    "a bundle begins with its head": "un paquete empieza por su cabecera",
    "a bundle has one edition, and one proof of what went before":
        "un paquete tiene una edición, y una prueba de lo anterior",
    "the parts of a bundle have one order": "las partes de un paquete tienen un orden fijo",
    "a checkpoint has a name, a size and a root": "un sello tiene nombre, tamaño y raíz",
    "a checkpoint ends with signatures": "un sello acaba con firmas",
    "a signature reads -- name base64": "una firma se escribe -- nombre base64",
    "a witness sees one list of a segment, and signs that": "un testigo ve una lista de cada tramo, y la firma",
    "a long text is cut in pieces of 120": "un texto largo se corta en trozos de 120",
    "leaf {} of {} contradicts itself": "la hoja {} de {} se contradice",
    "the groups of leaf {} of {} are not in order, each once":
        "los grupos de la hoja {} de {} no están en orden, cada uno una vez",
    "this is not the body of leaf {} of {}": "este no es el cuerpo de la hoja {} de {}",
    "after a leaf come its body, unless it is withheld, and its proof":
        "tras una hoja vienen su cuerpo, si no se oculta, y su prueba",
    "a seat has two commitments in the first segment, and one in the others":
        "cada jugador tiene dos compromisos en el primer tramo y uno en los demás",
    "a slate has its groups and seats in order, each once":
        "una lista tiene en orden sus grupos y jugadores, cada uno una vez",
    "the first segment, and no other, has no slate before it":
        "el primer tramo, y ningún otro, no tiene lista anterior",
    "a roll has as many values as dice": "una tirada tiene tantos valores como dados",
    "the numbers of a manifest rise": "los números de una lista de tiradas crecen",
    "the rules of the first segment are numbered from 1": "las reglas del primer tramo se numeran desde 1",
    "a rule is one of so many": "una regla es una de tantas",
    "a key after --witness is no witness's: its owner prints the right one with `pbem witness key`":
        "una clave de testigo no lo es: su dueño enseña la buena con `pbem witness key`",
    "--quorum N: so many of the witnesses that you name must agree, 1 or more":
        "han de coincidir 1 o más de los testigos que nombre, y no más de los que hay",
    "it is no file": "no es un fichero",
    "it cannot be read: {}": "no se puede leer: {}",
    "it ends": "se acaba",
}  # fmt: skip

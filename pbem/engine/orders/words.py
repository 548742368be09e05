"""The words that the orders of all games have in common, in English and in Spanish: conditions and standing orders.

The first phrase of a keyword is the canonical one, the second the Spanish one. TO covers AT as well. A game lays its
own words beside these, or over them.
"""

from __future__ import annotations

from collections.abc import Mapping

COMMON: Mapping[str, tuple[str, ...]] = {
    "ORDERS": ("ORDERS", "ORDENES"),
    "PASS": ("PASS", "PASAR"),
    "DEPLOY": ("DEPLOY", "DESPLEGAR"),
    "WITH": ("WITH", "CON"),
    "TO": ("TO", "A", "AT", "EN"),
    "NONE": ("NONE", "NADA", "NINGUNA"),
    "ALL": ("ALL", "Todos", "Todo", "Toda"),
    "STANDING": ("STANDING", "DOCTRINA"),
    "ENDSTANDING": ("ENDSTANDING", "FINDOCTRINA"),
    "FOR": ("FOR", "PARA"),
    "SPACE": ("SPACE", "ESPACIO"),
    "LEADER": ("LEADER", "LIDER"),
    "UNIT": ("UNIT", "UNIDAD"),
    "WHEN": ("WHEN", "CUANDO"),
    "IF": ("IF", "SI"),
    "THEN": ("THEN", "ENTONCES"),
    "ELSE": ("ELSE", "SINO"),
    "ENDIF": ("ENDIF", "FINSI"),
    "STOP IF": ("STOP IF", "PARAR SI", "ALTO SI"),
    "NOT": ("NOT", "NO"),
    "AND": ("AND", "Y"),
    "OR": ("OR", "O"),
    "ODDS": ("ODDS", "PROPORCION"),
    "AT LEAST": ("AT LEAST", "AL MENOS"),
    "AT MOST": ("AT MOST", "COMO MUCHO"),
    "LESS THAN": ("LESS THAN", "MENOS DE"),
    "MORE THAN": ("MORE THAN", "MAS DE"),
    "ASK": ("ASK", "CONSULTAR"),
    "WITHIN": ("WITHIN", "EN"),
    "LIMIT": ("LIMIT", "LIMITE"),
    "STRONGEST": ("STRONGEST", "MASFUERTE"),
    "WEAKEST": ("WEAKEST", "MASDEBIL"),
    "FRESHEST": ("FRESHEST", "MASFRESCA"),
    "MINE": ("MINE", "MIO", "MIA"),
    "ENEMY": ("ENEMY", "ENEMIGO", "ENEMIGA"),
    "EMPTY": ("EMPTY", "VACIO", "VACIA"),
    "FROM": ("FROM", "DESDE"),
    "MY": ("MY", "MI", "MIS"),
    "UNITS": ("UNITS", "UNIDADES"),
    "TURN": ("TURN", "TURNO"),
    "VP": ("VP", "PV"),
    "HERE": ("HERE", "AQUI"),
    "YES": ("YES", "SI"),
    "NO": ("NO",),
    "ORDER OF MARCH": ("ORDER OF MARCH", "ORDEN DE MARCHA"),
    "WAIT FOR": ("WAIT FOR", "ESPERAR A"),
    "SHOW SIDE": ("SHOW SIDE", "MOSTRAR AL BANDO"),
    "JOINT WITH": ("JOINT WITH", "CONJUNTO CON"),
    "ASSIGN": ("ASSIGN", "ASIGNAR"),
    "RELIEVE": ("RELIEVE", "RELEVAR"),
    "COVER": ("COVER", "CUBRIR"),
    "END": ("END", "FIN"),
}

"""``pbem adjudicate --step``: the phase a step at a time, as the rules take it.

::

    3 losses spain, 2
      asks morocco A>B/losses morocco (Nizam, Kabila): as the rules have it, by default
    4 losses spain, 2
      basis [R24] {"basis":"defender-stack","halves":[2,2],"side":"spain"}
      then give way; victorious leader

A step says what it does, rolls, or asks; rolled or answered it is taken again with the result. As JSON each step is an
object with ``step``, ``task``, ``args``, and one of ``roll``, ``window``, or ``events`` and ``then``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.engine.data.canon import Json, dumps
from pbem.engine.run.runners import Moment
from pbem.engine.run.steps import Choice, Rolled, Task, Window

Step = tuple[Task, Moment[Any]]


def as_text(steps: list[Step]) -> Iterator[str]:
    """Lines for people."""
    for number, (task, moment) in enumerate(steps, 1):
        args = ", ".join(_plain(arg) for arg in task.args)
        yield f"{number} {task.name} {args}".rstrip()
        outcome: Any = moment.outcome
        if moment.rolled is not None:
            label, n, sides, values = moment.rolled
            yield f"  rolls {label}: {n}d{sides} = {' '.join(map(str, values))}"
        elif moment.choice is not None:
            window: Window = outcome.window
            options = f" ({', '.join(window.options)})" if window.options else ""
            chosen = " ".join(moment.choice.value) or "nothing"
            yield f"  asks {window.seat} {window.id}{options}: {chosen}, by {moment.choice.by}"
        else:
            for happened in outcome.events:
                yield f"  {happened.kind} [{happened.cite}] {dumps(happened.to_json()['data'])}"
            if outcome.then:
                yield f"  then {'; '.join(one.name for one in outcome.then)}"


def as_json(steps: list[Step]) -> Iterator[str]:
    """A JSON object a step."""
    for number, (task, moment) in enumerate(steps, 1):
        said: dict[str, Json] = {"step": number, "task": task.name, "args": _json(task.args)}
        outcome: Any = moment.outcome
        if moment.rolled is not None:
            said["roll"] = _rolled(moment.rolled)
        elif moment.choice is not None:
            said["window"] = _asked(outcome.window, moment.choice)
        else:
            said["events"] = [happened.to_json() for happened in outcome.events]
            said["then"] = [one.name for one in outcome.then]
        yield dumps(said)


def _rolled(rolled: Rolled) -> Json:
    return {"label": rolled.label, "n": rolled.n, "sides": rolled.sides, "values": list(rolled.values)}


def _asked(window: Window, choice: Choice) -> Json:
    return {
        "id": window.id,
        "seat": window.seat,
        "options": list(window.options),
        "chosen": list(choice.value),
        "by": choice.by,
    }


def _plain(arg: Any) -> str:
    """An argument in short: words as they are, all else as JSON."""
    return str(arg) if isinstance(arg, str | int) else dumps(_json(arg))


def _json(arg: Any) -> Json:
    """Plain data of an argument; orders are named tuples, whose names are left away."""
    return [_json(part) for part in arg] if isinstance(arg, list | tuple) else arg

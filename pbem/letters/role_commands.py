"""Commands of authors without a seat: what one is, and a letter that holds nothing but commands, all or nothing.

An entrant's letter is read and carried out here; questions of moderators and directors are such commands, which stand
among their rulings (`pbem.letters.rulings`). A role has a list of records, and a class for its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pbem.engine.data.messages import Msg, msg
from pbem.letters import command_lines, content
from pbem.letters.commands import Form, Forms, Line
from pbem.letters.content import Mistake
from pbem.letters.reception import Answer
from pbem.runtime import limits as budgets
from pbem.runtime.limits import Limits

A = TypeVar("A", bound=Answer)

NOTHING_FOUND = msg("I found no orders or commands in your letter. Nothing has changed.")
_NO_ORDERS = msg(
    "Orders go to the address of the game that they are for; nothing was carried out. STATUS lists your games with "
    "their addresses."
)


@dataclass(frozen=True)
class RoleCommand(Generic[A]):
    """One command of an entrant, a moderator or a director: how it is written, what it does and what HELP tells.

    `check` says what is wrong with it before anything is done. `where` says whether there is anything here that it is
    for: HELP tells of it there alone. A letter of rulings may hold so many, `often`.
    """

    form: Form
    do: Callable[[A, Line], None]
    check: Callable[[A, Line], Msg | None] | None = None
    help: tuple[Msg, ...] = ()
    where: Callable[[A], bool] = lambda _: True
    often: int = 1


class RoleCommands(Generic[A]):
    """The commands of a role, as its letters are read by them; the `help` is for those that say nothing."""

    def __init__(self, every: Iterable[RoleCommand[A]], help_: RoleCommand[A] | None = None) -> None:
        self.help = help_
        self.by_name = {one.form.name: one for one in every}
        self.forms = Forms(one.form for one in self.by_name.values())

    def wanted(self, text: str, limits: Limits) -> bool:
        """Whether a text says something to do."""
        return bool(command_lines.read(text, self.forms, limits).commands)

    def objections(self, answer: A, lines: Iterable[Line]) -> Iterator[Mistake]:
        """What is wrong with commands before anything is done."""
        for line in lines:
            check = self.by_name[line.name].check
            if check is not None and (why := check(answer, line)) is not None:
                yield line.wrong(why)

    def carry_out(self, answer: A, text: str) -> bool:
        """Do what a letter says, all of it or nothing; return whether there was nothing."""
        said = command_lines.read(text, self.forms, answer.server.settings.limits)
        if said.excess is not None:
            answer.say(answer.NOT_DONE, *budgets.explain_excess(said.excess))
        elif said.block is not None or said.later:
            answer.say(answer.NOT_DONE, _NO_ORDERS)
        else:
            answer.errors += [*said.wrong, *self.objections(answer, said.commands)]
            if answer.errors:
                refuse(answer)
            else:
                self._do(answer, said.commands)
        return said.empty

    def _do(self, answer: A, lines: Sequence[Line]) -> None:
        """Do commands in their order; of a kind that was done already each is checked again."""
        done = set[str]()
        for line in lines:
            answer.look()
            command = self.by_name[line.name]
            why = command.check(answer, line) if command.check is not None and line.name in done else None
            if why is not None:
                answer.say("answer", why)
                continue
            command.do(answer, line)
            done.add(line.name)
        if not answer.kinds:
            answer.say("help", NOTHING_FOUND)
            if self.help is not None:
                self.help.do(answer, Line(self.help.form.name, 0, ""))


def refuse(answer: Answer) -> None:
    """Say that nothing of a letter is done, because of the lines that are wrong in it."""
    answer.errors.sort(key=lambda wrong: wrong.rejected.line)
    limits = answer.server.settings.limits
    told = content.nothing_done(len({wrong.rejected.line for wrong in answer.errors}))
    if len(answer.errors) >= limits.mistakes:
        del answer.errors[limits.mistakes :]
        told = budgets.explain_mistakes(limits)
    answer.say(answer.NOT_DONE, told)

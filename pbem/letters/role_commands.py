"""Commands of authors without a seat, and letters of such commands.

A letter is carried out whole or not at all. Letters of entrants are read and carried out here. The questions of
moderators and directors are such commands too, but stand among rulings (`pbem.letters.rulings`). A role has a list
of command records, and a class for its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pbem.engine.data.messages import Msg, msg
from pbem.letters import command_lines, content
from pbem.letters.commands import CommandForm, CommandForms, CommandLine
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
    """A command of an entrant, a moderator or a director: form, action and help.

    `check` returns an error before anything is done. `where` returns whether the command is useful for this author:
    only then HELP lists it. `often` is how many times a letter of rulings may have it.
    """

    form: CommandForm
    do: Callable[[A, CommandLine], None]
    check: Callable[[A, CommandLine], Msg | None] | None = None
    help: tuple[Msg, ...] = ()
    where: Callable[[A], bool] = lambda _: True
    often: int = 1


class RoleCommands(Generic[A]):
    """The commands of a role; `help` answers letters without any."""

    def __init__(self, every: Iterable[RoleCommand[A]], help_: RoleCommand[A] | None = None) -> None:
        self.help = help_
        self.by_name = {command.form.name: command for command in every}
        self.forms = CommandForms(command.form for command in self.by_name.values())

    def has_requests(self, text: str, limits: Limits) -> bool:
        """Return whether a text has a command of this role."""
        return bool(command_lines.parse_letter(text, self.forms, limits).commands)

    def objections(self, answer: A, lines: Iterable[CommandLine]) -> Iterator[Mistake]:
        """Yield the errors of commands before anything is done."""
        for line in lines:
            check = self.by_name[line.name].check
            if check is not None and (why := check(answer, line)) is not None:
                yield line.wrong(why)

    def carry_out(self, answer: A, text: str) -> bool:
        """Carry out a letter whole or not at all; return whether it is empty."""
        parsed = command_lines.parse_letter(text, self.forms, answer.server.settings.limits)
        if parsed.excess is not None:
            answer.say(answer.NOT_DONE, *budgets.explain_excess(parsed.excess))
        elif parsed.block is not None or parsed.later:
            answer.say(answer.NOT_DONE, _NO_ORDERS)
        else:
            answer.errors += [*parsed.wrong, *self.objections(answer, parsed.commands)]
            if answer.errors:
                refuse_letter(answer)
            else:
                self._do(answer, parsed.commands)
        return parsed.empty

    def _do(self, answer: A, lines: Sequence[CommandLine]) -> None:
        """Carry out commands in order; a repeated command is checked again."""
        done_names = set[str]()
        for line in lines:
            answer.look()
            command = self.by_name[line.name]
            why = command.check(answer, line) if command.check is not None and line.name in done_names else None
            if why is not None:
                answer.say("answer", why)
                continue
            command.do(answer, line)
            done_names.add(line.name)
        if not answer.kinds:
            answer.say("help", NOTHING_FOUND)
            if self.help is not None:
                self.help.do(answer, CommandLine(self.help.form.name, 0, ""))


def refuse_letter(answer: Answer) -> None:
    """Refuse a letter because of its wrong lines."""
    # In the order of the letter, before the list is cut: mistakes of blocks and commands were found apart.
    answer.errors.sort(key=lambda error: error.rejected.line)
    limits = answer.server.settings.limits
    sentence = content.nothing_done_sentence(len({error.rejected.line for error in answer.errors}))
    if len(answer.errors) >= limits.mistakes:
        del answer.errors[limits.mistakes :]
        sentence = budgets.explain_mistakes(limits)
    answer.say(answer.NOT_DONE, sentence)

"""Map module names of 1.0.0 to the names of today, each with a warning.

    from pbem.kit.shelf import Shelf    # DeprecationWarning: pbem.kit.shelf is pbem.engine.game_files now

Only games of other packages use these names. The finder is the last one: Python asks it only for modules that no
other finder knows.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # which would take longer to import than all of this
    Loader = MetaPathFinder = object

PACKAGES = ("pbem.core", "pbem.kit")
"""The packages whose modules lie in `ENGINE` today."""

ENGINE = "pbem.engine"

MOVED = {
    "pbem.core.data.called": "pbem.engine.data.languages",
    "pbem.core.data.fairness": "pbem.engine.luck",
    "pbem.core.data.folds": "pbem.engine.data.events",
    "pbem.core.data.picture": "pbem.engine.data.scene",
    "pbem.core.data.scene_told": "pbem.engine.data.scene",
    "pbem.core.data.stakes": "pbem.engine.data.score_sheet",
    "pbem.core.data.stakes_told": "pbem.engine.data.score_sheet",
    "pbem.core.map.fitting": "pbem.engine.map.sheets",
    "pbem.core.map.grounds": "pbem.engine.map.sheets",
    "pbem.core.map.hexplane": "pbem.engine.map.hexes",
    "pbem.core.map.overlays": "pbem.engine.map.charts",
    "pbem.core.map.ways": "pbem.engine.map.hexes",
    "pbem.core.orders.grammar": "pbem.engine.orders.cursor",
    "pbem.core.orders.measured": "pbem.engine.orders.conditions",
    "pbem.core.orders.offered": "pbem.engine.orders.choices",
    "pbem.core.orders.press": "pbem.engine.orders.block",
    "pbem.core.playout": "pbem.engine.autoplay",
    "pbem.core.position": "pbem.engine.saved_position",
    "pbem.core.run.followed": "pbem.engine.run.steps",
    "pbem.core.run.foresight": "pbem.engine.run.runners",
    "pbem.core.run.rolls": "pbem.engine.run.labels",
    "pbem.core.run.stakes": "pbem.engine.run.questions",
    "pbem.kit.answers": "pbem.engine.orders.doctrine",
    "pbem.kit.commands": "pbem.engine.commanders",
    "pbem.kit.commands.gate": "pbem.engine.commanders.holding",
    "pbem.kit.commands.holding": "pbem.engine.commanders.holding",
    "pbem.kit.commands.joint": "pbem.engine.commanders.sequence",
    "pbem.kit.commands.orders": "pbem.engine.commanders.orders",
    "pbem.kit.commands.sequence": "pbem.engine.commanders.sequence",
    "pbem.kit.commands.table": "pbem.engine.commanders.holding",
    "pbem.kit.commands.telling": "pbem.engine.commanders.report",
    "pbem.kit.couriers.errands": "pbem.engine.couriers",
    "pbem.kit.couriers.known": "pbem.engine.couriers",
    "pbem.kit.couriers.riding": "pbem.engine.couriers",
    "pbem.kit.couriers.routes": "pbem.engine.couriers",
    "pbem.kit.couriers.telling": "pbem.engine.couriers",
    "pbem.kit.deployment.aids": "pbem.engine.deployment_help",
    "pbem.kit.deployment.bots": "pbem.engine.deployment",
    "pbem.kit.deployment.rules": "pbem.engine.deployment",
    "pbem.kit.deployment.telling": "pbem.engine.deployment",
    "pbem.kit.deployment.zones": "pbem.engine.deployment",
    "pbem.kit.dice": "pbem.engine.run.steps",
    "pbem.kit.fallen": "pbem.engine.data.scene",
    "pbem.kit.lookahead": "pbem.engine.autoplay",
    "pbem.kit.members": "pbem.engine.game",
    "pbem.kit.moments": "pbem.engine.data.scene",
    "pbem.kit.orders.actions": "pbem.engine.orders.standing",
    "pbem.kit.orders.forms": "pbem.engine.orders.grammar",
    "pbem.kit.orders.languages": "pbem.engine.orders.parser",
    "pbem.kit.orders.slots": "pbem.engine.orders.grammar",
    "pbem.kit.orders.words": "pbem.engine.orders.lex",
    "pbem.kit.position": "pbem.engine.data.situation",
    "pbem.kit.rules": "pbem.engine.run.steps",
    "pbem.kit.shelf": "pbem.engine.game_files",
    "pbem.kit.telling": "pbem.engine.standard",
    "pbem.kit.testing.dice": "pbem.engine.testing.laws",
    "pbem.kit.testing.fog": "pbem.engine.testing.checks",
    "pbem.kit.testing.forms": "pbem.engine.testing.games",
    "pbem.kit.testing.numbers": "pbem.engine.testing.checks",
    "pbem.kit.testing.replayed": "pbem.engine.testing.games",
    "pbem.kit.testing.turned": "pbem.engine.testing.mutants",
    "pbem.kit.war.legs": "pbem.engine.war.chain",
    "pbem.kit.war.linked": "pbem.engine.war.chain",
    "pbem.kit.war.record": "pbem.engine.war.chain",
    "pbem.kit.war.source": "pbem.engine.war.file",
    "pbem.kit.war.verdict": "pbem.engine.war.chain",
}
"""The modules that have another name below `ENGINE` today, by the old name."""

RENAMED = {
    "pbem.core.autoplay.Given": "BotOrders",
    "pbem.core.autoplay.given": "bot_orders",
    "pbem.core.data.called.Called": "DisplayNames",
    "pbem.core.data.called.read_called": "read_display_names",
    "pbem.core.data.chronicle.Ordered": "SeatOrders",
    "pbem.core.data.chronicle.Passed": "PressLetter",
    "pbem.core.data.chronicle.Thrown": "ThrownDice",
    "pbem.core.data.event_sheet.EventSheet": "TournamentSheet",
    "pbem.core.data.fairness.shown": "e_value",
    "pbem.core.data.languages.chosen": "pick_phrase",
    "pbem.core.data.languages.heard": "start_in_english",
    "pbem.core.data.languages.known": "supported_languages",
    "pbem.core.data.languages.in_words": "translate_phrase",
    "pbem.core.data.languages.laid": "with_languages",
    "pbem.core.data.languages.lay": "set_languages",
    "pbem.core.data.memory.Itself": "IdentityKey",
    "pbem.core.data.memory.Recent": "LruCache",
    "pbem.core.data.memory.lately": "cache_last",
    "pbem.core.data.messages.Counted": "PluralText",
    "pbem.core.data.picture.Placed": "PlacedPicture",
    "pbem.core.data.stakes.Stakes": "ScoreSheet",
    "pbem.core.data.stakes.Earned": "ScoredPoints",
    "pbem.core.data.stakes.summed": "sum_points",
    "pbem.core.game.Rejected": "pbem.engine.terms.RejectedLine",
    "pbem.core.luck.Played": "PlayedPhase",
    "pbem.core.luck.Weighing": "LuckOptions",
    "pbem.core.map.charts.Applied": "AppliedModifier",
    "pbem.core.map.charts.Bound": "EditionModifiers",
    "pbem.core.map.charts.Charted": "ChartSource",
    "pbem.core.map.charts.marked": "mark_cells",
    "pbem.core.map.fitting.held": "compare_borders",
    "pbem.core.map.overlays.Wanted": "ChartNeeds",
    "pbem.core.map.plane.clipped": "clip",
    "pbem.core.map.plane.drawn": "noise",
    "pbem.core.map.plane.scattered": "scatter",
    "pbem.core.map.plane.shrunk": "shrink",
    "pbem.core.map.plane.turning": "double_area",
    "pbem.core.map.printed.undoubted": "strip_doubt",
    "pbem.core.map.sheets.told_apart": "compare_seen_borders",
    "pbem.core.orders.block.done": "says_done",
    "pbem.core.orders.block.meant": "intended_block",
    "pbem.core.orders.block.nearly": "near_header",
    "pbem.core.orders.block.standing": "after_standing",
    "pbem.core.orders.luck.given": "word_of_line",
    "pbem.core.orders.measured.measured": "condition_values",
    "pbem.core.orders.names.Found": "NameMatch",
    "pbem.core.orders.speech.echoed": "echo_lines",
    "pbem.core.orders.speech.meant": "id_of_name",
    "pbem.core.orders.speech.reworded": "reword_lines",
    "pbem.core.orders.speech.spoken": "translate",
    "pbem.core.orders.speech.told": "order_text",
    "pbem.core.rehearsal.Answered": "WindowAnswer",
    "pbem.core.review.Reviewed": "ReviewedPhase",
    "pbem.core.review.reviewed": "review_game",
    "pbem.core.run.followed.Followed": "OrderRecorder",
    "pbem.core.run.foresight.Foreseen": "Foresight",
    "pbem.core.run.odds.Course": "Experiment",
    "pbem.kit.shelf.Shelf": "GameFiles",
    "pbem.kit.testing.Broken": "LawViolation",
    "pbem.kit.testing.laws.Broken": "LawViolation",
    "pbem.core.run.odds.Purse": "StepBudget",
    "pbem.core.run.questions.Asked": "AskedQuestion",
    "pbem.core.run.questions.letter_of": "sign_of",
    "pbem.core.run.runners.Traced": "TracedEvent",
    "pbem.core.run.steps.Folding": "FoldingRules",
    "pbem.core.run.steps.folding": "fold_of",
    "pbem.core.terms.Edited": "Correction",
    "pbem.core.terms.Rejected": "RejectedLine",
    "pbem.core.terms.Respelt": "RespeltName",
    "pbem.core.terms.Warned": "OrderWarning",
    "pbem.kit.advice.Weighed": "AttackOdds",
    "pbem.kit.advice.named": "unit_list",
    "pbem.kit.advice.told": "plan_sentences",
    "pbem.kit.bots.checked": "drop_refused_lines",
    "pbem.kit.cases.looked_up": "lookup_holds",
    "pbem.kit.commands.holding.Commanded": "CommandedPosition",
    "pbem.kit.commands.holding.Held": "OwnedUnit",
    "pbem.kit.commands.holding.asked": "is_asked",
    "pbem.kit.commands.holding.seats_told": "seats_to_notify",
    "pbem.kit.commands.holding.uncovered": "cover_refusal",
    "pbem.kit.commands.joint.joined": "joined_event",
    "pbem.kit.commands.joint.met": "join_lines",
    "pbem.kit.commands.orders.headed": "split_head",
    "pbem.kit.commands.orders.misplaced": "misplaced_lines",
    "pbem.kit.commands.sequence.handed_over": "hand_over_units",
    "pbem.kit.commands.sequence.in_turn": "order_of_sets",
    "pbem.kit.commands.telling.HEADS": "ENTRY_SENTENCES",
    "pbem.kit.commands.telling.agreed": "option_text",
    "pbem.kit.couriers.known.Hearsay": "LastKnownPositions",
    "pbem.kit.couriers.known.merged": "merge_sightings",
    "pbem.kit.couriers.telling.HEADS": "ENTRY_SENTENCES",
    "pbem.kit.couriers.telling.agreed": "option_text",
    "pbem.kit.couriers.telling.riding": "in_transit",
    "pbem.kit.deployment.rules.Deploying": "DeploymentPosition",
    "pbem.kit.deployment.telling.agreed": "option_text",
    "pbem.kit.edition.Drawn": "StorableMap",
    "pbem.kit.fallen.fallen": "removed_units",
    "pbem.kit.orders.grammar.Cited": "CitedRules",
    "pbem.kit.orders.languages.Sided": "SidedUnit",
    "pbem.kit.orders.refusals.refused": "refused_lines",
    "pbem.kit.orders.slots.Known": "ReadingContext",
    "pbem.kit.testing.dice.Thrown": "SeededDice",
    "pbem.kit.testing.fog.Ordered": "PositionAndOrders",
    "pbem.kit.testing.fog.followed": "check_same_view",
    "pbem.kit.testing.fog.shown": "outputs_for",
    "pbem.kit.testing.fog.untold": "check_untold",
    "pbem.kit.testing.games.kept": "read_crash",
    "pbem.kit.testing.games.played": "play_phases",
    "pbem.kit.testing.mutants.Found": "MutantResult",
    "pbem.kit.testing.mutants.replaced": "replace_everywhere",
    "pbem.kit.testing.mutants.rewritten": "apply_rewrite",
    "pbem.kit.testing.mutants.swapped": "swap",
    "pbem.kit.testing.numbers.listed": "rule_list",
    "pbem.kit.testing.numbers.uncovered": "uncovered_rules",
    "pbem.kit.testing.numbers.unlisted": "unlisted_numbers",
    "pbem.kit.testing.turned.exchanged": "exchange_steps",
    "pbem.kit.testing.turned.tied": "reverse_tie",
    "pbem.kit.testing.turned.withdrawn": "withdraw_refusals",
    "pbem.kit.war.chain.Between": "CampData",
    "pbem.kit.war.chain.broken_up": "finish_camp",
    "pbem.kit.war.chain.fought_out": "finish_leg",
    "pbem.kit.war.chain.opened": "open_war",
    "pbem.kit.war.chain.standing": "present_verdict",
    "pbem.kit.war.ledger.Fought": "LegResult",
    "pbem.kit.war.ledger.Listed": "ListedUnit",
    "pbem.kit.war.ledger.counted": "counts_for_next_leg",
    "pbem.kit.war.ledger.fed": "distribute_steps",
    "pbem.kit.war.ledger.fought": "after_leg",
    "pbem.kit.war.ledger.returned": "returning_steps",
    "pbem.kit.war.linked.Linked": "WarParts",
    "pbem.kit.war.record.chain_in": "chain_from_json",
    "pbem.kit.war.record.leg_in": "leg_from_json",
    "pbem.kit.war.record.leg_written": "leg_to_json",
    "pbem.kit.war.record.written": "chain_to_json",
    "pbem.kit.war.verdict.given_up": "conceded_to",
    "pbem.core.data.stakes_told.account": "account_for",
    "pbem.core.game.Edition": "PinnedEdition",
    "pbem.core.game.Game": "pbem.engine.classes_of_1_0.OldGame",
    "pbem.core.luck.Weighed": "EvaluatedPhase",
    "pbem.core.orders.press.END": "PRESS_END",
    "pbem.core.orders.press.HEAD": "PRESS_HEAD",
    "pbem.core.parts.Advice": "pbem.engine.classes_of_1_0.Advice",
    "pbem.core.parts.Aids": "pbem.engine.classes_of_1_0.Aids",
    "pbem.core.parts.Awarding": "pbem.engine.classes_of_1_0.Awarding",
    "pbem.core.parts.Cased": "pbem.engine.classes_of_1_0.Cased",
    "pbem.core.parts.Editing": "pbem.engine.classes_of_1_0.Editing",
    "pbem.core.parts.Forecast": "pbem.engine.classes_of_1_0.Forecast",
    "pbem.core.parts.Pictured": "pbem.engine.classes_of_1_0.Pictured",
    "pbem.core.parts.Rulebook": "pbem.engine.classes_of_1_0.Rulebook",
    "pbem.core.parts.Scored": "pbem.engine.classes_of_1_0.OldScored",
    "pbem.core.parts.Telling": "pbem.engine.classes_of_1_0.OldTelling",
    "pbem.core.position.Position": "SavedPosition",
    "pbem.kit.couriers.errands.riding": "send_errand",
    "pbem.kit.members.missing": "pbem.engine.classes_of_1_0.missing",
    "pbem.kit.standard.Book": "pbem.engine.classes_of_1_0.Book",
    "pbem.kit.standard.Scored": "pbem.engine.classes_of_1_0.OldScored",
    "pbem.kit.standard.Standard": "pbem.engine.classes_of_1_0.Standard",
    "pbem.kit.telling.OneByOne": "pbem.engine.classes_of_1_0.OneByOne",
    "pbem.core.cases.CaseGame": "pbem.engine.game.Game",
    "pbem.core.data.called.beside": "games_sharing_names",
    "pbem.core.edits.tell": "correction_text",
    "pbem.core.game.Because": "pbem.engine.terms.Because",
    "pbem.core.game.Edited": "pbem.engine.terms.Correction",
    "pbem.core.game.Phase": "pbem.engine.terms.Phase",
    "pbem.core.game.Trial": "pbem.engine.terms.AttackSetup",
    "pbem.core.game.Warned": "pbem.engine.terms.OrderWarning",
    "pbem.core.game.Worth": "pbem.engine.terms.OrderOdds",
    "pbem.core.luck.WeighedRoll": "EvaluatedRoll",
    "pbem.core.orders.luck.MOST": "LONGEST_WORD",
    "pbem.core.orders.offered.percent": "pbem.engine.classes_of_1_0.percent",
    "pbem.core.playout.LONGEST": "MOST_PHASES",
    "pbem.core.reasons.broken_off": "stop_if_notice",
    "pbem.core.reasons.place_of": "standing_order_in_words",
    "pbem.core.terms.Step": "PositionChange",
    "pbem.core.terms.Trial": "AttackSetup",
    "pbem.core.terms.Worth": "OrderOdds",
    "pbem.kit.commands.holding.commands_beside": "commands_of_side",
    "pbem.kit.commands.holding.held_by": "may_order",
    "pbem.kit.commands.table.as_commanded": "with_command_seats",
    "pbem.kit.couriers.errands.known_under": "believed_units",
    "pbem.kit.couriers.known.known_from": "last_known_from_json",
    "pbem.kit.deployment.aids.DeploymentAids": "DeploymentHelp",
    "pbem.kit.testing.fog.known_alike": "compare_twins",
    "pbem.kit.testing.games.Broken": "pbem.engine.testing.laws.LawViolation",
    "pbem.kit.testing.laws.Resolved": "ResolvedPhase",
    "pbem.kit.testing.laws.garbled": "garble",
    "pbem.kit.testing.laws.respoken": "reword",
    "pbem.kit.testing.mutants.SHARED": "pbem.engine.classes_of_1_0.SHARED",
    "pbem.core.autoplay.pick_of": "pick_for_bot",
    "pbem.core.bots.OwnDice": "DiceFromSeed",
    "pbem.core.bots.picks": "seeded_pick",
    "pbem.core.cases.Outcome": "CaseOutcome",
    "pbem.core.cases.split": "split_cases",
    "pbem.core.data.fairness.PRIORS": "PRIOR_CONCENTRATIONS",
    "pbem.core.data.fairness.STAKES": "BET_SHARES",
    "pbem.core.data.fairness.of_faces": "log_e_of_faces",
    "pbem.core.data.fairness.of_luck": "log_e_of_luck",
    "pbem.core.edits.AWARD": "AWARD_WORD",
    "pbem.core.edits.CORRECTED": "CORRECTED_EVENT",
    "pbem.core.edits.Fact": "CorrectableFact",
    "pbem.core.edits.Kind": "CorrectableKind",
    "pbem.core.edits.award": "read_award",
    "pbem.core.edits.choice": "choice_fact",
    "pbem.core.edits.number": "number_fact",
    "pbem.core.edits.points": "points_fact",
    "pbem.core.edits.read": "read_correction",
    "pbem.core.edits.yes": "yes_no_fact",
    "pbem.core.game.hides": "has_secrets",
    "pbem.core.luck.EVERYTHING": "FULL_KNOWLEDGE",
    "pbem.core.luck.Eyes": "ReaderKnowledge",
    "pbem.core.luck.Limits": "StepLimits",
    "pbem.core.luck.standard": "luck_and_deviation",
    "pbem.core.luck.weigh": "evaluate_phase",
    "pbem.core.playout.Playing": "AutoplaySettings",
    "pbem.kit.advice.Blow": "PlannedAttack",
    "pbem.kit.advice.EVEN": "EVEN_CHANCE",
    "pbem.kit.advice.SHOWN": "MOST_NAMED",
    "pbem.kit.advice.in_short": "shorten_list",
    "pbem.kit.advice.main_first": "sort_attacks",
    "pbem.kit.bots.Desk": "OrderFunctions",
    "pbem.kit.bots.without": "drop_lines",
    "pbem.kit.couriers.errands.in_force": "march_in_force",
    "pbem.kit.couriers.errands.under_couriers": "uses_couriers",
    "pbem.kit.couriers.known.COURIERS": "COURIERS_OPTION",
    "pbem.kit.couriers.known.Letter": "CourierReport",
    "pbem.kit.couriers.known.of_seat": "knowledge_of_seat",
    "pbem.kit.couriers.riding.ARRIVES": "ARRIVAL_EVENT",
    "pbem.kit.couriers.routes.delay": "letter_delay",
    "pbem.kit.couriers.routes.moment": "phase_number",
    "pbem.kit.couriers.routes.others": "other_commands",
    "pbem.kit.couriers.routes.post_of": "command_post",
    "pbem.kit.couriers.routes.turn_of": "turn_of_phase",
    "pbem.kit.couriers.telling.as_of": "dated_place",
    "pbem.kit.couriers.telling.lasts": "delay_lines",
    "pbem.kit.couriers.telling.rests_on": "old_report_warning",
    "pbem.kit.couriers.telling.short": "turn_label",
    "pbem.kit.deployment.bots.deployed_at_random": "random_deployment",
    "pbem.kit.deployment.rules.DEPLOYMENT": "DEPLOYMENT_PHASE",
    "pbem.kit.deployment.rules.Ways": "PlacementRules",
    "pbem.kit.deployment.rules.no_zone": "no_zone_text",
    "pbem.kit.deployment.rules.not_before_turn_1": "refuse_before_turn_1",
    "pbem.kit.deployment.rules.too_late": "deploy_too_late",
    "pbem.kit.deployment.telling.KINDS": "EVENT_KINDS",
    "pbem.kit.deployment.telling.blocks": "zone_blocks",
    "pbem.kit.deployment.telling.heads": "event_sentences",
    "pbem.kit.deployment.telling.on_map": "zone_lines",
    "pbem.kit.deployment.telling.phases": "phase_names",
    "pbem.kit.deployment.zones.OPTION": "DEPLOY_VALUES",
    "pbem.kit.deployment.zones.as_played": "drop_unused_zones",
    "pbem.kit.edition.Printing": "CommonValues",
    "pbem.kit.edition.other_release": "other_release_notice",
    "pbem.kit.lookahead.Trials": "TrialCounts",
    "pbem.kit.lookahead.best_of": "best_plan",
}
"""Names that have changed, or are in another module today, by the old names."""


def name_today(name: str) -> str:
    """Return the name of today for a name of 1.0.0; "" outside `PACKAGES`.

    The name need not exist.
    """
    for package in PACKAGES:
        if name == package or name.startswith(f"{package}."):
            return MOVED.get(name, ENGINE + name.removeprefix(package))
    return ""


class FormerModule(Loader):
    """A loader of modules that only forward to a module of another name."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that Python makes an empty module."""

    def exec_module(self, module: ModuleType) -> None:
        """Forward attributes to the module of today.

        Modules below it are found by their old names.
        """
        today = name_today(module.__name__)

        def look_up(attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            former = f"{module.__name__}.{attribute}"
            is_module = former in MOVED or any(name.startswith(f"{former}.") for name in RENAMED)
            if is_module and not callable(getattr(import_module(today), attribute, None)):
                # A module below it, whatever its name today, or one with names that are redirected; a function of
                # the package hides a module of its name.
                return import_module(former)
            module_today, _, name = RENAMED.get(former, attribute).rpartition(".")
            return getattr(import_module(module_today or today), name)

        module.__path__ = []
        module.__dict__["__getattr__"] = look_up
        if module.__name__ not in PACKAGES:
            warnings.warn(f"{module.__name__} is {today} now", DeprecationWarning, stacklevel=2)


class FormerNames(MetaPathFinder):
    """A finder of modules by their names of 1.0.0."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module by its former name; return None for every other name."""
        today = name_today(fullname)
        if not today or find_spec(today) is None:
            return None
        return ModuleSpec(fullname, FormerModule())


def install() -> None:
    """Let Python find modules by their names of 1.0.0."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        sys.meta_path.append(FormerNames())

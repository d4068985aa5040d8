"""The pairs of moves that meet. Each is tried in every order of its statements."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.driver.transaction import Scope
from tests.moves import settings as of
from tests.moves import settings_again as anew
from tests.moves import settings_overlap as over
from tests.moves.acting import claim_all, define, repaired
from tests.moves.scenarios import MACHINE, NEW, OLD, PERSON, SWEEP, TASK
from tests.moves.settings import Setting


@dataclass(frozen=True)
class Meeting:
    """Two moves that meet. `set_up` brings the database there and answers how each move is made, anew each
    time. A side that passes by what another holds (a claim) may find nothing while the other is at it."""

    set_up: Setting
    scopes: tuple[Scope, Scope]
    passes: tuple[bool, bool] = (False, False)
    # What a side that passes by may have looked at, and left as due as it was.
    looked: int = 0
    # Whether an outcome that is no serial one will do, as long as every promise holds: between the lanes of
    # one task no order is promised.
    loosely: bool = False
    # The one promise that is broken before they meet, where one of them is there to mend it.
    broken: str | None = None

    def begins_with(self, found: list[str]) -> None:
        assert {line.partition(":")[0] for line in found} == ({self.broken} if self.broken else set()), found


MEETINGS: dict[str, Meeting] = {
    "start × start": Meeting(of.start_start, (MACHINE, MACHINE)),
    "claim × claim": Meeting(of.claim_claim, (MACHINE, MACHINE), (True, True)),
    "claim × start": Meeting(of.claim_start, (MACHINE, MACHINE), (True, False)),
    "claim × claim of one row": Meeting(of.claim_claim_row, (MACHINE, MACHINE), (True, False)),
    "start × edit": Meeting(of.start_with(of.edit), (MACHINE, PERSON)),
    "start × edit of the rule": Meeting(of.start_with(of.edit_shifted), (MACHINE, PERSON)),
    "start × disable": Meeting(of.start_with(of.off), (MACHINE, PERSON)),
    "start × delete": Meeting(of.start_with(of.delete), (MACHINE, PERSON)),
    "claim × edit": Meeting(of.claim_with(of.edit), (MACHINE, PERSON), (True, False)),
    "claim × disable": Meeting(of.claim_with(of.off), (MACHINE, PERSON), (True, False)),
    "claim × delete": Meeting(of.claim_with(of.delete), (MACHINE, PERSON), (True, False)),
    "claim × request": Meeting(of.claim_with(of.ask_now), (MACHINE, PERSON), (True, False)),
    "define × define": Meeting(of.empty(of.define_old, lambda: define(TASK, OLD)), (PERSON, PERSON)),
    "define × define otherwise": Meeting(
        of.empty(of.define_old, lambda: define(TASK, NEW)), (PERSON, PERSON)
    ),
    "define × define of a twin": Meeting(of.empty(of.define_old, lambda: define("b", OLD)), (PERSON, PERSON)),
    "define × delete": Meeting(of.people(lambda: define(TASK, NEW), of.delete), (PERSON, PERSON)),
    "edit × edit": Meeting(of.people(of.edit, of.edit_shifted), (PERSON, PERSON)),
    "edit × disable": Meeting(of.people(of.edit, of.off), (PERSON, PERSON)),
    "disable × delete": Meeting(of.people(of.off, of.delete), (PERSON, PERSON)),
    "request × request": Meeting(of.people(of.ask_now, of.ask_now), (PERSON, PERSON)),
    "request × edit": Meeting(of.people(of.ask_now, of.edit), (PERSON, PERSON)),
    "request × disable": Meeting(of.people(of.ask_now, of.off), (PERSON, PERSON)),
    "finish × close overdue": Meeting(of.finish_overdue("succeeded"), (PERSON, MACHINE)),
    "failing finish × close overdue": Meeting(of.finish_overdue("failed"), (PERSON, MACHINE)),
    "finish × edit": Meeting(of.finish_with("succeeded", of.edit), (PERSON, PERSON)),
    "failing finish × edit": Meeting(of.finish_with("failed", of.edit), (PERSON, PERSON)),
    "failing finish × disable": Meeting(of.finish_with("failed", of.off), (PERSON, PERSON)),
    "failing finish × delete": Meeting(of.finish_with("failed", of.delete), (PERSON, PERSON)),
    "failing finish × claim": Meeting(of.finish_with("failed", claim_all), (PERSON, MACHINE), (False, True)),
    "finish × claim": Meeting(of.finish_with("succeeded", claim_all), (PERSON, MACHINE)),
    "repair × start of a row that stands": Meeting(of.repair_start, (SWEEP, MACHINE)),
    "repair × claim": Meeting(of.missing(claim_all), (SWEEP, MACHINE), (False, True), broken="I4"),
    "repair × edit": Meeting(of.missing(of.edit), (SWEEP, PERSON), broken="I4"),
    "repair × disable": Meeting(of.missing(of.off), (SWEEP, PERSON), broken="I4"),
    "repair × repair": Meeting(of.missing(lambda: repaired(TASK)), (SWEEP, SWEEP), broken="I4"),
    "cancel × start": Meeting(of.cancel_start, (PERSON, MACHINE)),
    "cancel × claim": Meeting(of.cancel_with(claim_all), (PERSON, MACHINE), (False, True)),
    "cancel × edit": Meeting(of.cancel_with(of.edit), (PERSON, PERSON)),
    "cancel × disable": Meeting(of.cancel_with(of.off), (PERSON, PERSON)),
    "cancel of a run × finish": Meeting(of.cancel_finish("succeeded"), (PERSON, PERSON)),
    "cancel of a run × failing finish": Meeting(of.cancel_finish("failed"), (PERSON, PERSON)),
    "wait × finish": Meeting(of.wait_finish("succeeded"), (MACHINE, PERSON), (True, False), looked=1),
    "wait × failing finish": Meeting(of.wait_finish("failed"), (MACHINE, PERSON), (True, False)),
    "second wait × finish": Meeting(of.second_waits, (MACHINE, PERSON), (True, False), 1, loosely=True),
    "cancel of what waits × finish": Meeting(of.waiting_cancelled, (PERSON, PERSON)),
    "edit of what waits × finish": Meeting(of.waiting_edited, (PERSON, PERSON)),
    "hand back × edit": Meeting(of.hand_back_with(of.edit), (MACHINE, PERSON)),
    "hand back × disable": Meeting(of.hand_back_with(of.off), (MACHINE, PERSON)),
    "lost × finish": Meeting(of.lost_finish("succeeded"), (MACHINE, PERSON)),
    "lost × failing finish": Meeting(of.lost_finish("failed"), (MACHINE, PERSON)),
    "set aside × edit": Meeting(of.aside_with(of.edit), (MACHINE, PERSON)),
    "set aside × claim": Meeting(of.aside_with(claim_all), (MACHINE, MACHINE), (False, True)),
    "enable × enable": Meeting(of.enabling(lambda: of.switch(TASK, "enable")), (PERSON, PERSON)),
    "enable × edit": Meeting(of.enabling(of.edit), (PERSON, PERSON)),
    "enable × delete": Meeting(of.enabling(of.delete), (PERSON, PERSON)),
    "start × hint": Meeting(of.start_with(of.give), (MACHINE, PERSON)),
    "claim × hint": Meeting(of.claim_with(of.give), (MACHINE, PERSON), (True, False)),
    "hint × edit": Meeting(of.people(of.give, of.edit), (PERSON, PERSON)),
    "hint × hint": Meeting(of.people(of.give, of.give_once), (PERSON, PERSON)),
    "hint × disable": Meeting(of.people(of.give, of.off), (PERSON, PERSON)),
    "hint × delete": Meeting(of.people(of.give, of.delete), (PERSON, PERSON)),
    "repair × hint": Meeting(of.missing(of.give), (SWEEP, PERSON), broken="I4"),
    "cancel × hint": Meeting(of.cancel_with(of.give), (PERSON, PERSON)),
    "start of a one-shot × hint": Meeting(of.hinted(of.give), (MACHINE, PERSON)),
    "start of a one-shot × another": Meeting(of.hinted(of.give_once), (MACHINE, PERSON)),
    "start of a one-shot × withdrawal": Meeting(of.hinted(of.take_back), (MACHINE, PERSON)),
    "start of a one-shot × edit": Meeting(of.hinted(of.edit), (MACHINE, PERSON)),
    "start of a one-shot × pause": Meeting(of.hinted(of.hold), (MACHINE, PERSON)),
    "edit × withdrawal": Meeting(of.people_and_a_hint(of.edit, of.take_back), (PERSON, PERSON)),
    "edit of a one-shot × pause": Meeting(of.people_and_a_hint(of.edit, of.hold), (PERSON, PERSON)),
    "two finishes × two edits": Meeting(of.two_finishes_and_edits, (PERSON, PERSON)),
    "two claims × two edits": Meeting(of.two_claims_and_edits, (MACHINE, PERSON), (True, False)),
    "two edits × two edits": Meeting(of.two_edits, (PERSON, PERSON)),
    "two new × two new": Meeting(of.two_new, (PERSON, PERSON)),
    "backfill × the same": Meeting(anew.asking_with(anew.asked), (PERSON, PERSON)),
    "start of a backfill × the same": Meeting(anew.starting_with(anew.asked), (MACHINE, PERSON)),
    "start of a backfill × its cancel": Meeting(anew.starting_with(anew.cancelled), (MACHINE, PERSON)),
    "start of a backfill × edit": Meeting(anew.starting_with(anew.edit), (MACHINE, PERSON)),
    "queue × finish": Meeting(over.claim_finish("queue"), (MACHINE, PERSON), (True, False), looked=1),
    "queue × failing finish": Meeting(over.claim_finish("queue", "failed"), (MACHINE, PERSON), (True, False)),
    "queue × cancel of the run": Meeting(over.claim_cancel("queue"), (MACHINE, PERSON), (True, False)),
    "queue × edit": Meeting(over.claim_edit("queue"), (MACHINE, PERSON), (True, False)),
    "claim × finish of what a slot waits for": Meeting(over.queued_finish("succeeded"), (MACHINE, PERSON)),
    "claim × failing finish of it": Meeting(over.queued_finish("failed"), (MACHINE, PERSON), (True, False)),
    "cancel of a slot that waits × finish": Meeting(over.queued_cancelled, (PERSON, PERSON)),
    "hint to a slot that waits × finish": Meeting(over.queued_with(of.give), (PERSON, PERSON)),
    "edit of a slot that waits × finish": Meeting(over.queued_with(of.edit), (PERSON, PERSON)),
    "cancel of a slot set free × claim": Meeting(over.freed_cancelled, (PERSON, MACHINE), (False, True)),
    "replace × finish": Meeting(over.claim_finish("replace"), (MACHINE, PERSON)),
    "replace × failing finish": Meeting(
        over.claim_finish("replace", "failed"), (MACHINE, PERSON), (True, False)
    ),
    "replace by key × finish": Meeting(over.start_finish("replace"), (MACHINE, PERSON)),
    "replace × cancel of the run": Meeting(over.claim_cancel("replace"), (MACHINE, PERSON), (True, False)),
    "replace × close overdue": Meeting(over.claim_overdue("replace"), (MACHINE, MACHINE), (True, False)),
    "replace × edit": Meeting(over.claim_edit("replace"), (MACHINE, PERSON), (True, False)),
    "start beside × finish": Meeting(over.claim_finish("allow"), (MACHINE, PERSON)),
    "start beside × edit": Meeting(over.claim_edit("allow"), (MACHINE, PERSON), (True, False)),
    "catching up × edit": Meeting(over.missed_edited, (MACHINE, PERSON), (True, False)),
    "rerun × the same": Meeting(anew.reruns, (PERSON, PERSON)),
}

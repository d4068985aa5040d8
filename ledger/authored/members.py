"""How an object of the authored form is folded: a table of members, walked in its order.

The order of the checks is law, since implementations are compared by the path of the first member
that fails (I19): unknown members first, then the members as the table has them, each by its form,
then against the kind of schedule it stands in. A member that is null or equals its default is left
out, so a default added later changes no digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple, NoReturn, TypeAlias

from ledger.errors import TaskRefused
from ledger.facts import shown

# A form takes the value (never null), its path, and the folded members above it; it answers the
# folded value or raises TaskRefused.
Form: TypeAlias = Callable[[object, str, Mapping[str, object]], object]

# The default of a member that has none: nothing that is written equals it.
LEFT_OUT: Final = object()


class Member(NamedTuple):
    """A line of a table. `missing` is what is said when the member is not there; "" lets it be left out.

    `goes_with` has the kinds of schedule it may be given with, and is required in; None is all.
    """

    name: str
    form: Form
    default: object = LEFT_OUT
    goes_with: frozenset[str] | None = None
    missing: str = ""


class Table:
    """The members of one kind of object, in the order in which they are judged.

    `beside` has names that people write here but that stand elsewhere, with where that is.
    """

    def __init__(self, *members: Member, beside: Mapping[str, str] | None = None) -> None:
        self.members = members
        self.names = frozenset(member.name for member in members)
        self.beside = beside or {}

    def fold(self, value: object, path: str, kind: str = "") -> dict[str, object]:
        """Open and fold in one. Raises TaskRefused with the path of the first member that fails."""
        return self.fold_members(self.open(value, path), path, kind)

    def open(self, value: object, path: str) -> dict[str, object]:
        """An object without unknown members; `path` is "" for the task itself."""
        if not isinstance(value, dict):
            refuse(path or "task", f"must be an object, not {shown(value)}")
        if not self.names.issuperset(value):
            unknown = min(str(name) for name in value if name not in self.names)
            hint = self.beside.get(unknown) or f"is no member here{nearest(unknown, self.names)}"
            refuse(join(path, unknown), hint)
        return value

    def fold_members(self, given: Mapping[str, object], path: str, kind: str = "") -> dict[str, object]:
        """Fold the members of an opened object, in the order of the table."""
        folded: dict[str, object] = {}
        for name, form, default, goes_with, missing in self.members:
            value = given.get(name)
            if value is None:
                if missing and (goes_with is None or kind in goes_with):
                    refuse(join(path, name), f"is missing; {missing}")
                continue
            at = join(path, name)
            value = form(value, at, folded)
            if value == default:
                continue
            if goes_with is not None and kind not in goes_with:
                refuse(at, f"goes with {' or '.join(sorted(goes_with))}, not with {kind}; leave it out")
            folded[name] = value
        return folded


def inner(table: Table) -> Form:
    """The form of an inner object that stands in a table as one member."""

    def fold_inner(value: object, path: str, _above: Mapping[str, object]) -> object:
        return table.fold(value, path)

    return fold_inner


def array(value: object, path: str, least: int, most: int) -> list[object]:
    """An array of so many elements, whose elements are then judged one by one."""
    if not isinstance(value, list | tuple) or not least <= len(value) <= most:
        found = f"an array of {len(value)}" if isinstance(value, list | tuple) else shown(value)
        refuse(path, f"must be an array of {least} to {most} elements, not {found}")
    return list(value)


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def refuse(path: str, message: str, excerpt: str = "") -> NoReturn:
    raise TaskRefused(path, message, excerpt=excerpt)


def nearest(word: str, words: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known word most like this one, or nothing."""
    known = {name.lower(): name for name in words}
    matches = get_close_matches(word[:64].lower(), known, n=1)
    return f"; did you mean {known[matches[0]]!r}?" if matches else ""

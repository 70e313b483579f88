"""The names that patterns use: operators, their attributes, and the nearest known one for a slip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from xdsl.dialects import get_all_dialects
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation

from relax_dialect import extensions
from relax_dialect.builder.op import NAMESPACES, RELAY_NAMES, short_name
from relax_dialect.dialect import Relax
from relax_dialect.dpl.errors import PatternError
from relax_dialect.ops.kinds import pattern_kind
from relax_dialect.text.wording import nearest

OPERATOR_ATTRIBUTES: Mapping[str, Callable[[type[Operation] | Operation], object]] = {
    "TOpPattern": pattern_kind,
}
"""Attributes of operators themselves, besides the attributes of their calls."""


@cache
def operators() -> Mapping[str, type[Operation]]:
    """Return the ops of the Relax dialect by name."""
    return {op.name: op for op in Relax.operations}


@cache
def _dialect_ops(dialect: str) -> Mapping[str, type[Operation]]:
    known = get_all_dialects()
    load = {**known, **extensions.dialects(known)}.get(dialect)
    return {} if load is None else {op.name: op for op in load().operations}


@cache
def operator(name: str) -> type[Operation]:
    """Return the op class of a name: `add`, `nn.relu`, `relax.add`, or one of another dialect,
    `arith.addf`.

    Raises `PatternError` with the nearest known name.
    """
    short = short_name(name)
    known = operators()
    for candidate in (short, RELAY_NAMES.get(short, "")):
        if (found := known.get(f"relax.{candidate}")) is not None:
            return found
    prefix = name.split(".")[0]
    others = _dialect_ops(prefix) if "." in name and prefix not in ("relax", *NAMESPACES) else {}
    if name in others:
        return others[name]
    names = list(others) or [n.removeprefix("relax.") for n in known] + list(RELAY_NAMES)
    raise PatternError(
        f"is_op({name!r}): expected the name of an operator, found an unknown one"
        f"{_nearest(name if others else short, names)}"
    )


_GIVEN: dict[str, type[Operation]] = {}
"""Op classes that patterns were made of, which need not be in a dialect that is known by name."""


def known(kind: object) -> type[Operation]:
    """Return an op class passed as an operator; raises `PatternError` for anything else."""
    if not isinstance(kind, type) or not issubclass(kind, Operation):
        raise PatternError(
            f"is_op: expected the name of an operator or an op class, found {kind!r}; "
            'write is_op("relu")'
        )
    _GIVEN.setdefault(kind.name, kind)
    return kind


def op_class(name: str) -> type[Operation]:
    """Return the class of an op that a pattern was made of."""
    return _GIVEN.get(name) or operator(name)


def require_attribute(name: str, ops: Iterable[type[Operation]] | None) -> None:
    """Refuse the name of an attribute that none of the ops has (None: that no op at all has).

    A name with a dot is an attribute that anyone may add to an op, and always allowed.
    """
    if name in OPERATOR_ATTRIBUTES or "." in name:
        return
    kinds = list(operators().values() if ops is None else ops)
    if any(not kind.name.startswith("relax.") for kind in kinds):
        return
    names = dict.fromkeys(n for kind in kinds for n in _properties(kind))
    if name not in names and not (ops is None and name in FUNCTION_ATTRIBUTES):
        whose = "no operator" if ops is None else " or ".join(sorted(k.name for k in kinds))
        raise PatternError(
            f"has_attr({name!r}): expected the name of an attribute, found one that "
            f"{whose} has{'' if ops is None else ' not'}"
            f"{_nearest(name, [*names, *OPERATOR_ATTRIBUTES])}"
        )


FUNCTION_ATTRIBUTES = ("Composite", "Codegen")
"""The attributes that partitioning leaves on functions."""


def _properties(kind: type[Operation]) -> Iterable[str]:
    return kind.get_irdl_definition().properties if issubclass(kind, IRDLOperation) else ()


def _nearest(name: str, names: Iterable[str]) -> str:
    close = nearest(name, names)
    return f"; the nearest is {close!r}" if close else "; look it up in docs/operators.md"

"""The kinds of reductions of `affine.parallel` as ops of `arith`, each with its identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

_FLOATS: Mapping[str, tuple[type[Operation], float]] = {
    "addf": (arith.AddfOp, 0.0),
    "mulf": (arith.MulfOp, 1.0),
    "maximumf": (arith.MaximumfOp, float("-inf")),
    "maxnumf": (arith.MaxnumfOp, float("-inf")),
    "minimumf": (arith.MinimumfOp, float("inf")),
    "minnumf": (arith.MinnumfOp, float("inf")),
}
_INTEGERS: Mapping[str, tuple[type[Operation], Callable[[int], int]]] = {
    "addi": (arith.AddiOp, lambda bits: 0),
    "muli": (arith.MuliOp, lambda bits: 1),
    "andi": (arith.AndIOp, lambda bits: -1),
    "ori": (arith.OrIOp, lambda bits: 0),
    "xori": (arith.XOrIOp, lambda bits: 0),
    "maxs": (arith.MaxSIOp, lambda bits: -(2 ** (bits - 1))),
    "maxu": (arith.MaxUIOp, lambda bits: 0),
    "mins": (arith.MinSIOp, lambda bits: 2 ** (bits - 1) - 1),
    "minu": (arith.MinUIOp, lambda bits: -1),
}
"""The op of a reduction, and its identity in a type of a number of bits."""

SHARED = ("addf", "mulf", "maximumf", "minimumf", "addi", "muli", "andi", "ori")
"""The kinds that MLIR takes for types without signs."""


def reduction(
    kind: str, type: Attribute
) -> tuple[Callable[..., Operation], FloatAttr | IntegerAttr] | None:
    """Return the op and the identity of a reduction; None if values of the type have no reduction of this
    kind."""
    if isinstance(type, AnyFloat) and kind in _FLOATS:
        op, start = _FLOATS[kind]
        return op, FloatAttr(start, type)
    if isinstance(type, IntegerType | IndexType) and kind in _INTEGERS:
        op, number = _INTEGERS[kind]
        bits = 64 if isinstance(type, IndexType) else type.width.data
        return op, IntegerAttr(number(bits), type)
    return None


def kinds_for(type: Attribute) -> Iterable[str]:
    """Return the kinds of reductions of values of a type."""
    return _FLOATS if isinstance(type, AnyFloat) else _INTEGERS


def kind_of(op: Operation) -> str | None:
    """Return the kind of reduction that an op computes, if MLIR knows it; None for another op."""
    kinds = (*_FLOATS.items(), *_INTEGERS.items())
    return next((k for k, (of_kind, _) in kinds if type(op) is of_kind and k in SHARED), None)

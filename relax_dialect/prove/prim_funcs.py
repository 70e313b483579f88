"""Prim funcs as values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp as PrimFunc

from relax_dialect.ops.calls import CallTirOp
from relax_dialect.prove.values import Keys, Value
from relax_dialect.prove.verdicts import Outside


def results_of(
    function: PrimFunc, call: CallTirOp, operands: Sequence[Value], keys: Keys
) -> Sequence[Value]:
    """The results of a call."""
    raise Outside("relax.call_tir")

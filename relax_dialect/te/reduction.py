"""Reductions: what `te.sum` and its like start from and how they combine."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import INDEX, DType, Number, kind, limits
from relax_dialect.te.scalar import IterVar, Reduce, Scalar, as_scalar, binary


@dataclass(frozen=True)
class Reducer:
    """A commutative reduction: the value it starts from, and how an element joins it."""

    name: str
    identity: Callable[[DType], Number]
    combine: Callable[[Scalar, Scalar], Scalar]

    def __call__(self, expr: object, axis: IterVar | Sequence[IterVar]) -> Reduce:
        """The reduction of an expression over one axis or a list of axes."""
        source = as_scalar(expr)
        axes = (axis,) if isinstance(axis, IterVar) else tuple(axis)
        self._check(source, axes)
        return Reduce(self, source, axes)

    def _check(self, source: Scalar, axes: tuple[object, ...]) -> None:
        where = f"te.{self.name}"
        if not axes:
            raise RelaxError(f"{where}: no axis given; pass axis=te.reduce_axis((0, extent))")
        seen: set[int] = set()
        for axis in axes:
            if not isinstance(axis, IterVar) or not axis.reduction:
                found = f"the index '{axis.name}'" if isinstance(axis, IterVar) else repr(axis)
                raise RelaxError(
                    f"{where}: axis= takes axes made by te.reduce_axis((0, extent)), found {found}"
                )
            if id(axis) in seen:
                raise RelaxError(
                    f"{where}: the axis '{axis.name}' is used twice; make a te.reduce_axis for each"
                )
            seen.add(id(axis))
        narrow_float = kind(source.dtype) == "float" and str(source.dtype) in ("f16", "bf16")
        if narrow_float or source.dtype == INDEX or kind(source.dtype) == "bool":
            wide = "float32" if narrow_float else "int64"
            raise RelaxError(
                f"{where} of {source.dtype}: expected a type to accumulate in; cast the expression "
                f'with .astype("{wide}"), and the result back in a stage of its own'
            )


sum = Reducer("sum", lambda dtype: 0, operator.add)
prod = Reducer("prod", lambda dtype: 1, operator.mul)
max = Reducer("max", lambda dtype: limits(dtype)[0], partial(binary, "maximum"))
min = Reducer("min", lambda dtype: limits(dtype)[1], partial(binary, "minimum"))

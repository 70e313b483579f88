"""Reductions of an expression: the accumulated values, the axes, and the initial values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import INDEX, DType, kind
from relax_dialect.te.scalar import (
    Element,
    IterVar,
    Reduce,
    Scalar,
    ScalarConstant,
    as_scalar,
)


@dataclass(frozen=True, eq=False)
class Reduction:
    """Values reduced together: `joined` computes the next accumulators from `accumulated` and
    `elements`."""

    name: str
    sources: tuple[Scalar, ...]
    axes: tuple[IterVar, ...]
    start: tuple[ScalarConstant, ...]
    accumulated: tuple[Element, ...]
    elements: tuple[Element, ...]
    joined: tuple[Scalar, ...]
    running: bool = False
    """Each point of the axis, an axis of the compute, holds the reduction up to it."""
    exclusive: bool = False
    """A running reduction leaves out the point's own element."""


@dataclass(frozen=True)
class Reducer:
    """A commutative reduction: the value it starts from, and how an element joins it."""

    name: str
    identity: Callable[..., Any]
    combine: Callable[[Any, Any], Any]
    exact: bool = False
    """Whether combining never rounds or overflows, so that any type can accumulate."""

    def __call__(self, expr: object, axis: IterVar | Sequence[IterVar] | None = None) -> Any:
        """Reduce an expression over one axis or a list of axes; several expressions are reduced together
        and yield as many values."""
        axes: Any = (
            tuple(axis) if isinstance(axis, list | tuple) else () if axis is None else (axis,)
        )
        self._check_axes(axes)
        return self._values(expr, axes)

    @property
    def mend(self) -> str:
        """The end of an error about an axis: what else may be meant."""
        return ""

    def along(self, expr: object, axis: IterVar | None, exclusive: bool) -> Any:
        """Return the running reduction along an axis of the compute itself; see `te.scan`."""
        if not isinstance(axis, IterVar) or axis.reduction:
            raise RelaxError(
                f"te.scan of te.{self.name}: axis= takes an index of the te.compute around it, "
                f"found {_described(axis)}; pass one of the function's parameters"
            )
        return self._values(expr, (axis,), running=True, exclusive=exclusive)

    def _values(self, expr: object, axes: tuple[IterVar, ...], **how: bool) -> Any:
        several = isinstance(expr, list | tuple)
        sources = tuple(map(as_scalar, expr if several else (expr,)))
        for source in sources:
            self._check_type(source)
        dtypes = [source.dtype for source in sources]
        accumulated = tuple(Element(dtype, "an accumulator") for dtype in dtypes)
        elements = tuple(Element(dtype, "an element") for dtype in dtypes)
        if several:
            joined = self.combine(accumulated, elements)
        else:
            joined = (self.combine(accumulated[0], elements[0]),)
        start = self.identity(*dtypes)
        start = self._typed("the identity", start if several else (start,), dtypes)
        joined = self._typed("combining", joined, dtypes)
        reduction = Reduction(self.name, sources, axes, start, accumulated, elements, joined, **how)
        values = tuple(Reduce(reduction, index) for index in range(len(sources)))
        return values if several else values[0]

    def _typed(self, what: str, values: object, dtypes: Sequence[DType]) -> Any:
        """Return the values of a function of the reducer: one for each one reduced, of its type."""
        expected = ", ".join(map(str, dtypes))
        found = tuple(values) if isinstance(values, list | tuple) else (values,)
        if len(found) != len(dtypes):
            raise RelaxError(
                f"te.{self.name}: {what} returns {len(found)} values, expected {len(dtypes)} of type "
                f"{expected}; return one for each value that is reduced"
            )
        scalars = tuple(map(as_scalar, found, dtypes))
        if [scalar.dtype for scalar in scalars] != list(dtypes):
            types = ", ".join(str(scalar.dtype) for scalar in scalars)
            raise RelaxError(
                f"te.{self.name}: {what} returns values of type {types}, expected {expected}; cast "
                "with .astype(...)"
            )
        if what == "the identity" and not all(isinstance(s, ScalarConstant) for s in scalars):
            raise RelaxError(
                f"te.{self.name}: the identity is no constant, expected numbers; return numbers, "
                "te.const(...), te.min_value(dtype) or te.max_value(dtype)"
            )
        return scalars

    def _check_axes(self, axes: tuple[object, ...]) -> None:
        where = f"te.{self.name}"
        if not axes:
            raise RelaxError(
                f"{where}: expected an axis, found none; pass axis=te.reduce_axis((0, extent))"
            )
        seen: set[int] = set()
        for axis in axes:
            if not isinstance(axis, IterVar) or not axis.reduction:
                raise RelaxError(
                    f"{where}: axis= takes axes made by te.reduce_axis((0, extent)), found "
                    f"{_described(axis)}{self.mend}"
                )
            if id(axis) in seen:
                raise RelaxError(
                    f"{where}: the axis '{axis.name}' is used twice; make a te.reduce_axis for each"
                )
            seen.add(id(axis))

    def _check_type(self, source: Scalar) -> None:
        narrow_float = kind(source.dtype) == "float" and str(source.dtype) in ("f16", "bf16")
        narrow = narrow_float or kind(source.dtype) == "bool"
        if source.dtype == INDEX or (narrow and not self.exact):
            wide = "float32" if narrow_float else "int64"
            raise RelaxError(
                f"te.{self.name} of {source.dtype}: expected a type to accumulate in; cast the "
                f'expression with .astype("{wide}"), and the result back in a stage of its own'
            )


def _described(axis: object) -> str:
    return f"the index '{axis.name}'" if isinstance(axis, IterVar) else repr(axis)

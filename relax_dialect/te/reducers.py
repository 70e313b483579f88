"""The reductions: `te.sum` and the like, custom and running ones."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import DType, kind, limits
from relax_dialect.te.intrinsics import are_sizes, maximum, minimum
from relax_dialect.te.reduction import Reducer
from relax_dialect.te.scalar import IterVar, ScalarConstant, as_scalar, binary, const


def comm_reducer(
    fcombine: Callable[[Any, Any], Any], fidentity: Callable[..., Any], name: str = "reduce"
) -> Reducer:
    """Return a reduction by a custom function, on one value or on several together.

    `fidentity` takes the element types. The values are combined in the order of the axes, so `argmax` keeps
    the first of equal ones:

    ```python
    def first_max(x, y):
        keep = x[1] >= y[1]
        return te.select(keep, x[0], y[0]), te.select(keep, x[1], y[1])

    argmax = te.comm_reducer(first_max, lambda i, v: (-1, te.min_value(v)), name="argmax")
    index, value = te.compute((n,), lambda i: argmax((k.astype("i64"), A[i, k]), axis=k))
    ```
    """
    return Reducer(name, fidentity, fcombine, exact=True)


def scan(
    reducer: Reducer, expr: object, axis: IterVar | None = None, exclusive: bool = False
) -> Any:
    """Return the running reduction along an axis of the compute: `cumsum`, `cumprod`, `cummax`, ...

    ```python
    cumsum = te.compute((n, m), lambda i, j: te.scan(te.sum, A[i, j], axis=j), name="cumsum")
    ```

    Several expressions are reduced together by a `comm_reducer` of as many values. An exclusive scan
    leaves out each point's own element, so it begins with the identity.
    """
    if not isinstance(reducer, Reducer):
        raise RelaxError(
            f"te.scan: expected a reducer such as te.sum or that of te.comm_reducer, found {reducer!r}"
        )
    return reducer.along(expr, axis, exclusive)


def min_value(dtype: DType | str) -> ScalarConstant:
    """Return the least value of an element type: the initial value of a maximum."""
    return _limit(dtype, 0)


def max_value(dtype: DType | str) -> ScalarConstant:
    """Return the greatest value of an element type: the initial value of a minimum."""
    return _limit(dtype, 1)


def _limit(dtype: DType | str, which: int) -> ScalarConstant:
    typed = const(0, dtype).dtype
    if kind(typed) == "bool":
        return const(which, typed)
    return const(limits(typed)[which], typed)


_all = Reducer("all", lambda dtype: True, operator.and_, exact=True)
_any = Reducer("any", lambda dtype: False, operator.or_, exact=True)


def all(*conditions: Any, axis: IterVar | Sequence[IterVar] | None = None) -> Any:
    """Return whether all conditions hold; with `axis=`, whether one holds at every point of the axes."""
    return _logical(_all, conditions, axis)


def any(*conditions: Any, axis: IterVar | Sequence[IterVar] | None = None) -> Any:
    """Return whether some condition holds; with `axis=`, whether one holds at some point of the axes."""
    return _logical(_any, conditions, axis)


def _logical(reducer: Reducer, conditions: Sequence[Any], axis: Any) -> Any:
    if not conditions:
        raise RelaxError(f"te.{reducer.name}: expected a condition, found none; pass at least one")
    scalars = [as_scalar(condition) for condition in conditions]
    for scalar in scalars:
        if kind(scalar.dtype) != "bool":
            raise RelaxError(
                f"te.{reducer.name}: a condition is of type {scalar.dtype}, expected i1; compare it, "
                "as in A[i] != 0"
            )
    one = reduce(reducer.combine, scalars)
    return one if axis is None else reducer(one, axis)


class Extremum(Reducer):
    """The maximum or minimum along axes; of two sizes it is a size, as `te.maximum` returns."""

    def __call__(self, expr: object, axis: Any = None) -> Any:
        if are_sizes(expr, axis):
            return self.combine(expr, axis)
        return super().__call__(expr, axis)

    @property
    def mend(self) -> str:
        return f"; te.{self.name}imum takes two values"


sum = Reducer("sum", lambda dtype: 0, operator.add)
prod = Reducer("prod", lambda dtype: 1, operator.mul)
max = Extremum("max", min_value, maximum, exact=True)
min = Extremum("min", max_value, minimum, exact=True)
nanmax = Reducer("nanmax", min_value, partial(binary, "fmax"), exact=True)
nanmin = Reducer("nanmin", max_value, partial(binary, "fmin"), exact=True)

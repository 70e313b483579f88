"""Layer norm and rms norm by their formulas.

    d = x - mean(x)
    d / sqrt(mean(d * d) + eps) * gamma + beta      ->  layer_norm(x, gamma, beta)
    x * rsqrt(mean(x * x) + eps) * weight           ->  rms_norm(x, weight)

The mean is over the same axes everywhere, which are kept. The square may be `power`, `square` or a product,
the variance `relax.variance`; the root `sqrt`, `rsqrt` or a power. gamma, beta and weight have the sizes of
x along the axes, and 1 or nothing along the others; without them the operators get ones and zeros.

Half precision is computed in f32 by the operators, so casts around the formula belong to it:

    astype(norm(astype(x, f32)), f16) * weight               ->  rms_norm(x, weight)
    astype(norm(astype(x, f32)) * astype(weight, f32), f16)  ->  rms_norm(x, weight)

The first rounds once more than the operator does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product as combinations
from typing import Any

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.dpl.view import owner
from relax_dialect.ops.statistical import AxesOp
from relax_dialect.rewrites.recognize.formulas import inverse_root, root, square
from relax_dialect.rewrites.recognize.numbers import Numbers, number, shortest
from relax_dialect.rewrites.rule_sets.values import known_shape
from relax_dialect.types import TensorType, is_subtype

PLAIN, CAST_BEFORE, CAST_AFTER = "", " cast before its parameters", " cast after its parameters"

astype, mean = is_op("astype"), is_op("mean")


class NormRule(FunctionRule):
    """A norm with its parameters: gamma and beta, or one of them, or none."""

    def __init__(self, centers: bool, parameters: int, casts: str):
        self.centers, self.casts = centers, casts
        self.numbers = Numbers()
        self.x, self.eps = wildcard(), wildcard()
        self.parameters: Sequence[Pattern] = [wildcard() for _ in range(parameters)]
        self.wide = astype(self.x) if casts else self.x
        self.own_mean = mean(self.wide)
        self.difference = self.wide - self.own_mean if centers else self.wide
        self.moment = mean(square(self.difference, self.numbers))
        self.variance = is_op("variance")(self.wide)
        name = "layer_norm" if centers else "rms_norm"
        super().__init__(self._form(), self._recognized, f"recognize {name}{casts}")

    def _form(self) -> Pattern:
        """The formula around the statistics."""
        spread = (self.moment | self.variance if self.centers else self.moment) + self.eps
        inverse = inverse_root(spread, self.numbers)
        form = self.difference / root(spread, self.numbers) | self.difference * inverse
        if self.casts == CAST_BEFORE:
            form = astype(form)
        given = [astype(p) if self.casts == CAST_AFTER else p for p in self.parameters]
        if given and self.casts != CAST_BEFORE:
            form = form * given[0] | self.difference * (inverse * given[0])
        elif given:
            form = form * given[0]
        if len(given) == 2:
            form = form + given[1]
        return astype(form) if self.casts == CAST_AFTER else form

    def _recognized(self, root: Value, m: Match) -> object | None:
        x = m[self.x]
        axes, eps = self._axes(m), number(m[self.eps], m[self.wide])
        if axes is None or eps is None or not self.numbers.hold(m, m[self.wide]):
            return None
        if not self._casts_are_those_of_the_operator(m, root):
            return None
        if x.shape is None or not is_subtype(TensorType.get(x.shape, x.dtype), root.type):
            return None
        sizes = [x.shape[axis] for axis in axes]
        given = [along(m[p], x, axes) for p in self.parameters]
        if None in sizes or any(parameter is None for parameter in given):
            return None
        options: dict[str, Any] = {"axes": [axis - len(x.shape) for axis in axes]}
        options["epsilon"] = shortest(eps, m[self.eps].dtype)
        kept = len(given)
        if kept == 0:
            given.append(op.ones(sizes, x.dtype))
        if not self.centers:
            return op.rms_norm(x, *given, **options)
        if kept < 2:
            given.append(op.zeros(sizes, x.dtype))
        return op.layer_norm(x, *given, **options, scale=kept > 0, center=kept > 1)

    def _axes(self, m: Match) -> tuple[int, ...] | None:
        """The axes of all means, None unless they are the same and kept."""
        shape = m[self.wide].shape
        found: set[tuple[int, ...] | None] = set()
        for node in (self.own_mean, self.moment, self.variance):
            if node in m and shape is not None:
                reduction = owner(m[node].value)
                assert isinstance(reduction, AxesOp)
                axes = tuple(sorted(reduction.axes(len(shape))))
                found.add(axes if reduction.keepdims else None)
        return found.pop() if len(found) == 1 else None

    def _casts_are_those_of_the_operator(self, m: Match, root: Value) -> bool:
        """Whether all is of one type; but for casts of half precision to f32 and back."""
        dtypes = {m[node].dtype for node in (self.x, *self.parameters)} | {root.dtype}
        if len(dtypes) != 1 or None in dtypes:
            return False
        halved = isinstance(m[self.x].dtype, Float16Type | BFloat16Type)
        return not self.casts or (halved and isinstance(m[self.wide].dtype, Float32Type))


def along(parameter: Value, x: Value, axes: Sequence[int]) -> object | None:
    """A parameter with the sizes of x along the axes, None if it broadcasts to x otherwise."""
    shape, whole = known_shape(parameter), x.shape
    if shape is None or whole is None or len(shape) > len(whole):
        return None
    missing = len(whole) - len(shape)
    for axis, size in enumerate(whole):
        own = shape[axis - missing] if axis >= missing else None
        fits = own is size if axis in axes else own is None or own.value == 1
        if (own is None and axis in axes) or not fits:
            return None
    sizes = [whole[axis] for axis in axes]
    return parameter if len(shape) == len(sizes) else op.reshape(parameter, sizes)


def rules() -> Iterable[PatternRule]:
    """The rules for all forms; those with casts and with more parameters come first."""
    for casts, parameters in combinations((CAST_AFTER, CAST_BEFORE, PLAIN), (2, 1, 0)):
        if casts != CAST_AFTER or parameters:
            yield NormRule(True, parameters, casts)
    for casts, parameters in combinations((CAST_AFTER, CAST_BEFORE, PLAIN), (1, 0)):
        if casts != CAST_AFTER or parameters:
            yield NormRule(False, parameters, casts)


__all__ = ["along", "rules"]

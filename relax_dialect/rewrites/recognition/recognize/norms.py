"""Layer norm and rms norm by their formulas.

    d = x - mean(x)
    d / sqrt(mean(d * d) + eps) * gamma + beta      ->  layer_norm(x, gamma, beta)
    x * rsqrt(mean(x * x) + eps) * weight           ->  rms_norm(x, weight)

The mean is over the same axes everywhere, which are kept, and may be a sum over, or times, a number. The
square may be `power`, `square` or a product; the variance `relax.variance` or `mean(x * x) - mean(x) ** 2`,
cut off at 0 or not, of which the operator loses no digits; the root `sqrt`, `rsqrt` or a power. gamma,
beta and weight have the sizes of x along the axes, and 1 or nothing along the others; without them the
operators get ones and zeros.

Half precision is computed in f32 by the operators, so casts around the formula belong to it:

    astype(norm(astype(x, f32)), f16) * weight               ->  rms_norm(x, weight)
    astype(norm(astype(x, f32)) * astype(weight, f32), f16)  ->  rms_norm(x, weight)

The first rounds once more than the operator does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product as combinations
from math import prod
from typing import Any

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.statistical import AxesOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.rewrites.recognition.recognize.formula_numbers import (
    FormulaNumbers,
    is_close,
    number,
    shortest,
)
from relax_dialect.rewrites.recognition.recognize.formulas import inverse_root, root, square
from relax_dialect.symbolic import Expr

PLAIN, CAST_BEFORE, CAST_AFTER = "", " cast before its parameters", " cast after its parameters"

PARAMETERS = (("gamma", "beta"), ("gamma",), ("beta",), ())

astype, mean = is_op("astype"), is_op("mean")


class Mean:
    """A mean, or a sum that a number makes one."""

    def __init__(self, of: Pattern):
        self.mean, self.sum, self.count = mean(of), is_op("sum")(of), wildcard()
        self.over = self.sum / self.count
        self.form = self.mean | self.over | self.sum * self.count

    def reduction(self, m: Match) -> Pattern | None:
        """Which of the nodes reduces, None if the mean took no part."""
        return next((node for node in (self.mean, self.sum) if node in m), None)

    def holds(self, m: Match, sizes: Iterable[Expr | None]) -> bool:
        """Return whether the number is the number of elements along axes of these sizes."""
        if self.count not in m:
            return True
        elements = prod(0 if size is None else size.value or 0 for size in sizes)
        found = number(m[self.count], m[self.sum])
        if found is None or not elements:
            return False
        wanted = elements if self.over in m else 1 / elements
        return is_close(found, wanted, m[self.count].dtype)


class NormRule(FunctionRule):
    """A norm with its parameters: gamma and beta, or one of them, or none."""

    def __init__(self, centers: bool, parameters: Sequence[str], casts: str):
        self.centers, self.casts = centers, casts
        self.numbers = FormulaNumbers()
        self.x, self.eps = wildcard(), wildcard()
        self.parameters = {name: wildcard() for name in parameters}
        self.wide = astype(self.x) if casts else self.x
        own_mean = Mean(self.wide)
        self.difference = self.wide - own_mean.form if centers else self.wide
        moment = Mean(square(self.difference, self.numbers))
        second = Mean(square(self.wide, self.numbers))
        self.means = [own_mean, moment, second]
        self.moments = moment.form
        self.variance = is_op("variance")(self.wide)
        if centers:
            apart = second.form - square(own_mean.form, self.numbers)
            above_0 = is_op("maximum")(apart, self.numbers(0.0)) | is_op("relu")(apart)
            self.moments |= self.variance | apart | above_0
        name = "layer_norm" if centers else "rms_norm"
        super().__init__(self._form(), self._recognized, f"recognize {name}{casts}")

    def _form(self) -> Pattern:
        """Return the formula around the statistics."""
        spread = self.moments + self.eps
        inverse = inverse_root(spread, self.numbers)
        form = self.difference / root(spread, self.numbers) | self.difference * inverse
        if self.casts == CAST_BEFORE:
            form = astype(form)
        given = {
            name: astype(p) if self.casts == CAST_AFTER else p
            for name, p in self.parameters.items()
        }
        if "gamma" in given:
            scaled = form * given["gamma"]
            if self.casts != CAST_BEFORE:
                scaled |= self.difference * (inverse * given["gamma"])
            form = scaled
        if "beta" in given:
            form = form + given["beta"]
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
        given = {name: along(m[p], x, axes) for name, p in self.parameters.items()}
        if None in sizes or any(parameter is None for parameter in given.values()):
            return None
        if not all(found.holds(m, sizes) for found in self.means):
            return None
        options: dict[str, Any] = {"axes": [axis - len(x.shape) for axis in axes]}
        options["epsilon"] = shortest(eps, m[self.eps].dtype)
        gamma = given["gamma"] if "gamma" in given else op.ones(sizes, x.dtype)
        if not self.centers:
            return op.rms_norm(x, gamma, **options)
        beta = given["beta"] if "beta" in given else op.zeros(sizes, x.dtype)
        kept = {"scale": "gamma" in given, "center": "beta" in given}
        return op.layer_norm(x, gamma, beta, **options, **kept)

    def _axes(self, m: Match) -> tuple[int, ...] | None:
        """Return the axes of all means, None unless they are the same and kept."""
        shape = m[self.wide].shape
        found: set[tuple[int, ...] | None] = set()
        for node in (self.variance, *(mean.reduction(m) for mean in self.means)):
            if node is not None and node in m and shape is not None:
                reduction = owner(m[node].value)
                assert isinstance(reduction, AxesOp)
                axes = tuple(sorted(reduction.axes(len(shape))))
                found.add(axes if reduction.keepdims else None)
        return found.pop() if len(found) == 1 else None

    def _casts_are_those_of_the_operator(self, m: Match, root: Value) -> bool:
        """Return whether all is of one type; but for casts of half precision to f32 and back."""
        dtypes = {m[node].dtype for node in (self.x, *self.parameters.values())} | {root.dtype}
        if len(dtypes) != 1 or None in dtypes:
            return False
        halved = isinstance(m[self.x].dtype, Float16Type | BFloat16Type)
        return not self.casts or (halved and isinstance(m[self.wide].dtype, Float32Type))


def along(parameter: Value, x: Value, axes: Sequence[int]) -> Any:
    """Return a parameter with the sizes of x along the axes, None if it broadcasts to x otherwise."""
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
    """Return the rules for all forms; rules with casts and with more parameters come first."""
    for centers, casts in combinations((True, False), (CAST_AFTER, CAST_BEFORE, PLAIN)):
        for parameters in PARAMETERS if centers else (("gamma",), ()):
            if casts != CAST_AFTER or parameters:
                yield NormRule(centers, parameters, casts)

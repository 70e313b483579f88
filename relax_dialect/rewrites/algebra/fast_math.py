"""relax-fast-math: exponentials by polynomials of a few terms, as TVM's FastMathTransform has them.

```mlir
%y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
->
%y = relax.call_tir @fast_exp(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
```

`exp`, `tanh`, `erf` and `softmax` of f32 become prim funcs of tensor expressions:

* `exp`: 2^n times a polynomial of degree 7 in x - n ln 2 (Moshier's Cephes, `expf`): infinity from 88.38
  on, 0 below -87.7;
* `tanh`: an odd polynomial of degree 13 over an even one of degree 6, between -9 and 9, and
* `erf`: one of degree 13 over one of degree 8, between -4 and 4 (both of Eigen's MathFunctionsImpl);
* `softmax`: with that `exp`.

Measured over f32's exponents, as a part of the exact value: `exp` is off by at most 4.1e-6 (3e-7 where
compilers contract `a * b + c`), `tanh` by 3e-7, `erf` by 3.4e-7. Compiled code needs none of it:
relax-expand-math, a part of lowering, has polynomials that are more exact and take no longer (4,096
elements: 4.2 us, these 4.3). It is for programs that go to TVM, or that are to round as there. Other
element types stay, and so do tensors without a known shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect import te
from relax_dialect.builder.values import Value
from relax_dialect.ops.activation import SoftmaxOp
from relax_dialect.ops.unary import ErfOp, ExpOp, TanhOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.visitor import ExprMutator

EXP_END = 88.3762626647950
"""The argument whose exponential is nearly the largest power of 2."""
EXP = (
    1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
)  # fmt: skip
ROUNDER = 1.5 * 2.0**23
"""Added to an integer, this has it in its low bits."""
LOG2_E, LN_2 = 1.44269504088896341, 0.6931471805599453
TANH = (
    -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
    1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03,
)  # fmt: skip
TANH_BELOW = (
    1.19825839466702e-06,
    1.18534705686654e-04,
    2.26843463243900e-03,
    4.89352518554385e-03,
)
ERF = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
ERF_BELOW = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip
"""The coefficients of polynomials, the highest power first."""


def _polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    found: Any = coefficients[0]
    for each in coefficients[1:]:
        found = found * x + each
    return found


def _clamped(x: Any, end: float) -> Any:
    return te.maximum(te.minimum(x, end), -end)


def _exp(x: Any) -> te.Scalar:
    clamped = _clamped(x, EXP_END)
    power = te.floor(clamped * LOG2_E + 0.5)
    rest = clamped - power * LN_2
    mantissa = _polynomial(rest, EXP) * rest * rest + rest + 1.0
    biased = te.reinterpret(power + (ROUNDER + 127.0), "i32") << 23
    return te.maximum(te.reinterpret(biased, "f32") * mantissa, x)


def _quotient(x: Any, end: float, above: Sequence[float], below: Sequence[float]) -> te.Scalar:
    """Return an odd polynomial over an even one."""
    clamped = _clamped(x, end)
    square = clamped * clamped
    return clamped * _polynomial(square, above) / _polynomial(square, below)


def fast_exp(x: te.Tensor) -> te.Tensor:
    """`exp` of each element."""
    return te.compute(x.shape, lambda *i: _exp(x[i]), name="fast_exp")


def fast_tanh(x: te.Tensor) -> te.Tensor:
    """`tanh` of each element."""
    return te.compute(x.shape, lambda *i: _quotient(x[i], 9.0, TANH, TANH_BELOW), name="fast_tanh")


def fast_erf(x: te.Tensor) -> te.Tensor:
    """`erf` of each element."""
    return te.compute(x.shape, lambda *i: _quotient(x[i], 4.0, ERF, ERF_BELOW), name="fast_erf")


def fast_softmax(x: te.Tensor, axis: int) -> te.Tensor:
    """Softmax along an axis, by `fast_exp`."""
    reduced = (*x.shape[:axis], *x.shape[axis + 1 :])

    def along(fold: Callable[..., Any], of: te.Tensor, name: str) -> te.Tensor:
        k = te.reduce_axis((0, x.shape[axis]), name="k")
        return te.compute(
            reduced, lambda *i: fold(of[*i[:axis], k, *i[axis:]], axis=[k]), name=name
        )

    def without(i: Sequence[Any]) -> tuple[Any, ...]:
        return (*i[:axis], *i[axis + 1 :])

    highest = along(te.max, x, "highest")
    powers = te.compute(x.shape, lambda *i: _exp(x[i] - highest[without(i)]), name="powers")
    total = along(te.sum, powers, "total")
    return te.compute(x.shape, lambda *i: powers[i] / total[without(i)], name="fast_softmax")


class _FastMath(ExprMutator):
    """Replaces some operators by calls of prim funcs."""

    count = 0

    def _call(self, function: Callable[..., Any], x: SSAValue, *args: Any) -> object | None:
        shape = known_shape(x)
        if shape is None or x.type.dtype != f32:  # pyright: ignore
            return None
        self.count += 1
        return self.builder.call_te(function, Value(x), *args)

    def visit_exp(self, op: ExpOp) -> object | None:
        return self._call(fast_exp, op.x)

    def visit_tanh(self, op: TanhOp) -> object | None:
        return self._call(fast_tanh, op.x)

    def visit_erf(self, op: ErfOp) -> object | None:
        return self._call(fast_erf, op.x)

    def visit_softmax(self, op: SoftmaxOp) -> object | None:
        shape = known_shape(op.x)
        return None if shape is None else self._call(fast_softmax, op.x, op.axis_of(len(shape)))


def fast_math(module: ModuleOp) -> int:
    """Compute `exp`, `tanh`, `erf` and `softmax` of f32 by few terms; returns the number of replaced
    operators."""
    mutator = _FastMath()
    mutator.visit_expr(module)
    return mutator.count


class FastMathPass(ModulePass):
    """Compute exponentials by polynomials of few terms."""

    name = "relax-fast-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fast_math(op)

"""relax-fold-batch-norm: a scale and a shift of each channel go into the weights of the op before.

```mlir
%y = relax.conv2d %x, %w : ...
%z, %m, %v = relax.batch_norm %y, %gamma, %beta, %mean, %var {axis = 1, training = false} : ...
    ->
scale = gamma / sqrt(var + epsilon)                      // one number for each channel
%z = conv2d(x, w * scale) + (beta - mean * scale)
```

The op before is a convolution of one to three dimensions in any layout, with groups or without, a
transposed one without groups, a `relax.matmul` or `relax.linear`, with or without a bias. It has one user,
and the channels are the axis that its weights produce: the last one of a product. `relax.batch_norm` is
folded in its inference form, which returns the moving statistics unchanged. So are its parts, as exporters
write them:

    (x conv w + b) * c  ->  x conv (w * c) + b * c             c of one number for each channel, or one
    (x conv w + b) / c  ->  x conv (w / c) + b / c
    (x conv w + b) + c  ->  x conv w + (b + c)
    (x conv w) - c      ->  x conv w + (-c)

There w and c must be computed from constants and parameters by a few ops on elements and shapes: weights
that depend on the input are cheaper to scale after the product. relax-fold-constant computes new weights
of constants, as far as its `max-elements` allows.

Finite results differ by rounding: of f16 and bf16 the new weights are computed in f32 and rounded once. If
the product overflows and the scale would have brought it back into range, the new result is finite, or vice
versa.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.builder import op
from relax_dialect.builder.values import Expression, Value
from relax_dialect.dpl import FunctionRule, Match, RuleTable, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner, source
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ops.binary import AddOp, DivideOp, MultiplyOp, SubtractOp
from relax_dialect.ops.convolution import ConvolutionOp, TransposedConvolutionOp
from relax_dialect.ops.core import ConstantOp, ShapeOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.linear_algebra import LinearOp
from relax_dialect.ops.manipulate import (
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
)
from relax_dialect.ops.normalization import BatchNormOp
from relax_dialect.ops.type_rules import is_float
from relax_dialect.ops.unary import NegativeOp, ReciprocalOp, RsqrtOp, SqrtOp, SquareOp
from relax_dialect.symbolic import Expr

CONVOLUTIONS = [f"conv{n}d{transposed}" for n in (1, 2, 3) for transposed in ("", "_transpose")]
CHEAP = (
    *(AddOp, SubtractOp, MultiplyOp, DivideOp),
    *(NegativeOp, SqrtOp, RsqrtOp, ReciprocalOp, SquareOp, AstypeOp),
    *(ShapeOp, ReshapeOp, FlattenOp, ExpandDimsOp, SqueezeOp, PermuteDimsOp, BroadcastToOp),
)
"""The ops that weights may be computed by."""
FEW = 32
"""The maximum number of such ops that are examined."""

x, w, b, inner, c = wildcard(), wildcard(), wildcard(), wildcard(), wildcard()
gamma, beta, mean, var = wildcard(), wildcard(), wildcard(), wildcard()
plain = reduce(or_, [is_op(name)(x, w) for name in (*CONVOLUTIONS, "matmul", "linear")])
with_inner = is_op("linear")(x, w, inner)
product = plain | with_inner
biased = is_op("add")(product, b) | product

Number = Value | Expression
Factor = Callable[[Number, Number], Expression]


@dataclass
class Layer:
    """A product, its weights and its bias, and where they have the channels of its result."""

    op: Any
    weight: Value
    bias: Value | None
    size: Expr
    """The number of channels."""
    axis: int
    """The axis of the result that they are."""
    weight_axis: int
    rank: int
    dtype: Attribute

    @classmethod
    def of(cls, m: Match) -> Layer | None:
        """Return the matched layer; None if types do not determine its channels."""
        found, weight = owner(m[product].value), m[w]
        result = m[product]
        assert found is not None
        if result.shape is None or weight.shape is None or result.dtype != weight.dtype:
            return None
        if weight.dtype is None or not is_float(weight.dtype) or (inner in m and b in m):
            return None
        rank, axes = len(result.shape), _axes(found, len(result.shape), len(weight.shape))
        if axes is None or (size := weight.shape[axes[1]]) is None:
            return None
        bias = m.get(b) if b in m else m.get(inner)
        layer = cls(found, weight, bias, size, *axes, rank, weight.dtype)
        return layer if bias is None or layer.is_of_channels(bias) else None

    def is_of_channels(self, value: Value) -> bool:
        """Return whether a value has one number for each channel, or one for all of them."""
        if value.shape is None or len(value.shape) > self.rank or value.dtype != self.dtype:
            return False
        for back, size in enumerate(reversed(value.shape), start=1):
            if size is None or (size.value != 1 and size is not self.size):
                return False
            if size.value != 1 and self.rank - back != self.axis:
                return False
        return True

    def along_channels(
        self, vector: Number, axis: int | None = None, rank: int | None = None
    ) -> Number:
        """Numbers of the channels, so that they broadcast with the result, or along another axis."""
        axis, rank = (self.axis, self.rank) if axis is None or rank is None else (axis, rank)
        new = list(range(1, rank - axis))
        return op.expand_dims(vector, new) if new else vector

    def scaled(self, factor: Factor, by: Number, by_one: bool = False) -> Expression:
        """Return the product with weights scaled by one number for each channel, or one for all."""
        rank = len(self.weight.shape or ())
        by = by if by_one else self.along_channels(by, self.weight_axis % rank, rank)
        return self._made(factor(self.wide(self.weight), self.wide(by)))

    def _made(self, weight: Expression) -> Expression:
        if self.is_narrow:
            weight = weight.astype(self.dtype)
        old = self.op

        def make(x: SSAValue, weight: SSAValue) -> Operation:
            type = old.result.type
            return old.create(operands=[x, weight], properties=old.properties, result_types=[type])

        return Expression(make, (Value(old.operands[0]), weight))

    @property
    def is_narrow(self) -> bool:
        return isinstance(self.dtype, Float16Type | BFloat16Type)

    def wide(self, value: Number) -> Number:
        """Return a value in the type that weights are computed in."""
        return value.astype("f32") if self.is_narrow else value

    def rounded(self, value: Number) -> Number:
        """Return a value in the type of the layer."""
        return value.astype(self.dtype) if self.is_narrow else value


def _axes(found: Operation, rank: int, weight_rank: int) -> tuple[int, int] | None:
    """The axes of the result and of the weights that are the channels, None if these are split."""
    if isinstance(found, ConvolutionOp):
        is_grouped = isinstance(found, TransposedConvolutionOp) and found.group_count > 1
        if is_grouped or found.is_blocked:
            return None
        return found.result_layout.index("C"), found.weight_layout.index("O")
    if weight_rank < 2 or rank < 1:
        return None
    return rank - 1, 0 if isinstance(found, LinearOp) else weight_rank - 1


def _is_one(shape: tuple[Any, ...]) -> bool:
    return all(size is not None and size.value == 1 for size in shape)


def is_weight(value: Value) -> bool:
    """Return whether a value is computed from constants and parameters by a few cheap ops."""
    work, seen = [value.value], set[SSAValue]()
    while work:
        current = source(work.pop())
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current, BlockArgument) or isinstance(current.owner, ConstantOp):
            continue
        if len(seen) > FEW or not isinstance(current.owner, CHEAP):
            return False
        work.extend(current.owner.operands)
    return True


def _fits(new: Value, old: SSAValue) -> bool:
    return is_subtype(new.type, old.type)


def _fold_batch_norm(root: Value, m: Match) -> object | None:
    norm, layer = owner(root.value), Layer.of(m)
    assert isinstance(norm, BatchNormOp)
    if layer is None or norm.training or norm.parameter_axes(layer.rank) != (layer.axis,):
        return None
    if any(
        m[p].shape != (layer.size,) or m[p].dtype != layer.dtype for p in (gamma, beta, mean, var)
    ):
        return None
    if not (_fits(m[product], norm.result) and _fits(m[mean], norm.new_mean)):
        return None
    if not _fits(m[var], norm.new_var):
        return None
    root_of = op.sqrt(layer.wide(m[var]) + norm.epsilon)
    scale = layer.wide(m[gamma]) / root_of if norm.scale else op.reciprocal(root_of)
    moved, shift = layer.wide(m[mean]), layer.wide(m[beta])
    if layer.bias is None:
        shift = shift - moved * scale if norm.center else op.negative(moved * scale)
        shift = layer.along_channels(shift)
    else:
        biased_by = layer.wide(layer.bias) - layer.along_channels(moved)
        scaled = biased_by * layer.along_channels(scale)
        shift = scaled + layer.along_channels(shift) if norm.center else scaled
    result = layer.scaled(op.multiply, scale) + layer.rounded(shift)
    return [result, m[mean], m[var]]


def _fold_scale(factor: Factor) -> Callable[[Value, Match], object | None]:
    """Return the replacement of a product that is multiplied or divided."""

    def replace(root: Value, m: Match) -> object | None:
        layer, by = Layer.of(m), m[c]
        if layer is None or not layer.is_of_channels(by) or not _fits(m[product], root.value):
            return None
        if not is_weight(by) or not is_weight(layer.weight):
            return None
        if _is_one(by.shape or ()):
            result = layer.scaled(factor, op.reshape(by, []) if by.shape else by, by_one=True)
        else:
            result = layer.scaled(factor, by if len(by.shape or ()) == 1 else op.flatten(by))
        if layer.bias is None:
            return result
        return result + layer.rounded(factor(layer.wide(layer.bias), layer.wide(by)))

    return replace


def _fold_shift(factor: Factor) -> Callable[[Value, Match], object | None]:
    """Return the replacement of a product that is shifted twice, or from which a shift is subtracted."""

    def replace(root: Value, m: Match) -> object | None:
        layer, by = Layer.of(m), m[c]
        if layer is None or not layer.is_of_channels(by) or not _fits(m[product], root.value):
            return None
        if not is_weight(by):  # as another product would be: each could go to the other for ever
            return None
        if inner in m:
            if by.shape not in ((), (layer.size,)):
                return None
            return op.linear(m[x], m[w], factor(m[inner], by), out_dtype=layer.op.out_dtype)
        if layer.bias is None:
            return m[product] + op.negative(by)
        return m[product] + factor(layer.bias, by)

    return replace


@cache
def rules() -> RuleTable:
    """Return the table."""
    return RuleTable(
        [
            FunctionRule(
                is_op("batch_norm")(biased, gamma, beta, mean, var), _fold_batch_norm, "batch_norm"
            ),
            FunctionRule(is_op("multiply")(biased, c), _fold_scale(op.multiply), "scale"),
            FunctionRule(is_op("divide")(biased, c), _fold_scale(op.divide), "quotient"),
            FunctionRule(
                is_op("add")(is_op("add")(product, b), c), _fold_shift(op.add), "two shifts"
            ),
            FunctionRule(
                is_op("add")(product & with_inner, c), _fold_shift(op.add), "shift of linear"
            ),
            FunctionRule(is_op("subtract")(biased, c), _fold_shift(op.subtract), "negative shift"),
        ]
    )


def fold_batch_norms(module: ModuleOp) -> int:
    """Fold scales and shifts into the weights before them; returns their number."""
    return apply_rules(rules(), module)


class FoldBatchNormPass(ModulePass):
    """Fold scales and shifts of channels into the weights before them."""

    name = "relax-fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fold_batch_norms(op)

"""relax-quantize-activations{group=32}: rows that narrow weights multiply are rounded to 8-bit integers.

```mlir
%w = relax.dequantize %c, %sw, %zw {axis = 1, block_size = 32} : i8                // constants
%y = relax.linear %x, %w : ([n, 64], [48, 64]) -> [n, 48]
->
%g = relax.reshape %x, %shape : [n, 64] -> [n, 2, 32]
%m = relax.max (relax.abs %g) {axis = -1} : [n, 2]
%s = relax.maximum (relax.multiply %m, 1 / 127), 2^-126 : [n, 2]
%q = relax.quantize %x, %s, 0 {block_size = 32, out_dtype = i8} : [n, 64]
%d = relax.dequantize %q, %s, 0 {block_size = 32} : [n, 64]
%y = relax.linear %d, %w : ([n, 64], [48, 64]) -> [n, 48]
```

Each group of a row has a scale, its largest magnitude / 127; the last group may be shorter. Products of
such rows and weights of 8 or 4 bits are computed in integers, group by group
(`lowering/legalize/grouped_products.py`), and products of the same rows share these. Other products are
unchanged: of other weights, of unknown sizes, of other types than f32. Rows have to be finite.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from relax_dialect.builder.constant_values import array
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import MaximumOp, MultiplyOp
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.moving import PadOp
from relax_dialect.ops.quantization import DequantizeOp, QuantizeOp, i8
from relax_dialect.ops.statistical import MaxOp
from relax_dialect.ops.unary import AbsOp
from relax_dialect.rewrites.quantization.narrowing.weights import narrow_weight
from relax_dialect.symbolic import const
from relax_dialect.transform.pattern_driver import apply_patterns

GROUP = 32
"""The numbers of a row that share a scale."""

UNIT = 8
"""Groups are multiples of it, and at most `MOST`."""

MOST = 256

LARGEST = 127
"""The largest integer: the integers are symmetric, so that magnitudes fit 7 bits."""

LEAST = np.finfo(np.float32).tiny
"""The least scale, of groups of zeros: no division by zero."""


def quantize_activations(module: ModuleOp, group: int = GROUP) -> int:
    """Round the rows that narrow weights of integers multiply; return the number of products.

    Raises `RelaxError` for a group that is no multiple of 8 from 8 to 256.
    """
    if group not in range(UNIT, MOST + 1, UNIT):
        raise RelaxError(
            f"{QuantizeActivationsPass.name}: group: expected a multiple of {UNIT} from {UNIT} to {MOST}, "
            f"found {group}; 32 is usual"
        )
    pattern = RoundRows(group)
    apply_patterns(module, [pattern])
    return pattern.count


def _is_narrow(op: Operation) -> bool:
    """Return whether an op is a product of rows of f32, computed, and narrow weights of integers."""
    if not isinstance(op, MatmulOp | LinearOp):
        return False
    weight, x = narrow_weight(op), op.operands[0]
    if weight is None or weight.form not in ("i8", "i4") or not isinstance(x.type, TensorType):
        return False
    shape = x.type.shape or (None,)
    return x.type.dtype == f32 and None not in shape and not isinstance(x.owner, DequantizeOp)


@dataclass
class RoundRows(RewritePattern):
    """Rounds the rows of products with narrow weights of integers."""

    group: int
    count: int = 0
    """The number of products that were changed."""
    made: dict[tuple[SSAValue, Block | None], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Block | None], SSAValue]
    )
    """The rows that have been rounded, once in each block."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not _is_narrow(op):
            return
        key = op.operands[0], op.parent
        if key not in self.made:
            self.made[key] = self._rounded(op.operands[0], op, rewriter)
        op.operands[0] = self.made[key]
        rewriter.notify_op_modified(op)
        self.count += 1

    def _rounded(self, x: SSAValue, op: Operation, rewriter: PatternRewriter) -> SSAValue:
        zero, scale = array(np.zeros((), np.int8)), self._scales(x)
        codes = QuantizeOp(x, scale[-1], zero, -1, i8, self.group)
        floats = DequantizeOp(codes, scale[-1], zero, -1, f32, self.group)
        made = [*scale, zero, codes, floats]
        rewriter.insert(made, InsertPoint.before(op))
        inherit(made, op.location)
        codes.result.name_hint, floats.result.name_hint = "codes", x.name_hint  # pyright: ignore
        return floats.results[0]

    def _scales(self, x: SSAValue) -> list[Operation]:
        """Return the ops that compute the scale of each group of a row, in order."""
        assert isinstance(x.type, TensorType) and x.type.shape is not None
        *outer, depth = [size for size in x.type.shape if size is not None]
        assert depth.value is not None, "weights are constants"
        count, ops = -(-depth.value // self.group), list[Operation]()
        if more := count * self.group - depth.value:
            ops.append(PadOp(x, [0] * (2 * len(outer) + 1) + [more]))
        shape = ShapeOp([*outer, const(count), const(self.group)])
        groups = ReshapeOp(ops[-1].results[0] if ops else x, shape)
        most = MaxOp(magnitudes := AbsOp(groups), [-1])
        step, least = (array(np.asarray(n, np.float32)) for n in (1 / LARGEST, LEAST))
        steps = MultiplyOp(most, step)
        return [*ops, shape, groups, magnitudes, most, step, steps, least, MaximumOp(steps, least)]


@dataclass(frozen=True)
class QuantizeActivationsPass(ModulePass):
    """Round rows that narrow weights multiply to 8-bit integers."""

    name = "relax-quantize-activations"

    group: int = GROUP

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        quantize_activations(op, self.group)

"""Rows of narrow tables: taken first, decoded then.

    %t = relax.dequantize %q, %scale, %zero : i8            %rows = relax.take %q, %i {axis = 0}
    %y = relax.take %t, %i {axis = 0}              ->       %y = (float(%rows) - zeros) * scales, also taken

Numbers of four bits are taken as bytes, of which `relax.view` makes numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from relax_dialect.builder.constant_values import array
from relax_dialect.interpret.runtime_values import Array, dtype_name
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import MLIR_NAMES, STORAGE, per_byte
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import MultiplyOp, SubtractOp
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.memory import ViewOp
from relax_dialect.ops.moving import RepeatOp
from relax_dialect.rewrites.quantization.narrowing.decoding import Decoded, SharedParameter, decoded
from relax_dialect.rewrites.quantization.narrowing.weights import LEAST
from relax_dialect.symbolic import Expr, const


def narrow_table(op: Operation) -> Decoded | None:
    """Return the table whose rows an operator takes, if it may decode the rows alone."""
    if not isinstance(op, TakeOp) or op.mode == "nan" or not isinstance(op.x.type, TensorType):
        return None
    if op.x.type.rank != 2 or op.x.type.dtype != f32 or op.axis_of(2) != 0:
        return None
    result = op.results[0].type
    if not isinstance(result, TensorType) or result.shape is None or None in result.shape:
        return None
    found = decoded(op.x)
    if found is None or found.codes.ndim != 2 or found.codes.size < LEAST:
        return None
    name, width = dtype_name(found.codes.dtype), found.codes.shape[1]
    places = per_byte(STORAGE[name]) if name in STORAGE else 1
    fits = all(map(_fits, (found.scale, found.zero), [width] * 2))
    return found if fits and width % places == 0 else None


def _fits(blocks: SharedParameter | None, width: int) -> bool:
    """Return whether each row has parameters of its own, or all have the same."""
    if blocks is None:
        return True
    rows, columns = blocks.array.shape
    across = columns == 1 or columns * blocks.shared[1] == width
    return across and (rows == 1 or blocks.shared[0] == 1)


@dataclass
class DecodedRows:
    """Builds the ops that replace a `relax.take`."""

    op: TakeOp
    table: Decoded
    insert: Callable[[Operation], SSAValue]

    def decoded(self) -> SSAValue:
        """Return the rows as floats."""
        found = self.insert(AstypeOp(self._codes(), f32))
        for kind, blocks in ((SubtractOp, self.table.zero), (MultiplyOp, self.table.scale)):
            if blocks is not None:
                found = self.insert(kind(found, self._parameter(blocks)))
        return found

    def _taken(self, table: Array) -> SSAValue:
        rows = self.insert(array(np.ascontiguousarray(table)))
        return self.insert(TakeOp(rows, self.op.indices, axis=0, mode=self.op.mode))

    def _codes(self) -> SSAValue:
        codes = self.table.codes
        name = dtype_name(codes.dtype)
        if name not in MLIR_NAMES.values() or (places := per_byte(STORAGE[name])) == 1:
            return self._taken(codes)
        bits = np.ascontiguousarray(codes).view(np.uint8) & np.uint8((1 << 8 // places) - 1)
        parts = bits.reshape(len(bits), -1, places)
        shifts = np.arange(places, dtype=np.uint8) * np.uint8(8 // places)
        rows = self._taken(np.bitwise_or.reduce(parts << shifts, axis=2))
        shape = self.insert(ShapeOp(self._sizes()))
        return self.insert(ViewOp(rows, shape, parse_dtype(name)))

    def _sizes(self) -> Sequence[Expr]:
        type = self.op.results[0].type
        assert isinstance(type, TensorType) and type.shape is not None
        outer = [size for size in type.shape[:-1] if size is not None]
        return [*outer, const(self.table.codes.shape[1])]

    def _parameter(self, blocks: SharedParameter) -> SSAValue:
        """Return the parameters of the rows, one for each element or to be broadcast."""
        values = np.ascontiguousarray(blocks.array, np.float32)
        found = self.insert(array(values[0])) if len(values) == 1 else self._taken(values)
        if blocks.shared[1] == 1 or values.shape[1] == 1:
            return found
        return self.insert(RepeatOp(found, repeats=blocks.shared[1], axis=-1))

"""`memref.transpose`, which xDSL 0.75 does not have, read as `memref.reinterpret_cast`.

%t = memref.transpose %m (i, j) -> (j, i) : memref<3x4xf32> to memref<4x3xf32, strided<[1, 4]>>
->
%t = memref.reinterpret_cast %m to offset: [0], sizes: [4, 3], strides: [1, 4] : ...
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.dialects.memref import MemRef, ReinterpretCastOp
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.parser import Parser


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """A view whose dimensions have another order, of a memref whose sizes are known."""

    name = "memref.transpose"

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        start = parser.pos
        source = parser.parse_unresolved_operand()
        order = [
            each.position if isinstance(each, AffineDimExpr) else None
            for each in parser.parse_affine_map().results
        ]
        parser.parse_punctuation(":")
        type = parser.parse_type()
        parser.parse_keyword("to")
        result = parser.parse_type()
        value = parser.resolve_operand(source, type)
        strides = type.get_strides() if isinstance(type, MemRefType) else None
        if not isinstance(type, MemRefType) or sorted(map(str, order)) != sorted(
            map(str, range(len(type.get_shape())))
        ):
            parser.raise_error(
                f"{cls.name}: expected a memref and an order of its dimensions, found {type} and "
                f"{order}; correct one of them",
                start,
                parser.pos,
            )
        sizes = type.get_shape()
        offset = type.layout.get_offset() if isinstance(type.layout, StridedLayoutAttr) else 0
        if strides is None or None in (*strides, offset) or DYNAMIC_INDEX in sizes:
            parser.raise_error(
                f"{cls.name}: expected a memref whose sizes and strides are known, found {type}; write "
                "memref.reinterpret_cast",
                start,
                parser.pos,
            )
        moved = [each for each in order if each is not None]
        known: Any = ([offset], [sizes[i] for i in moved], [strides[i] for i in moved])
        return ReinterpretCastOp(value, [], [], [], known[0], known[1], known[2], result)


def install() -> None:
    """Register the op with xDSL's dialect, whichever way it is loaded."""
    if TransposeOp not in MemRef.operations:
        MemRef._operations.append(TransposeOp)  # pyright: ignore[reportPrivateUsage]

"""Attributes that keep TIR of prim funcs: names, forms of sizes, and annotations that TVM's schedules read.

| attribute | on | value |
|---|---|---|
| `tir.params` | the function | the names of all parameters in TVM's order |
| `tir.int32` | the function | loops and sizes are of type `int32` in TIR, not `int64` |
| `tir.attributes` | the function | other attributes of `T.func_attr`: `op_pattern` and others |
| `tir.constants` | the function | numbers of TIR that are more precise than the type they are of |
| `tir.sizes` | the function | the text of sizes in TIR, by their text here |
| `tir.block` | `linalg.generic` | the name of the block |
| `tir.annotations` | `linalg.generic` | the text of the block's `T.sblock_attr` |
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, StringAttr, f64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from relax_dialect.te.dtypes import F32, DType, float_attribute
from relax_dialect.te.scalar import ScalarConstant

PARAMS = "tir.params"
NARROW = "tir.int32"
ATTRIBUTES = "tir.attributes"
CONSTANTS = "tir.constants"
SIZES = "tir.sizes"
BLOCK = "tir.block"
ANNOTATIONS = "tir.annotations"


def keep_constants(function: func.FuncOp, node: ast.AST) -> None:
    """Keep the numbers of a definition that 32 bits round."""
    numbers = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    precise = dict.fromkeys(
        n for n in numbers if isinstance(n, float) and abs(n) < 1e38 and _rounds(n)
    )
    if precise:
        function.attributes[CONSTANTS] = ArrayAttr(FloatAttr(n, f64) for n in precise)


def _rounds(number: float) -> bool:
    return _rounded(number, F32) != number


def _rounded(number: float, dtype: DType) -> float:
    """Round a number to a float type."""
    return float_attribute(number, dtype).value.data


class KeptConstants:
    """The numbers that a function keeps."""

    def __init__(self, function: func.FuncOp):
        kept = function.attributes.get(CONSTANTS)
        found = kept.data if isinstance(kept, ArrayAttr) else ()
        self.numbers = [n.value.data for n in found if isinstance(n, FloatAttr)]

    def value(self, node: ScalarConstant) -> float:
        """Return the value of a float in TIR."""
        value = float(node.value)
        for number in self.numbers:  # as Python has them: a sign in front is no part of one
            if _rounded(number, node.dtype) == abs(value):
                return math.copysign(number, value)
        return value


def keep_sizes(function: func.FuncOp, texts: Mapping[str, str]) -> None:
    """Keep how TIR writes sizes."""
    if texts:
        kept = {size: StringAttr(text) for size, text in texts.items()}
        function.attributes[SIZES] = DictionaryAttr(kept)


def kept_sizes(function: func.FuncOp) -> dict[str, str]:
    """Return the text of sizes in TIR, as far as it is known."""
    found = function.attributes.get(SIZES)
    given = found.data if isinstance(found, DictionaryAttr) else {}
    return {size: text.data for size, text in given.items() if isinstance(text, StringAttr)}


def keep_blocks(function: func.FuncOp, blocks: Sequence[tuple[str, str | None]]) -> None:
    """Keep names and annotations of blocks, one for each generic of a function in order."""
    generics = [op for op in function.body.block.ops if isinstance(op, GenericOp)]
    if len(generics) != len(blocks):
        return
    for op, (title, said) in zip(generics, blocks):
        op.attributes[BLOCK] = StringAttr(title)
        if said is not None:
            op.attributes[ANNOTATIONS] = StringAttr(said)


def kept_text(op: Operation | None, name: str) -> str | None:
    """Return the text that an op keeps under a name."""
    found = None if op is None else op.attributes.get(name)
    return found.data if isinstance(found, StringAttr) else None


def kept_names(function: func.FuncOp) -> list[str]:
    """Return the names of the parameters in TVM, empty if they are not known."""
    found = function.attributes.get(PARAMS)
    given: Iterable[object] = found.data if isinstance(found, ArrayAttr) else ()
    return [each.data for each in given if isinstance(each, StringAttr)]

"""Random programs of the ops that relax-simplify-algebra has rules for, on numbers that tell rules apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from relax_dialect.builder import constant_values
from relax_dialect.builder.op import operators
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp, OutputOp
from relax_dialect.ops.core import FuncOp, ReturnOp, ShapeOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.type_rules import is_bool, is_float
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.rule_sets.neutral import (
    ABSORBING,
    FAST_ABSORBING,
    FAST_NEUTRAL,
    NEUTRAL,
    NeutralElement,
)
from relax_dialect.symbolic import Expr, const, product, var

OPS: dict[str, Any] = dict(operators())
N = var("n")
SHAPES = [(), (N,), (const(3),), (const(1), N), (N, const(2)), (const(1), const(3), const(1))]
DTYPES = ["f32", "f64", "f16", "i8", "i32", "i64", "ui8", "ui16", "i1"]
FLOATS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5]
INTEGERS = [0, 1, -1, 2, -128, 127, 255, -(2**31), 2**31 - 1, 2**63 - 1, -(2**63)]
UNARY = [
    "negative",
    "bitwise_not",
    "logical_not",
    "relu",
    "relu6",
    "abs",
    "sign",
    "square",
    "ceil",
    "floor",
    "round",
    "trunc",
    "reciprocal",
    "exp",
    "log",
]
KINDS = [
    *("reshape", "flatten", "batch_flatten", "expand", "squeeze", "permute", "permute"),
    *("wide", "let", "slice", "split", "take"),
]
COMPARISONS = ["equal", "not_equal"]
ROWS = [*NEUTRAL, *ABSORBING, *FAST_NEUTRAL, *FAST_ABSORBING]
SPECIAL = {
    "f": [0.0, -0.0, 1.0, -1.5, 2.5, math.inf, -math.inf, math.nan, 1e-45, 6e4, -70000.5, 3e38],
    "i": [0, 1, -1, 2, -128, 127, 100, 2**31 - 1, -(2**31), 70001, 2**62 + 1],
    "u": [0, 1, 2, 127, 128, 255, 65535],
    "b": [True, False],
}


@dataclass
class Program:
    """A module with one function @main, and arguments for it."""

    module: ModuleOp
    arguments: list[np.ndarray]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(f"{self.module}\n{self.arguments}")


def special_array(shape: tuple[int, ...], dtype: np.dtype[Any], seed: int) -> np.ndarray:
    """Numbers of an element type, special ones among them."""
    random = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        pool = np.array(SPECIAL[dtype.kind]).astype(dtype)
    return random.choice(pool, size=shape).astype(dtype)


def is_known(value: SSAValue) -> bool:
    """Whether all sizes of a tensor are known."""
    type = value.type
    return isinstance(type, TensorType) and type.shape is not None and None not in type.shape


class Builder:
    """Grows a block by random ops; one that does not fit is left out."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.block = Block()
        self.values: list[SSAValue] = []

    def one(self, choices: list[Any]) -> Any:
        return self.draw(st.sampled_from(choices))

    def pick(self) -> SSAValue:
        return self.values[-1] if self.draw(st.booleans()) else self.one(self.values)

    def place(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def step(self) -> None:
        last = self.block.last_op
        try:
            found = self.one([self.binary, self.binary, self.unary, self.cast, self.view])()
        except RelaxError:
            found = None
        if found is not None and is_known(found) and len(found.type.shape) <= 4:  # pyright: ignore
            self.values.append(found)
            return
        while (op := self.block.last_op) is not last:
            assert op is not None
            op.detach()
            op.erase()

    def number(self, like: SSAValue, row: NeutralElement) -> SSAValue:
        """A number, mostly that of a row, in one of the forms that programs write it in."""
        dtype, shape = like.type.dtype, like.type.shape  # pyright: ignore
        if is_bool(dtype):
            value, others = row.booleans, [True, False]
        elif is_float(dtype):
            value, others = row.floats, FLOATS
        else:
            value, others = row.integers, INTEGERS
        if value is None or isinstance(value, str) or self.one([0, 0, 0, 1]):
            value = self.one(others)
        form = self.one(["scalar", "full", "dense", "ones", "zeros", "like", "wide", "twice"])
        sizes = ShapeOp((const(2), *shape) if form == "wide" else shape)
        if form in ("ones", "zeros"):
            return self.place(OPS[form](self.place(sizes), dtype))
        if form == "dense":
            dims = self.one([[1] * len(shape), [3], [1]])
            array = np.full(dims, value).astype(numpy_dtype(dtype))
            if self.draw(st.booleans()) and array.size > 1:
                array[-1] = 1
            return self.place(constant_values.array(array))
        scalar = self.place(constant_values.scalar(value, dtype))
        if form == "scalar":
            return scalar
        if form == "like":
            return self.place(OPS["full_like"](like, scalar))
        if form == "twice":
            one = self.place(ShapeOp([const(1)] * len(shape)))
            full = self.place(OPS["full"](one, scalar))
            return self.place(OPS["broadcast_to"](full, self.place(sizes)))
        return self.place(OPS["full"](self.place(sizes), scalar))

    def binary(self) -> SSAValue:
        x = self.pick()
        dtype = x.type.dtype  # pyright: ignore
        column = "booleans" if is_bool(dtype) else "floats" if is_float(dtype) else "integers"
        row = self.one([row for row in ROWS if getattr(row, column) is not None])
        y = self.pick() if self.one([0, 0, 0, 1]) else self.number(x, row)
        operands = (x, y) if self.one([0, 0, 1]) else (y, x)
        return self.place(OPS[self.one([row.op, row.op, row.op, row.op, *COMPARISONS])](*operands))

    def unary(self) -> SSAValue:
        op = OPS[self.one(UNARY)]
        x = self.place(op(self.pick()))
        return self.place(OPS[self.one(UNARY)](x)) if self.one([0, 1]) else x

    def cast(self) -> SSAValue:
        x = self.place(OPS["astype"](self.pick(), self.one(DTYPES)))
        return self.place(OPS["astype"](x, self.one(DTYPES))) if self.one([0, 1]) else x

    def view(self) -> SSAValue:
        x = self.pick()
        for _ in range(self.one([1, 2, 3])):
            if is_known(x):
                x = self._one_view(x)
        return x

    def _part(self, x: SSAValue, kind: str, axis: int) -> SSAValue:
        """A slice along an axis, one of several pieces, or one row."""
        if kind == "slice":
            begin, end, step = self.one([(0, None, 1), (0, 1, 1), (1, 3, 1), (None, None, -1)])
            return self.place(OPS["strided_slice"](x, [axis], [begin], [end], [step]))
        if kind == "take":
            row = self.place(constant_values.array(np.array(self.one([0, -1, 1]))))
            return self.place(OPS["take"](x, row, axis))
        self.place(OPS["split"](x, self.one([2, 3]), axis))
        pieces = self.block.last_op
        assert pieces is not None
        return self.one([*pieces.results])

    def _one_view(self, x: SSAValue) -> SSAValue:
        shape: list[Expr] = list(x.type.shape)  # pyright: ignore
        kind = self.one(KINDS)
        if kind in ("slice", "split", "take"):
            return self._part(x, kind, self.draw(st.integers(0, max(len(shape) - 1, 0))))
        if kind == "reshape":
            cut = self.draw(st.integers(0, len(shape)))
            new = self.one([[product(shape[:cut]), *shape[cut:]], [*shape, const(1)], shape])
            return self.place(OPS["reshape"](x, self.place(ShapeOp(new))))
        if kind == "expand":
            return self.place(OPS["expand_dims"](x, self.one([[0], [-1], [0, 1], [1]])))
        if kind == "squeeze":
            ones = [axis for axis, size in enumerate(shape) if size.value == 1]
            axes = self.one([None, ones[:1], ones, ones[-1:]])
            return self.place(OPS["squeeze"](x, axes))
        if kind == "permute":
            axes = self.draw(st.none() | st.permutations(range(len(shape))))
            return self.place(OPS["permute_dims"](x, axes))
        if kind == "wide":
            new = [N if size.value == 1 and self.one([0, 1]) else size for size in shape]
            new = self.one([new, [const(2), *new], [const(1), *new]])
            return self.place(OPS["broadcast_to"](x, self.place(ShapeOp(new))))
        if kind == "let":
            return self.place(LetOp.create(operands=[x], result_types=[x.type]))
        return self.place(OPS[kind](x))


@st.composite
def programs(draw: st.DrawFn, max_steps: int = 12) -> Program:
    """Programs of one block, of either kind, that returns some of its values."""
    builder = Builder(draw)
    dtype = builder.one(DTYPES)
    shapes = [builder.one(SHAPES) for _ in range(draw(st.integers(1, 2)))]
    inputs = [TensorType((N,), dtype), *(TensorType(shape, dtype) for shape in shapes)]
    body = Block(arg_types=inputs)
    builder.values = list(body.args)
    for _ in range(draw(st.integers(max_steps // 2, max_steps))):
        builder.step()
    kept = draw(st.lists(st.sampled_from(builder.values), min_size=1, max_size=3))
    outputs = list(dict.fromkeys([builder.values[-1], *kept]))
    builder.block.add_op(OutputOp(*outputs))
    block = builder.one([DataflowOp, BindingBlockOp])(builder.block)
    body.add_op(block)
    returned = TupleOp(*block.results)
    body.add_ops([returned, ReturnOp(returned)])
    module = ModuleOp([FuncOp("main", inputs, returned.result.type, Region(body))])
    module = parse(str(module))
    verify(module)
    size, seed = draw(st.sampled_from([0, 1, 2, 3, 4])), draw(st.integers(0, 99))
    arguments = [
        special_array(
            tuple(d.evaluate({"n": size}) for d in type.shape or () if d is not None),
            numpy_dtype(type.dtype),  # pyright: ignore
            seed + index,
        )
        for index, type in enumerate(inputs)
    ]
    return Program(module, arguments)

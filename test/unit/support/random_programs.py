"""Random Relax programs for property tests: graphs of operators over symbolic sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import (
    activation,
    binary,
    datatype,
    linear_algebra,
    manipulate,
    statistical,
    unary,
)
from relax_dialect.ops.base import IllFormedOpError
from relax_dialect.ops.blocks import DataflowOp, OutputOp
from relax_dialect.ops.control import YieldOp
from relax_dialect.ops.core import ConstantOp, FuncOp, ReturnOp, ShapeOp, TupleOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.symbolic import Expr, const, product, provably_different, var

N, M = var("n"), var("m")
SIZES = (0, 1, 2, 3, 5, 8)
"""The values of symbolic variables at run time."""
DIMS = (N, M, const(1), const(3), N * 2, const(4))

BOUNDED = (
    unary.TanhOp,
    unary.SigmoidOp,
    unary.ErfOp,
    activation.ReluOp,
    activation.GeluOp,
    unary.NegativeOp,
)
"""Operators that keep values of moderate size moderate."""
POSITIVE = (unary.SqrtOp, unary.RsqrtOp)
BINARY = (binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.MaximumOp)


@dataclass
class Program:
    """A module with one function @main, the sizes of its variables, and arguments for it."""

    module: ModuleOp
    sizes: dict[str, int]
    arguments: list[np.ndarray]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """A failing example as hypothesis shows it."""
        printer.text(f"sizes {self.sizes}\n{self.module}")


class Builder:
    """Grows a dataflow block by random operators; values stay small, so that results compare."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.block = Block()
        self.values: list[SSAValue] = []

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def pick(self) -> SSAValue:
        """One of the values, the latest ones more often."""
        back = self.draw(st.integers(1, min(len(self.values), 4)))
        return self.values[-back] if self.draw(st.booleans()) else self.draw(self.any_value())

    def any_value(self) -> st.SearchStrategy[SSAValue]:
        return st.sampled_from(self.values)

    def bounded(self, op: Operation) -> SSAValue:
        return self.add(unary.TanhOp(self.add(op)))

    def step(self) -> None:
        """Add one operator and what bounds its values, or nothing where the draw does not fit."""
        kind = self.draw(st.sampled_from(sorted(STEPS)))
        last = self.block.last_op
        try:
            result = STEPS[kind](self)
        except IllFormedOpError:
            result = None
        if result is not None and self.is_known(result.type) and len(result.type.shape) <= 4:
            self.values.append(result)
            return
        while (op := self.block.last_op) is not last:
            assert op is not None
            op.detach()
            op.erase()

    @staticmethod
    def is_known(type: Attribute) -> bool:
        return isinstance(type, TensorType) and type.shape is not None and None not in type.shape


def _bounded(b: Builder) -> SSAValue:
    return b.add(b.draw(st.sampled_from(BOUNDED))(b.pick()))


def _exp(b: Builder) -> SSAValue:
    return b.bounded(unary.ExpOp(b.pick()))


def _positive(b: Builder) -> SSAValue:
    op = b.draw(st.sampled_from(POSITIVE))
    return b.bounded(op(b.add(unary.ExpOp(b.pick()))))


def _binary(b: Builder) -> SSAValue:
    return b.bounded(b.draw(st.sampled_from(BINARY))(b.pick(), b.pick()))


def _divide(b: Builder) -> SSAValue:
    top = b.pick()
    return b.bounded(binary.DivideOp(top, b.add(unary.ExpOp(b.pick()))))


def _matmul(b: Builder) -> SSAValue:
    lhs, rhs = b.pick(), b.pick()
    if b.draw(st.booleans()):
        rhs = b.add(manipulate.PermuteDimsOp(rhs))
    return b.bounded(linear_algebra.MatmulOp(lhs, rhs))


def _reduce(b: Builder) -> SSAValue:
    x = b.pick()
    rank = len(x.type.shape)  # pyright: ignore
    some = (
        st.lists(st.sampled_from(range(-rank, rank)), max_size=2, unique=True)
        if rank
        else st.none()
    )
    axes = b.draw(st.none() | some)
    over = x.type.shape if axes is None else [x.type.shape[axis] for axis in axes]  # pyright: ignore
    ops = [statistical.SumOp, statistical.MeanOp]
    if all(provably_different(size, const(0)) for size in over):
        ops.append(statistical.MaxOp)  # it needs an element to take
    return b.bounded(b.draw(st.sampled_from(ops))(x, axes, b.draw(st.booleans())))


def _softmax(b: Builder) -> SSAValue:
    x = b.pick()
    rank = len(x.type.shape)  # pyright: ignore
    return b.add(activation.SoftmaxOp(x, b.draw(st.integers(-max(rank, 1), max(rank, 1) - 1))))


def _permute(b: Builder) -> SSAValue:
    x = b.pick()
    rank = len(x.type.shape)  # pyright: ignore
    axes = b.draw(st.none() | st.permutations(range(rank)))
    return b.add(manipulate.PermuteDimsOp(x, axes))


def _flatten(b: Builder) -> SSAValue:
    return b.add(manipulate.FlattenOp(b.pick()))


def _reshape(b: Builder) -> SSAValue:
    x = b.pick()
    shape: list[Expr] = list(x.type.shape)  # pyright: ignore
    cut = b.draw(st.integers(0, len(shape)))
    new = [product(shape[:cut]), const(1), *shape[cut:]]
    return b.add(manipulate.ReshapeOp(x, b.add(ShapeOp(new))))


def _broadcast(b: Builder) -> SSAValue:
    x = b.pick()
    shape = [d if d is not const(1) else N for d in x.type.shape]  # pyright: ignore
    return b.add(
        manipulate.BroadcastToOp(x, b.add(ShapeOp([b.draw(st.sampled_from(DIMS)), *shape])))
    )


def _through_f64(b: Builder) -> SSAValue:
    wide = b.add(datatype.AstypeOp(b.pick(), "f64"))
    return b.add(datatype.AstypeOp(b.add(unary.TanhOp(wide)), "f32"))


def _constant(b: Builder) -> SSAValue:
    size = b.draw(st.sampled_from([1, 3, 4]))
    data = [i / 4 - 0.3 for i in range(size)]
    dense = DenseIntOrFPElementsAttr.from_list(
        BuiltinTensorType(TensorType((), "f32").element, [size]), data
    )
    return b.add(ConstantOp(dense))


STEPS = {
    "binary": _binary,
    "bounded": _bounded,
    "broadcast": _broadcast,
    "constant": _constant,
    "divide": _divide,
    "exp": _exp,
    "f64": _through_f64,
    "flatten": _flatten,
    "matmul": _matmul,
    "permute": _permute,
    "positive": _positive,
    "reduce": _reduce,
    "reshape": _reshape,
    "softmax": _softmax,
}


def number(value: float) -> ConstantOp:
    """A constant of rank 0."""
    type = BuiltinTensorType(TensorType((), "f32").element, [])
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [value]))


def loop(draw: st.DrawFn, body: Block, values: list[SSAValue]) -> SSAValue:
    """A loop of up to two turns over one of some values, which its body computes with the others."""
    zero, start = number(0.0), draw(st.sampled_from(values))
    types = [zero.result.type, start.type]
    more, turn = Block(arg_types=types), Block(arg_types=types)
    more.add_op(end := number(draw(st.sampled_from([-1.0, 0.0, 1.0]))))
    more.add_op(test := binary.LessEqualOp(more.args[0], end))
    more.add_op(YieldOp(test))
    inner = Builder(draw)
    inner.values = [*values, turn.args[1]]
    for _ in range(draw(st.integers(0, 3))):
        inner.step()
    fitting = [value for value in inner.values if value.type == start.type]
    total = inner.add(binary.AddOp(turn.args[1], draw(st.sampled_from(fitting))))
    inner.block.add_op(OutputOp(inner.add(unary.TanhOp(total))))
    turn.add_ops([one := number(1.0), step := binary.AddOp(turn.args[0], one)])
    turn.add_op(block := DataflowOp(inner.block))
    turn.add_op(YieldOp(step, block.results[0]))
    body.add_ops([zero, found := WhileOp([zero, start], Region(more), Region(turn))])
    return found.results[1]


@st.composite
def programs(draw: st.DrawFn, max_steps: int = 10) -> Program:
    """Programs of one dataflow block, and perhaps a loop after it, that return their latest values."""
    count = draw(st.integers(1, 3))
    shapes = [tuple(draw(st.lists(st.sampled_from(DIMS), max_size=3))) for _ in range(count)]
    inputs = [TensorType.get((N, M), TensorType((), "f32").dtype)]
    inputs += [TensorType.get(shape, inputs[0].dtype) for shape in shapes]
    body = Block(arg_types=inputs)
    builder = Builder(draw)
    builder.values = list(body.args)
    for _ in range(draw(st.integers(1, max_steps))):
        builder.step()
    outputs = list(dict.fromkeys(builder.values[-draw(st.integers(1, 2)) :]))
    builder.block.add_op(OutputOp(*outputs))
    block = DataflowOp(builder.block)
    body.add_op(block)
    results: list[SSAValue] = list(block.results)
    if draw(st.integers(0, 2)) == 2:
        results.append(loop(draw, body, [*body.args, *results]))
    returned = TupleOp(*results)
    body.add_ops([returned, ReturnOp(returned)])
    function = FuncOp("main", inputs, returned.result.type, Region(body))
    module = ModuleOp([function])
    module.verify()
    sizes = {name: draw(st.sampled_from(SIZES)) for name in ("n", "m")}
    random = np.random.default_rng(draw(st.integers(0, 99)))
    arguments = [
        random.uniform(-1, 1, [d.evaluate(sizes) for d in t.shape]).astype(numpy_dtype(t.dtype))
        for t in inputs
    ]
    return Program(module, sizes, arguments)

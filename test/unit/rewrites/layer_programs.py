"""Random programs of layers: products, convolutions, biases, scales, transposed weights, batch norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from relax_dialect.builder import constant_values
from relax_dialect.builder.op import operators
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp, OutputOp
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleOp
from relax_dialect.parsing import parse, verify
from relax_dialect.symbolic import Expr, const, var

OPS: dict[str, Any] = dict(operators())
N, M = var("n"), var("m")
WIDTHS = [const(2), const(3), M]
LAYOUTS = [(None, None), ("NHWC", "HWIO"), ("NHWC", "OIHW"), ("NCHW", "HWIO")]


@dataclass
class Program:
    """A module with one function @main, and arguments for it."""

    module: ModuleOp
    arguments: list[np.ndarray]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(f"{self.module}\n{self.arguments}")


class Builder:
    """Grows a block layer by layer; a layer that does not fit is left out."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.block = Block()
        self.parameters = Block()
        self.sizes = {"n": draw(st.sampled_from([1, 2, 4])), "m": draw(st.sampled_from([1, 3, 4]))}
        self.random = np.random.default_rng(draw(st.integers(0, 99)))
        self.arguments: list[np.ndarray] = []
        image = [N, const(3), const(4), const(4)]
        self.values = [self.parameter([N, const(3)]), self.parameter([N, M]), self.parameter(image)]
        self.matrices: list[SSAValue] = []

    def one(self, choices: list[Any]) -> Any:
        return self.draw(st.sampled_from(choices))

    def place(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def emit(self, name: str, *operands: Any, **attributes: Any) -> SSAValue:
        return self.place(OPS[name](*operands, **attributes))

    def array(self, shape: list[Expr], least: float = -1) -> np.ndarray:
        sizes = [size.evaluate(self.sizes) for size in shape]
        return self.random.uniform(least, 1.5, sizes).astype("f")

    def parameter(self, shape: list[Expr], least: float = -1) -> SSAValue:
        self.arguments.append(self.array(shape, least))
        return self.parameters.insert_arg(TensorType(shape, "f32"), len(self.parameters.args))

    def weight(self, shape: list[Expr], least: float = -1) -> SSAValue:
        """A parameter, or a constant where its shape is known."""
        if self.one([0, 1]) and all(size.value is not None for size in shape):
            return self.place(constant_values.array(self.array(shape, least)))
        return self.parameter(shape, least)

    def matrix(self, rows: Expr, columns: Expr) -> SSAValue:
        kind = self.one(["plain", "plain", "transposed", "again", "product"])
        again = [m for m in self.matrices if m.type.shape == (rows, columns)]  # pyright: ignore
        if kind == "again" and again:
            return self.one(again)
        if kind == "transposed":
            found = self.emit("permute_dims", self.weight([columns, rows]))
        elif kind == "product":
            found = self.emit("matmul", self.weight([rows, rows]), self.weight([rows, columns]))
        else:
            found = self.weight([rows, columns])
        self.matrices.append(found)
        return found

    def step(self) -> None:
        last, known, matrices = self.block.last_op, len(self.values), len(self.matrices)
        try:
            kind = self.one([self.product, self.product, self.channels, self.norm, self.conv])
            found = kind(self.values[-1] if self.one([0, 0, 1]) else self.one(self.values))
        except RelaxError:
            found = None
        if found is not None:
            if self.one([0, 0, 1]):
                found = self.emit("tanh", found)
            self.values.append(found)
            return
        del self.values[known:], self.matrices[matrices:]
        while (op := self.block.last_op) is not last:
            assert op is not None
            op.detach()
            op.erase()

    def product(self, x: SSAValue) -> SSAValue:
        """Products of one form with one tensor; the last of them goes on."""
        form = self.one(["matmul", "matmul", "linear", "linear with bias"])
        adds = self.one([0, 1])
        for _ in range(self.one([1, 1, 2, 3])):
            y = self._product(x, form, adds)
            self.values.append(y)
        return y  # pyright: ignore

    def _product(self, x: SSAValue, form: str, adds: bool) -> SSAValue:
        width, columns = x.type.shape[-1], self.one(WIDTHS)  # pyright: ignore
        if form == "matmul":
            y = self.emit("matmul", x, self.matrix(width, columns))
        else:
            bias = self.weight([columns]) if form == "linear with bias" else None
            y = self.emit("linear", x, self.matrix(columns, width), bias)
        return self.emit("add", y, self.weight([columns])) if adds else y

    def channels(self, x: SSAValue) -> SSAValue:
        """One number for each channel, the second axis or the last, or for some other axis."""
        shape = list(x.type.shape)  # pyright: ignore
        axis = self.one([1, -1, -1, 0])
        form = [size if d == axis % len(shape) else const(1) for d, size in enumerate(shape)]
        form = self.one([form, form[axis % len(shape) :], [], [const(1)]])
        number = self.weight(form, 0.5)
        if self.one([0, 0, 1]):
            number = self.emit("sqrt", self.emit("add", number, self.weight([], 0.5)))
        name = self.one(["add", "multiply", "divide", "subtract", "multiply"])
        swap = name in ("add", "multiply") and self.one([0, 1])
        return self.emit(name, *((number, x) if swap else (x, number)))

    def norm(self, x: SSAValue) -> SSAValue:
        shape = list(x.type.shape)  # pyright: ignore
        axis = self.one([1, 1, -1, 0])
        parts = [self.weight([shape[axis]], least) for least in (-1, -1, -1, 0.5)]
        flags = {name: self.one([True, True, False]) for name in ("center", "scale")}
        training = self.one([False, False, False, True])
        return self.emit("batch_norm", x, *parts, axis=axis, training=training, **flags)

    def conv(self, x: SSAValue) -> SSAValue | None:
        if len(x.type.shape) != 4:  # pyright: ignore
            return None
        data, kernel = self.one(LAYOUTS)
        channels, out = x.type.shape[(data or "NCHW").index("C")].value, self.one([2, 4])  # pyright: ignore
        if channels is None:
            return None  # the weights' size would be a variable
        transposed = self.one([False, False, True])
        groups = 2 if channels in (2, 4) and self.one([0, 1]) else 1
        letters = {"H": 2, "W": 1, "O": out, "I": channels // groups}
        if transposed:
            letters |= {"O": out // groups, "I": channels}
        order = kernel or ("IOHW" if transposed else "OIHW")
        weight = self.weight([const(letters[letter]) for letter in order])
        layouts = {"data_layout": data, "kernel_layout": kernel, "groups": groups}
        return self.emit("conv2d_transpose" if transposed else "conv2d", x, weight, **layouts)


@st.composite
def programs(draw: st.DrawFn, max_steps: int = 10) -> Program:
    """Programs of one block, of either kind, that returns some of its values."""
    builder = Builder(draw)
    for _ in range(draw(st.integers(1, max_steps))):
        builder.step()
    kept = draw(st.lists(st.sampled_from(builder.values), max_size=2))
    outputs = list(dict.fromkeys([*builder.values[-2:], *kept]))
    builder.block.add_op(OutputOp(*outputs))
    block = builder.one([DataflowOp, BindingBlockOp])(builder.block)
    body = builder.parameters
    body.add_op(block)
    returned = TupleOp(*block.results)
    body.add_ops([returned, ReturnOp(returned)])
    types = [argument.type for argument in body.args]
    module = ModuleOp([FuncOp("main", types, returned.result.type, Region(body))])
    module = parse(str(module))
    verify(module)
    return Program(module, builder.arguments)

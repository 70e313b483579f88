"""Prim funcs with loops of `scf` as one block of TIR that runs them in order.

A tensor that goes through loops is one buffer, written in place, as a kernel of `te.extern` means it: each
statement takes the last value and gives the next. A number that goes through them is a buffer of one
element. What is read of a buffer that changes is bound by `T.let` where it is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from xdsl.dialects import cf, linalg, scf, tensor
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.names import Names
from relax_dialect.frontends.tvmscript.prim_funcs.scalar_text import (
    ScalarText,
    dtype_name,
)
from relax_dialect.frontends.tvmscript.prim_funcs.stage_text import StageWriter
from relax_dialect.ir.order import describe
from relax_dialect.symbolic import Expr
from relax_dialect.te.compute import compute
from relax_dialect.te.dtypes import I1
from relax_dialect.te.raising.prim_func import Raiser
from relax_dialect.te.raising.scalars import RaisingError, Scalars, as_index
from relax_dialect.te.scalar import Element, IterVar, Scalar
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Tensor


class LoopWriter:
    """Writes the body of a function; `buffers` are those of its inputs, `names` all that are taken."""

    def __init__(
        self,
        text: ScalarText,
        names: Names,
        buffers: dict[SSAValue, Tensor],
        sizes: dict[SSAValue, Scalar],
        raiser: Raiser,
    ):
        self.text, self.names = text, names
        self.buffers = buffers
        self.tensors: dict[Tensor, str] = dict(text.tensors)
        self.known: dict[Scalar, str] = {}
        text.tensors, text.names = self.tensors, self.known
        self.inputs = {b for value, b in buffers.items() if isinstance(value, BlockArgument)}
        self.allocated: list[str] = []
        self.lines: list[str] = []
        self.indent = ""
        self.scalars = Scalars(self._fail, self._load)
        self.scalars.values.update(sizes)
        self.raiser = raiser
        raiser.scalars.values = self.scalars.values
        self.stages = StageWriter(
            self.tensors, text.sizes, names, text.narrow, text.precise, text.forms
        )
        self.stages.around = self.known

    @staticmethod
    def _fail(op: Operation) -> RaisingError:
        return RaisingError(f"no words of TIR for {describe(op)}")

    # Lines

    def _line(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def _inside(self, head: str, fill: Callable[[], object]) -> None:
        self._line(head)
        outer, self.indent = self.indent, self.indent + "    "
        before = len(self.lines)
        fill()
        if len(self.lines) == before:
            self._line("T.evaluate(0)")
        self.indent = outer

    def _let(self, value: str, dtype: str, name: str) -> Element:
        """A value that is computed here."""
        found = Element(dtype, name)  # pyright: ignore[reportArgumentType]
        self.known[found] = self.names.fresh(name)
        self._line(f"{self.known[found]}: T.let[T.{dtype}] = {value}")
        return found

    def _write(self, value: SSAValue) -> str:
        return self.text.write(self.scalars.values[value])

    def _allocate(self, shape: Sequence[Expr], dtype: object, name: str) -> Tensor:
        found = Tensor(tuple(shape), dtype, self.names.fresh(name))  # pyright: ignore
        self.tensors[found] = found.name
        kept = f'({self.text.shape(found.shape)}, "{dtype_name(found.dtype, self.text.narrow)}")'
        self.allocated.append(f"{found.name} = T.sblock_alloc_buffer{kept}")
        return found

    def _load(self, value: SSAValue, indices: tuple[Scalar, ...]) -> Scalar:
        buffer = self.buffers[value]
        if buffer in self.inputs:
            return buffer[indices]
        place = f"{self.tensors[buffer]}[{', '.join(map(self.text.index, indices)) or '()'}]"
        found = self._let(place, dtype_name(buffer.dtype), "element")
        found.dtype = buffer.dtype
        return found

    # Ops

    def block(self, block: Block) -> Operation:
        """The ops of a block; gives the last one, which ends it."""
        *ops, end = block.ops
        for op in ops:
            self._op(op)
        return end

    def _op(self, op: Operation) -> None:
        match op:
            case tensor.DimOp():
                number = self.scalars.size(op.index, op).value
                if number is None:
                    raise self._fail(op)
                size = self.buffers[op.source].shape[number]
                self.scalars.values[op.result] = as_index(size)
            case tensor.EmptyOp() | FillOp() if _is_begun(op):
                self.raiser.read_op(op)
            case tensor.EmptyOp() if op.tensor in self.buffers:
                return  # a result
            case tensor.EmptyOp():
                self.raiser.read_op(op)
                shape = self.raiser.tensors.shape(op.tensor)
                dtype = op.tensor.type.get_element_type()  # pyright: ignore
                uses = [u.operation for u in op.tensor.uses]
                name = uses[0].results[0].name_hint if uses and uses[0].results else None
                self.buffers[op.tensor] = self._allocate(shape, dtype, name or "scratch")
            case FillOp():
                value = self._write(op.inputs[0])
                self._all(op, lambda at: value)
            case linalg.ops.CopyOp():
                source = self.buffers[op.inputs[0]]
                self._all(op, lambda at: f"{self.tensors[source]}[{at}]")
            case tensor.InsertOp():
                buffer = self._owned(op.dest, op)
                indices = [self.scalars.values[i] for i in op.indices]
                at = ", ".join(map(self.text.index, indices)) or "()"
                self._line(f"{self.tensors[buffer]}[{at}] = {self._write(op.scalar)}")
                self.buffers[op.result] = buffer
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() if self._is_statement(op):
                self._if(op)
            case cf.AssertOp():
                message = json.dumps(op.msg.data if op.msg else "")
                self._line(f"assert {self._write(op.arg)}, {message}")
            case _ if any(hasattr(r.type, "get_shape") for r in op.results):
                self._staged(op)
            case _:
                self.scalars.read_op(op)

    def _staged(self, op: Operation) -> None:
        """An op of tensors: blocks of their own, which write new buffers."""
        if isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp):
            raise self._fail(op)
        tensors = self.raiser.tensors
        for each in (value for inner in op.walk() for value in inner.operands):
            if each in self.buffers:
                tensors.set(each, self.buffers[each])
        self.raiser.read_op(op)
        for result in op.results:
            if _is_begun(op):
                continue  # a part of a tensor whose other parts follow
            made = tensors.whole(result)
            self.buffers[result] = self._blocks(made, self.buffers.get(result))
            tensors.set(result, self.buffers[result])

    def copy(self, value: SSAValue, target: Tensor) -> None:
        """Write what a value is now into one more buffer."""
        self._blocks(self.buffers[value], target)

    def _blocks(self, made: Tensor, target: Tensor | None) -> Tensor:
        """The blocks that compute a tensor; gives the buffer that holds it."""
        if made.stage is None:  # a view of all of it
            made = compute(made.shape, lambda *i, x=made: x[i], name=made.name)
        for stage in stages_of([made]):
            for each in stage.outputs:
                if each is made and target is not None:
                    self.tensors[each] = self.tensors[target]
                elif each not in self.tensors:
                    held = self._allocate(each.shape, each.dtype, each.name)
                    self.tensors[each] = held.name
            for line in self.stages.stage(stage):
                self._line(line)
        self.allocated += self.stages.allocated
        self.stages.allocated = []
        if target is None:
            target = Tensor(made.shape, made.dtype, self.tensors[made])
            self.tensors[target] = target.name
        return target

    def _owned(self, value: SSAValue, op: Operation) -> Tensor:
        buffer = self.buffers[value]
        if buffer in self.inputs:
            raise self._fail(op)
        return buffer

    def _all(self, op: FillOp | linalg.ops.CopyOp, value: Callable[[str], str]) -> None:
        """Every element of a buffer."""
        buffer = self._owned(op.outputs[0], op)
        self.buffers[op.results[0]] = buffer
        loops = [self.names.fresh("i") for _ in buffer.shape]
        outer = self.indent
        for name, size in zip(loops, buffer.shape):
            self._line(f"for {name} in range({self.text.size(size)}):")
            self.indent += "    "
        at = ", ".join(loops) or "()"
        self._line(f"{self.tensors[buffer]}[{at}] = {value(at)}")
        self.indent = outer

    # What goes through loops and branches

    def _start(self, values: Sequence[SSAValue]) -> list[Tensor]:
        """The buffers that values go through a loop in."""
        found: list[Tensor] = []
        for value in values:
            if value in self.buffers:
                found.append(self.buffers[value])
            else:
                found.append(
                    self._allocate([symbolic.const(1)], value.type, value.name_hint or "v")
                )
                self._line(
                    f"{self.tensors[found[-1]]}[{self.text.number(0)}] = {self._write(value)}"
                )
        return found

    def _bind(self, values: Sequence[SSAValue], places: Sequence[Tensor]) -> None:
        """Values are what buffers hold now."""
        for value, place in zip(values, places):
            if hasattr(value.type, "get_shape"):
                self.buffers[value] = place
            else:
                at = f"{self.tensors[place]}[{self.text.number(0)}]"
                found = self._let(
                    at, dtype_name(place.dtype, self.text.narrow), value.name_hint or "v"
                )
                found.dtype = place.dtype
                self.scalars.values[value] = found

    def _pass(self, values: Sequence[SSAValue], places: Sequence[Tensor], op: Operation) -> None:
        """Buffers take the next values, all at once."""
        stores: list[str] = []
        for value, place in zip(values, places):
            if hasattr(value.type, "get_shape"):
                if self.buffers[value] is not place:
                    raise self._fail(op)
                continue
            dtype = dtype_name(place.dtype, self.text.narrow)
            found = self._let(self._write(value), dtype, "next")
            stores.append(f"{self.tensors[place]}[{self.text.number(0)}] = {self.known[found]}")
        for store in stores:
            self._line(store)

    def _for(self, op: scf.ForOp) -> None:
        places = self._start(op.iter_args)
        counter, *carried = op.body.block.args
        step = self.scalars.size(op.step, op).value
        if step is None:
            raise self._fail(op)
        axis = IterVar(counter.name_hint or "i", symbolic.const(0))
        self.known[axis] = self.names.fresh(axis.name)
        self.scalars.values[counter] = axis
        lower, upper = self._write(op.lb), self._write(op.ub)
        if step != 1:
            bounds = f"{lower}, {upper}, {self.text.number(step)}"
        else:
            bounds = upper if lower == self.text.number(0) else f"{lower}, {upper}"

        def fill() -> None:
            self._bind(carried, places)
            end = self.block(op.body.block)
            self._pass(end.operands, places, op)

        self._inside(f"for {self.known[axis]} in range({bounds}):", fill)
        self._bind(op.results, places)

    def _while(self, op: scf.WhileOp) -> None:
        places = self._start(op.arguments)
        goes = self._allocate([symbolic.const(1)], I1, "goes")
        at = f"{self.tensors[goes]}[{self.text.number(0)}]"

        def condition() -> None:
            self._bind(op.before_region.block.args, places)
            end = self.block(op.before_region.block)
            assert isinstance(end, scf.ConditionOp)
            self._line(f"{at} = {self._write(end.operands[0])}")
            self._pass(end.operands[1:], places, op)

        def fill() -> None:
            self._bind(op.after_region.block.args, places)
            end = self.block(op.after_region.block)
            self._pass(end.operands, places, op)
            condition()

        condition()
        self._inside(f"while {at}:", fill)
        self._bind(op.results, places)

    @staticmethod
    def _is_statement(op: scf.IfOp) -> bool:
        return not op.results or any(
            hasattr(result.type, "get_shape")
            or isinstance(each, tensor.InsertOp | tensor.ExtractOp)
            for result in op.results
            for each in op.walk()
        )

    def _if(self, op: scf.IfOp) -> None:
        regions = [r.block for r in op.regions if r.blocks]
        ends = [b.last_op.operands for b in regions if b.last_op is not None]
        places: list[Tensor | None] = [
            None
            if hasattr(result.type, "get_shape")
            else self._allocate([symbolic.const(1)], result.type, result.name_hint or "v")
            for result in op.results
        ]
        held: list[Tensor] = []

        def fill(block: Block, values: Sequence[SSAValue]) -> None:
            self.block(block)
            for i, value in enumerate(values):
                if places[i] is None:
                    places[i] = self.buffers[value]
            held[:] = [place for place in places if place is not None]
            self._pass(values, held, op)

        self._inside(f"if {self._write(op.cond)}:", lambda: fill(regions[0], ends[0]))
        if len(regions) > 1:
            self._inside("else:", lambda: fill(regions[1], ends[1]))
        self._bind(op.results, held)


def _is_whole(op: Operation) -> bool:
    """Whether an op computes all elements of tensors from other ones."""
    in_place = isinstance(op, FillOp | linalg.ops.CopyOp)
    return isinstance(op, linalg.ops.GenericOp | NamedOperation) and not in_place


def _is_begun(op: Operation) -> bool:
    """Whether a tensor without contents, of one number or of parts is only what other ops begin with."""
    if not isinstance(op, tensor.EmptyOp | FillOp | tensor.InsertSliceOp):
        return False
    users = [use for result in op.results for use in result.uses]
    return bool(users) and all(
        (_is_whole(use.operation) and use.index >= len(use.operation.inputs))  # pyright: ignore
        or (isinstance(use.operation, tensor.InsertSliceOp) and use.index == 1)
        or (isinstance(use.operation, FillOp) and _is_begun(use.operation))
        for use in users
    )


def origin(value: SSAValue) -> SSAValue:
    """What a value is, written in place: a `tensor.empty`, or what another op of tensors makes."""
    while isinstance(value, OpResult):
        op = value.op
        match op:
            case tensor.InsertOp():
                value = op.dest
            case FillOp() | linalg.ops.CopyOp():
                value = op.outputs[0]
            case scf.ForOp():
                value = op.iter_args[value.index]
            case scf.WhileOp():
                value = op.arguments[value.index]
            case scf.IfOp() if (end := op.true_region.block.last_op) is not None:
                value = end.operands[value.index]
            case _:
                break
    return value

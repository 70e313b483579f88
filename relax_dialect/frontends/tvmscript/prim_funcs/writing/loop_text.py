"""Prim funcs with loops of `scf` as one block of TIR that runs them in order.

A loop-carried tensor is one buffer, written in place, as a kernel of `te.extern` means it: each statement
takes the last value and yields the next. A loop-carried number is a buffer of one element. Reads of a
buffer that changes are bound by `T.let` at the read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from xdsl.dialects import cf, linalg, scf, tensor
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import dtype_name
from relax_dialect.frontends.tvmscript.prim_funcs.writing.tensor_text import TensorWriter, is_begun
from relax_dialect.te.dtypes import I1
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.scalar import IterVar
from relax_dialect.te.tensor import Tensor


class LoopWriter(TensorWriter):
    """Writes the body of a function."""

    def block(self, block: Block) -> Operation:
        """Write the ops of a block; returns its terminator."""
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
            case tensor.EmptyOp() | FillOp() if is_begun(op):
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

    # Loop-carried values and results of branches

    def _start(self, values: Sequence[SSAValue]) -> list[Tensor]:
        """Return the buffers of loop-carried values."""
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
        """Bind values to the contents of buffers."""
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
        """Assign the next values to buffers, all at once."""
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


def origin(value: SSAValue) -> SSAValue:
    """Return the buffer that a value is written in: a `tensor.empty`, or the result of another op of
    tensors."""
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

"""A `relax.compute` as tensor expressions: what the macro expands to.

A reduction that is the whole element is one `te.compute` with it; any other is a stage of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from xdsl.dialects import cf, func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.compute import ComputeOp
from relax_dialect.ops.compute_region import (
    IndexAllOp,
    IndexAnyOp,
    IndexedOp,
    IndexMaxOp,
    IndexMinOp,
    IndexProdOp,
    IndexReduceOp,
    IndexSumOp,
)
from relax_dialect.symbolic import var
from relax_dialect.te import reducers
from relax_dialect.te.emit.access import check_bounds, walk
from relax_dialect.te.emit.create_prim_func import create_prim_func
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.emit.scalar_emitter import name_hint
from relax_dialect.te.raising.scalars import RaisingError, Scalars
from relax_dialect.te.reducers import prod, sum
from relax_dialect.te.reduction import Reducer
from relax_dialect.te.scalar import IterVar, Reduce, Scalar
from relax_dialect.te.tensor import Tensor, placeholder

_REDUCERS: dict[type[IndexReduceOp], Callable[..., Reduce] | Reducer] = {
    IndexSumOp: sum,
    IndexProdOp: prod,
    IndexMaxOp: reducers.max,
    IndexMinOp: reducers.min,
    IndexAllOp: reducers.all,
    IndexAnyOp: reducers.any,
}

UNNAMED = "compute"
"""The name of the prim func of a compute whose result has none."""


def expanded(op: ComputeOp) -> func.FuncOp:
    """The prim func of a compute: its arguments are the operands, numbers as tensors of rank 0.

    Errors do not name the op, as callers do.
    """
    hint = name_hint(op.result.name_hint or UNNAMED)
    inputs = [_placeholder(argument, operand) for argument, operand in zip(op.reads, op.inputs)]
    try:
        function = create_prim_func([*inputs, _ComputeReader(op, inputs, hint).read()], hint)
    except RelaxError as error:
        raise RelaxError(_in_terms_of_text(str(error))) from error
    for check in walk_ops(function):
        if isinstance(check, cf.AssertOp):
            check.msg = StringAttr(f"{op.name}: {_in_terms_of_text(check.msg.data)}")
    return function


def _in_terms_of_text(message: str) -> str:
    """An error of te in terms of the program."""
    message = re.sub(r"^te(\.compute '[^']*')?: ", "", message)
    return message.replace("te.if_then_else", "scf.if")


def _placeholder(argument: SSAValue, operand: SSAValue) -> Tensor:
    """An operand; a size that its type does not know is that of the argument."""
    name, type = argument.name_hint or "x", operand.type
    if not isinstance(type, TensorType):
        return placeholder((), type, name)
    assert type.shape is not None and type.dtype is not None
    number = argument.index  # pyright: ignore[reportAttributeAccessIssue]
    sizes = [
        var(f"{name}_{number}_{d}") if size is None else size for d, size in enumerate(type.shape)
    ]
    return placeholder(sizes, type.dtype, name)


class _ComputeReader:
    """Reads the region of a compute."""

    def __init__(self, op: ComputeOp, inputs: list[Tensor], name: str):
        self.op, self.name = op, name
        self.tensors = dict[SSAValue, Tensor](zip(op.reads, inputs))
        self.axes = _axes(op, reduction=False)
        numbers = {
            argument: tensor[()]
            for argument, tensor in self.tensors.items()
            if not isinstance(argument.type, TensorType)
        }
        self.scalars = Scalars(self._fail, self._load).inside(
            numbers | dict(zip(op.indices, self.axes))
        )

    def read(self) -> Tensor:
        """The tensor of the elements."""
        whole = self.op.element.owner
        for op in self.op.body.block.ops:
            if isinstance(op, IndexReduceOp) and op is not whole:
                self.scalars.values[op.result] = self._part(op)
            elif not isinstance(op, IndexReduceOp) and op is not self.op.body.block.last_op:
                self.scalars.read_op(op)
        if isinstance(whole, IndexReduceOp):
            return self._stage(self._reduced(whole), self.axes, self.name)
        return self._stage(self.scalars.values[self.op.element], self.axes, self.name)

    def _part(self, op: IndexReduceOp) -> Scalar:
        """A reduction that more is computed of: once for the indices that it depends on."""
        reduced = self._reduced(op)
        needed = {*walk(*reduced.operands)}
        axes = tuple(axis for axis in self.axes if axis in needed)
        return self._stage(reduced, axes, op.result.name_hint or "part")[axes]

    def _reduced(self, op: IndexReduceOp) -> Reduce:
        axes = _axes(op, reduction=True)
        inner = self.scalars.inside(dict(zip(op.indices, axes)))
        inner.read(each for each in op.body.block.ops if each is not op.body.block.last_op)
        return _REDUCERS[type(op)](inner.values[op.element], axis=axes)

    @staticmethod
    def _stage(body: Scalar, axes: tuple[IterVar, ...], name: str) -> Tensor:
        stage = ComputeStage(axes, (body,))
        check_bounds((body,), stage.loops, name)
        return stage.produce(tuple(axis.extent for axis in axes), body.dtype, name)

    def _load(self, value: SSAValue, indices: tuple[Scalar, ...]) -> Scalar:
        return self.tensors[value][indices]

    def _fail(self, op: Operation) -> RaisingError:
        return RaisingError(
            f"expected arithmetic that te has, found {op.name}; write it with other ops of arith and math"
        )


def _axes(op: IndexedOp, reduction: bool) -> tuple[IterVar, ...]:
    return tuple(
        IterVar(index.name_hint or f"i{d}", extent, reduction)
        for d, (index, extent) in enumerate(zip(op.indices, op.extents))
    )

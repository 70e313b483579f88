"""A `relax.compute` as tensor expressions: what the macro expands to.

A reduction that is the whole element is one `te.compute` with it; any other is a stage of its own. Elements
that are no reductions are computed together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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
    hint = name_hint(op.outputs[0].name_hint or UNNAMED)
    inputs = [_placeholder(argument, operand) for argument, operand in zip(op.reads, op.inputs)]
    try:
        function = create_prim_func([*inputs, *_ComputeReader(op, inputs).read()], hint)
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

    def __init__(self, op: ComputeOp, inputs: list[Tensor]):
        self.op = op
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

    def read(self) -> list[Tensor]:
        """The tensors of the elements."""
        elements, last = self.op.elements, self.op.body.block.last_op
        names = [name_hint(result.name_hint or UNNAMED) for result in self.op.outputs]
        found: dict[int, Tensor] = {}
        for op in self.op.body.block.ops:
            if isinstance(op, IndexReduceOp) and _is_whole(op):
                number = [*elements].index(op.result)
                (found[number],) = self._stage([self._reduced(op)], self.axes, [names[number]])
            elif isinstance(op, IndexReduceOp):
                self.scalars.values[op.result] = self._part(op)
            elif op is not last:
                self.scalars.read_op(op)
        rest = [number for number in range(len(elements)) if number not in found]
        if rest:
            bodies = [self.scalars.values[elements[number]] for number in rest]
            found |= zip(rest, self._stage(bodies, self.axes, [names[number] for number in rest]))
        return [found[number] for number in range(len(elements))]

    def _part(self, op: IndexReduceOp) -> Scalar:
        """A reduction that more is computed of: once for the indices that it depends on."""
        reduced = self._reduced(op)
        needed = {*walk(*reduced.operands)}
        axes = tuple(axis for axis in self.axes if axis in needed)
        (part,) = self._stage([reduced], axes, [op.result.name_hint or "part"])
        return part[axes]

    def _reduced(self, op: IndexReduceOp) -> Reduce:
        axes = _axes(op, reduction=True)
        inner = self.scalars.inside(dict(zip(op.indices, axes)))
        inner.read(each for each in op.body.block.ops if each is not op.body.block.last_op)
        return _REDUCERS[type(op)](inner.values[op.element], axis=axes)

    @staticmethod
    def _stage(
        bodies: Sequence[Scalar], axes: tuple[IterVar, ...], names: Sequence[str]
    ) -> list[Tensor]:
        stage = ComputeStage(axes, tuple(bodies))
        check_bounds(stage.bodies, stage.loops, ", ".join(names))
        shape = tuple(axis.extent for axis in axes)
        return [stage.produce(shape, body.dtype, name) for body, name in zip(bodies, names)]

    def _load(self, value: SSAValue, indices: tuple[Scalar, ...]) -> Scalar:
        return self.tensors[value][indices]

    def _fail(self, op: Operation) -> RaisingError:
        return RaisingError(
            f"expected arithmetic that te has, found {op.name}; write it with other ops of arith and math"
        )


def _is_whole(op: IndexReduceOp) -> bool:
    """Return whether a reduction is an element, and nothing else is computed of it."""
    use = op.result.get_user_of_unique_use()
    return use is not None and use is op.parent.last_op  # pyright: ignore[reportOptionalMemberAccess]


def _axes(op: IndexedOp, reduction: bool) -> tuple[IterVar, ...]:
    return tuple(
        IterVar(index.name_hint or f"i{d}", extent, reduction)
        for d, (index, extent) in enumerate(zip(op.indices, op.extents))
    )

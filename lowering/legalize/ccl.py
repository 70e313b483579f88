"""relax-lower-ccl: communication between ranks -> calls of external functions on contiguous buffers.

```mlir
%g = relax.ccl.allgather %x, %r {axis = 1} : (tensor<[4, n], f32>, shape<[r]>) -> tensor<[4, n * r], f32>
->
%a = relax.call_dps_packed "relax.mpi.allgather"(%x, "") : ... -> tensor<[r, 4, n], f32>
%b = relax.permute_dims %a {axes = [1, 0, 2]} : ...              -> tensor<[4, r, n], f32>
%g = relax.reshape %b, ... : ...                                 -> tensor<[4, n * r], f32>
```

The parts of ranks follow each other in memory along a first axis. Reductions are in place. An average is a
sum divided by the number of ranks; f16 and bf16 are reduced in f32. `relax-expand-mpi-calls` makes these
calls ops of the mpi dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    ModuleOp,
    StringAttr,
    f32,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from lowering.support.mpi import MPI_PREFIX
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.storage import STORAGE_TYPES
from relax_dialect.ir.types import OBJECT, Dim, ShapeType, TensorType
from relax_dialect.ops import ccl
from relax_dialect.ops.binary import DivideOp
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.effects import CallDpsPackedOp, CallInplacePackedOp
from relax_dialect.ops.manipulate import PermuteDimsOp, ReshapeOp
from relax_dialect.ops.shapes import ShapeToTensorOp
from relax_dialect.ops.type_rules import sizes_of, tensor_type
from relax_dialect.transform.pattern_driver import apply_patterns, replace


@dataclass
class Lowering:
    """The ops that replace one op of communication."""

    op: ccl.CommunicationOp
    made: list[Operation] = field(default_factory=list)

    @property
    def grid(self) -> StringAttr:
        return StringAttr(self.op.grouping.text())

    def add(self, op: Operation) -> SSAValue:
        self.made.append(op)
        return op.results[0]

    def refuse(self, expected: str, found: object, mend: str) -> RelaxError:
        return RelaxError(f"{describe(self.op)}: expected {expected}, found {found}; {mend}")

    # The calls

    def in_place(self, name: str, x: SSAValue, *rest: Attribute) -> SSAValue:
        """Call a function that writes over its first argument."""
        arguments = [x, *rest, self.grid]
        return self.add(CallInplacePackedOp(MPI_PREFIX + name, arguments, [0], [x.type]))

    def into(self, name: str, x: SSAValue, type: Attribute, *rest: Attribute) -> SSAValue:
        """Call a function that writes to a new tensor."""
        return self.add(CallDpsPackedOp(MPI_PREFIX + name, [x, *rest, self.grid], type))

    def returned(self, name: str, type: Attribute, *arguments: SSAValue | Attribute) -> SSAValue:
        """Call a function that returns its result."""
        return self.add(CallPackedOp(MPI_PREFIX + name, [*arguments, self.grid], type))

    # Layout

    @property
    def workers(self) -> Dim:
        """The number of ranks in a group, which sizes are computed with."""
        sizes = sizes_of(self.op.num_workers)  # pyright: ignore
        if sizes is None or sizes[0] is None:
            raise self.refuse(
                "a known number of ranks", "shape<[?]>", "name it with relax.match_shape first"
            )
        return sizes[0]

    def known(self, type: Attribute) -> tuple[Dim, ...]:
        """Return the sizes of a tensor, all of which must be known."""
        shape = type.shape if isinstance(type, TensorType) else None
        if shape is None or None in shape:
            raise self.refuse("known sizes", type, "name them with relax.match_cast first")
        return tuple(shape)

    def split(self, x: SSAValue, axis: int) -> SSAValue:
        """Bring the part of each rank along an axis to the front: [a, b] -> [ranks, a, b / ranks]."""
        shape, workers = self.known(x.type), self.workers
        axis %= len(shape)
        if axis == 0:
            return x
        part = ccl.share(shape[axis], workers)
        parts = [*shape[:axis], workers, part, *shape[axis + 1 :]]
        apart = self.add(reshaped(x, parts, self.made))
        front = [axis, *(i for i in range(len(parts)) if i != axis)]
        return self.add(PermuteDimsOp(apart, front))

    def join(self, make: Callable[[Attribute], SSAValue], part: Attribute, axis: int) -> SSAValue:
        """Make a tensor of the parts of all ranks, [ranks, a, b], and join them along an axis."""
        shape, result = self.known(part), self.op.results[0].type
        axis %= len(shape)
        if axis == 0:
            self.known(result)
            return make(result)
        parts = make(TensorType.get((self.workers, *shape), tensor_type(self.op.results[0]).dtype))
        back = [*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1)]
        apart = self.add(PermuteDimsOp(parts, back))
        return self.add(reshaped(apart, self.known(result), self.made))

    # Element types

    def reduced(self, x: SSAValue, reduce: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """Reduce over ranks, narrow floats in f32; divide by the number of ranks for an average."""
        dtype = tensor_type(x).dtype
        is_narrow = isinstance(dtype, Float16Type | BFloat16Type)
        result = reduce(self.add(AstypeOp(x, f32)) if is_narrow else x)
        if self.op.op_type == "avg":  # pyright: ignore
            result = self.add(DivideOp(result, self.count(tensor_type(result).dtype)))
        return self.add(AstypeOp(result, dtype)) if is_narrow and dtype is not None else result

    def count(self, dtype: Attribute | None) -> SSAValue:
        """Return the number of ranks in a group as a tensor of rank 0."""
        if (size := self.op.grouping.size) is not None:
            number = DenseIntOrFPElementsAttr.from_list(BuiltinTensorType(dtype, []), [size])  # pyright: ignore
            return self.add(ConstantOp(number))
        shape = self.returned("comm.size", ShapeType((None,)))
        row = self.add(ShapeToTensorOp(shape))
        return self.add(AstypeOp(self.add(reshaped(row, (), self.made)), dtype))  # pyright: ignore


def reshaped(x: SSAValue, sizes: Sequence[Dim], made: list[Operation]) -> ReshapeOp:
    """Return a reshape, whose shape value is inserted before it."""
    op = ReshapeOp(x, [size for size in sizes if size is not None])
    assert isinstance(op.shape.owner, Operation)
    made.append(op.shape.owner)
    return op


def reduction(op_type: str) -> StringAttr:
    """Return the reduction that MPI computes."""
    return StringAttr("sum" if op_type == "avg" else op_type)


def lower_allreduce(to: Lowering, op: ccl.AllreduceOp) -> SSAValue:
    return to.reduced(op.x, lambda x: to.in_place("allreduce", x, reduction(op.op_type)))


def lower_allgather(to: Lowering, op: ccl.AllgatherOp) -> SSAValue:
    return to.join(lambda type: to.into("allgather", op.x, type), op.x.type, op.axis)


def lower_reduce_scatter(to: Lowering, op: ccl.ReduceScatterOp) -> SSAValue:
    shape = to.known(op.result.type)

    def scatter(x: SSAValue) -> SSAValue:
        type = TensorType.get(shape, tensor_type(x).dtype)
        rows = to.split(x, op.axis)
        return to.into("reduce_scatter_block", rows, type, reduction(op.op_type))

    return to.reduced(op.x, scatter)


def lower_broadcast(to: Lowering, op: ccl.BroadcastFromWorker0Op) -> SSAValue:
    return to.in_place("bcast", op.x)


def lower_scatter(to: Lowering, op: ccl.ScatterFromWorker0Op) -> SSAValue:
    to.known(op.result.type)
    return to.into("scatter", to.split(op.x, op.axis), op.result.type)


def lower_all_to_all(to: Lowering, op: ccl.AllToAllOp) -> SSAValue:
    shape = list(to.known(op.x.type))
    shape[op.split_axis] = ccl.share(shape[op.split_axis], to.workers)
    rows, part = (
        to.split(op.x, op.split_axis),
        TensorType.get(tuple(shape), tensor_type(op.x).dtype),
    )
    return to.join(lambda type: to.into("alltoall", rows, type), part, op.concat_axis)


def lower_send(to: Lowering, op: ccl.SendOp) -> None:
    to.returned("send", OBJECT, op.x, op.worker, StringAttr(str(op.tag)))


def lower_recv(to: Lowering, op: ccl.RecvOp) -> SSAValue:
    return to.returned("recv", op.result.type, op.worker, op.shape, StringAttr(str(op.tag)))


def lower_rank(to: Lowering, op: ccl.WorkerRankOp) -> SSAValue:
    return to.returned("comm.rank", op.result.type)


def lower_world_size(to: Lowering, op: ccl.WorldSizeOp) -> SSAValue:
    return to.returned("comm.size", op.result.type)


LOWERINGS: dict[type[Operation], Callable[..., SSAValue | None]] = {
    ccl.AllreduceOp: lower_allreduce,
    ccl.AllgatherOp: lower_allgather,
    ccl.ReduceScatterOp: lower_reduce_scatter,
    ccl.BroadcastFromWorker0Op: lower_broadcast,
    ccl.ScatterFromWorker0Op: lower_scatter,
    ccl.AllToAllOp: lower_all_to_all,
    ccl.SendOp: lower_send,
    ccl.RecvOp: lower_recv,
    ccl.WorkerRankOp: lower_rank,
    ccl.WorldSizeOp: lower_world_size,
}


class LowerCommunication(RewritePattern):
    """Replace one op of communication."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lower = LOWERINGS.get(type(op))
        if lower is None:
            return
        assert isinstance(op, ccl.CommunicationOp)
        to = Lowering(op)
        for value in (*op.operands, *op.results):
            dtype = value.type.dtype if isinstance(value.type, TensorType) else None
            if dtype in STORAGE_TYPES:
                raise to.refuse("elements that MPI knows", dtype, "convert with relax.astype first")
        result = lower(to, op)
        replace(rewriter, op, to.made, [] if result is None else [result])


class LowerCclPass(ModulePass):
    """Communication -> calls of MPI, see the module docstring."""

    name = "relax-lower-ccl"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, [LowerCommunication()])

"""The functions of the mpi dialect that calls of MPI are defined by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, memref, mpi
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from lowering.memory.functions.external_forms import LiteralArgument, PackedForm
from lowering.support.mpi import MPI_PREFIX
from relax_dialect.ir.device_grid import Grouping
from relax_dialect.ir.mlir.mpi_ops import (
    ExchangeOp,
    MpiAllgatherOp,
    MpiAlltoallOp,
    MpiReduceScatterBlockOp,
    MpiScatterOp,
)

GRID, GRID_AXES = "relax.grid", "relax.grid_axes"


@dataclass
class CallBody:
    """The body of a function in the making."""

    block: Block
    literals: list[str]
    outputs: Sequence[MemRefType]
    grouping: Grouping
    results: list[SSAValue] = field(default_factory=list)

    @property
    def args(self) -> Sequence[SSAValue]:
        return self.block.args

    @property
    def operation(self) -> mpi.OperationType:
        """The reduction."""
        return mpi.OperationType(StringAttr(f"MPI_{self.literals[0].upper()}"))

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def communicate(self, op: Operation) -> None:
        """Add an op of the mpi dialect, with the group that it is for."""
        op.attributes[GRID] = DenseArrayBase.from_list(i64, self.grouping.grid)
        op.attributes[GRID_AXES] = DenseArrayBase.from_list(i64, self.grouping.axes)
        self.block.add_op(op)

    def unwrap(self, buffer: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Return the data, element count and element type of a buffer."""
        self.block.add_op(op := mpi.UnwrapMemRefOp(buffer))
        return op.ptr, op.len, op.type

    def number(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, i32)))

    def loaded(self, shape: SSAValue, index: int = 0) -> SSAValue:
        """Return one size of a shape, as an i64."""
        at = self.add(arith.ConstantOp(IntegerAttr(index, IndexType())))
        return self.add(memref.LoadOp.get(shape, [at]))

    def peer(self, shape: SSAValue) -> SSAValue:
        return self.add(arith.TruncIOp(self.loaded(shape), i32))


def allreduce(body: CallBody) -> None:
    body.communicate(mpi.AllreduceOp(None, *body.unwrap(body.args[0]), body.operation))


def bcast(body: CallBody) -> None:
    body.communicate(mpi.BcastOp(*body.unwrap(body.args[0]), body.number(0)))


def exchange(op: type[ExchangeOp]) -> Callable[[CallBody], None]:
    """Return the body of a collective between two buffers."""

    def make(body: CallBody) -> None:
        properties: dict[str, Attribute] = {}
        if op is MpiScatterOp:
            properties["root"] = IntegerAttr(0, i32)
        if op is MpiReduceScatterBlockOp:
            properties["operationtype"] = body.operation
        send, receive = map(body.unwrap, body.args)
        body.communicate(op(send, receive, **properties))

    return make


def send(body: CallBody) -> None:
    x, worker = body.args
    buffer, peer, tag = body.unwrap(x), body.peer(worker), body.number(int(body.literals[0]))
    body.communicate(mpi.SendOp(*buffer, peer, tag))


def recv(body: CallBody) -> None:
    worker, shape = body.args
    (type,) = body.outputs
    sizes = [size_at(body, shape, i) for i in range(type.get_num_dims())]
    dynamic = [size for size, d in zip(sizes, type.get_shape()) if d < 0]
    out = body.add(memref.AllocOp.get(type.element_type, 64, type.get_shape(), dynamic))
    peer, tag = body.peer(worker), body.number(int(body.literals[0]))
    body.communicate(mpi.RecvOp(*body.unwrap(out), peer, tag))
    body.results.append(out)


def size_at(body: CallBody, shape: SSAValue, index: int) -> SSAValue:
    return body.add(arith.IndexCastOp(body.loaded(shape, index), IndexType()))


def number_of(op: Callable[[], Operation]) -> Callable[[CallBody], None]:
    """Return the body of a query, whose result is a shape of one size."""

    def make(body: CallBody) -> None:
        body.communicate(asked := op())
        out = body.add(memref.AllocOp.get(i64, 64, [1]))
        at = body.add(arith.ConstantOp(IntegerAttr(0, IndexType())))
        wide = body.add(arith.ExtUIOp(asked.results[0], i64))
        body.block.add_op(memref.StoreOp.get(wide, out, [at]))
        body.results.append(out)

    return make


BODIES: dict[str, Callable[[CallBody], None]] = {
    "allreduce": allreduce,
    "bcast": bcast,
    "allgather": exchange(MpiAllgatherOp),
    "alltoall": exchange(MpiAlltoallOp),
    "scatter": exchange(MpiScatterOp),
    "reduce_scatter_block": exchange(MpiReduceScatterBlockOp),
    "send": send,
    "recv": recv,
    "comm.rank": number_of(mpi.CommRankOp),
    "comm.size": number_of(mpi.CommSizeOp),
}


def define(declared: func.FuncOp, form: PackedForm) -> None:
    """Replace a declared function of MPI by its definition."""
    literals = [kind.value for kind in form.args if isinstance(kind, LiteralArgument)]
    *rest, grid = literals
    block = Block(arg_types=declared.function_type.inputs.data)
    outputs = [t for t in declared.function_type.outputs if isinstance(t, MemRefType)]
    body = CallBody(block, rest, outputs, Grouping.parse(grid))
    BODIES[form.name.removeprefix(MPI_PREFIX)](body)
    block.add_op(func.ReturnOp(*body.results))
    name, type = declared.sym_name.data, declared.function_type
    defined = func.FuncOp(name, type, Region(block), visibility="private")
    Rewriter.replace_op(declared, defined, [])

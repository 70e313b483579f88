"""Statements of the mpi dialect: calls of the helpers in `helpers/mpi.c`, on whole buffers."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import mpi
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Operation, SSAValue

from lowering.emit_c.operations.control import c_string
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.c_expressions import CExpr
from lowering.emit_c.syntax.c_types import CType
from relax_dialect.errors import RelaxError
from relax_dialect.ops.forms import integers

GRID, GRID_AXES = "relax.grid", "relax.grid_axes"

MOST_AXES = 8
"""The most axes of a grid, for which `struct mpi_grid` has sizes."""

STEPS = {
    "mpi.allreduce": "allreduce",
    "mpi.bcast": "broadcast_from_worker0",
    "mpi.scatter": "scatter_from_worker0",
    "mpi.allgather": "allgather",
    "mpi.reduce_scatter_block": "reduce_scatter",
    "mpi.alltoall": "all_to_all",
    "mpi.send": "send",
    "mpi.recv": "recv",
    "mpi.comm.rank": "rank",
    "mpi.comm.size": "world_size",
}
"""The names of the ops in errors: those of the operators."""


def mpi_type(t: CType) -> str:
    """Return the MPI type of elements; narrow floats are only moved, as their bits."""
    if t.kind == "float":
        return "MPI_FLOAT" if t.bits == 32 else "MPI_DOUBLE"
    sign = "" if t.kind == "int" else "U"
    return f"MPI_{sign}INT{t.bits}_T"


def buffer_of(op: Operation, data: SSAValue) -> SSAValue:
    """Return the memref that a pointer of MPI is taken from."""
    if not isinstance(data.owner, mpi.UnwrapMemRefOp):
        raise RelaxError(
            f"C: {op.name}: expected a buffer of mpi.unwrap_memref, found {data.type}; "
            "take it from a memref"
        )
    return data.owner.ref


class MpiCall:
    """One call of a helper."""

    def __init__(self, body: FunctionBody, op: Operation):
        self.body = body
        self.op = op
        self.types: list[str] = []

    def buffer(self, data: SSAValue) -> str:
        """Return a buffer as C has it."""
        b = self.body.buffer(buffer_of(self.op, data))
        if b.strides is not None:
            raise RelaxError(
                f"C: {self.op.name}: expected a row-major buffer, found one with strides"
            )
        self.types.append(b.element.mlir_name)
        sizes = ", ".join(size.text for size in b.sizes)
        shape = f"(const int64_t[]){{{sizes}}}" if sizes else "(const int64_t[]){0}"
        return f"&(const struct mpi_buffer){{{b.base}, {mpi_type(b.element)}, {len(b.sizes)}, {shape}}}"

    def grid(self) -> str:
        """Return the partition of the ranks as C has it."""
        found = (self.op.attributes.get(key) for key in (GRID, GRID_AXES))
        grid, axes = (integers(a) if isinstance(a, DenseArrayBase) else () for a in found)
        if len(grid) > MOST_AXES:
            raise RelaxError(
                f"C: {self.op.name}: expected a grid of at most {MOST_AXES} axes, found {len(grid)}; "
                "combine some"
            )
        sizes = ", ".join(map(str, grid)) or "0"
        return f"&(const struct mpi_grid){{{len(grid)}, {{{sizes}}}, {sum(1 << a for a in axes)}u}}"

    def make(self, helper: str, *rest: str) -> None:
        """Print the call, and leave the function where it fails."""
        body = self.body
        body.flush()
        body.file.helpers.use_runtime(helper)
        reduced = self.op.properties.get("operationtype")
        kind = (
            f"{reduced.op_str.data[4:].lower()} of "
            if isinstance(reduced, mpi.OperationType)
            else ""
        )
        types = f" ({kind}{self.types[0]})" if self.types else ""
        step = c_string(f"relax.ccl.{STEPS[self.op.name]}{types}")
        arguments = ", ".join([step, self.grid(), *rest])
        body.line_if(f"{helper}({arguments}) != 0", body.fail())


def emit_unwrap(body: FunctionBody, op: Operation) -> None:
    """The ops that take the results read the buffer themselves."""


def emit_allreduce(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, mpi.AllreduceOp)
    if op.send_buffer is not None:
        raise RelaxError("C: mpi.allreduce: expected no send buffer, found one; reduce in place")
    call = MpiCall(body, op)
    call.make("mpi_allreduce", call.buffer(op.recv_buffer), op.operationtype.op_str.data)


def emit_bcast(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, mpi.BcastOp)
    call = MpiCall(body, op)
    call.make("mpi_bcast", call.buffer(op.buffer), body.expr(op.root).text)


def emit_exchange(helper: str) -> Callable[[FunctionBody, Operation], None]:
    """Return the statement of a collective between two buffers."""

    def emit(body: FunctionBody, op: Operation) -> None:
        call = MpiCall(body, op)
        buffers = [call.buffer(op.operands[0]), call.buffer(op.operands[3])]
        rest: list[str] = []
        if isinstance(reduced := op.properties.get("operationtype"), mpi.OperationType):
            rest.append(reduced.op_str.data)
        if isinstance(root := op.properties.get("root"), IntegerAttr):
            rest.append(str(root.value.data))
        call.make(helper, *buffers, *rest)

    return emit


def emit_message(helper: str) -> Callable[[FunctionBody, Operation], None]:
    """Return the statement of a message to or from another rank."""

    def emit(body: FunctionBody, op: Operation) -> None:
        call = MpiCall(body, op)
        buffer = call.buffer(op.operands[0])
        call.make(helper, buffer, *(body.expr(value).text for value in op.operands[3:5]))

    return emit


def emit_query(is_rank: bool) -> Callable[[FunctionBody, Operation], None]:
    """Return the statement of a query for the rank, or the number of ranks."""

    def emit(body: FunctionBody, op: Operation) -> None:
        variable = body.fresh(op.results[0], "rank" if is_rank else "ranks")
        body.line(f"int32_t {variable} = 0;")
        body.values[op.results[0]] = CExpr(variable)
        given = f"&{variable}"
        MpiCall(body, op).make("mpi_rank_in", *((given, "NULL") if is_rank else ("NULL", given)))

    return emit


STATEMENTS = {
    "mpi.unwrap_memref": emit_unwrap,
    "mpi.allreduce": emit_allreduce,
    "mpi.bcast": emit_bcast,
    "mpi.allgather": emit_exchange("mpi_allgather"),
    "mpi.alltoall": emit_exchange("mpi_alltoall"),
    "mpi.scatter": emit_exchange("mpi_scatter"),
    "mpi.reduce_scatter_block": emit_exchange("mpi_reduce_scatter"),
    "mpi.send": emit_message("mpi_send"),
    "mpi.recv": emit_message("mpi_recv"),
    "mpi.comm.rank": emit_query(True),
    "mpi.comm.size": emit_query(False),
}

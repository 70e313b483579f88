"""Collectives that xDSL's mpi dialect lacks: `mpi.allgather`, `mpi.alltoall`, `mpi.scatter` and
`mpi.reduce_scatter_block`.

They take buffers, counts and element types as `mpi.unwrap_memref` returns them. As in xDSL's ops, the group
is that of all ranks, unless the attributes `relax.grid` and `relax.grid_axes` partition them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.mpi import MPI, DataType, OperationType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def


class ExchangeOp(IRDLOperation):
    """A collective that reads one buffer and writes another."""

    sendbuf = operand_def(llvm.LLVMPointerType)
    sendcount = operand_def(i32)
    sendtype = operand_def(DataType)
    recvbuf = operand_def(llvm.LLVMPointerType)
    recvcount = operand_def(i32)
    recvtype = operand_def(DataType)

    def __init__(
        self, send: Sequence[SSAValue], receive: Sequence[SSAValue], **properties: Attribute
    ):
        super().__init__(operands=[*send, *receive], properties=properties)


@irdl_op_definition
class MpiAllgatherOp(ExchangeOp):
    """`MPI_Allgather`: the buffers of all ranks one after the other, on every rank."""

    name = "mpi.allgather"


@irdl_op_definition
class MpiAlltoallOp(ExchangeOp):
    """`MPI_Alltoall`: part r of the buffers of all ranks one after the other, on rank r."""

    name = "mpi.alltoall"


@irdl_op_definition
class MpiScatterOp(ExchangeOp):
    """`MPI_Scatter`: part r of the buffer of the rank `root`, on rank r."""

    name = "mpi.scatter"

    root = prop_def(IntegerAttr)


@irdl_op_definition
class MpiReduceScatterBlockOp(ExchangeOp):
    """`MPI_Reduce_scatter_block`: part r of the buffers of all ranks reduced, on rank r."""

    name = "mpi.reduce_scatter_block"

    operationtype = prop_def(OperationType)


def install() -> None:
    """Register these ops with xDSL's dialect, whichever way it is loaded."""
    for own in (MpiAllgatherOp, MpiAlltoallOp, MpiScatterOp, MpiReduceScatterBlockOp):
        if own not in MPI.operations:
            MPI._operations.append(own)  # pyright: ignore[reportPrivateUsage]

"""References to objects at loop level, where `relax-lower-functions` counts them.

A function borrows the objects among its parameters; a call, a branch or `relax.retain` returns an owned
reference, which is passed on once or released.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from relax_dialect.ir.types import OBJECT


@irdl_op_definition
class RetainOp(IRDLOperation):
    """One more reference to an object: `%b = relax.retain %a`."""

    name = "relax.retain"

    object = operand_def(OBJECT)
    result = result_def(OBJECT)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$object attr-dict"

    def __init__(self, object: SSAValue | Operation):
        super().__init__(operands=[object], result_types=[OBJECT])


@irdl_op_definition
class ReleaseOp(IRDLOperation):
    """Release a reference to an object: `relax.release %a`."""

    name = "relax.release"

    object = operand_def(OBJECT)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$object attr-dict"

    def __init__(self, object: SSAValue | Operation):
        super().__init__(operands=[object])


OPS: list[type[Operation]] = [RetainOp, ReleaseOp]

"""Inlining of functions on builtin tensors of unknown sizes into Relax functions.

Unlike the signature of a prim func, such a signature does not determine the sizes of the results; the
inlined body does.
"""

from __future__ import annotations

from functools import cached_property

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.locations import inherit
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.regions import Body, erase


class TensorCalls:
    """The functions of other dialects that a module calls with tensors of unknown sizes."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._inlined: set[str] = set()

    @cached_property
    def _functions(self) -> dict[str, func.FuncOp]:
        """Read where the first call is found: most modules have none."""
        return {op.sym_name.data: op for op in self.module.ops if isinstance(op, func.FuncOp)}

    def inline(self, body: Body) -> None:
        """Replace calls by the bodies of the functions.

        A recursive function, or one with branches, is not inlined.
        """
        pending: list[tuple[Operation, tuple[str, ...]]] = [(op, ()) for op in body.ops()]
        while pending:
            op, around = pending.pop()
            if not isinstance(op, func.CallOp) or not any(map(_is_dynamic, op.results)):
                continue
            name = op.callee.string_value()
            callee = self._functions.get(name)
            if callee is None or name in around or len(callee.body.blocks) != 1:
                continue
            self._inlined.add(name)
            pending.extend((made, (*around, name)) for made in _inline(op, callee))

    def remove_uncalled(self) -> None:
        """Take out the private functions that were inlined and that nothing names any more."""
        remove_unused_functions(self.module, self._inlined)


def _is_dynamic(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and DYNAMIC_INDEX in value.type.get_shape()


def _inline(call: func.CallOp, callee: func.FuncOp) -> list[Operation]:
    block = call.parent
    assert block is not None
    *ops, end = callee.body.block.ops
    values: dict[SSAValue, SSAValue] = dict(zip(callee.body.block.args, call.operands))
    made = [op.clone(values) for op in ops]
    inherit(made, call.location)
    block.insert_ops_before(made, call)
    for result, returned in zip(call.results, end.operands):
        result.replace_all_uses_with(values.get(returned, returned))
    erase(call)
    return made

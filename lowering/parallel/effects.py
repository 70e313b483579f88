"""The memrefs that ops read and write, through calls too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import func, memref, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lowering.ir.memref_views import VIEW_OPS, viewed_memref
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp
from relax_dialect.ir.walk import walk_ops

WITHOUT = (
    memref.DimOp, memref.DeallocOp, memref.AllocOp, memref.AllocaOp, memref.GetGlobalOp, PrefetchOp,
    *VIEW_OPS,
)  # fmt: skip
"""Ops on memrefs that neither read nor write elements."""

Effect = tuple[list[SSAValue], list[SSAValue]]
"""The memrefs that are read, and those that are written."""

Numbers = tuple[frozenset[int], frozenset[int]]
"""The arguments that are read, and those that are written."""


@dataclass
class Effects:
    """The effects of ops in the functions of a module."""

    functions: Mapping[str, func.FuncOp]
    known: dict[str, Numbers | None] = field(default_factory=dict[str, Numbers | None])

    def of(self, op: Operation) -> Effect | None:
        """Return the effect of an op, None if it is not known."""
        match op:
            case memref.LoadOp():
                return [op.memref], []
            case vector.LoadOp():
                return [op.base], []
            case memref.StoreOp():
                return [], [op.memref]
            case vector.StoreOp():
                return [], [op.base]
            case memref.CopyOp():
                return [op.source], [op.destination]
            case func.CallOp():
                return self._of_call(op)
            case _:
                values = (*op.operands, *op.results)
                has_memref = any(isinstance(value.type, MemRefType) for value in values)
                return None if has_memref and not isinstance(op, WITHOUT) else ([], [])

    def _of_call(self, call: func.CallOp) -> Effect | None:
        if (numbers := self._arguments(call.callee.string_value())) is None:
            return None
        read, written = ([call.operands[n] for n in sorted(own)] for own in numbers)
        return read, written

    def _arguments(self, name: str) -> Numbers | None:
        if name not in self.known:
            self.known[name] = None  # of a recursive function
            if (function := self.functions.get(name)) is not None:
                self.known[name] = self._of_function(function)
        return self.known[name]

    def _of_function(self, function: func.FuncOp) -> Numbers | None:
        found: tuple[set[SSAValue], set[SSAValue]] = set(), set()
        for op in walk_ops(function):
            if op is function or isinstance(op, func.ReturnOp):
                continue
            if (effect := self.of(op)) is None:
                return None
            for buffers, values in zip(found, effect):
                buffers.update(map(viewed_memref, values))
        arguments = enumerate(function.body.block.args)
        numbers = [(n, a) for n, a in arguments if isinstance(a.type, MemRefType)]
        read, written = (frozenset(n for n, a in numbers if a in own) for own in found)
        return read, written

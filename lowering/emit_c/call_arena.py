"""The bytes that calls take of the memory provided by their caller (`--arena`), and the C that computes
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType

from lowering.emit_c.entry_points import EntryEmitter
from lowering.emit_c.helpers import caller_arena
from lowering.emit_c.syntax.c_names import CNames
from lowering.memory.plan.call_memory import CallMemory, call_memory, result_bytes, shape_bytes


class CallArena:
    """The memory of the calls of some functions."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        self._taken = call_memory(functions)
        self.variables: tuple[str, ...] = ()
        """The symbolic variables of all entry points, once their texts are there."""

    def texts(self, model: str, entries: Sequence[EntryEmitter], names: CNames) -> list[str]:
        """Return the C functions that compute the bytes of calls of entry points; the entry points call
        them from now on."""
        texts: list[str] = []
        calls: dict[str, Sequence[str]] = {}
        for e in entries:
            symbols = list(e.signature.symbols)
            e.bytes_function = names.fresh(f"bytes_of_{e.signature.symbol}")
            calls[e.bytes_function] = symbols
            texts.append(caller_arena.bytes_function(e.bytes_function, self._of(e), symbols))
        self.variables = tuple(dict.fromkeys(v for taken in calls.values() for v in taken))
        return [*texts, caller_arena.size_function(model, self.variables, calls)]

    def bytes(self, entries: Sequence[EntryEmitter]) -> int | None:
        """Return the bytes of the arena, if they are the same for all sizes."""
        taken = [self._of(e) for e in entries]
        if any(each.variables() for each in taken):
            return None
        totals = (f.evaluate({}) + each.values.evaluate({}) for each in taken for f in each.frames)
        return max(totals) + caller_arena.SLACK

    def _of(self, e: EntryEmitter) -> CallMemory:
        """Return the memory that a call of an entry point takes."""
        taken = self._taken[e.signature.symbol]
        values = taken.values
        for p in e.outputs:
            if isinstance(p.type, MemRefType) and not p.is_unranked:
                values += shape_bytes(len(p.dims))
                values += result_bytes(p.type, p.dims) if p.is_result else 0
        return CallMemory(taken.frames, values)

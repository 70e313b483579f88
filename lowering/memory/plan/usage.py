"""The memory use of the functions of a lowered module, in their symbolic variables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr

from lowering.memory.in_place.call_graph import callees_first, calls_of, functions_of
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.memory.in_place.size_order import ZERO, Maximum
from lowering.memory.plan.lifetimes import OwnedMemory, values_of
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.prim.signature import ENTRY, FRAME, OFFSET
from relax_dialect.symbolic import Expr, SymbolicOverflow


@dataclass
class ValueUsage:
    """A value: its type, its bytes, its live range in ops, its offset in the frame."""

    name: str
    type: str
    bytes: Size
    """None if only the running function knows."""
    start: int
    end: int | None
    """None if the caller, or another block, frees it."""
    offset: Expr | None
    """None if it is allocated by itself."""


@dataclass
class FunctionUsage:
    """The memory of one call of a function, in bytes."""

    name: str
    is_entry: bool
    frame: Expr
    values: Sequence[ValueUsage]
    peak: Maximum
    """Its frame, its other allocations, and the memory of the functions that it calls."""
    without_frame: Maximum
    """The same without its frame, which holds the frames of its callees."""
    lower_bound: Maximum
    """The size of all values that are live at once, with those of the callees."""
    one_by_one: Expr | None
    """The size of all its values together: the memory without a plan."""
    unknown: Sequence[str]
    """Values, and functions that it calls, of unknown size: no figure counts them."""
    upper_bounds: Mapping[str, int]
    """The declared upper bounds of its symbolic variables."""


@dataclass
class MemoryUsage:
    """The memory of the functions of a module that own some, exported functions first."""

    functions: Sequence[FunctionUsage]

    def __getitem__(self, name: str) -> FunctionUsage:
        for function in self.functions:
            if function.name == name.removeprefix("@"):
                return function
        known = ", ".join(f"@{f.name}" for f in self.functions) or "none"
        raise RelaxError(
            f"function @{name.removeprefix('@')}: expected one of {known}, found none; correct the name"
        )

    def __iter__(self) -> Iterator[FunctionUsage]:
        return iter(self.functions)


def memory_usage(module: ModuleOp) -> MemoryUsage:
    """Return the memory of the functions of a module, after `relax-plan-memory`."""
    functions = functions_of(module)
    done: dict[str, FunctionUsage] = {}
    for name in callees_first(functions):
        done[name] = _Usage(functions[name], functions, done).result()
    used = [u for name in functions if (u := done[name]).is_entry or u.values]
    return MemoryUsage(sorted(used, key=lambda u: not u.is_entry))


@dataclass
class CalleeMemory:
    """The memory of a function that is called, in the symbolic variables of the caller."""

    start: Expr
    """From where on, in the frame of the caller or from its end on."""
    outside: Maximum
    """The memory that it takes from there on."""
    lower_bound: Maximum


class _Usage:
    """The usage of one function in the making."""

    def __init__(
        self,
        function: func.FuncOp,
        functions: Mapping[str, func.FuncOp],
        done: Mapping[str, FunctionUsage],
    ):
        self.function = function
        self.done = done
        self.functions = functions
        self.sizes = SymbolicSizes(function, functions)
        self.values = values_of(function, self.sizes)
        self.unknown = {v.name: None for v in self.values if v.size is None}
        frame = function.attributes.get(FRAME)
        self.frame = symbolic.parse(frame.data) if isinstance(frame, StringAttr) else ZERO

    def result(self) -> FunctionUsage:
        peak, without_frame, lower_bound = Maximum([self.frame]), Maximum(), Maximum()
        together = None
        try:
            self._add_figures(peak, without_frame, lower_bound)
            together = symbolic.total(v.size for v in self.values if v.size is not None)
        except SymbolicOverflow:
            self.unknown["sums of more sizes than are followed"] = None
        name = self.function.sym_name.data
        return FunctionUsage(
            name,
            ENTRY in self.function.attributes,
            self.frame,
            [_value_usage(v) for v in self.values],
            peak,
            without_frame,
            lower_bound,
            together,
            tuple(self.unknown),
            upper_bounds(self.function),
        )

    def _add_figures(self, peak: Maximum, without_frame: Maximum, lower_bound: Maximum) -> None:
        callees = self._callees()
        own = [v for v in self.values if v.offset is None]
        for number, alive in self._over_time(own, callees):
            peak.add(self.frame + alive)
            without_frame.add(alive)
            if (callee := callees.get(number)) is not None:
                for size in callee.outside.sizes:
                    without_frame.add(alive + size)
                    peak.add(callee.start + alive + size)
        for number, alive in self._over_time(self.values, callees):
            for size in callees[number].lower_bound.sizes if number in callees else (ZERO,):
                lower_bound.add(alive + size)

    def _callees(self) -> Mapping[int, CalleeMemory]:
        """Return the memory of the functions that are called, by the numbers of the calls."""
        found: dict[int, CalleeMemory] = {}
        for number, op in calls_of(self.function):
            name = op.callee.string_value()
            usage = self.done.get(name)
            if usage is None:
                if name in self.functions:
                    self.unknown[f"@{name}"] = None
                continue
            known = self.sizes.bindings(op)
            if not known.keys() >= usage.peak.variables() | usage.lower_bound.variables():
                self.unknown[f"@{name}"] = None
                continue
            offset = op.attributes.get(OFFSET)
            start = symbolic.parse(offset.data) if isinstance(offset, StringAttr) else self.frame
            is_inside = symbolic.provably_at_least(
                self.frame, start + usage.frame.substitute(known)
            )
            found[number] = CalleeMemory(
                self.frame if is_inside else start,
                _bound(usage.without_frame if is_inside else usage.peak, known),
                _bound(usage.lower_bound, known),
            )
        return found

    @staticmethod
    def _over_time(
        values: Iterable[OwnedMemory], calls: Iterable[int]
    ) -> Iterator[tuple[int, Expr]]:
        """Yield the bytes of the values that are needed at once, at each call and where a value is new."""
        changes: dict[int, list[Expr]] = defaultdict(list)
        for number in calls:
            changes[number] = []
        for value in values:
            if value.size is not None:
                changes[value.start].append(value.size)
                if value.end is not None:
                    changes[value.end].append(-value.size)
        alive = ZERO
        for number in sorted(changes):
            alive = symbolic.total([alive, *changes[number]])
            yield number, alive


def _bound(most: Maximum, known: Mapping[str, Expr]) -> Maximum:
    return Maximum([size.substitute(known) for size in most.sizes])


def _value_usage(value: OwnedMemory) -> ValueUsage:
    dims = ", ".join("?" if size is None else str(size) for size in value.shape)
    assert value.memref is not None and isinstance(value.memref.type, MemRefType)
    type = f"[{dims}] {value.memref.type.element_type}"
    return ValueUsage(value.name, type, value.size, value.start, value.end, value.offset)

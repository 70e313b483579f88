"""The regions a builder has open, and the rules checked when an op is inserted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import candidate_symbols, escaping_symbols, needed_symbols
from relax_dialect.ir.traits import ControlFlow, SymbolsEscape, has_trait


class BuildError(RelaxError):
    """A mistake in the use of the builder, raised on the line that makes it."""


@dataclass
class OpenRegion:
    """An open region: its insertion point, and the rules of its kind."""

    kind: str
    block: Block
    is_graph: bool = False
    is_straight: bool = False
    symbols_escape: bool = False
    before: Operation | None = None
    """The op before which ops are inserted; None for the end of the block."""
    others: Sequence[Block] = ()
    """The other blocks of the region, which some dialects have."""
    symbols: list[str] = field(default_factory=list)
    """The symbolic variables defined here."""
    outputs: dict[SSAValue, Any] = field(default_factory=dict)
    """The values that leave the region, with the `Value` handle of each."""
    numbers: dict[object, SSAValue] = field(default_factory=dict)
    """The constants of rank 0 that may be used again, by number and element type."""
    ended: bool = False
    """Whether nothing may follow, as the function has its result."""
    lookup: ModuleSymbols = field(default_factory=lambda: ModuleSymbols(None, {}))
    """Finds functions, and remembers the pure ones for as long as the region is open."""


class OpenRegions:
    """The open regions of one function, the innermost last."""

    def __init__(self, symbols: dict[str, Operation]):
        self.table = symbols
        self.function: str | None = None
        """The name of the open function."""
        self.stack: list[OpenRegion] = []
        self.defined: set[str] = set()
        """The symbolic variables defined here and now."""
        self.placed: list[Operation] | None = None
        """The inserted ops, in order, if they are recorded."""
        self._open: set[Block] = set()

    @property
    def top(self) -> OpenRegion:
        """The innermost open region; raises `BuildError` if no function is open."""
        if not self.stack:
            raise BuildError(
                "expected an open function, found none; write "
                '`with builder.function("main", params):` around this line'
            )
        return self.stack[-1]

    def push(self, scope: OpenRegion) -> OpenRegion:
        scope.lookup = ModuleSymbols(None, self.table)
        self.stack.append(scope)
        self._open.add(scope.block)
        self._open.update(scope.others)
        return scope

    def pop(self) -> OpenRegion:
        scope = self.stack.pop()
        self._open.discard(scope.block)
        self._open.difference_update(scope.others)
        if scope.symbols_escape and self.stack:
            self.stack[-1].symbols.extend(scope.symbols)
        else:
            self.defined.difference_update(scope.symbols)
        return scope

    def define(self, names: Iterable[str]) -> None:
        """Define symbolic variables unless they are defined already."""
        for name in names:
            if name not in self.defined:
                self.defined.add(name)
                self.top.symbols.append(name)

    def place(self, op: Operation) -> None:
        """Insert an op at the insertion point; if it is not allowed there, drop its operands."""
        try:
            self.check(op)
        except RelaxError:
            op.drop_all_references()
            raise
        scope = self.top
        if scope.before is None:
            scope.block.add_op(op)
        else:
            scope.block.insert_op_before(op, scope.before)
        self.define(candidate_symbols(op))
        if self.placed is not None:
            self.placed.append(op)

    def check(self, op: Operation) -> None:
        """Raise an error for an op that is not allowed at the insertion point."""
        scope = self.top
        if scope.ended:
            raise BuildError(
                f"{describe(op)}: expected no op after the result of @{self.function}, found one; "
                "emit it before emit_func_output"
            )
        for operand in op.operands:
            if _block(operand) not in self._open:
                self.check_visible(operand, op)
        if has_trait(op, SymbolsEscape):
            self.define(escaping_symbols(op))
        for name in needed_symbols(op):
            if name not in self.defined:
                self._fail_undefined(op, name)
        if scope.is_straight and has_trait(op, ControlFlow):
            raise BuildError(
                f"{describe(op)}: expected no control flow in {scope.kind}, found this op; emit it "
                "outside of the block"
            )
        if scope.is_graph and not has_trait(op, IsTerminator) and not is_pure(op, scope.lookup):
            raise BuildError(
                f"{describe(op)}: expected ops without effects in {scope.kind} (E1), found one that has or "
                "may have an effect; emit it outside of the block"
            )

    def _fail_undefined(self, op: Operation, name: str) -> NoReturn:
        raise BuildError(
            f"{describe(op)}: expected symbolic variables that are defined (S1), found '{name}'; define it "
            "by a parameter's type, or by match_shape or match_cast before this line"
        )

    def check_visible(self, value: SSAValue, user: Operation | None = None) -> None:
        """Refuse a value that is not of an open region, for an op or the function."""
        if _block(value) in self._open:
            return
        what = f"@{self.function}" if user is None else describe(user)
        name = f"%{value.name_hint}" if value.name_hint else "a value without a name"
        found, mend = self._whereabouts(value)
        raise BuildError(
            f"{what}: expected a value visible here, found {name}, which {found}; {mend}"
        )

    def _whereabouts(self, value: SSAValue) -> tuple[str, str]:
        """Return the reason why a value is not visible, and the fix."""
        block = _block(value)
        owner = None if block is None else block.parent_op()
        kind = None if owner is None else owner.name
        function = owner
        while function is not None and function.name != "relax.func":
            function = function.parent_op()
        if function is not None:
            name = function.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and name.data != self.function:
                return f"belongs to function @{name.data}", "pass it as an argument"
        match kind:
            case "relax.dataflow" | "relax.binding_block" | "relax.graph":
                return (
                    f"belongs to a closed {kind} block",
                    "pass it out with emit_output, and use what that returns",
                )
            case "relax.if":
                return "belongs to a branch of relax.if", "return it from the branch"
            case "relax.while":
                return "belongs to a relax.while", "make it a value of the loop's state"
            case "relax.closure":
                return "belongs to the body of a closure", "return it from the closure"
            case _:
                return "is in no open region", "emit it first"


def _block(value: SSAValue) -> Block | None:
    if isinstance(value, OpResult):
        return value.op.parent
    return value.owner if isinstance(value, BlockArgument) else None

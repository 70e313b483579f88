"""Insertion of the result of a rewrite: values, ops and expressions, at the op whose value they replace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from relax_dialect.builder import constant_values
from relax_dialect.builder.emitter import Emitter, Parts
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.builder.values import Expression
from relax_dialect.dpl.errors import RewriteError
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.match_region import Extent, slice_of
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.order import describe
from relax_dialect.ir.symbol_scopes import candidate_symbols, needed_symbols, visible_symbols
from relax_dialect.ir.traits import Straight, has_trait, stands_in_graph
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.ops.graph import LetOp

DEFAULT_NAMES = ("lv", "gv")


class _Symbols(set[str]):
    """The symbolic variables of a function; the variables named by its ops are collected lazily."""

    def __init__(self, function: Operation):
        super().__init__()
        self._function = function
        self._late: set[str] | None = None
        for block in blocks_of(function):
            for argument in block.args:
                self.update(free_variables(argument.type))

    def late(self) -> set[str]:
        """Return the variables that ops define; all that are named are known from then on."""
        if self._late is None:
            self._late = set()
            for op in walk_ops(self._function):
                self._late.update(candidate_symbols(op))
                self.update(candidate_symbols(op), needed_symbols(op))
                for block in blocks_of(op):
                    for argument in block.args:
                        self.update(free_variables(argument.type))
        return self._late

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        self.late()
        return super().__contains__(name)


@dataclass
class Insertions:
    """The values and ops that a rewrite has inserted."""

    values: list[SSAValue]
    """The replacement of each root, or of each result of one."""
    ops: list[Operation]
    keeps: bool
    """Whether a root is used, so that the match is kept and the ops follow it."""


class Placer(Emitter):
    """Inserts before an op of a function, and erases the inserted ops if they are refused."""

    notes_call_sites = False  # a replacement has the location of the original

    def __init__(self, function: Operation):
        module: Operation | None = function.parent_op()
        super().__init__(module if isinstance(module, ModuleOp) else None)
        self.function = function
        self._parts: Parts = {}
        name = function.get_attr_or_prop("sym_name")
        self._scopes.function = getattr(name, "data", "a function")
        self._sizes = _Symbols(function)
        self._scopes.defined = self._sizes

    def _shared(self) -> Parts:
        """Return the parts shared by the values of one rewrite, each inserted once."""
        return self._parts

    def place(self, match: Match, given: object, extent: Extent) -> Insertions:
        """Insert the replacements of the roots of a match before the first root.

        Raises `RewriteError` for a value of another type or scope, after erasing all inserted ops.
        """
        several = len(extent.roots) > 1
        olds: Sequence[SSAValue] = match.roots if several else extent.roots[0].results
        block = extent.before.parent
        assert block is not None
        self._open(block, extent)
        self._scopes.placed = placed = []
        try:
            values = self._values(given, len(olds))
            if len(values) != len(olds):
                raise RewriteError(
                    f"expected {len(olds)} values for {describe(extent.roots[0])}, found "
                    f"{len(values)}; return a list with one for each {'root' if several else 'result'}"
                )
            news = [self._placed_for(old, value) for old, value in zip(olds, values)]
            keeps = self._check_scope(news, placed, extent)
            news = [self._typed(old, new) for old, new in zip(olds, news)]
        except RelaxError:
            for op in reversed(placed):
                op.detach()
                op.erase(safe_erase=False)
            raise
        finally:
            self._scopes.placed = None
            self._parts.clear()
            self._scopes.stack.clear()
            self._scopes._open.clear()  # pyright: ignore[reportPrivateUsage]
        self._name(olds, news, placed, extent)
        return Insertions(news, placed, keeps)

    def _values(self, given: object, count: int) -> list[Any]:
        """One value for each of so many results: of a list, or of one expression that has several."""
        if isinstance(given, list | tuple):
            return list(given)
        if count == 1 or not isinstance(given, Expression):
            return [given]
        found = self._resolve(given)
        if isinstance(found, Operation):
            self._place(found)
            return list(found.results)
        return [found]

    def _open(self, block: Block, extent: Extent) -> None:
        """Set the insertion point before an op; the values of the enclosing blocks are visible."""
        parent = block.parent_op()
        assert parent is not None
        scope = OpenRegion(parent.name, block, is_graph=extent.in_graph, before=extent.before)
        scope.is_straight = has_trait(parent, Straight)
        self._scopes.push(scope)
        around: Block | None = block
        while around is not None:
            self._scopes._open.add(around)  # pyright: ignore[reportPrivateUsage]
            op = around.parent_op()
            around = None if op is None or has_trait(op, IsolatedFromAbove) else op.parent

    def _placed_for(self, old: SSAValue, value: object) -> SSAValue:
        """Return a value for an old one; a number becomes a constant of the old one's element type."""
        if constant_values.is_number(value):
            type = old.type
            if not isinstance(type, TensorType) or type.dtype is None or type.shape != ():
                raise RewriteError(
                    f"expected a value of type {type}, found the number {value!r}; return op.full(shape, "
                    "value)"
                )
            return self._place(constant_values.scalar(value, type.dtype))  # pyright: ignore
        return self.operand(value)

    def _check_scope(
        self, news: Sequence[SSAValue], placed: list[Operation], extent: Extent
    ) -> bool:
        """Refuse uses of a value computed from the roots, or defined after them; returns whether a root
        itself is used."""
        keeps = False
        fresh = set(placed)
        roots = set(extent.roots)
        block = extent.before.parent
        inputs = {v for op in (*extent.roots, *extent.inner) for v in op.operands}
        for value in (*news, *(operand for op in placed for operand in op.operands)):
            op = value.owner
            if op in roots:
                keeps = True
                continue
            if value in inputs or not isinstance(op, Operation) or op in fresh:
                continue
            before = op.parent and op.parent.find_ancestor_op_in_block(extent.before)
            if op.parent is not None and stands_in_graph(op.parent):
                around = roots if op.parent is block or before is None else {before}
                if slice_of([value], op.parent, around) is not None:
                    continue
                raise RewriteError(
                    f"expected values made of the match's inputs, found %{value.name_hint or '?'}, "
                    "which is computed from what is to be replaced; use what its operands matched"
                )
            if before is None or op in extent.hoisted or op.is_before_in_block(before):
                continue
            raise RewriteError(
                f"expected values defined before {describe(before)}, found "
                f"%{value.name_hint or '?'}, which {op.name} defines after it; use the match's"
            )
        if keeps and any(root.regions for root in extent.roots if root is not extent.before):
            raise RewriteError(
                "expected several roots without regions where they are used, found "
                f"{', '.join(map(describe, extent.roots))}; use what their operands matched"
            )
        self._check_symbols(placed, extent)
        return keeps

    def _check_symbols(self, placed: list[Operation], extent: Extent) -> None:
        """Refuse ops that name a symbolic variable defined after them."""
        matched = (*extent.roots, *extent.inner)
        defined = {name for op in placed for name in candidate_symbols(op)}
        defined.update(name for op in matched for name in needed_symbols(op))
        defined.update(n for op in matched for v in op.operands for n in free_variables(v.type))
        used = {operand.owner for op in placed for operand in op.operands}
        defined.update(n for op in extent.roots if op in used for n in candidate_symbols(op))
        block = extent.before.parent
        assert block is not None
        visible: set[str] | None = None
        for op in placed:
            for name in needed_symbols(op):
                if name in defined or name not in self._sizes.late():
                    continue
                if visible is None:
                    visible = visible_symbols(extent.before, extent.in_graph)
                if name not in visible:
                    raise RewriteError(
                        f"expected symbolic variables that are defined before "
                        f"{describe(extent.before)}, found '{name}', which {describe(op)} names; return "
                        "None to leave the match as it is"
                    )

    def _typed(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """Return the new value, of the old type: a narrower one is widened, any other refused."""
        if new.type == old.type:
            return new
        if not is_subtype(new.type, old.type):
            differs = contradict(new.type, old.type)
            raise RewriteError(
                f"expected a value of type {old.type} for {_text(old)}, found {new.type}; "
                + (
                    "return one of that type, or None to leave the match as it is"
                    if differs
                    else "narrow it with a match_cast, or return None to leave the match as it is"
                )
            )
        let = LetOp.create(operands=[new], result_types=[old.type])
        self._scopes.place(let)
        return let.result

    @staticmethod
    def _name(
        olds: Sequence[SSAValue], news: Sequence[SSAValue], placed: list[Operation], extent: Extent
    ) -> None:
        """New ops carry the names and locations of the old."""
        fresh = set(placed)
        for old, new in zip(olds, news):
            if isinstance(new, OpResult) and new.op in fresh and old.name_hint is not None:
                new.name_hint = old.name_hint
            if isinstance(new, OpResult) and new.op in fresh:
                new.op.location = _location(new.op, old)
        hint = olds[0].name_hint
        for op in placed:
            if isinstance(op.location, UnknownLoc):
                op.location = extent.roots[0].location
            for result in op.results:
                if hint is not None and result.name_hint in DEFAULT_NAMES:
                    result.name_hint = hint


def _location(new: Operation, old: SSAValue) -> LocationAttr:
    """Return the location of a new op: its own, or that of the op it replaces."""
    if isinstance(old, OpResult) and isinstance(new.location, UnknownLoc):
        return old.op.location
    return new.location


def _text(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "the root"

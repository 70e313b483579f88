"""Structural comparison of two programs: whether some renaming makes them equal.

Pairing begins at the ops with a fixed position: the ops of ordered regions in their order, the terminators
of graph regions. An operand then leads to the op that defines it, so everything a graph passes out is
paired without a choice. Unused nodes of a graph come last, each paired with one of the same hash that is
consistent with the pairs so far; of several candidates the first in the text is taken. Sizes with
operations in them are compared once all variables are paired, since a graph may name a variable before it
defines it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.traits import kind_has
from relax_dialect.ir.walk import symbol_name
from relax_dialect.ops.control import ClosureOp
from relax_dialect.structural.attribute_equality import (
    BOUND,
    Different,
    EqualSizes,
    Symbols,
    compare,
    counts,
)
from relax_dialect.structural.equality_scopes import Program, Root, blocks_of
from relax_dialect.structural.hashing import Hasher
from relax_dialect.symbolic import var

Variable: TypeAlias = tuple[Block | None, str]
"""A symbolic variable: the block that defines it, None if it is defined outside, and its name."""


class StructuralDifference(RelaxError, AssertionError):
    """The first difference of two programs."""


def structural_equal(a: Root, b: Root, *, map_free_vars: bool = False) -> bool:
    """Return whether two functions, blocks, modules or other ops are equal up to names."""
    try:
        assert_structural_equal(a, b, map_free_vars=map_free_vars)
    except StructuralDifference:
        return False
    return True


def assert_structural_equal(a: Root, b: Root, *, map_free_vars: bool = False) -> None:
    """Raise `StructuralDifference` with the first difference, unless two programs are equal up to names."""
    _Comparison(a, b, map_free_vars).run()


class _Comparison:
    """The pairs found so far; additions can be retracted, for nodes that have several candidates."""

    def __init__(self, a: Root, b: Root, map_free_vars: bool):
        self.left, self.right = Program(a), Program(b)
        self.map_free_vars = map_free_vars
        self.pairs: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        self.trail: list[tuple[Any, Any]] = []
        self.work: list[tuple[Any, Any]] = []
        self.graphs: list[tuple[Block, Block]] = []
        self.sizes: list[
            tuple[EqualSizes, dict[str, Variable], Operation | None, Operation | None]
        ] = []

    def run(self) -> None:
        a, b = self.left.root, self.right.root
        if isinstance(a, ModuleOp) and isinstance(b, ModuleOp):
            self.enter_module(a, b)
        elif isinstance(a, Operation) and isinstance(b, Operation):
            self.work.append((a, b))
        else:
            self.enter(blocks_of(a), blocks_of(b), None, None)
        self.drain()
        done = 0
        while done < len(self.graphs):
            self.pair_the_rest(*self.graphs[done])
            done += 1
        for sizes, variables, op, other in self.sizes:
            names = {name: var(self.pairs[0].get(v, v)[1]) for name, v in variables.items()}
            if sizes.left.substitute(names) is not sizes.right:
                raise self.difference(f"size {sizes.left}", op, other, f"size {sizes.right}")

    def drain(self) -> None:
        while self.work:
            a, b = self.work.pop()
            self.compare_ops(a, b)

    def pair(self, a: Any, b: Any) -> bool:
        """Pair two things; return False if they are paired already. Raises KeyError if either has another
        partner."""
        forward, backward = self.pairs
        if a in forward or b in backward:
            if forward.get(a) == b and backward.get(b) == a:
                return False
            raise KeyError(a)
        forward[a], backward[b] = b, a
        self.trail.append((a, b))
        return True

    # Modules and blocks

    def enter_module(self, a: ModuleOp, b: ModuleOp) -> None:
        """Pair the public functions by name, private ones by their callers, the rest by their hash."""
        public: list[dict[str, Operation]] = []
        others: list[list[Operation]] = []
        for program, module in ((self.left, a), (self.right, b)):
            named = {symbol_name(op): op for op in module.ops if symbol_name(op) is not None}
            public.append({n: op for n, op in named.items() if n and n not in program.functions})
            others.append([op for op in module.ops if symbol_name(op) is None])
        for name in public[0].keys() ^ public[1].keys():
            raise StructuralDifference(
                f"expected a function @{name} in both modules, found it in one"
            )
        self.expect(len(others[0]), len(others[1]), a, b, "as many ops without a name")
        self.work += [*zip(*others), *((op, public[1][n]) for n, op in public[0].items())][::-1]
        self.drain()
        self.pair_by_hash(
            list(self.left.functions.values()), list(self.right.functions.values()), a, b
        )

    def enter(
        self,
        a: Sequence[Block],
        b: Sequence[Block],
        op: Operation | None,
        other: Operation | None,
    ) -> None:
        """Pair blocks, their arguments, and their ops with a fixed position."""
        self.expect(len(a), len(b), op, other, "as many blocks")
        for x, y in reversed(list(zip(a, b))):
            self.pair(x, y)
            self.expect(len(x.args), len(y.args), op, other, "as many arguments of a block")
            is_graph = self.left.graphs[x]
            if is_graph is not self.right.graphs[y]:
                raise self.difference("both regions ordered, or both graphs", op, other)
            for left, right in zip(x.args, y.args):
                self.pair(left, right)
                self.compare_attributes(left.type, right.type, op, other, (x, y))
            for names in zip(self.left.solved(x), self.right.solved(y)):
                self.pair_sizes(EqualSizes(*map(var, names)), op, other, (x, y))
            ops, others = list(x.ops), list(y.ops)
            self.expect(
                len(ops), len(others), op, other, f"as many ops as {_listed(ops)}", _listed(others)
            )
            if is_graph:
                self.graphs.append((x, y))
                self.trail.append((None, self.graphs))
                ops = [o for o in ops if kind_has(type(o), IsTerminator)]
                others = [o for o in others if kind_has(type(o), IsTerminator)]
                self.expect(len(ops), len(others), op, other, "as many terminators")
            self.work += reversed(list(zip(ops, others)))

    # Ops and values

    def compare_ops(self, a: Operation, b: Operation) -> None:
        try:
            if not self.pair(a, b):
                return
        except KeyError:
            raise self.difference("values shared in the same way", a, b) from None
        if a.name != b.name:
            raise self.difference(f"{describe(a)}", a, b, describe(b))
        self.expect(len(a.operands), len(b.operands), a, b, "as many operands")
        self.expect(len(a.results), len(b.results), a, b, "as many results")
        self.expect(len(a.regions), len(b.regions), a, b, "as many regions")
        self.compare_properties(a, b)
        inside = [[*r.blocks] for r in a.regions], [[*r.blocks] for r in b.regions]
        for x, y in reversed(list(zip(*inside))):
            self.enter(x, y, a, b)
        for x, y in zip(a.results, b.results):
            self.pair_values(x, y, a, b)
            self.compare_attributes(x.type, y.type, a, b)
        for x, y in zip(a.operands, b.operands):
            self.pair_values(x, y, a, b)
        for x, y in zip(a.successors, b.successors):
            if self.pairs[0].get(x, x) is not y:
                raise self.difference("the same successor", a, b)

    def pair_values(self, a: SSAValue, b: SSAValue, user: Operation, other: Operation) -> None:
        inside = self.left.holds(a), self.right.holds(b)
        if inside[0] is not inside[1] or isinstance(a, OpResult) is not isinstance(b, OpResult):
            raise self.difference(f"{_name(a)}", user, other, _name(b))
        if not inside[0] and not self.map_free_vars:
            if a is not b:
                raise self.difference(f"{_name(a)}, from outside", user, other, _name(b))
            return
        try:
            is_new = self.pair(a, b)
        except KeyError:
            expected = self.pairs[0].get(a)
            wanted = "one not yet used" if expected is None else _name(expected)
            raise self.difference(f"{_name(a)}, which is {wanted}", user, other, _name(b)) from None
        if not is_new:
            return
        if not inside[0]:
            self.compare_attributes(a.type, b.type, user, other)
        elif isinstance(a, OpResult) and isinstance(b, OpResult):
            if a.index != b.index:
                raise self.difference(
                    f"result {a.index} of {describe(a.op)}", user, other, _name(b)
                )
            if a.op is not user:
                self.work.append((a.op, b.op))

    def compare_properties(self, a: Operation, b: Operation) -> None:
        for left, right in ((a.properties, b.properties), (a.attributes, b.attributes)):
            for key in dict.fromkeys((*left, *right)):
                if not counts(key, a, self.left.root):
                    continue
                if key == "sym_name" and symbol_name(a) in self.left.functions:
                    self.pair_symbols(Symbols(str(symbol_name(a)), str(symbol_name(b))), a, b)
                elif key == "variables" and isinstance(a, ClosureOp):
                    continue  # their names; the types say how many
                elif key not in left or key not in right:
                    raise self.difference(f"attribute '{key}' in both", a, b, "it in one")
                else:
                    self.compare_attributes(left[key], right[key], a, b, what=f"{key} = ")

    def compare_attributes(
        self,
        a: Attribute,
        b: Attribute,
        op: Operation | None,
        other: Operation | None,
        at: tuple[Block, Block] | None = None,
        what: str = "",
    ) -> None:
        for demand in compare(a, b):
            match demand:
                case Different():
                    raise self.difference(f"{what}{_short(a)}", op, other, f"{what}{_short(b)}")
                case Symbols():
                    self.pair_symbols(demand, op, other)
                case EqualSizes():
                    self.pair_sizes(demand, op, other, at)

    # Names

    def pair_symbols(self, names: Symbols, op: Operation | None, other: Operation | None) -> None:
        a, b = (p.functions.get(n) for p, n in zip((self.left, self.right), names))
        if a is None and b is None and (names.left == names.right or self.map_free_vars):
            return
        if a is None or b is None:
            raise self.difference(f"@{names.left}", op, other, f"@{names.right}")
        if self.pairs[0].get(a) is not b:
            self.work.append((a, b))

    def pair_sizes(
        self,
        sizes: EqualSizes,
        op: Operation | None,
        other: Operation | None,
        at: tuple[Block, Block] | None,
    ) -> None:
        a, b = sizes
        if a.name is None or b.name is None:
            if (a.name is None) is not (b.name is None):
                raise self.difference(f"size {a}", op, other, f"size {b}")
            within = {v: self.variable(self.left, v, op, at and at[0]) for v in a.free_variables}
            self.sizes.append((sizes, within, op, other))
            self.trail.append((None, self.sizes))
            return
        x = self.variable(self.left, a.name, op, at and at[0])
        y = self.variable(self.right, b.name, other, at and at[1])
        try:
            if (x[0] is None) is not (y[0] is None):
                raise KeyError(x)
            if x[0] is not None or self.map_free_vars:
                self.pair(x, y)
            elif x != y:
                raise KeyError(x)
        except KeyError:
            expected = self.pairs[0].get(x, (None, "another"))[1]
            wanted = f"size {a}" if expected == "another" else f"size {a}, which is {expected}"
            raise self.difference(wanted, op, other, f"size {b}") from None

    def variable(
        self, program: Program, name: str, op: Operation | None, block: Block | None
    ) -> Variable:
        """Return the symbolic variable of a name."""
        if name.startswith(BOUND):
            return None, name
        if block is None and op is not None:
            first = op.regions[0].first_block if op.regions else None
            is_function = symbol_name(op) is not None and first is not None
            block = first if is_function else op.parent
        return (None if block is None else program.definer(name, block)), name

    # Unused nodes

    def pair_the_rest(self, a: Block, b: Block) -> None:
        left = [op for op in a.ops if op not in self.pairs[0]]
        if left:
            right = [op for op in b.ops if op not in self.pairs[1]]
            self.pair_by_hash(left, right, a.parent_op(), b.parent_op())

    def pair_by_hash(
        self,
        left: list[Operation],
        right: list[Operation],
        op: Operation | None,
        other: Operation | None,
    ) -> None:
        """Pair unordered ops, unused ones first, as they lead to the others."""
        hashes = [Hasher(p, self.map_free_vars) for p in (self.left, self.right)]
        candidates: dict[int, list[Operation]] = {}
        for each in right:
            if each not in self.pairs[1]:
                candidates.setdefault(hashes[1].of(each), []).append(each)
        for each in sorted(left, key=_is_used):
            if each in self.pairs[0]:
                continue
            found = [c for c in candidates.get(hashes[0].of(each), ()) if c not in self.pairs[1]]
            if not any(self.attempt(each, candidate) for candidate in found):
                raise self.difference(f"{describe(each)}", op, other, "no counterpart of it")
        for each in right:
            if each not in self.pairs[1]:
                raise self.difference(f"no {describe(each)}", op, other, "one")

    def attempt(self, a: Operation, b: Operation) -> bool:
        """Pair two ops with all that follows, or take back all of it."""
        mark = len(self.trail)
        self.work.append((a, b))
        try:
            self.drain()
        except StructuralDifference:
            self.work.clear()
            while len(self.trail) > mark:
                x, y = self.trail.pop()
                if x is None:
                    y.pop()
                else:
                    del self.pairs[0][x], self.pairs[1][y]
            return False
        return True

    # Reports

    def expect(
        self,
        a: int,
        b: int,
        op: Operation | None,
        other: Operation | None,
        what: str,
        found: str | None = None,
    ) -> None:
        if a != b:
            raise self.difference(f"{what} ({a})", op, other, f"{b if found is None else found}")

    def difference(
        self, expected: str, op: Operation | None, other: Operation | None, found: str = "others"
    ) -> StructuralDifference:
        return StructuralDifference(
            f"{_place(op)} and {_place(other)}: expected {expected}, found {found}"
        )


def _is_used(op: Operation) -> bool:
    return any(result.first_use is not None for result in op.results)


def _name(value: SSAValue) -> str:
    if value.name_hint:
        return f"%{value.name_hint}"
    owner = value.owner
    return f"a result of {describe(owner)}" if isinstance(owner, Operation) else "an argument"


def _short(attribute: Attribute) -> str:
    text = str(attribute)
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-60:]}"


def _listed(ops: Sequence[Operation]) -> str:
    return ", ".join(op.name for op in ops[:8]) + (", ..." if len(ops) > 8 else "")


def _place(op: Operation | None) -> str:
    """`@main: relax.add (%y)`."""
    if op is None:
        return "the block"
    if (name := symbol_name(op)) is not None:
        return f"@{name}"
    top: Operation | None = op
    while top is not None and symbol_name(top) is None:
        top = top.parent_op()
    return describe(op) if top is None else f"@{symbol_name(top)}: {describe(op)}"

"""A body as a tree of scopes, each with a plain list of ops: the blocks between them dissolved.

Conversions decide on this picture, then write it back at once, which keeps them linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, hides_effects
from relax_dialect.ir.order import describe
from relax_dialect.ir.scopes import RegionScope
from relax_dialect.ir.traits import calls_have_effects, is_transparent, kind_has
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, OutputOp
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.transform.regions import set_type


@dataclass
class Flat:
    """The ops of a body in the order of the text, an op before those in its regions."""

    root: RegionScope
    ops: list[Operation] = field(default_factory=list)
    scope_of: dict[Operation, RegionScope] = field(default_factory=dict)
    inner: dict[Operation, list[RegionScope]] = field(default_factory=dict)
    """The scopes in the regions of a branch or closure."""
    opaque: dict[Operation, list[Operation]] = field(default_factory=dict)
    """All that is nested in other ops with regions, which are taken as a whole."""
    graph_of: dict[Operation, Operation] = field(default_factory=dict)
    """The outermost graph of each node whose scope is not fixed."""
    alias: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """Maps the results of dissolved ops to their replacements."""
    shells: list[Operation] = field(default_factory=list)
    """The ops that were dissolved: blocks, their outputs and lets."""

    def resolve(self, value: SSAValue) -> SSAValue:
        """Return the replacement of a value once blocks and lets are dissolved."""
        alias = self.alias
        if (found := alias.get(value)) is None:
            return value
        passed = [value]
        while (further := alias.get(found)) is not None:
            passed.append(found)
            found = further
        for each in passed:
            alias[each] = found
        return found

    def uses(self, op: Operation) -> Iterator[tuple[SSAValue, Operation]]:
        """Yield the values that an op uses, itself or inside, and the ops here that define them."""
        for value in op.operands:
            value = self.resolve(value)
            if isinstance(value, OpResult) and value.op in self.scope_of:
                yield value, value.op
        if op in self.opaque:
            yield from self.captures(op)

    def captures(self, op: Operation) -> Iterator[tuple[SSAValue, Operation]]:
        """Yield the values of `scope_of` ops used inside an opaque op, with their producers."""
        for user in self.opaque.get(op, ()):
            for value in user.operands:
                value = self.resolve(value)
                if isinstance(value, OpResult) and value.op in self.scope_of:
                    yield value, value.op

    def dissolve(self, op: LetOp) -> None:
        """Replace a let by its operand."""
        self.alias[op.result] = op.value
        self.shells.append(op)

    def forget(self, ops: Iterable[Operation]) -> None:
        """Leave out ops that have been dissolved."""
        for op in ops:
            del self.scope_of[op]
        self.ops = [op for op in self.ops if op in self.scope_of]

    def order(self) -> dict[RegionScope, list[Operation]]:
        """Return the ops of every scope in the order of the text."""
        found: dict[RegionScope, list[Operation]] = {self.root: []}
        for op, scopes in self.inner.items():
            if op in self.scope_of:
                found.update((scope, []) for scope in scopes)
        for op in self.ops:
            found[self.scope_of[op]].append(op)
        return found


@dataclass(frozen=True)
class Dissolving:
    """The ops that `flatten` dissolves; each flag argument is whether the op is a node of a graph."""

    block: Callable[[BlockOp, bool], bool]
    let: Callable[[bool], bool]
    enters: Callable[[Operation], bool] = lambda op: False
    """Whether regions that are ordered in any context are scopes too."""


NOTHING = Dissolving(lambda op, in_graph: False, lambda in_graph: False)
TO_GRAPHS = Dissolving(
    lambda op, in_graph: not (in_graph and isinstance(op, BindingBlockOp)),
    lambda in_graph: not in_graph,
)
"""A block of bindings inside a graph keeps its order; a binding needs no let."""
TO_SEQUENCES = replace(TO_GRAPHS, enters=calls_have_effects)
EVERYTHING = Dissolving(lambda op, in_graph: True, lambda in_graph: True)


def flatten(block: Block, dissolving: Dissolving, graph: GraphOp | None = None) -> Flat:
    """Return the scopes of a body; `graph` if the body is that of a graph."""
    flat = Flat(RegionScope(block))
    stack = [(flat.root, iter(block.ops), graph)]
    while stack:
        scope, ops, graph = stack[-1]
        op = next(ops, None)
        if op is None:
            stack.pop()
        elif isinstance(op, BlockOp) and dissolving.block(op, graph is not None):
            flat.alias.update(zip(op.results, op.output.operands))
            flat.shells.append(op)
            if graph is None and isinstance(op, GraphOp):
                graph = op
            stack.append((scope, iter(op.body.block.ops), graph))
        elif isinstance(op, OutputOp) and op.parent is not scope.block:
            flat.shells.append(op)
        elif isinstance(op, LetOp) and dissolving.let(graph is not None):
            flat.dissolve(op)
        else:
            flat.ops.append(op)
            flat.scope_of[op] = scope
            if graph is not None:
                flat.graph_of[op] = graph
            if op.regions and (is_transparent(op) or dissolving.enters(op)):
                scopes = [RegionScope(region.block, op, scope) for region in op.regions]
                flat.inner[op] = scopes
                around = graph if is_transparent(op) else None
                stack.extend((s, iter(s.block.ops), around) for s in reversed(scopes))
            elif op.regions:
                flat.opaque[op] = list(nested_ops(op))
    return flat


def nested_ops(op: Operation) -> Iterator[Operation]:
    """Yield all ops in the regions of an op, in the order of the text, without recursion."""
    stack = [iter(b.ops) for r in reversed(op.regions) for b in reversed(r.blocks)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        yield found
        if found.regions:
            stack.extend(iter(b.ops) for r in reversed(found.regions) for b in reversed(r.blocks))


def is_variable(op: Operation) -> bool:
    """Return whether the results of an op are variables in any context."""
    return isinstance(op, LetOp | MatchOp) or kind_has(type(op), ConstantLike)


def is_terminator(op: Operation) -> bool:
    return kind_has(type(op), IsTerminator)


def rewrite_operands(
    flat: Flat, ops: Iterable[Operation], substitute: Callable[[SSAValue, Operation], SSAValue]
) -> None:
    """Set the operands of ops and of their nested ops to `substitute(resolved value, op)`."""
    for op in ops:
        for user in (op, *flat.opaque.get(op, ())):
            old = user.operands
            new = [substitute(flat.resolve(operand), op) for operand in old]
            if any(a is not b for a, b in zip(old, new)):
                user.operands = new
                _check_match(user)
            if isinstance(user, OutputOp):
                _pass_types_on(user)


def _pass_types_on(output: OutputOp) -> None:
    """Set the result types of a block to those of its outputs, which are narrower without a let."""
    block = output.parent_op()
    assert isinstance(block, BlockOp)
    for result, value in zip(block.results, output.operands, strict=True):
        set_type(result, value.type)


def _check_match(op: Operation) -> None:
    """Refuse a match that fails for every value, as a let that widened its operand had hidden."""
    if not isinstance(op, MatchOp):
        return
    value, target = op.operands[0].type, op.results[0].type
    if contradict(value, target) or hides_effects(value, target):
        raise RelaxError(
            f"{describe(op)}: expected a type that a value of {op.operands[0].type} can have, found "
            f"{op.results[0].type}; correct the target type"
        )


def pass_names_on(flat: Flat) -> None:
    """Name unnamed values after the lets or block results they replace."""
    for alias in flat.alias:
        value = flat.resolve(alias)
        if value.name_hint is None and alias.name_hint is not None:
            value.name_hint = alias.name_hint


def names_of_lets(flat: Flat) -> dict[SSAValue, str]:
    """The names that dissolved lets had for values."""
    names: dict[SSAValue, str] = {}
    for alias in flat.alias:
        if isinstance(alias.owner, LetOp) and alias.name_hint is not None:
            names.setdefault(flat.resolve(alias), alias.name_hint)
    return names


def detach_all(flat: Flat) -> None:
    """Detach all ops from their blocks, and drop the operands of dissolved ops."""
    for op in flat.ops:
        op.detach()
    for op in flat.shells:
        op.operands = ()
        if op.parent is not None:
            op.detach()


def write(flat: Flat, order: dict[RegionScope, list[Operation]]) -> None:
    """Fill the blocks of the scopes with ops in a new order, unless they are in it already."""
    if not flat.shells and all(list(s.block.ops) == ops for s, ops in order.items()):
        return
    detach_all(flat)
    # inner ones first, since adding an op looks at all that hold the block
    for scope in sorted(order, key=lambda scope: -scope.depth):
        scope.block.add_ops(order[scope])

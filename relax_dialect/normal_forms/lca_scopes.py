"""Assigns every node of a graph to a scope: the lowest common ancestor of its uses.

Nodes are assigned users first. A scope is open once its owner is assigned, and its ancestors are known from
then on; a node is assigned when the scopes of all its uses are open, so each of its uses costs one search
for a common ancestor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from itertools import chain

from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.order import in_order
from relax_dialect.ir.scopes import RegionScope
from relax_dialect.ir.symbol_scopes import (
    candidate_symbols,
    entry_symbols,
    escaping_symbols,
    free_symbols,
    needed_symbols,
)
from relax_dialect.ir.traits import DefersEffects, has_trait
from relax_dialect.normal_forms.flat import (
    NOTHING,
    TO_GRAPHS,
    Flat,
    flatten,
    is_terminator,
    is_variable,
    names_of_lets,
    pass_names_on,
    rewrite_operands,
    write,
)
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.graph import GraphOp, LetOp

MAX_SINKING_DEPTH = 64
"""The maximum depth to which ops with regions sink: without it a chain of branches, each used by the next
alone, would become as deep as it is long."""


def place_graph(graph: GraphOp, bound: Set[str] = frozenset(), *, lets: bool) -> None:
    """Move the nodes of a graph to their scopes, in an order of evaluation, each after its operands.

    `bound` are the symbolic variables defined before the graph. Unused nodes have no scope and are dropped.
    Lets are dissolved; with `lets` every node used deeper inside gets one.
    """
    flat = flatten(graph.body.block, TO_GRAPHS, graph)
    places = find_places(flat)
    for op in [op for op in places if isinstance(op, LetOp)]:
        flat.dissolve(op)
        del places[op]
    for op in flat.ops:
        if op not in places:  # dead, or a let
            _give_up(flat, op)
    flat.ops = [op for op in flat.ops if op in places]
    flat.scope_of = places
    _arrange(flat, bound, lets=lets)


def sort_block(block: BlockOp, bound: Set[str] = frozenset()) -> None:
    """Sort the ops of a graph region, and of nested ones, into an order of evaluation."""
    _arrange(flatten(block.body.block, NOTHING), bound, lets=False)


def _give_up(flat: Flat, op: Operation) -> None:
    for each in (op, *flat.opaque.get(op, ())):
        each.operands = ()
    op.detach()


# Scopes ----------------------------------------------------------------------------------------


def find_places(flat: Flat) -> dict[Operation, RegionScope]:
    """Return the scopes of all ops that are needed, and record the ops in their regions."""
    kept, fixed = _held_ops(flat)
    members = flat.order()
    live = _live_ops(flat, kept, members)
    waiting = Counter(chain.from_iterable(live.values()))

    places: dict[Operation, RegionScope] = {}
    targets: dict[Operation, RegionScope] = {}
    ready = [(op, flat.root) for op in members[flat.root] if op in kept]
    while ready:
        op, place = ready.pop()
        places[op] = place
        for scope in flat.inner.get(op, ()):
            scope.enter(place)
            ready.extend((inner, scope) for inner in members[scope] if inner in kept)
        for producer in live[op]:
            before = targets.get(producer)
            target = targets[producer] = place if before is None else before.common(place)
            waiting[producer] -= 1
            if waiting[producer] or producer in kept:
                continue
            text = flat.scope_of[producer]
            target = _outside_loops(target, text)
            if producer in fixed:
                target = text
            elif producer.regions:
                target = target.ancestor(max(text.depth, MAX_SINKING_DEPTH))
            ready.append((producer, target))
    assert len(places) == len(live), "a verified graph has no cycle"
    return places


def _outside_loops(target: RegionScope, text: RegionScope) -> RegionScope:
    """Return the scope nearest to a target that no loop further in than the text lies around: the regions
    of a loop count as one use, by the loop."""
    while (loop := target.loop) is not None and loop.depth > text.depth:
        target = loop.parent
    return target


def _held_ops(flat: Flat) -> tuple[set[Operation], set[Operation]]:
    """Return the ops that are evaluated whenever their region is, and the ops that do not move if they are
    needed.

    The first are matches, for their checks, and the ops that contain one. The second are lets too, and ops
    that bind symbolic variables inside, which could clash with variables of the same name elsewhere.
    """
    kept: set[Operation] = set()
    fixed: set[Operation] = set()
    for op in reversed(flat.ops):
        if is_terminator(op):
            kept.add(op)
            continue
        nested = flat.opaque.get(op, ())
        matches = isinstance(op, MatchOp) or any(isinstance(n, MatchOp) for n in nested)
        if matches and not has_trait(op, DefersEffects):
            kept.add(op)
        if matches or op in kept or isinstance(op, LetOp) or any(map(_binds, (op, *nested))):
            fixed.add(op)
        owner = flat.scope_of[op].owner
        if owner is None or op not in fixed or isinstance(op, LetOp):
            continue
        fixed.add(owner)
        if op in kept and not has_trait(owner, DefersEffects):
            kept.add(owner)
    return kept, fixed


def _binds(op: Operation) -> bool:
    return bool(candidate_symbols(op)) or bool(entry_symbols(op))


def _live_ops(
    flat: Flat, kept: set[Operation], members: dict[RegionScope, list[Operation]]
) -> dict[Operation, list[Operation]]:
    """Return the ops that are needed, each with the producer of every value that it uses."""
    live: dict[Operation, list[Operation]] = {}
    pending = [op for op in members[flat.root] if op in kept]
    while pending:
        op = pending.pop()
        if op in live:
            continue
        producers = live[op] = [producer for _, producer in flat.uses(op)]
        for scope in flat.inner.get(op, ()):
            pending.extend(inner for inner in members[scope] if inner in kept)
        pending.extend(producers)
    return live


# Order -----------------------------------------------------------------------------------------


def _arrange(flat: Flat, bound: Set[str], *, lets: bool) -> None:
    """Write every op into its scope, in topological order; ties keep the order of the text."""
    pass_names_on(flat)
    members = flat.order()
    needs: dict[Operation, list[Operation]] = {}

    def need(user: Operation, scope: RegionScope, producer: Operation, home: RegionScope) -> None:
        waiting = user if scope is home else home.step_towards(scope)
        if waiting is not producer:
            needs.setdefault(waiting, []).append(producer)

    crossing: dict[SSAValue, LetOp] = {}
    names = names_of_lets(flat) if lets else {}

    def cross(value: SSAValue, producer: Operation) -> None:
        if lets and value not in crossing and not is_variable(producer):
            crossing[value] = new_let(value, names)

    for op in flat.ops:
        scope = flat.scope_of[op]
        for value, producer in flat.uses(op):
            home = flat.scope_of[producer]
            need(op, scope, producer, home)
            if home is not scope:
                cross(value, producer)
    for op in flat.opaque:
        for value, producer in flat.captures(op):
            cross(value, producer)
    _add_symbol_needs(flat, members, bound, need)

    if flat.alias or crossing:
        rewrite_operands(
            flat, flat.ops, lambda value, _: crossing[value].result if value in crossing else value
        )
    write(
        flat,
        {
            scope: with_lets(_in_order(ops, scope.block.last_op, needs), crossing)
            for scope, ops in members.items()
        },
    )


def new_let(value: SSAValue, names: Mapping[SSAValue, str]) -> LetOp:
    """A let of a value, with the name that a let of it had before, or that of the value."""
    let = LetOp.create(operands=[value], result_types=[value.type])
    let.result.name_hint = names.get(value, value.name_hint)
    return let


def with_lets(ops: list[Operation], lets: dict[SSAValue, LetOp]) -> list[Operation]:
    """Return ops with the lets of their results after them."""
    if not lets:
        return ops
    found: list[Operation] = []
    for op in ops:
        found.append(op)
        found.extend(lets[result] for result in op.results if result in lets)
    return found


def _add_symbol_needs(
    flat: Flat,
    members: dict[RegionScope, list[Operation]],
    bound: Set[str],
    need: Callable[[Operation, RegionScope, Operation, RegionScope], None],
) -> None:
    """Add the requirement that an op follows the definition of every symbolic variable it names."""
    if not any(escaping_symbols(op) for op in flat.ops):
        return
    definers: dict[str, tuple[Operation, RegionScope] | None] = dict.fromkeys(bound)
    stack: list[tuple[RegionScope, list[str] | None]] = [(flat.root, None)]
    while stack:
        scope, defined = stack.pop()
        if defined is not None:  # the scope has been walked
            for name in defined:
                del definers[name]
            continue
        defined = []
        stack.append((scope, defined))
        entry = () if scope.owner is None else entry_symbols(scope.owner)
        for name, definer in chain(
            ((name, None) for name in entry),
            ((name, (op, scope)) for op in members[scope] for name in escaping_symbols(op)),
        ):
            if name not in definers:
                definers[name] = definer
                defined.append(name)
        for op in members[scope]:
            for name in _named(op, flat):
                if (definer := definers.get(name)) is not None:
                    need(op, scope, *definer)
            stack.extend((inner, None) for inner in flat.inner.get(op, ()))


def _named(op: Operation, flat: Flat) -> Iterable[str]:
    """Return the variables that an op names, or that ops in its regions name unless these are scopes."""
    return free_symbols(op) if op in flat.opaque else (*needed_symbols(op), *candidate_symbols(op))


def _in_order(
    ops: list[Operation], last: Operation | None, needs: dict[Operation, list[Operation]]
) -> list[Operation]:
    """Return the ops of a scope in topological order, the terminator last."""
    return in_order(sorted(ops, key=lambda op: op is last), lambda op: needs.get(op, ()))

"""Conversion of a function to a sequence of graphs and binding blocks; bindings keep their scopes.

A run of pure ops becomes a `relax.graph`, ops with effects a `relax.binding_block`; the branches of an `if`
with effects and the bodies of closures with effects are such sequences themselves. No op moves over an
effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.scopes import RegionScope
from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols
from relax_dialect.ir.traits import DefersEffects, calls_have_effects, has_trait, is_transparent
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.normal_forms.flat import (
    TO_SEQUENCES,
    Flat,
    detach_all,
    flatten,
    is_terminator,
    is_variable,
    names_of_lets,
    pass_names_on,
    rewrite_operands,
)
from relax_dialect.normal_forms.lca_scopes import new_let, with_lets
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, OutputOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp, LetOp


@dataclass(eq=False)
class _OpRun:
    """Ops of a sequence that form one block."""

    is_graph: bool
    scope: RegionScope
    start: int
    ops: list[Operation] = field(default_factory=list)
    outputs: dict[SSAValue, SSAValue | None] = field(default_factory=dict)
    """The values used outside, and the results of the block that they become."""


def to_sequence(func: FuncOp) -> None:
    """Regroup a function whose graph regions are in an order of evaluation."""
    flat = flatten(func.body.block, TO_SEQUENCES)
    _dissolve_lets_of_variables(flat, {})
    impure = _impure_ops(flat, ModuleSymbols(func))
    while True:
        rivals = _rivals(flat, set(defined_variables(func.function_type.inputs)))
        ordered = impure | _holders_of_rivals(flat, rivals)
        runs = _runs(flat, rivals, ordered)
        run_of = {op: run for run in runs for op in run.ops}
        lets = _uses_across(flat, run_of)
        if not _dissolve_lets_of_variables(flat, lets):  # at most once, as it makes no other let
            break
    _rebuild(flat, runs, run_of, lets)


def _dissolve_lets_of_variables(flat: Flat, lets: dict[SSAValue, LetOp]) -> bool:
    """Dissolve redundant lets; return whether there was any.

    A let is needed only for a node of its own graph that is no variable yet. `lets` are the lets of nodes
    that become variables.
    """
    needless: list[LetOp] = []
    for op in flat.ops:
        if not isinstance(op, LetOp):
            continue
        value = flat.resolve(op.value)
        node = value.op if isinstance(value, OpResult) else None
        if (
            node is None
            or value in lets
            or is_variable(node)
            or flat.graph_of.get(node) is not flat.graph_of.get(op)
        ):
            flat.dissolve(op)
            needless.append(op)
    flat.forget(needless)
    pass_names_on(flat)
    return bool(needless)


# Ops allowed in a graph -------------------------------------------------------------------------


def _rivals(flat: Flat, bound: set[str]) -> dict[Operation, int]:
    """Map every op that defines symbolic variables to the last rival definition before it.

    Rivals are definitions of one name, which a graph region could not distinguish since it has no order.
    Ops are numbered in textual order; ops without a rival are left out.
    """
    numbers = {op: i for i, op in enumerate(flat.ops)}
    last: dict[str, int] = {}
    rivals: dict[Operation, int] = {}
    leaving: list[tuple[RegionScope, list[str]]] = [(flat.root, [])]
    for op in flat.ops:
        scope = flat.scope_of[op]
        while leaving[-1][0] is not scope:  # the scopes that end before this op
            if leaving[-1][0].depth < scope.depth:
                leaving.append((scope, _entry_symbols(scope, bound, last, numbers)))
            else:
                bound.difference_update(leaving.pop()[1])
        for each in (op, *flat.opaque.get(op, ())):
            if op in flat.opaque:
                last.update(dict.fromkeys(entry_symbols(each), numbers[op]))
            for name in candidate_symbols(each):
                rivals[op] = max(rivals.get(op, -1), last.get(name, -1))
                if name not in bound:
                    bound.add(name)
                    leaving[-1][1].append(name)
                    last[name] = numbers[op]
    return {op: rival for op, rival in rivals.items() if rival >= 0}


def _entry_symbols(
    scope: RegionScope, bound: set[str], last: dict[str, int], numbers: dict[Operation, int]
) -> list[str]:
    assert scope.owner is not None
    names = entry_symbols(scope.owner)
    bound.update(names)
    last.update(dict.fromkeys(names, numbers[scope.owner]))
    return list(names)


def _holders_of_rivals(flat: Flat, rivals: dict[Operation, int]) -> set[Operation]:
    """Return the ops with regions in which the order distinguishes rival definitions."""
    starts: dict[RegionScope, int] = {}
    for number, op in enumerate(flat.ops if rivals else ()):
        starts.setdefault(flat.scope_of[op], number)
    found: set[Operation] = set()

    def is_rival(op: Operation, start: int) -> bool:
        """Return whether a definition before it in its scope is its rival, and not of the same graph."""
        rival, graph = rivals.get(op, -1), flat.graph_of.get(op)
        return rival >= start and (graph is None or flat.graph_of.get(flat.ops[rival]) is not graph)

    for op in reversed(flat.ops if rivals else ()):  # nested ops come before their parent
        scope = flat.scope_of[op]
        if scope.owner is None or calls_have_effects(scope.owner):
            continue
        if op in found or is_rival(op, starts[scope]):
            found.add(scope.owner)
    return found


def _impure_ops(flat: Flat, symbols: ModuleSymbols) -> set[Operation]:
    """Return the ops with effects, and the ops that contain such ops."""
    pure_calls: dict[str, bool] = {}
    found: set[Operation] = set()
    for op in reversed(flat.ops):
        if op in found or not _is_pure(op, symbols, pure_calls):
            found.add(op)
            owner = flat.scope_of[op].owner
            if owner is not None and not has_trait(owner, DefersEffects):
                found.add(owner)
    return found


def _is_pure(op: Operation, symbols: ModuleSymbols, pure_calls: dict[str, bool]) -> bool:
    """Return whether an op is pure, apart from ops nested in branches."""
    if is_transparent(op):
        return True
    if op.name != "relax.call":
        return is_pure(op, symbols)
    name: str = op.callee_name  # pyright: ignore[reportAttributeAccessIssue]
    if name not in pure_calls:
        pure_calls[name] = is_pure(op, symbols)
    return pure_calls[name]


# Runs ------------------------------------------------------------------------------------------


def _runs(flat: Flat, rivals: dict[Operation, int], ordered: set[Operation]) -> list[_OpRun]:
    """Return the blocks of all sequences: of the body, and of the regions of ops that stay in order."""
    current: dict[RegionScope, _OpRun] = {}
    runs: list[_OpRun] = []
    unit_rivals: dict[Operation, int] = {}
    for op, rival in rivals.items():
        if (graph := flat.graph_of.get(op)) is not None:
            unit_rivals[graph] = max(unit_rivals.get(graph, -1), rival)
    for number, op in enumerate(flat.ops):
        scope = flat.scope_of[op]
        owner = scope.owner
        is_sequence = owner is None or owner in ordered or calls_have_effects(owner)
        if not is_sequence or is_terminator(op):
            continue
        run = current.get(scope)
        graph = flat.graph_of.get(op)
        rival = rivals.get(op, -1) if graph is None else unit_rivals.get(graph, -1)
        same_unit = (
            run is not None and graph is not None and flat.graph_of.get(run.ops[-1]) is graph
        )
        if (
            run is None
            or run.is_graph == (op in ordered)
            or (run.is_graph and rival >= run.start and not same_unit)
        ):
            run = current[scope] = _OpRun(op not in ordered, scope, number)
            runs.append(run)
        run.ops.append(op)
    return runs


def _uses_across(flat: Flat, run_of: dict[Operation, _OpRun]) -> dict[SSAValue, LetOp]:
    """Record the values that runs pass out; return lets for the values with a fixed scope whose users may
    sink."""
    lets: dict[SSAValue, LetOp] = {}
    names = names_of_lets(flat)
    passed: set[SSAValue] = set()

    def note(value: SSAValue, producer: Operation, user: Operation, *, captured: bool) -> None:
        home, scope = flat.scope_of[producer], flat.scope_of[user]
        run = run_of.get(producer)
        if run is not _run_around(flat, run_of, user, home):
            passed.add(value)
            return
        if run is not None and not run.is_graph:
            return
        graph, user_graph = flat.graph_of.get(producer), flat.graph_of.get(user)
        if graph is not None and graph is user_graph:
            return  # neither had a fixed scope
        may_sink = captured or home is not scope or user_graph is not None
        if may_sink and value not in lets and not is_variable(producer):
            lets[value] = new_let(value, names)

    for op in flat.ops:
        for value, producer in flat.uses(op):
            note(value, producer, op, captured=False)
    for op in flat.opaque:
        for value, producer in flat.captures(op):
            note(value, producer, op, captured=True)
    for (
        op,
        run,
    ) in run_of.items():  # in the order of the text, where lets follow the values they name
        results = sorted((r for r in op.results if r in passed), key=lets.__contains__)
        run.outputs.update(dict.fromkeys(results))
    return lets


def _run_around(
    flat: Flat, run_of: dict[Operation, _OpRun], user: Operation, home: RegionScope
) -> _OpRun | None:
    """Return the run that an op lies in, seen from a scope around it."""
    scope = flat.scope_of[user]
    return run_of.get(user if scope is home else home.step_towards(scope))


# Writing ---------------------------------------------------------------------------------------


def _rebuild(
    flat: Flat, runs: list[_OpRun], run_of: dict[Operation, _OpRun], lets: dict[SSAValue, LetOp]
) -> None:
    blocks: dict[RegionScope, list[tuple[_OpRun, BlockOp]]] = {}
    for run in runs:
        kind = GraphOp if run.is_graph else BindingBlockOp
        types = [value.type for value in run.outputs]
        block = kind.create(regions=[Region(Block())], result_types=types)
        for value, result in zip(list(run.outputs), block.results):
            result.name_hint = value.name_hint
            run.outputs[value] = result
        blocks.setdefault(run.scope, []).append((run, block))

    def substitute(value: SSAValue, user: Operation) -> SSAValue:
        producer = value.owner
        if isinstance(producer, Operation) and producer in flat.scope_of:
            run = run_of.get(producer)
            if run is not None and run is not _run_around(
                flat, run_of, user, flat.scope_of[producer]
            ):
                return run.outputs[value] or value
        return lets[value].result if value in lets else value

    rewrite_operands(flat, flat.ops, substitute)
    order = flat.order()
    detach_all(flat)
    for scope in reversed(order):
        for run, block in blocks.get(scope, ()):
            passed = [lets[v].result if v in lets else v for v in run.outputs]
            block.body.block.add_ops([*with_lets(run.ops, lets), OutputOp.create(operands=passed)])
        if scope in blocks:
            scope.block.add_ops(block for _, block in blocks[scope])
            scope.block.add_ops(op for op in order[scope] if op not in run_of)
        else:
            scope.block.add_ops(with_lets(order[scope], lets))

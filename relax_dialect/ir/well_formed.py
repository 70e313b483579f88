"""The rules a function body keeps, checked in one linear walk that does not recurse.

(V1) A value is visible in its region and those nested in it: after its definition in an ordered region,
anywhere in a graph region.

(V2) A graph region is acyclic over values and symbolic variables together.

(S1) A symbolic variable is defined where it is named: by a parameter, a `relax.match_shape` or a
`relax.match_cast`. It escapes a block into the sequence that holds it, and no further.

(S2) Each symbolic variable of a function's parameters is the bare size of one of them, or the only unknown
of a size that is affine in it: `[4 * h]`, or `[m + n]` beside `[m]`.

(S3) The result type of a function names variables of its parameters only.

(E1) The ops of a graph region have no effects.

(E2) A `relax.dataflow` holds no control flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.locations import written_names
from relax_dialect.ir.order import CycleError, topological_order
from relax_dialect.ir.order import describe_written as describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure, is_pure_function
from relax_dialect.ir.symbol_scopes import (
    candidate_symbols,
    entry_symbols,
    escaping_symbols,
    needed_symbols,
)
from relax_dialect.ir.traits import (
    ControlFlow,
    DefersEffects,
    Straight,
    SymbolsEscape,
    calls_have_effects,
    has_trait,
    region_is_graph,
)
from relax_dialect.ir.type_variables import (
    defined_variables,
    free_variables,
    substitute,
    undefined_variable,
)
from relax_dialect.ir.visibility import misplaced_symbol


class IllFormedFunctionError(RelaxError, VerifyException):
    """A function body that breaks a rule of scoping, purity or typing."""


Report = Callable[[RelaxError], object]
"""A callback that receives the errors of a function if all are collected."""


@dataclass
class _SymbolScope:
    """A region being walked: the ops still to come and the symbols that become visible inside it."""

    ops: Iterator[Operation]
    block: Block
    is_graph: bool
    symbols_escape: bool
    owner: Operation
    values: list[SSAValue] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    definers: dict[str, Operation] = field(default_factory=dict)
    """In a graph region the op that defines each symbolic variable: the first in the text."""
    regions: list[tuple[Operation, Region]] = field(default_factory=list)
    """The regions of the current op that are still to be walked, last one first."""
    finished: Operation | None = None
    """The current op, whose results become visible once its regions are walked."""


def _name(value: SSAValue) -> str:
    if value.name_hint:
        return f"%{value.name_hint}"
    names = written_names(value.op) if isinstance(value, OpResult) else []
    return (
        names[value.index]
        if isinstance(value, OpResult) and value.index < len(names)
        else "a value without a name"
    )


def _fail_invisible(op: Operation, value: SSAValue, where: str) -> None:
    owner = value.owner
    if owner is op:
        raise IllFormedFunctionError(
            f"{where}: {describe(op)}: expected operands defined before it (V1), found its own result "
            f"{_name(value)}; use another value"
        )
    if isinstance(owner, Operation) and owner.parent is op.parent:
        raise IllFormedFunctionError(
            f"{where}: {describe(op)}: expected operands defined before it (V1), found {_name(value)}, "
            f"which {owner.name} defines further down; move the definition up, or put both into a "
            "relax.dataflow block, where order is free"
        )
    raise IllFormedFunctionError(
        f"{where}: {describe(op)}: expected operands visible in its region (V1), found {_name(value)}, "
        "which belongs to another region; pass it out through relax.output"
    )


@contextmanager
def _told(about: Operation | BlockArgument | None, report: Report | None) -> Iterator[None]:
    """Attach the op to the errors raised; they go to `report` if there is one, else the first is raised."""
    try:
        yield
    except RelaxError as error:
        if error.op is None:
            error.op = about
        if report is None:
            raise
        report(error)


def verify_function(
    func: Operation,
    where: str,
    body: Block,
    inputs: Sequence[Attribute],
    output: Attribute,
    report: Report | None = None,
) -> None:
    """Check the body of a function; `IllFormedFunctionError` names the op and the expected and found types.
    With `report`, it is called with each error, and all are found.
    """
    symbols = set(defined_variables(inputs))
    for type, param in zip(inputs, body.args):
        with _told(param, report):
            _check_parameter(where, type, symbols)
    with _told(None, report):
        _check_declared_result(where, output, symbols)
    visible: set[SSAValue] = set()
    lookup = ModuleSymbols(func)
    scopes: list[_SymbolScope] = []
    with _told(None, report):
        scopes.append(_enter(func, func.regions[0], where, symbols, visible, False))
    while scopes:
        scope = scopes[-1]
        if scope.regions:
            owner, region = scope.regions.pop()
            # what a region defines for the graph around it is not defined before it inside
            if scope.definers:
                escaping = escaping_symbols(owner)
                symbols.difference_update(n for n in escaping if scope.definers.get(n) is owner)
            with _told(owner, report):
                scopes.append(_enter(owner, region, where, symbols, visible, scope.is_graph))
            continue
        if scope.finished is not None:
            _make_visible(scope.finished, scope, symbols, visible)
            scope.finished = None
        op = next(scope.ops, None)
        if op is None:
            scopes.pop()
            with _told(scope.block.last_op or scope.owner, report):
                _check_exit(scope, where)
            _leave(scope, scopes, symbols, visible)
            continue
        with _told(op, report):
            _check_op(op, scope, where, symbols, visible, lookup)
            if (verify_call := getattr(op, "verify_call", None)) is not None:
                try:
                    verify_call(lookup)
                except RelaxError as error:
                    raise IllFormedFunctionError(f"{where}: {error}") from None
        if op.regions and not has_trait(op, IsolatedFromAbove):
            scope.regions = [(op, r) for r in reversed(op.regions) if r.first_block is not None]
        if not scope.is_graph:
            scope.finished = op
    with _told(body.last_op, report):
        _check_result(body, where, output)


def _check_parameter(where: str, type: Attribute, symbols: set[str]) -> None:
    if error := undefined_variable(type, symbols):
        raise IllFormedFunctionError(f"{where}: {error}")


def _check_declared_result(where: str, output: Attribute, symbols: set[str]) -> None:
    for name in free_variables(output):
        if name not in symbols:
            raise IllFormedFunctionError(
                f"{where}: expected a result type that names only variables of the parameters (S3), "
                f"found '{name}' in {output}; write '?' there and let the caller use relax.match_cast"
            )


def _make_visible(
    op: Operation, scope: _SymbolScope, symbols: set[str], visible: set[SSAValue]
) -> None:
    """Make an op's results and variables visible after it in an ordered region."""
    if op.results:
        visible.update(op.results)
        scope.values.extend(op.results)
    for name in candidate_symbols(op):
        _define(name, scope, symbols)


def _enter(
    op: Operation,
    region: Region,
    where: str,
    symbols: set[str],
    visible: set[SSAValue],
    inherits_graph: bool,
) -> _SymbolScope:
    block = region.blocks[0]
    is_graph = region_is_graph(op, inherits_graph)
    ops = chain.from_iterable(b.ops for b in region.blocks)
    scope = _SymbolScope(ops, block, is_graph, has_trait(op, SymbolsEscape), op)
    for other in region.blocks:
        visible.update(other.args)
        scope.values.extend(other.args)
    for name in entry_symbols(op):
        if name in symbols:
            raise IllFormedFunctionError(
                f"{where}: {describe(op)}: expected bound variables that are not defined around the "
                f"closure (C4), found '{name}'; rename it"
            )
        _define(name, scope, symbols)
    if is_graph:
        _enter_graph(scope, where, symbols, visible)
    return scope


def _enter_graph(
    scope: _SymbolScope, where: str, symbols: set[str], visible: set[SSAValue]
) -> None:
    """Make everything in a graph region visible at once; refuse cycles."""
    definers = scope.definers
    for op in scope.block.ops:
        visible.update(op.results)
        scope.values.extend(op.results)
        for name in escaping_symbols(op):
            if name in symbols:
                continue
            definers.setdefault(name, op)  # the others check that they match the same
    try:
        topological_order(scope.block, symbols)
    except CycleError as cycle:
        with blaming(cycle.ops[0]):
            raise IllFormedFunctionError(
                f"{where}: {scope.owner.name}: expected a graph region without cycles (V2), "
                f"found {cycle}; break the cycle"
            ) from None
    for name in definers:
        _define(name, scope, symbols)


def _define(name: str, scope: _SymbolScope, symbols: set[str]) -> None:
    if name not in symbols:
        symbols.add(name)
        scope.symbols.append(name)


def _check_exit(scope: _SymbolScope, where: str) -> None:
    """Check that a region hands out values of its op's types, the variables of the region taken out."""
    verify_exit = getattr(scope.owner, "verify_exit", None)
    last = scope.block.last_op
    if verify_exit is None or last is None:
        return
    own = entry_symbols(scope.owner)
    hidden = dict.fromkeys(name for name in scope.symbols if name not in own)
    try:
        verify_exit(scope.block.parent, [substitute(t, hidden) for t in last.operand_types])
    except RelaxError as error:
        raise IllFormedFunctionError(f"{where}: {error}") from None


def _leave(
    scope: _SymbolScope, outer: list[_SymbolScope], symbols: set[str], visible: set[SSAValue]
) -> None:
    visible.difference_update(scope.values)
    if scope.symbols_escape and outer:
        outer[-1].symbols.extend(scope.symbols)
    else:
        symbols.difference_update(scope.symbols)


def _check_op(
    op: Operation,
    scope: _SymbolScope,
    where: str,
    symbols: set[str],
    visible: set[SSAValue],
    lookup: ModuleSymbols,
) -> None:
    for operand in op.operands:
        if operand not in visible:
            _fail_invisible(op, operand, where)
    for name in needed_symbols(op):
        if name not in symbols and not (op.regions and name in escaping_symbols(op)):
            raise IllFormedFunctionError(
                f"{where}: {describe(op)}: expected symbolic variables that are defined (S1), found "
                f"'{name}'; define it by a parameter's type, or by a relax.match_cast before this op"
            )
    if op.regions and (misplaced := misplaced_symbol(op)) is not None:
        raise IllFormedFunctionError(f"{where}: {misplaced}")
    if has_trait(op, ControlFlow) and has_trait(scope.owner, Straight):
        raise IllFormedFunctionError(
            f"{where}: {describe(op)}: expected no control flow in {scope.owner.name} (E2), found this "
            "op; move it to a relax.binding_block, or use relax.graph"
        )
    promises = has_trait(op, DefersEffects) and not calls_have_effects(op)
    if promises and not is_pure_function(op, lookup):
        raise IllFormedFunctionError(
            f"{where}: {describe(op)}: expected a body without effects (C6), found one that has or may "
            "have an effect; write 'impure' before the body"
        )
    if scope.is_graph and not is_pure(op, lookup):
        raise IllFormedFunctionError(
            f"{where}: {describe(op)}: expected ops without effects in {scope.owner.name} (E1), found one "
            "that has or may have an effect; move it to a relax.binding_block"
        )


def _check_result(body: Block, where: str, output: Attribute) -> None:
    """Check that the returned value is of the declared type."""
    last = body.last_op
    assert last is not None
    found = last.operands[0].type
    if not is_subtype(found, output):
        raise IllFormedFunctionError(
            f"{where}: relax.return: expected a value of the declared result type {output} (C2), "
            f"found {found}; correct the result type, or narrow the value with a relax.match_cast"
        )

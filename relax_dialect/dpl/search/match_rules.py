"""The match rules for each kind of pattern: for a value, the ways in which the rest of the node can match.

A rule takes the node, the value as the program uses it, the value seen through bindings, and the iteration
of the enclosing repetition. It returns ways: `()` for none, `((),)` for one with no goals left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from xdsl.ir import Block, Operation, OpResult, SSAValue

from relax_dialect.builder.values import Var
from relax_dialect.dpl.search.aliases import is_parameter, owner, source, through_blocks, users
from relax_dialect.dpl.search.dominance import ways_of_dominance
from relax_dialect.dpl.search.matcher import (
    DONE,
    NONE,
    STEPS,
    FunctionGoal,
    Goal,
    Late,
    Machine,
    RepetitionFrame,
    Ways,
)
from relax_dialect.dpl.search.pattern_analysis import UNBOUNDED
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.attribute_comparison import has_attribute, is_full_of
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_names import OPERATOR_ATTRIBUTES
from relax_dialect.dpl.syntax.signatures import gives_several
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.control import ClosureOp, IfOp
from relax_dialect.ops.core import ConstantOp, FuncOp, ShapeOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.kinds import is_commutative
from relax_dialect.ops.shape_value import ExpressionOp

NodeT = TypeVar("NodeT", bound=Node)
Step = Callable[[Machine, NodeT, SSAValue, SSAValue, Any], Ways]


def step(kind: type[NodeT]) -> Callable[[Step[NodeT]], Step[NodeT]]:
    """Register how a kind of node matches."""

    def register(function: Step[NodeT]) -> Step[NodeT]:
        STEPS[kind] = function  # pyright: ignore[reportArgumentType]
        return function

    return register


def _each(
    nodes: Sequence[Node], values: Sequence[SSAValue], frame: RepetitionFrame | None
) -> list[Goal]:
    return [(node, value, frame) for node, value in zip(nodes, values)]


# Leaves ---------------------------------------------------------------------------------------


@step(nodes.WildcardNode)
def _wildcard(machine: Machine, node: Any, value: Any, seen: Any, frame: Any) -> Ways:
    return DONE


@step(nodes.LiteralNode)
def _literal(m: Machine, node: nodes.LiteralNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    wanted = node.value
    if not isinstance(wanted, SSAValue):
        if isinstance(wanted, Var) and wanted.is_free:
            return NONE
        wanted = wanted.value
    return DONE if source(wanted) is seen else NONE


@step(nodes.ConstantNode)
def _constant(m: Machine, node: nodes.ConstantNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    op = seen.owner
    if not isinstance(op, ConstantOp):
        return NONE
    return DONE if node.number is None or is_full_of(op.value, node.number) else NONE


@step(nodes.InputNode)
def _input(m: Machine, node: nodes.InputNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    return DONE if is_parameter(seen) else NONE


@step(nodes.VarNode)
def _var(m: Machine, node: nodes.VarNode, value: SSAValue, seen: SSAValue, frame: Any) -> Ways:
    bound = through_blocks(value)
    if node.in_dataflow:
        block = bound.owner.parent_op() if isinstance(bound, OpResult) else None
        named = node.name in (None, value.name_hint, bound.name_hint)
        return DONE if isinstance(block, DataflowOp) and named else NONE
    is_variable = is_parameter(bound) or isinstance(bound.owner, LetOp | MatchOp)
    if not is_variable:
        return NONE
    return DONE if node.name is None or node.name in (value.name_hint, bound.name_hint) else NONE


# Operators ------------------------------------------------------------------------------------


def operator_matches(pattern: Node, op: Operation | type[Operation]) -> bool:
    """Return whether a pattern matches an operator: an op, whatever its operands, or the class of one."""
    if isinstance(pattern, nodes.OpNode):
        return op.name == pattern.kind.name
    kind = op if isinstance(op, type) else type(op)
    known: dict[type[Operation], bool] = pattern.__dict__.setdefault("_operators", {})
    if kind in known:
        return known[kind]
    order = sorted(nodes_of(pattern), key=lambda node: node.serial)
    found: dict[Node, bool] = {}
    for node in order:
        found[node] = _operator_matches(node, op, found)
    if not any(
        isinstance(n, nodes.HasAttrNode) and n.name not in OPERATOR_ATTRIBUTES for n in order
    ):
        known[kind] = found[pattern]
    return found[pattern]


def _operator_matches(
    pattern: Node, op: Operation | type[Operation], found: Mapping[Node, bool]
) -> bool:
    match pattern:
        case nodes.OpNode(kind):
            return op.name == kind.name
        case nodes.WildcardNode():
            return True
        case nodes.EitherNode(first, second):
            return found[first] or found[second]
        case nodes.BothNode(first, second):
            return found[first] and found[second]
        case nodes.NotNode(inner):
            return not found[inner]
        case nodes.NamedNode(_, inner):
            return found[inner]
        case nodes.HasAttrNode(inner, name, value):
            return found[inner] and has_attribute(op, name, value)
        case _:
            return False


@step(nodes.OpNode)
def _op(m: Machine, node: nodes.OpNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    return DONE if isinstance(seen, OpResult) and seen.op.name == node.kind.name else NONE


@step(nodes.CallNode)
def _call(m: Machine, node: nodes.CallNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    if not isinstance(seen, OpResult):
        return NONE
    op, args = seen.op, node.args
    operands = op.operands
    if len(operands) != len(args) and not (node.more and len(operands) > len(args)):
        return NONE
    if not operator_matches(node.callee, op):
        return NONE
    straight = _each(args, operands, frame)
    if node.commutes and is_commutative(type(op)) and operands[0] is not operands[1]:
        return straight, _each(args, operands[::-1], frame)
    return (straight,)


@step(nodes.HasAttrNode)
def _has_attr(m: Machine, node: nodes.HasAttrNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    if not isinstance(seen, OpResult) or not has_attribute(seen.op, node.name, node.value):
        return NONE
    return (((node.pattern, value, frame),),)


# Types ----------------------------------------------------------------------------------------


@step(nodes.HasTypeNode)
def _has_type(m: Machine, node: nodes.HasTypeNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    return (((node.pattern, value, frame),),) if is_subtype(value.type, node.type) else NONE


@step(nodes.HasDtypeNode)
def _has_dtype(
    m: Machine, node: nodes.HasDtypeNode, value: SSAValue, seen: Any, frame: Any
) -> Ways:
    type = value.type
    if not isinstance(type, TensorType) or type.dtype != node.dtype:
        return NONE
    return (((node.pattern, value, frame),),)


def _shape(value: SSAValue) -> Any:
    type = value.type
    return type.shape if isinstance(type, TensorType | ShapeType) else None


@step(nodes.HasShapeNode)
def _has_shape(
    m: Machine, node: nodes.HasShapeNode, value: SSAValue, seen: Any, frame: Any
) -> Ways:
    shape = _shape(value)
    if shape is None or len(shape) != len(node.shape):
        return NONE
    if any(wanted is not None and size != wanted for size, wanted in zip(shape, node.shape)):
        return NONE
    return (((node.pattern, value, frame),),)


@step(nodes.SameShapeAsNode)
def _same_shape_as(
    m: Machine, node: nodes.SameShapeAsNode, value: SSAValue, seen: Any, frame: Any
) -> Ways:
    shape = _shape(value)
    if shape is None or None in shape:
        return NONE

    def compare(machine: Machine) -> Ways:
        other = machine.value_of(node.other, frame)
        return DONE if other is not None and _shape(other) == shape else NONE

    return (((node.pattern, value, frame), (Late(compare), None, None)),)


# Alternatives ---------------------------------------------------------------------------------


@step(nodes.EitherNode)
def _either(m: Machine, node: nodes.EitherNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    return ((node.first, value, frame),), ((node.second, value, frame),)


@step(nodes.BothNode)
def _both(m: Machine, node: nodes.BothNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    return (((node.first, value, frame), (node.second, value, frame)),)


@step(nodes.NotNode)
def _not(m: Machine, node: nodes.NotNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    def refuse(machine: Machine) -> Ways:
        return NONE if machine.holds(node.pattern, value, frame) else DONE

    if node.pattern in m.analysis.untied:
        return refuse(m)
    return (((Late(refuse), None, None),),)


@step(nodes.NamedNode)
def _named(m: Machine, node: nodes.NamedNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    return (((node.pattern, value, frame),),)


# Structure ------------------------------------------------------------------------------------


@step(nodes.TupleNode)
def _tuple(m: Machine, node: nodes.TupleNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    op = seen.owner
    if not isinstance(op, TupleOp):
        return NONE
    if node.fields is None:
        return DONE
    if len(node.fields) != len(op.operands):
        return NONE
    if not node.ordered:
        return _in_any_order(node.fields, op.operands, frame)
    return (_each(node.fields, op.operands, frame),)


def _in_any_order(
    fields: Sequence[Node], values: Sequence[SSAValue], frame: RepetitionFrame | None
) -> Iterator[Sequence[Goal]]:
    """Match the first field at any of the values, then the next one at any of the rest."""
    if not fields:
        yield ()
        return
    for number, value in enumerate(values):
        rest = (*values[:number], *values[number + 1 :])
        further = FunctionGoal(lambda machine, rest=rest: _in_any_order(fields[1:], rest, frame))
        yield ((fields[0], value, frame), (further, None, None))


@step(nodes.OutputNode)
def _output(m: Machine, node: nodes.OutputNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    if not isinstance(seen, OpResult):
        return NONE
    op = seen.op
    if isinstance(op, TupleGetItemOp):
        index, of = op.index, op.tuple
    elif gives_several(type(op)) and len(op.results) > 1:  # one alone is no tuple
        index, of = seen.index, op.results[0]
    else:
        return NONE
    if node.index is not None and node.index != index:
        return NONE
    return (((node.pattern, of, frame),),)


@step(nodes.IfNode)
def _if(m: Machine, node: nodes.IfNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    op = seen.owner
    if not isinstance(op, IfOp):
        return NONE
    return (_each(node.children(), (op.condition, *op.yields), frame),)


@step(nodes.LetNode)
def _let(m: Machine, node: nodes.LetNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    if node.body is not None:

        def bound(machine: Machine) -> Ways:
            var = machine.value_of(node.var, frame)
            let = None if var is None else through_blocks(var).owner
            return (((node.value, let.value, frame),),) if isinstance(let, LetOp) else NONE

        return (((node.body, value, frame), (FunctionGoal(bound), None, None)),)
    let = through_blocks(value).owner
    if not isinstance(let, LetOp):
        return NONE
    return (((node.var, value, frame), (node.value, let.value, frame)),)


@step(nodes.FunctionNode)
def _function(m: Machine, node: nodes.FunctionNode, value: Any, seen: SSAValue, frame: Any) -> Ways:
    op = seen.owner
    return _body(node, op, frame) if isinstance(op, ClosureOp) else NONE


def _body(node: nodes.FunctionNode, op: Operation, frame: RepetitionFrame | None) -> Ways:
    """Return the goals for the parameters and the result of a function."""
    block = op.regions[0].block
    result = block.last_op
    if result is None or (node.params is not None and len(node.params) != len(block.args)):
        return NONE
    params = _each(node.params or (), block.args, frame)
    return ((*params, (node.body, result.operands[0], frame)),)


@step(nodes.SymbolCallNode)
def _symbol_call(
    m: Machine, node: nodes.SymbolCallNode, value: Any, seen: SSAValue, frame: Any
) -> Ways:
    op = owner(seen)
    if op is None or op.name not in node.ops:
        return NONE
    name = getattr(op, "callee_name", None)
    if name is None and hasattr(op, "func_name"):
        name = op.func_name.data  # pyright: ignore[reportAttributeAccessIssue]
    args: Sequence[SSAValue] = op.operands if name is not None else op.operands[1:]
    body: Sequence[Goal] = ()
    if isinstance(node.name, nodes.FunctionNode):
        callee = owner(op.operands[0]) if name is None else ModuleSymbols(op)(name)
        ways = _body(node.name, callee, frame) if isinstance(callee, FuncOp | ClosureOp) else NONE
        if not ways:
            return NONE
        (body,) = ways
    elif node.name is not None and node.name != name:
        return NONE
    if node.args is None:
        return (body,)
    if len(node.args) != len(args) and not (node.more and len(args) > len(node.args)):
        return NONE
    return ((*_each(node.args, args, frame), *body),)


# Repetition -----------------------------------------------------------------------------------


def _turns(
    node: nodes.RepeatNode, count: int, value: SSAValue, outer: RepetitionFrame | None
) -> Ways:
    """Return one more iteration, or the base; more iterations are preferred."""
    ways: list[Sequence[Goal]] = []
    if node.at_most is None or count < node.at_most:
        ways.append(((node.wrapped, value, RepetitionFrame(node, count + 1, outer)),))
    if count >= node.at_least:
        ways.append(((node.base, value, outer),))
    return tuple(ways)


@step(nodes.RepeatNode)
def _repeat(m: Machine, node: nodes.RepeatNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    return _turns(node, 0, value, frame)


@step(nodes.HoleNode)
def _hole(m: Machine, node: nodes.HoleNode, value: SSAValue, seen: Any, frame: Any) -> Ways:
    repeat = m.analysis.holes[node]
    turn: RepetitionFrame = frame
    while turn.node is not repeat:
        assert turn.outer is not None
        turn = turn.outer
    return _turns(repeat, turn.count, value, turn.outer)


# Users ----------------------------------------------------------------------------------------


@step(nodes.DominatesNode)
def _dominates(
    m: Machine, node: nodes.DominatesNode, value: SSAValue, seen: SSAValue, frame: Any
) -> Ways:
    search = FunctionGoal(lambda machine: ways_of_dominance(machine, node, seen, frame))
    return (((node.child, value, frame), (search, None, None)),)


@step(nodes.UsedByNode)
def _used_by(
    m: Machine, node: nodes.UsedByNode, value: SSAValue, seen: SSAValue, frame: Any
) -> Ways:
    if not isinstance(seen, OpResult):
        return NONE
    op = seen.op

    def producers(machine: Machine) -> Iterator[Sequence[Goal]]:
        tried: set[SSAValue] = set()
        for index, operand in enumerate(op.operands):
            found = source(operand)
            if (node.index is not None and index != node.index) or found in tried:
                continue
            tried.add(found)
            used: Sequence[SSAValue] = (found,)
            if node.producer in m.analysis.ops and isinstance(found, OpResult):
                used = found.op.results
            if not node.only or all(user is op for value in used for user in users(value)):
                yield ((node.producer, operand, frame),)

    return (((node.consumer, value, frame), (FunctionGoal(producers), None, None)),)


@step(nodes.TogetherNode)
def _together(
    m: Machine, node: nodes.TogetherNode, value: SSAValue, seen: SSAValue, frame: Any
) -> Ways:
    further = [
        (
            FunctionGoal(
                lambda machine, index=index: _further_root(machine, node, index, seen, frame)
            ),
            None,
            None,
        )
        for index in range(1, len(node.roots))
    ]
    if node.one_to_one:
        further = [_DISTINCT, *(goal for check in further for goal in (check, _DISTINCT))]
    return (((node.roots[0], value, frame), *further),)


_REPEATABLE = ConstantOp | ShapeOp | ExpressionOp


def _distinct(machine: Machine) -> Ways:
    """Check that no value was matched at two sites, except for constants, shapes and sizes."""
    places, ops = machine.analysis.places, machine.analysis.ops
    met: dict[object, Node] = {}
    for (node, frame), value in machine.bound.items():
        place = places.get(node)
        found = source(value)
        if place is None or frame is not None or isinstance(found.owner, _REPEATABLE):
            continue
        is_op = isinstance(found, OpResult) and (node in ops or len(found.op.results) == 1)
        if met.setdefault(found.owner if is_op else found, place) is not place:
            return NONE
    return DONE


_DISTINCT: Goal = (FunctionGoal(_distinct), None, None)


def _further_root(
    machine: Machine,
    node: nodes.TogetherNode,
    index: int,
    first: SSAValue,
    frame: RepetitionFrame | None,
) -> Iterator[Sequence[Goal]]:
    """Yield the values where root `index` may match: the users of the values it shares with the roots
    before.

    A bound consumer of the root determines the value: `a >> j` after `b >> j`.
    """
    root = node.roots[index]
    consumer = root
    while isinstance(consumer, nodes.UsedByNode):
        consumer = consumer.consumer
        if (known := machine.bound.get((consumer, None))) is not None:
            yield ((root, known, frame),)
            return
    taken = {source(machine.bound[root, None]) for root in node.roots[:index]}
    for value in _candidates(machine, root, first):
        if source(value) not in taken and value.owner not in machine.excluded:
            yield ((root, value, frame),)


def _candidates(machine: Machine, root: Node, first: SSAValue) -> Iterator[SSAValue]:
    inside = nodes_of(root)
    shared = [source(machine.bound[n, None]) for n in inside if (n, None) in machine.bound]
    block = first.owner.parent if isinstance(first, OpResult) else None
    depth = machine.analysis.depths[root]
    if not shared or depth >= UNBOUNDED:
        for op in () if block is None else block.ops:
            yield from _roots_of(machine, root, op)
        return
    # go up from the shared values; if all of them take part, from the one with the fewest users
    if not any(isinstance(n, nodes.EitherNode | nodes.NotNode) for n in inside):
        shared = [min(shared, key=lambda v: sum(1 for u in _sibling_results(v) for _ in users(u)))]
    seen: set[Operation] = set()
    level = [result for value in shared for result in _sibling_results(value)]
    for _ in range(max(depth, 1)):
        found: dict[Operation, None] = {}
        for value in level:
            for op in users(value):
                machine.count(1)
                if op not in seen and op.results:
                    found[op] = None
        seen.update(found)
        for op in _in_order_of_text([op for op in found if op.parent is block], block):
            yield from _roots_of(machine, root, op)
        level = [result for op in found for result in op.results]


def _in_order_of_text(ops: Sequence[Operation], block: Block | None) -> Sequence[Operation]:
    """Ops in the order of their block; the list of uses has no order of its own."""
    if len(ops) < 2 or block is None:
        return ops
    wanted = set(ops)
    return [op for op in block.ops if op in wanted]


def _sibling_results(value: SSAValue) -> Sequence[SSAValue]:
    """Return all results of the op that defines a value: a node may match the op by one, and use
    another."""
    return value.op.results if isinstance(value, OpResult) else [value]


def _roots_of(machine: Machine, root: Node, op: Operation) -> Sequence[SSAValue]:
    return op.results[:1] if root in machine.analysis.ops else op.results

"""Outlines of what patterns can match: an unsatisfiable pattern is refused at its construction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

from xdsl.ir import Attribute, Operation

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_names import op_class
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.signatures import (
    Classes,
    class_of,
    classes_text,
    gives_several,
    has_output,
    joined,
    met,
    operand_classes,
    operand_counts,
    outputs_text,
    result_classes,
)
from relax_dialect.ir.lattice import contradict
from relax_dialect.ir.types import ShapeType, TensorType

PARAMETER = "a parameter"
"""The kind of values that are no results of ops."""

SIZED: Classes = frozenset([TensorType, ShapeType])
"""The values that have a shape."""

N = TypeVar("N", bound=Node)


@dataclass(frozen=True)
class ValueKinds:
    """The kinds of value that a pattern can match; None means any."""

    kinds: frozenset[str] | None = None
    """The names of the ops, and `PARAMETER`."""
    type: Attribute | None = None
    at_binding: bool = False
    """Whether it distinguishes a variable from the value bound to it."""
    may_be_shape: bool = False
    """Whether the type is of a tensor of a shape, while the shape itself may be meant."""

    def joined(self, other: ValueKinds) -> ValueKinds:
        """Return the outline of the union."""
        kinds = None
        if self.kinds is not None and other.kinds is not None:
            kinds = self.kinds | other.kinds
        type = self.type if self.type == other.type else None
        may_be_shape = self.may_be_shape or other.may_be_shape
        return ValueKinds(kinds, type, self.at_binding or other.at_binding, may_be_shape)

    def met(self, other: ValueKinds) -> ValueKinds:
        """Return the outline of the intersection."""
        kinds = self.kinds if other.kinds is None else other.kinds
        if self.kinds is not None and other.kinds is not None:
            kinds = self.kinds & other.kinds
        typed = self
        if self.type is None or (self.may_be_shape and other.type is not None):
            typed = other
        at_binding = self.at_binding or other.at_binding
        return ValueKinds(kinds, typed.type, at_binding, typed.may_be_shape)

    @property
    def classes(self) -> Classes | None:
        """The classes of the type."""
        if self.type is None:
            return None
        return SIZED if self.may_be_shape else class_of(self.type)

    def contradicts(self, type: Attribute) -> bool:
        """Return whether no value is of both types."""
        if self.type is None or (self.may_be_shape and isinstance(type, ShapeType)):
            return False
        return contradict(self.type, type)


def outline(pattern: Node) -> ValueKinds:
    """Return the outline of a pattern; found once for each node, from below."""
    known: ValueKinds | None = pattern.__dict__.get("_outline")
    if known is not None:
        return known
    work = [pattern]
    while work:
        node = work[-1]
        waiting = [c for c in _looked_at(node) if "_outline" not in c.__dict__]
        if waiting:
            work.extend(waiting)
        else:
            node.__dict__["_outline"] = _outline(node)
            work.pop()
    return pattern.__dict__["_outline"]


def _looked_at(pattern: Node) -> tuple[Node, ...]:
    """Return the nodes whose outlines determine the outline of a node."""
    match pattern:
        case nodes.CallNode(callee):
            return (callee,)
        case nodes.DominatesNode(_, _, child):
            return (child,)
        case nodes.UsedByNode(_, consumer):
            return (consumer,)
        case nodes.TogetherNode(roots):
            return roots[:1]
        case nodes.LetNode(_, _, body):
            return () if body is None else (body,)
        case (
            nodes.HasTypeNode()
            | nodes.HasDtypeNode()
            | nodes.HasShapeNode()
            | nodes.NamedNode()
            | nodes.HasAttrNode()
            | nodes.SameShapeAsNode()
            | nodes.EitherNode()
            | nodes.BothNode()
            | nodes.RepeatNode()
            | nodes.OutputNode()
        ):
            return pattern.children()
        case _:
            return ()


def _outline(pattern: Node) -> ValueKinds:
    """Return the outline of a node, from the known outlines of its children."""
    match pattern:
        case nodes.OpNode(kind):
            return ValueKinds(frozenset([kind.name]))
        case nodes.CallNode(callee):
            return ValueKinds(outline(callee).kinds)
        case nodes.InputNode():
            return ValueKinds(frozenset([PARAMETER]))
        case nodes.VarNode():
            return ValueKinds(at_binding=True)  # the value of a binding may be of any op
        case nodes.LetNode(_, _, None):
            return ValueKinds(at_binding=True)
        case nodes.ConstantNode():
            return ValueKinds(frozenset(["relax.constant"]))
        case nodes.TupleNode():
            return ValueKinds(frozenset(["relax.tuple"]))
        case nodes.IfNode():
            return ValueKinds(frozenset(["relax.if"]))
        case nodes.FunctionNode():
            return ValueKinds(frozenset(["relax.closure"]))
        case nodes.SymbolCallNode(ops):
            return ValueKinds(frozenset(ops))
        case nodes.HasTypeNode(p, type):
            return replace(outline(p), type=type, may_be_shape=False)
        case nodes.HasDtypeNode(p, dtype):
            known = outline(p)
            type = TensorType.get(None, dtype) if known.type is None else known.type
            return replace(known, type=type, may_be_shape=False)
        case nodes.HasShapeNode(p, shape):
            known = outline(p)
            if known.type is not None:
                return known
            classes = possible_classes(p)
            return replace(
                known,
                type=TensorType.get(shape, None),
                may_be_shape=classes is None or ShapeType in classes,
            )
        case nodes.EitherNode(first, second):
            return outline(first).joined(outline(second))
        case nodes.BothNode(first, second):
            return outline(first).met(outline(second))
        case nodes.RepeatNode(base, _, wrapped, at_least):
            return outline(wrapped) if at_least else outline(wrapped).joined(outline(base))
        case nodes.OutputNode(p):
            return ValueKinds(_kinds_of_outputs(p))
        case _:
            inner = _looked_at(pattern)
            return outline(inner[0]) if inner else ValueKinds()


def _kinds_of_outputs(pattern: Node) -> frozenset[str] | None:
    kinds = possible_ops(pattern)
    if kinds is None:
        return None
    several = {kind.name for kind in kinds if gives_several(kind)}
    return frozenset([*several, "relax.tuple_get_item"])


def root_kinds(pattern: Node) -> frozenset[str] | None:
    """Return the names of the ops at which the pattern can match, None for any."""
    return outline(pattern).kinds


def possible_ops(pattern: Node) -> list[type[Operation]] | None:
    """Return the classes of the ops that a pattern can match, None if it does not require an op."""
    kinds = outline(pattern).kinds
    if kinds is None or PARAMETER in kinds:
        return None
    return [op_class(kind) for kind in sorted(kinds)]


def possible_classes(pattern: Node) -> Classes | None:
    """Return the classes of the values that a pattern can match, None for any."""
    known = outline(pattern)
    kinds = possible_ops(pattern)
    classes = None if kinds is None else joined(map(result_classes, kinds))
    return met(classes, known.classes)


def require_operator(callee: Node) -> None:
    """Refuse a callee that is no operator: only its name and attributes are considered."""
    for pattern in nodes_of(callee):
        match pattern:
            case nodes.OpNode() | nodes.WildcardNode():
                pass
            case nodes.EitherNode() | nodes.BothNode() | nodes.NotNode() | nodes.HasAttrNode():
                pass
            case _:
                raise PatternError(
                    f"{pattern_text(callee)}(...): expected an operator to be called, made of is_op, "
                    f"wildcard, has_attr, |, & and ~, found {pattern_text(pattern)}; match its value by "
                    "p[i], used_by or is_function"
                )


def _fail(pattern: Node, why: str) -> NoReturn:
    raise PatternError(f"{pattern_text(pattern)}: expected a pattern that can match, found {why}")


def checked(pattern: N) -> N:
    """Return the pattern, unless it can match nothing as built; raises `PatternError`."""
    match pattern:
        case nodes.CallNode(callee):
            kinds = possible_ops(callee)
            if kinds is not None:
                _check_arguments(pattern, kinds)
        case nodes.BothNode(first, second):
            _check_both(pattern, outline(first), outline(second))
        case nodes.HasTypeNode(p, type):
            _check_type(pattern, outline(p), type)
            _check_classes(pattern, p, class_of(type))
        case nodes.HasDtypeNode(p, dtype):
            _check_type(pattern, outline(p), TensorType.get(None, dtype))
            _check_classes(pattern, p, frozenset([TensorType]))
        case nodes.HasShapeNode(p, shape):
            _check_type(pattern, outline(p), TensorType.get(shape, None))
            _check_classes(pattern, p, SIZED)
        case nodes.SameShapeAsNode(p, other):
            for one in (p, other):
                _check_classes(pattern, one, SIZED)
        case nodes.HasAttrNode(p):
            if outline(p).kinds == {PARAMETER}:
                _fail(pattern, "a parameter, which has no attributes")
        case nodes.OutputNode(p, index):
            _check_output(pattern, p, index)
        case nodes.RepeatNode(_, hole, wrapped):
            _check_repetition(pattern, hole, wrapped)
        case nodes.LetNode(var, _, body) if body is not None:
            if var not in nodes_of(body):
                _fail(pattern, "a body that does not use the variable; use the same pattern in it")
        case nodes.UsedByNode(_, consumer, index):
            _check_consumer(pattern, consumer, index)
        case nodes.DominatesNode(_, _, child):
            if _most_operands(child) == 0:
                _fail(pattern, f"the child {pattern_text(child)}, which has no operands")
        case nodes.SymbolCallNode(_, nodes.FunctionNode(params, _), args, more) if (
            params is not None
        ):
            count = len(args or ())
            if args is not None and not (count == len(params) or (more and count < len(params))):
                _fail(pattern, f"{count} arguments of a function of {len(params)} parameters")
        case nodes.TogetherNode(roots):
            if len(set(roots)) < len(roots):
                _fail(pattern, "one pattern as two roots, which match different values")
            for root in roots:
                if outline(root).kinds == {PARAMETER}:
                    _fail(pattern, f"{pattern_text(root)} as a root, which is a value of a block")
        case _:
            pass
    return pattern


def nodes_of(pattern: Node) -> list[Node]:
    """Return the nodes of a pattern, each once, parents before children met first."""
    found: dict[Node, None] = {}
    work = [pattern]
    while work:
        node = work.pop()
        if node not in found:
            found[node] = None
            work.extend(reversed(node.children()))
    return list(found)


def _range_text(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if most == least else f"{least} to {most}"


def _check_arguments(pattern: nodes.CallNode, kinds: list[type[Operation]]) -> None:
    count = len(pattern.args)
    ranges = {kind: operand_counts(kind) for kind in kinds}
    fitting = [
        kind
        for kind, (least, most) in ranges.items()
        if (pattern.more or count >= least) and (most is None or count <= most)
    ]
    if not fitting:
        text = " or ".join(f"{k.name} with {_range_text(*r)}" for k, r in ranges.items())
        _fail(pattern, f"{count} arguments; expected {text or 'an operator'}")
    reasons = [_wrong_argument(pattern, kind) for kind in fitting]
    if None not in reasons:
        _fail(pattern, " and ".join(filter(None, reasons)))


def _wrong_argument(pattern: nodes.CallNode, kind: type[Operation]) -> str | None:
    """Return why the value matched by an argument can be no operand of an op; None if it can."""
    orders = (pattern.args, pattern.args[::-1]) if pattern.commutes else (pattern.args,)
    found: str | None = None
    for order in orders:
        reasons = (_wrong_operand(kind, n, arg) for n, arg in enumerate(order))
        reason = next((r for r in reasons if r is not None), None)
        if reason is None:
            return None
        found = found or reason
    return found


def _wrong_operand(kind: type[Operation], position: int, arg: Node) -> str | None:
    given, taken = possible_classes(arg), operand_classes(kind, position)
    if given is None or taken is None or given & taken:
        return None
    several = operand_counts(kind)[1] is None and isinstance(arg, nodes.TupleNode)
    mend = "; write its operands one by one" if several else ""
    return (
        f"{pattern_text(arg)}, which computes {classes_text(given)}, as operand {position} of {kind.name}, "
        f"which takes {classes_text(taken)}{mend}"
    )


def _check_both(pattern: Node, first: ValueKinds, second: ValueKinds) -> None:
    if first.kinds is not None and second.kinds is not None and not first.kinds & second.kinds:
        texts = (" or ".join(sorted(o.kinds or ())) for o in (first, second))
        _fail(pattern, " and at once ".join(texts))
    swapped = second.may_be_shape and not first.may_be_shape
    one, two = (second, first) if swapped else (first, second)
    if two.type is not None and one.contradicts(two.type):
        _fail(pattern, f"the types {first.type} and {second.type} at once")
    assert isinstance(pattern, nodes.BothNode)
    one, two = pattern.first, pattern.second
    if (isinstance(one, nodes.NotNode) and one.pattern is two) or (
        isinstance(two, nodes.NotNode) and two.pattern is one
    ):
        _fail(pattern, "a pattern and its opposite at once")


def _check_type(pattern: Node, known: ValueKinds, type: Attribute) -> None:
    if known.contradicts(type):
        _fail(pattern, f"the types {known.type} and {type} at once")


def _check_classes(pattern: Node, inner: Node, wanted: Classes | None) -> None:
    """Refuse a condition on values of other classes than the pattern has."""
    found = possible_classes(inner)
    if found is not None and wanted is not None and not found & wanted:
        text = f"{pattern_text(inner)}, which computes {classes_text(found)}"
        _fail(pattern, f"{text}, where {classes_text(wanted)} is asked for")


def _check_output(pattern: Node, inner: Node, index: int | None) -> None:
    if isinstance(inner, nodes.TupleNode) and inner.fields is not None:
        if (index or 0) >= len(inner.fields):
            _fail(pattern, f"output {index or 0} of a tuple of {len(inner.fields)} fields")
        return
    kinds = possible_ops(inner)
    if kinds and not any(has_output(kind, index or 0) for kind in kinds):
        counts = " or ".join(f"{kind.name}, which has {outputs_text(kind)}" for kind in kinds)
        _fail(pattern, f"output {index or 0} of {counts}")


def _most_operands(pattern: Node) -> int | None:
    """Return the maximum number of operands of the ops that a pattern matches, None for no limit."""
    kinds = outline(pattern).kinds
    if kinds is None:
        return None
    counts = [0 if kind == PARAMETER else operand_counts(op_class(kind))[1] for kind in kinds]
    return None if None in counts else max((c for c in counts if c is not None), default=0)


def _check_consumer(pattern: Node, consumer: Node, index: int | None) -> None:
    most = _most_operands(consumer)
    if most is not None and most <= (index or 0):
        found = "a consumer without operands"
        if index is not None:
            found = f"operand {index} of a consumer that has {most}, counted from 0"
        _fail(pattern, found)


def _check_repetition(pattern: Node, hole: Node, wrapped: Node) -> None:
    if hole not in nodes_of(wrapped):
        _fail(pattern, "a repetition whose wrap leaves its pattern out; use it as an argument")
    work, seen = [wrapped], {wrapped}
    while work:  # an iteration must move towards the inputs, or it would not terminate
        node = work.pop()
        if node is hole:
            _fail(
                pattern,
                "a wrap that may return its pattern unchanged; always put an op around it",
            )
        below = [child for child in same_value(node) if child not in seen]
        seen.update(below)
        work.extend(below)


def same_value(pattern: Node) -> tuple[Node, ...]:
    """Return the children of a node that match the same value as the node."""
    match pattern:
        case nodes.DominatesNode(_, _, child):
            return (child,)
        case nodes.UsedByNode(_, consumer):
            return (consumer,)
        case nodes.LetNode(var, _, body):
            return (var,) if body is None else (body,)
        case nodes.RepeatNode(base, _, wrapped):
            return (base, wrapped)
        case _:
            return () if pattern.CONSUMES else pattern.children()

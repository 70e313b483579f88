"""What a pattern can match at all, so that one that can match nothing is refused where it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import NoReturn

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef

from relax_dialect.dpl import patterns
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.names import op_class
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.dpl.text import pattern_text
from relax_dialect.types import TensorType, contradict

PARAMETER, CONSTANT = "a parameter", "a constant"
"""What a value may be beside the result of an op."""


@dataclass(frozen=True)
class Outline:
    """What is known of all that a pattern matches; None where that is anything."""

    kinds: frozenset[str] | None = None
    """The names of the ops, and `PARAMETER`."""
    type: Attribute | None = None
    at_binding: bool = False
    """Whether it tells a variable from the value bound to it."""

    def joined(self, other: Outline) -> Outline:
        """What either matches."""
        kinds = None
        if self.kinds is not None and other.kinds is not None:
            kinds = self.kinds | other.kinds
        type = self.type if self.type == other.type else None
        return Outline(kinds, type, self.at_binding or other.at_binding)

    def met(self, other: Outline) -> Outline:
        """What both match."""
        kinds = self.kinds if other.kinds is None else other.kinds
        if self.kinds is not None and other.kinds is not None:
            kinds = self.kinds & other.kinds
        type = other.type if self.type is None else self.type
        return Outline(kinds, type, self.at_binding or other.at_binding)


def outline(pattern: Pattern) -> Outline:
    """What is known of all that a pattern matches; found once for each node, from below."""
    known: Outline | None = pattern.__dict__.get("_outline")
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


def _looked_at(pattern: Pattern) -> tuple[Pattern, ...]:
    """The nodes whose outlines make that of a node."""
    match pattern:
        case patterns.Call(callee):
            return (callee,)
        case patterns.Dominates(_, _, child):
            return (child,)
        case patterns.UsedBy(_, consumer):
            return (consumer,)
        case patterns.Together(roots):
            return roots[:1]
        case patterns.Let(_, _, body):
            return () if body is None else (body,)
        case (
            patterns.HasType()
            | patterns.HasDtype()
            | patterns.HasShape()
            | patterns.Named()
            | patterns.HasAttr()
            | patterns.SameShapeAs()
            | patterns.Either()
            | patterns.Both()
            | patterns.Repeat()
            | patterns.Output()
        ):
            return pattern.children()
        case _:
            return ()


def _outline(pattern: Pattern) -> Outline:
    """The outline of a node, those that it needs being known."""
    match pattern:
        case patterns.Op(kind):
            return Outline(frozenset([kind.name]))
        case patterns.Call(callee):
            return Outline(outline(callee).kinds)
        case patterns.Input():
            return Outline(frozenset([PARAMETER]))
        case patterns.Var():
            return Outline(at_binding=True)  # what stands behind a binding may be any op
        case patterns.Let(_, _, None):
            return Outline(at_binding=True)
        case patterns.Constant():
            return Outline(frozenset(["relax.constant"]))
        case patterns.Tuple():
            return Outline(frozenset(["relax.tuple"]))
        case patterns.If():
            return Outline(frozenset(["relax.if"]))
        case patterns.Function():
            return Outline(frozenset(["relax.closure"]))
        case patterns.SymbolCall(ops):
            return Outline(frozenset(ops))
        case patterns.HasType(p, type):
            return replace(outline(p), type=type)
        case patterns.HasDtype(p, dtype):
            known = outline(p)
            return (
                known
                if known.type is not None
                else replace(known, type=TensorType.get(None, dtype))
            )
        case patterns.HasShape(p, shape):
            known = outline(p)
            return (
                known
                if known.type is not None
                else replace(known, type=TensorType.get(shape, None))
            )
        case patterns.Either(first, second):
            return outline(first).joined(outline(second))
        case patterns.Both(first, second):
            return outline(first).met(outline(second))
        case patterns.Repeat(base, _, wrapped, at_least):
            return outline(wrapped) if at_least else outline(wrapped).joined(outline(base))
        case patterns.Output(p):
            return Outline(_kinds_of_outputs(p))
        case _:
            inner = _looked_at(pattern)
            return outline(inner[0]) if inner else Outline()


def _kinds_of_outputs(pattern: Pattern) -> frozenset[str] | None:
    kinds = possible_ops(pattern)
    if kinds is None:
        return None
    several = {kind.name for kind in kinds if gives_several(kind)}
    return frozenset([*several, "relax.tuple_get_item"])


@cache
def gives_several(kind: type[Operation]) -> bool:
    """Whether an op may have several results, each of which is an output."""
    if not issubclass(kind, IRDLOperation):
        return True
    results = kind.get_irdl_definition().results
    return len(results) > 1 or any(isinstance(d, VariadicDef) for _, d in results)


def root_kinds(pattern: Pattern) -> frozenset[str] | None:
    """The names of the ops at which the pattern can match, None for any."""
    return outline(pattern).kinds


def possible_ops(pattern: Pattern) -> list[type[Operation]] | None:
    """The classes of the ops that a pattern can match, None where it is not an op that it asks for."""
    kinds = outline(pattern).kinds
    if kinds is None or PARAMETER in kinds:
        return None
    return [op_class(kind) for kind in sorted(kinds)]


def require_operator(callee: Pattern) -> None:
    """Refuse to call what is no operator: only its name and attributes are looked at."""
    for pattern in nodes(callee):
        match pattern:
            case patterns.Op() | patterns.Wildcard():
                pass
            case patterns.Either() | patterns.Both() | patterns.Not() | patterns.HasAttr():
                pass
            case _:
                raise PatternError(
                    f"{pattern_text(callee)}(...): expected an operator to be called, made of is_op, "
                    f"wildcard, has_attr, |, & and ~, found {pattern_text(pattern)}; match its value by "
                    "p[i], used_by or is_function"
                )


def _fail(pattern: Pattern, why: str) -> NoReturn:
    raise PatternError(f"{pattern_text(pattern)}: expected a pattern that can match, found {why}")


def _operand_counts(kind: type[Operation]) -> tuple[int, int | None]:
    """The least and the greatest number of operands, None for no limit."""
    if not issubclass(kind, IRDLOperation):
        return 0, None
    definitions = [definition for _, definition in kind.get_irdl_definition().operands]
    least = sum(not isinstance(d, VariadicDef) for d in definitions)
    if any(isinstance(d, VariadicDef) and not isinstance(d, OptionalDef) for d in definitions):
        return least, None
    return least, len(definitions)


def checked(pattern: Pattern) -> Pattern:
    """The pattern, unless it can match nothing as built; raises `PatternError`."""
    match pattern:
        case patterns.Call(_, args, more):
            _check_arguments(pattern, possible_ops(pattern), len(args), more)
        case patterns.Both(first, second):
            _check_both(pattern, outline(first), outline(second))
        case patterns.HasType(p, type):
            _check_type(pattern, outline(p), type)
        case patterns.HasDtype(p, dtype):
            _check_type(pattern, outline(p), TensorType.get(None, dtype))
        case patterns.HasShape(p, shape):
            _check_type(pattern, outline(p), TensorType.get(shape, None))
        case patterns.Output(p, int(index)):
            _check_output(pattern, p, index)
        case patterns.Repeat(_, hole, wrapped):
            _check_repetition(pattern, hole, wrapped)
        case patterns.Let(var, _, body) if body is not None:
            if var not in nodes(body):
                _fail(pattern, "a body that does not use the variable; use the same pattern in it")
        case patterns.UsedBy(_, consumer, index):
            _check_consumer(pattern, possible_ops(consumer), index)
        case patterns.SymbolCall(_, patterns.Function(params, _), args, more) if params is not None:
            count = len(args or ())
            if args is not None and not (count == len(params) or (more and count < len(params))):
                _fail(pattern, f"{count} arguments of a function of {len(params)} parameters")
        case patterns.Together(roots):
            if len(set(roots)) < len(roots):
                _fail(pattern, "one pattern as two roots, which match different values")
        case _:
            pass
    return pattern


def nodes(pattern: Pattern) -> list[Pattern]:
    """The nodes of a pattern, each once, parents before children met first."""
    found: dict[Pattern, None] = {}
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


def _check_arguments(
    pattern: Pattern, kinds: Iterable[type[Operation]] | None, count: int, more: bool
) -> None:
    if kinds is None:
        return
    ranges = {kind.name: _operand_counts(kind) for kind in kinds}
    for least, most in ranges.values():
        if (more or count >= least) and (most is None or count <= most):
            return
    text = " or ".join(
        f"{name} with {_range_text(least, most)}" for name, (least, most) in ranges.items()
    )
    _fail(pattern, f"{count} arguments; expected {text or 'an operator'}")


def _check_both(pattern: Pattern, first: Outline, second: Outline) -> None:
    if first.kinds is not None and second.kinds is not None and not first.kinds & second.kinds:
        texts = (" or ".join(sorted(o.kinds or ())) for o in (first, second))
        _fail(pattern, " and at once ".join(texts))
    if first.type is not None and second.type is not None and contradict(first.type, second.type):
        _fail(pattern, f"the types {first.type} and {second.type} at once")
    assert isinstance(pattern, patterns.Both)
    one, two = pattern.first, pattern.second
    if (isinstance(one, patterns.Not) and one.pattern is two) or (
        isinstance(two, patterns.Not) and two.pattern is one
    ):
        _fail(pattern, "a pattern and its opposite at once")


def _check_type(pattern: Pattern, known: Outline, type: Attribute) -> None:
    if known.type is not None and contradict(known.type, type):
        _fail(pattern, f"the types {known.type} and {type} at once")


def _check_output(pattern: Pattern, inner: Pattern, index: int) -> None:
    if isinstance(inner, patterns.Tuple) and inner.fields is not None:
        if index >= len(inner.fields):
            _fail(pattern, f"output {index} of a tuple of {len(inner.fields)} fields")
        return
    kinds = possible_ops(inner)
    if kinds and not any(_has_output(kind, index) for kind in kinds):
        counts = " or ".join(f"{kind.name}, which has {_outputs_text(kind)}" for kind in kinds)
        _fail(pattern, f"output {index} of {counts}")


def _has_output(kind: type[Operation], index: int) -> bool:
    if not issubclass(kind, IRDLOperation):
        return True
    results = [definition for _, definition in kind.get_irdl_definition().results]
    if any(isinstance(d, VariadicDef) for d in results):
        return True
    return index < len(results) if len(results) != 1 else _may_be_tuple(results[0])


def _outputs_text(kind: type[Operation]) -> str:
    assert issubclass(kind, IRDLOperation)
    count = len(kind.get_irdl_definition().results)
    return (
        f"{count}, counted from 0" if count > 1 else "one, which is no tuple" if count else "none"
    )


def _check_consumer(
    pattern: Pattern, kinds: Iterable[type[Operation]] | None, index: int | None
) -> None:
    if kinds is None:
        return
    counts = [_operand_counts(kind)[1] for kind in kinds]
    if all(most is not None and most <= (index or 0) for most in counts):
        found = (
            "a consumer without operands" if index is None else f"operand {index} of a consumer "
        )
        most = max(count or 0 for count in counts)
        _fail(pattern, found + ("" if index is None else f"that has {most}, counted from 0"))


def _check_repetition(pattern: Pattern, hole: Pattern, wrapped: Pattern) -> None:
    if hole not in nodes(wrapped):
        _fail(pattern, "a repetition whose wrap leaves its pattern out; use it as an argument")
    work, seen = [wrapped], {wrapped}
    while work:  # a turn must come nearer to the inputs, or it would go on for ever
        node = work.pop()
        if node is hole:
            _fail(
                pattern,
                "a wrap that may give back its pattern bare; put an op around it in any case",
            )
        below = [child for child in _same_value(node) if child not in seen]
        seen.update(below)
        work.extend(below)


def _same_value(pattern: Pattern) -> tuple[Pattern, ...]:
    """The nodes below one that are asked of the same value as it."""
    match pattern:
        case patterns.Dominates(_, _, child):
            return (child,)
        case patterns.UsedBy(_, consumer):
            return (consumer,)
        case patterns.Let(var, _, body):
            return (var,) if body is None else (body,)
        case patterns.Repeat(base, _, wrapped):
            return (base, wrapped)
        case _:
            return () if pattern.CONSUMES else pattern.children()


def _may_be_tuple(definition: object) -> bool:
    """Whether a result may be a tuple: one that must be a tensor is none."""
    constraint = getattr(definition, "constr", None)
    while (
        inner := getattr(constraint, "constraint", getattr(constraint, "constr", None))
    ) is not None:
        constraint = inner
    attribute = getattr(constraint, "attr", None)
    return attribute is not TensorType


__all__ = [
    "checked",
    "gives_several",
    "nodes",
    "outline",
    "possible_ops",
    "require_operator",
    "root_kinds",
]

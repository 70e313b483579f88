"""What a pattern can match at all, so that one that can match nothing is refused where it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptionalDef, VariadicDef

from relax_dialect.dpl import patterns
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.names import operator
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

    def joined(self, other: Outline) -> Outline:
        """What either matches."""
        kinds = None
        if self.kinds is not None and other.kinds is not None:
            kinds = self.kinds | other.kinds
        return Outline(kinds, self.type if self.type == other.type else None)


def outline(pattern: Pattern) -> Outline:
    """What is known of all that a pattern matches; looks at the top nodes only."""
    match pattern:
        case patterns.Op(kind):
            return Outline(frozenset([kind.name]))
        case patterns.Call(callee):
            return outline(callee)
        case patterns.Input():
            return Outline(frozenset([PARAMETER]))
        case patterns.Var():
            return Outline(
                frozenset([PARAMETER, "relax.let", "relax.match_cast", "relax.match_shape"])
            )
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
            return Outline(outline(p).kinds, type)
        case patterns.HasDtype(p, dtype):
            known = outline(p)
            return known if known.type is not None else Outline(known.kinds, TensorType.get(None, dtype))
        case patterns.HasShape(p, shape):
            known = outline(p)
            return known if known.type is not None else Outline(known.kinds, TensorType.get(shape, None))
        case patterns.Named(_, p) | patterns.HasAttr(p) | patterns.SameShapeAs(p):
            return outline(p)
        case patterns.Either(first, second):
            return outline(first).joined(outline(second))
        case patterns.Both(first, second):
            one, two = outline(first), outline(second)
            kinds = one.kinds if two.kinds is None else two.kinds
            if one.kinds is not None and two.kinds is not None:
                kinds = one.kinds & two.kinds
            return Outline(kinds, one.type if one.type is not None else two.type)
        case patterns.Dominates(_, _, child):
            return outline(child)
        case patterns.UsedBy(_, consumer):
            return outline(consumer)
        case patterns.Together(roots):
            return outline(roots[0])
        case patterns.Repeat(base, _, wrapped, at_least):
            return outline(wrapped) if at_least else outline(wrapped).joined(outline(base))
        case _:
            return Outline()


def root_kinds(pattern: Pattern) -> frozenset[str] | None:
    """The names of the ops at which the pattern can match, None for any."""
    return outline(pattern).kinds


def possible_ops(pattern: Pattern) -> list[type[Operation]] | None:
    """The classes of the ops that a pattern can match, None where it is not an op that it asks for."""
    kinds = outline(pattern).kinds
    if kinds is None or PARAMETER in kinds:
        return None
    return [operator(kind) for kind in sorted(kinds)]


def require_operator(callee: Pattern) -> None:
    """Refuse to call what is no operator: only its name and attributes are looked at."""
    work = [callee]
    while work:
        pattern = work.pop()
        match pattern:
            case patterns.Op() | patterns.Wildcard():
                pass
            case patterns.Either() | patterns.Both() | patterns.Not() | patterns.HasAttr():
                work.extend(pattern.children())
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
            if hole not in nodes(wrapped):
                _fail(pattern, "a repetition whose wrap leaves its pattern out; use it as an argument")
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
        f"{name} with {least if most == least else f'{least} or more' if most is None else f'{least} to {most}'}"
        for name, (least, most) in ranges.items()
    )
    _fail(pattern, f"{count} arguments; expected {text or 'an operator'}")


def _check_both(pattern: Pattern, first: Outline, second: Outline) -> None:
    if first.kinds is not None and second.kinds is not None and not first.kinds & second.kinds:
        texts = (" or ".join(sorted(o.kinds or ())) for o in (first, second))
        _fail(pattern, " and at once ".join(texts))
    if first.type is not None and second.type is not None and contradict(first.type, second.type):
        _fail(pattern, f"the types {first.type} and {second.type} at once")


def _check_type(pattern: Pattern, known: Outline, type: Attribute) -> None:
    if known.type is not None and contradict(known.type, type):
        _fail(pattern, f"the types {known.type} and {type} at once")


def _check_output(pattern: Pattern, inner: Pattern, index: int) -> None:
    if isinstance(inner, patterns.Tuple) and inner.fields is not None:
        if index >= len(inner.fields):
            _fail(pattern, f"output {index} of a tuple of {len(inner.fields)} fields")
        return
    kinds = possible_ops(inner)
    for kind in kinds or ():
        if not issubclass(kind, IRDLOperation):
            return
        results = kind.get_irdl_definition().results
        if any(isinstance(d, VariadicDef) for _, d in results):
            return
        only = results[0][1] if len(results) == 1 else None
        if index < len(results) and len(results) > 1:
            return
        if only is not None and _may_be_tuple(only):
            return
    if kinds:
        _fail(pattern, f"output {index} of {' or '.join(k.name for k in kinds)}, which has not so many")


def _may_be_tuple(definition: object) -> bool:
    """Whether a result may be a tuple: one that must be a tensor is none."""
    constraint = getattr(definition, "constr", None)
    while (inner := getattr(constraint, "constraint", getattr(constraint, "constr", None))) is not None:
        constraint = inner
    attribute = getattr(constraint, "attr", None)
    return attribute is not TensorType


__all__ = ["checked", "nodes", "outline", "possible_ops", "require_operator", "root_kinds"]

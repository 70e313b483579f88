"""The drivers under TVM's names, thin wrappers of ours: programs are changed in place and returned.

with PatternContext() as ctx:
    x = wildcard()
    first, second = is_op("matmul")(x, wildcard()), is_op("matmul")(x, wildcard())
match = ctx.match_dfb(block)
rewrite_bindings(ctx, lambda match, bindings: {match[first]: ...}, func)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import Token
from dataclasses import dataclass
from typing import Any, Self

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.dpl import matching
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.rewriter.outlined_matches import CODEGEN, COMPOSITE
from relax_dialect.dpl.rewriter.partition import (
    Attributes,
    Partitioner,
    as_attributes,
    outline_matches,
)
from relax_dialect.dpl.rewriter.pattern_registry import FusionPattern, whole_pattern
from relax_dialect.dpl.rewriter.rewriting import Root, rewrite
from relax_dialect.dpl.search import satisfiability
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.dpl.search.match import Check, Match
from relax_dialect.dpl.syntax import nodes, patterns
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.dpl.syntax.suggestions import found_text
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp

DFPattern = Pattern
WildcardPattern = patterns.Wildcard
ExprPattern = patterns.Literal
ConstantPattern = patterns.Constant
VarPattern = patterns.Var
CallPattern = patterns.Call
FunctionPattern = patterns.Function
TuplePattern = patterns.Tuple
TupleGetItemPattern = patterns.Output
IfPattern = patterns.If
LetPattern = patterns.Let
OrPattern = AltPattern = patterns.Either
AndPattern = patterns.Both
NotPattern = patterns.Not
TypePattern = StructInfoPattern = patterns.HasType
DataTypePattern = patterns.HasDtype
ShapePattern = patterns.HasShape
AttrPattern = patterns.HasAttr
SameShapeConstraint = patterns.SameShapeAs
DominatorPattern = patterns.Dominates


def partition(
    pattern: object,
    func_or_module: Root,
    attrs: Attributes | None = None,
    check: Check | None = None,
    name: str | None = None,
    *,
    bind_constants: bool | None = None,
) -> list[CallOp]:
    """Outline every whole match of a pattern that overlaps no other; returns the calls.

    The parameters of the functions are in the order in which the pattern visits them. `attrs` are
    attributes of the functions; `name` is their `Composite`, without one they are marked
    `PartitionedFromPattern`. `check(match)` may refuse a match. `bind_constants` copies all constants
    passed to a match into its function (True), or none (False); by default the pattern decides: a constant
    matched by a wildcard is a parameter, a constant matched by `is_constant` or `is_expr` is copied.
    Functions marked as outlined are skipped.

    >>> partition(is_op("add")(is_op("matmul")(x, w), b), module, name="cblas.matmul_bias")

    Raises `PatternError` for arguments of another kind.
    """
    whole = whole_pattern(pattern)
    return outline_matches(whole, func_or_module, attrs, check, name, bind_constants=bind_constants)


def extract_matched_expr(pattern: Pattern, expr: object) -> Match | None:
    """Return the match of a pattern, with the value of each of its nodes, or None."""
    return matching.extract(pattern, expr)


def rewrite_call(pattern: Pattern, rewriter: Callable[[Value, Match], object], func: Root) -> Root:
    """Replace the matches by the result of `rewriter(call, match)`; the call itself leaves the match
    unchanged.

    Inner values of a match may have other uses, for which they are kept.
    """
    rewrite(pattern, rewriter, func, outside_uses=True)
    return func


class PatternContext:
    """Patterns that are matched together: all patterns made inside `with`, each at a different value.

    Patterns that are no part of another are the roots, in the order of their creation.
    """

    def __init__(self) -> None:
        self._made: list[Node] = []
        self._token: Token[list[Node] | None] | None = None

    def __enter__(self) -> Self:
        self._token = nodes.MADE.set(self._made)
        return self

    def __exit__(self, *exception: object) -> None:
        assert self._token is not None
        nodes.MADE.reset(self._token)

    @property
    def pattern(self) -> Pattern:
        """The whole pattern."""
        made = [node for node in self._made if not isinstance(node, patterns.Together)]
        below = {child for node in made for child in node.children()}
        below.update(node.callee for node in made if isinstance(node, patterns.Call))
        roots = [n for n in made if n not in below and (n.children() or n.CONSUMES)]
        if not roots:
            raise PatternError(
                "PatternContext: expected patterns made inside `with PatternContext() as ctx:`, found none"
            )
        return satisfiability.checked(patterns.Together(tuple(roots), True))

    def match_dfb(self, block: BlockOp) -> Match | None:
        """Return the first match in a block, or None."""
        if not isinstance(block, BlockOp):
            raise PatternError(
                f"match_dfb: expected a block, found {found_text(block)}; find_all searches functions"
            )
        return next(iter(matching.find_all(self.pattern, block)), None)


Rewriter = Callable[[Match, Mapping[SSAValue, Operation]], Mapping[Value, object]]
"""Returns the replacements of roots of a match; other roots are kept."""


def rewrite_bindings(context: PatternContext, rewriter: Rewriter, func: Root) -> Root:
    """Replace roots of the matches of a context by the results of `rewriter(match, bindings)`.

    `bindings` has the op of each value (`match[node].value`) in the match. An empty mapping leaves the
    match unchanged. Inner values of a match may have other uses.
    """

    def callback(root: Value, match: Match) -> object:
        values = [Value(value) for value in match.roots]
        matched = dict.fromkeys(value for _, value in match.bound)
        bindings = {value: made_by for value in matched if (made_by := owner(value)) is not None}
        given = dict(rewriter(match, bindings))
        if not given:
            return None
        found: dict[SSAValue, object] = {key.value: value for key, value in given.items()}
        replaced = [found.pop(value.value, value) for value in values]
        if found:
            name = next(iter(found)).name_hint
            raise PatternError(
                f"rewrite_bindings: expected values for the roots of the match, found one for %{name}, "
                "which is none; an op inside a match goes with it"
            )
        return replaced if len(replaced) > 1 else replaced[0]

    rewrite(context.pattern, callback, func, outside_uses=True)
    return func


@dataclass
class PatternCheckContext:
    """The arguments of a pattern's check."""

    match: Match
    matched_expr: Value
    annotated_expr: Mapping[str, Value]
    """The values that the annotated patterns matched, by name."""


Annotations = Mapping[str, Pattern]


class FuseOpsByPattern:
    """Make the matches of patterns functions: `FuseOpsByPattern([(name, pattern)])(module)`.

    A row may go on with annotations, a dict of names and patterns, and a check of a
    `PatternCheckContext`; a `FusionPattern` is one too. Earlier rows win.
    """

    def __init__(
        self,
        patterns: Iterable[FusionPattern | tuple[Any, ...]],
        bind_constants: bool = True,
        annotate_codegen: bool = False,
    ):
        self.rows = [_row(given) for given in patterns]
        self.bind_constants = bind_constants
        self.annotate_codegen = annotate_codegen

    def __call__(self, module: ModuleOp | FuncOp) -> ModuleOp | FuncOp:
        found = Partitioner("FuseOpsByPattern", module)
        for row in self.rows:
            marks = fusion_marks(row, self.annotate_codegen)
            found.run(row.pattern, marks, row.check, self.bind_constants)
        return module


def _row(given: Any) -> FusionPattern:
    if isinstance(given, FusionPattern):
        return given
    if not isinstance(given, tuple) or not 2 <= len(given) <= 4:
        raise PatternError(
            "FuseOpsByPattern: expected (name, pattern), (name, pattern, annotations) or (name, pattern, "
            f"annotations, check), found {found_text(given)}"
        )
    name, pattern = given[:2]
    annotations, check = (*given[2:], None, None)[:2]
    named: Annotations = annotations or {}
    if not isinstance(named, Mapping):
        raise PatternError(
            f"FuseOpsByPattern {name!r}: expected a dict of names and patterns as the annotations, found "
            f"{found_text(annotations)}; the check comes after it"
        )
    if check is None:
        return FusionPattern(name, pattern)

    def checked(match: Match) -> bool:
        annotated = {key: match[node] for key, node in named.items() if node in match}
        return bool(check(PatternCheckContext(match, Value(match.roots[0]), annotated)))

    return FusionPattern(name, pattern, checked)


def fusion_marks(pattern: FusionPattern, annotate_codegen: bool) -> dict[str, Any]:
    """Return the attributes of the functions that a row makes."""
    marks = as_attributes(f"FusionPattern {pattern.name!r}", pattern.attrs)
    marks[COMPOSITE] = StringAttr(pattern.name)
    if annotate_codegen:
        if not pattern.codegen:
            raise PatternError(
                f"FusionPattern {pattern.name!r}: expected a name that starts with a code generator and "
                'a dot, as "cblas.matmul", found none; rename it, or leave annotate_codegen out'
            )
        marks[CODEGEN] = StringAttr(pattern.codegen)
    return marks

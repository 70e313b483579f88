"""The kinds of node that PDL cannot express, and their alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.ir.types import FuncType, ObjectType, ShapeType, TensorType

NAMES: Mapping[type[Node], tuple[str, str]] = {
    nodes.LiteralNode: ("is_expr, a value of one program", "match it by wildcard()"),
    nodes.InputNode: ("is_input", "match it by wildcard()"),
    nodes.VarNode: ("is_var", "match it by wildcard()"),
    nodes.HasDtypeNode: ("has_dtype, a part of a type", "state the whole type with has_type"),
    nodes.HasShapeNode: ("has_shape, a part of a type", "state the whole type with has_type"),
    nodes.SameShapeAsNode: ("same_shape_as, a part of a type", "state both types with has_type"),
    nodes.NotNode: ("~", "write what it matches instead"),
    nodes.IfNode: ("is_if", "PDL sees no regions: keep the rule in Python"),
    nodes.LetNode: ("is_let", "PDL sees no bindings: keep the rule in Python"),
    nodes.FunctionNode: ("is_function", "PDL sees no regions: keep the rule in Python"),
    nodes.SymbolCallNode: ("a call by name", "keep the rule in Python"),
    nodes.RepeatNode: ("repeat", "write a pattern for each number of iterations"),
    nodes.HoleNode: ("repeat", "write a pattern for each number of iterations"),
    nodes.DominatesNode: ("dominates", "write out the paths it may take"),
    nodes.UsedByNode: ("used_by", "write the producer as an argument of the consumer"),
    nodes.TogetherNode: ("together and fork_to", "write one pattern for each root"),
}
"""The name of each kind of node in errors, and the mend."""


def refuse(pattern: Node, construct: str, mend: str) -> NoReturn:
    """Raise `PatternError` for a part of a pattern."""
    raise PatternError(
        f"to_pdl: expected a pattern that PDL can express, found {pattern_text(pattern)}: {construct}, "
        f"which PDL cannot express; {mend}"
    )


def refuse_kind(pattern: Node) -> NoReturn:
    """Raise `PatternError` for a node of a kind that PDL has not."""
    refuse(pattern, *NAMES.get(pattern.KIND, (pattern.KIND.__name__, "keep the rule in Python")))


def is_whole(type: object) -> bool:
    """Return whether no other type is a narrower one, so that a type is matched by comparing it."""
    if isinstance(type, TensorType):
        return type.shape is not None and None not in type.shape and type.dtype is not None
    if isinstance(type, ShapeType):
        return type.shape is not None and None not in type.shape
    fields = getattr(type, "types", None)
    if fields is not None:
        return all(map(is_whole, fields))
    return not isinstance(type, FuncType | ObjectType)

"""Documentation of ops, types and attributes from their classes, as Markdown."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache

from xdsl.context import Context
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import AttrOrPropDef, OperandOrResultDef, OptionalDef, VariadicDef

from relax_dialect.parsing import new_context

_CONSTRAINT = re.compile(r"\((C\d+)\)\s*(.*?)(?=\n\s*\n|\n\s*\(C\d+\)|\Z)", re.DOTALL)

_GENERAL = {"xdsl", *sys.stdlib_module_names}
"""The packages whose classes are bases of ops of any kind."""


@cache
def known() -> Context:
    """Return the context of the documented dialects; texts are read with a separate context, by another
    thread."""
    return new_context()


def op_kind(name: str) -> type[Operation] | None:
    """Return the class of the ops of a name."""
    return known().get_optional_op(name)


def attribute_kind(name: str) -> type[Attribute] | None:
    """Return the class of the types or attributes of a name such as `!relax.tensor`."""
    if "." not in name:
        return None
    look_up = known().get_optional_type if name[0] == "!" else known().get_optional_attr
    return look_up(name[1:])


def documented(op: type[Operation]) -> tuple[str, list[tuple[str, str]]]:
    """Return the description of an op, and its constraints with those of its base classes, except the base
    classes of Python and xDSL, which document none."""
    kinds = [k for k in op.__mro__ if k is op or k.__module__.partition(".")[0] not in _GENERAL]
    texts = [inspect.cleandoc(kind.__dict__.get("__doc__") or "") for kind in kinds]
    constraints: dict[str, str] = {}
    for text in reversed(texts):
        constraints |= {n: " ".join(t.split()) for n, t in _CONSTRAINT.findall(text)}
    text = next(filter(None, texts), "")
    paragraphs = [p for p in text.split("\n\n") if not p.lstrip().startswith("(C")]
    return "\n\n".join(paragraphs), sorted(constraints.items())


@cache
def of_op(kind: type[Operation]) -> str:
    """Document an op: its description, operands, results, and constraints by number."""
    description, constraints = documented(kind)
    rules = "\n".join(f"- ({number}) {text}" for number, text in constraints)
    return _joined([f"`{kind.name}`", description, "\n".join(_parts(kind)), rules])


def _parts(kind: type[Operation]) -> Iterator[str]:
    if not issubclass(kind, IRDLOperation):
        return
    definition = kind.get_irdl_definition()
    for title, found in (
        ("operands", definition.operands),
        ("attributes", {**definition.properties, **definition.attributes}.items()),
        ("results", definition.results),
    ):
        if found:
            yield f"- {title}: {', '.join(f'`{name}{_mark(part)}`' for name, part in found)}"


def _mark(part: OperandOrResultDef | AttrOrPropDef) -> str:
    """Return the mark of an optional or variadic part of an op."""
    if isinstance(part, OptionalDef) or getattr(part, "default_value", None) is not None:
        return "?"
    return "..." if isinstance(part, VariadicDef) else ""


@cache
def of_attribute(kind: type[Attribute]) -> str:
    """Document a type or attribute."""
    return _joined([f"`{kind.name}`", inspect.cleandoc(kind.__doc__ or "")])


def _joined(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(filter(None, paragraphs))


def mlir(*lines: str) -> str:
    """Format lines of a program as a code block."""
    return "\n".join(("```mlir", *lines, "```"))

"""An operator under TVM's name: TVM's parameters in their order, each with its position in ours.

A line of a table is the call's signature in Python's syntax:

```
nn.leakyrelu(data, alpha=0.01)
nn.attention_bias(query, key, value, bias=None) -> attention
vision.nms(boxes, scores, output_format: None = "onnx")
```

Our operator has the same name without the group, or the one after the arrow. Parameters go to those of our
constructor at the same position, or to the one that the annotation names; `None` is a parameter that we
do not have, which must have its default; numbers are the order in which our operand has the axes of TVM's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import Parameter as PythonParameter
from inspect import signature
from typing import Any, Literal

from xdsl.ir import Operation

from relax_dialect.builder import op as builder_op
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.fields import MISSING, AttributeField, Field
from relax_dialect.ops.forms import ELEMENT_TYPE
from relax_dialect.ops.operator import Plan, plan_of

Kind = Literal["value", "values", "shape", "dtype", "attribute", "argument", "none"]


@dataclass(frozen=True)
class OperatorParameter:
    """A parameter of TVM's function."""

    name: str
    ours: str
    """The parameter of our constructor, "" if it has none."""

    kind: Kind
    """The counterpart in our operator: an operand, a list of operands, a shape operand, an element type or
    another attribute; `argument` is one of the constructor alone, `none` is nothing."""

    default: Any = MISSING
    order: tuple[int, ...] = ()
    """The axes of TVM's operand in the order of ours, as for `permute_dims`; empty if it is the same."""


@dataclass(frozen=True)
class Operator:
    """An operator under TVM's name."""

    name: str
    """After `R.`: `nn.conv2d`."""

    op: type[Operation]
    """Our operator; its attributes are read by `getattr(op, parameter.ours)`."""

    parameters: tuple[OperatorParameter, ...]

    constructor_names: tuple[str, ...]
    """The parameters of our constructor."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The indices of the parameters by name."""
        return {parameter.name: place for place, parameter in enumerate(self.parameters)}

    @property
    def gives_tuple(self) -> bool:
        """Returns whether its result is a tuple in TVM even if ours has one result."""
        return self.name in ("split", "meshgrid")

    @cached_property
    def text(self) -> str:
        """The text of a call in messages."""
        shown = [p.name if p.default is MISSING else f"{p.name}=..." for p in self.parameters]
        return f"R.{self.name}({', '.join(shown)})"


@dataclass(frozen=True)
class Table:
    """The operators of lines of signatures by TVM's names, each built on demand."""

    lines: Mapping[str, str]

    @staticmethod
    def of(texts: Iterable[str]) -> Table:
        whole = (re.sub(r"\n +", " ", text) for text in texts)
        lines = [line for text in whole for line in text.split("\n") if line]
        return Table({line[: line.index("(")]: line for line in lines})

    def get(self, name: str) -> Operator | None:
        """Return the operator of a TVM name."""
        line = self.lines.get(name)
        return None if line is None else _operator(line)

    def __iter__(self) -> Iterator[Operator]:
        return map(_operator, self.lines.values())

    @cached_property
    def by_op(self) -> Mapping[type[Operation], Operator]:
        """The operators by our class; if two of TVM's are one of ours, the first."""
        found: dict[type[Operation], Operator] = {}
        for line in self.lines.values():
            operator = _operator(line)
            found.setdefault(operator.op, operator)
        return found


@cache
def _operator(line: str) -> Operator:
    name, rest = line.split("(", 1)
    tree = ast.parse(f"def f({rest}: pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    ours = name if tree.returns is None else ast.unparse(tree.returns)
    op = builder_op.get(ours)
    plan = plan_of(op)
    names = [
        p.name
        for p in list(signature(op.__init__).parameters.values())[1:]
        if p.kind is not PythonParameter.VAR_KEYWORD
    ]
    given = tree.args.args
    defaults = [MISSING] * (len(given) - len(tree.args.defaults)) + [
        ast.literal_eval(default) for default in tree.args.defaults
    ]
    parameters: list[OperatorParameter] = []
    for place, (arg, default) in enumerate(zip(given, defaults)):
        order: tuple[int, ...] = ()
        match arg.annotation:
            case None:
                field = names[place]
            case ast.Constant(value=None):
                field = ""
            case ast.Tuple():
                field, order = names[place], ast.literal_eval(arg.annotation)
            case annotation:
                field = ast.unparse(annotation)
        parameters.append(OperatorParameter(arg.arg, field, _kind(plan, field), default, order))
    return Operator(name, op, tuple(parameters), tuple(names))


def _kind(plan: Plan | None, name: str) -> Kind:
    if not name:
        return "none"
    fields = {} if plan is None else {field.name: field for field in plan.fields}
    field: Field | None = fields.get(name)
    if field is None:
        return "argument"
    if isinstance(field, AttributeField):
        return "dtype" if field.form is ELEMENT_TYPE else "attribute"
    if field.type is ShapeType:
        return "shape"
    return "values" if field.many else "value"

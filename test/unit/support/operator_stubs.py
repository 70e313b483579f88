"""Generator of the type stub of `relax_dialect.builder.op`, which editors complete operators from.

`python test/unit/support/operator_stubs.py` writes relax_dialect/builder/op.pyi: the public names of op.py as they
are, then each operator with its arguments, their types and the first paragraph of its documentation.
`test/unit/builder/test_operator_stubs.py` checks that the file is up to date.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from inspect import Parameter, getdoc, signature
from pathlib import Path
from subprocess import run
from typing import Any

from xdsl.ir import Attribute, Operation

from relax_dialect.builder import op
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops import forms
from relax_dialect.ops.ccl import one_size
from relax_dialect.ops.fields import AttributeField, Field, OperandField
from relax_dialect.ops.operator import plan_of

STUB = Path(op.__file__).with_suffix(".pyi")

HEADER = '''\
"""Types of the operators as functions. Written by `python test/unit/support/operator_stubs.py`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Expression, Value
from relax_dialect.ops.core import FuncOp
from relax_dialect.symbolic import Expr

Array: TypeAlias = np.ndarray[Any, Any] | np.generic
Operand: TypeAlias = Value | Expression | SSAValue | Operation | Expr | float | Array
"""A value of the program, an expression, a number or an array."""

Number: TypeAlias = float | np.number[Any]
Size: TypeAlias = Expr | int | str
Shape: TypeAlias = Value | Expression | SSAValue | Operation | Iterable[Size | None]
"""A shape of the program, or sizes, as `x.shape` has them; an unknown one, None, is refused."""

Dtype: TypeAlias = Attribute | str | type | np.dtype[Any] | None
"""An element type, as `x.dtype` has it; an unknown one, None, is refused where it has to be known."""
'''

TYPES = {
    forms.INTEGER: "int",
    forms.INTEGERS: "int | Sequence[int]",
    forms.FLAG: "bool",
    forms.REAL: "Number",
    forms.REALS: "Sequence[Number]",
    forms.TEXT: "str",
    forms.ELEMENT_TYPE: "Dtype",
}

OWN_NAMES = {
    "Bound | Sequence[Bound]": "Size | Sequence[Size | None] | None",
    "Bound": "Size | None",
    "Given": "Operand",
    "SSAValue | Operation": "Operand",
    "Expr | int | str": "Size",
    "Iterable[Size]": "Shape",
    "Attribute | str | None": "Dtype",
}
"""The types that hand-written constructors are annotated with, and those of the stub."""

NUMBER = forms.number_form().expected
WIDTH = 100


def stub() -> str:
    """Return the text of the stub, formatted."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", STUB.name, "-"]
    return run(command, input=_text(), capture_output=True, text=True, check=True).stdout


def _text() -> str:
    plain = (name for name in op.operators() if "." not in name)
    functions = ("".join(_function(name)) for name in plain if _has_own(op.operators()[name]))
    return "\n".join([HEADER, *_public_names(), "", "\n".join(functions), *_tail()])


def _public_names() -> Iterator[str]:
    """Yield the public functions and tables of op.py."""
    for node in ast.parse(Path(op.__file__).read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            arguments, doc = ast.unparse(node.args), ast.get_docstring(node) or ""
            yield f"def {node.name}({arguments}) -> {ast.unparse(node.returns or ast.Constant(None))}:"
            yield _docstring(doc)
        elif isinstance(node, ast.AnnAssign):
            yield f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}"
    yield "NAMESPACES: Sequence[str]"


def _tail() -> Iterator[str]:
    yield "def __getattr__(name: str) -> Callable[..., Expression]:"
    yield _docstring("Return the function of an operator that an extension adds.")
    yield "class _Namespace:"
    yield '    """The functions of this module under the names of TVM."""'
    yield ""
    yield "    def __getattr__(self, name: str) -> Callable[..., Expression]: ..."
    yield ""
    yield from (f"{space}: _Namespace" for space in op.NAMESPACES)
    yield "class _Ccl:"
    yield '    """The functions of communication between ranks."""'
    yield ""
    for name in op.operators():
        if name.startswith("ccl."):
            yield textwrap.indent("@staticmethod\n" + "".join(_function(name)), "    ")
    yield "ccl: _Ccl"
    yield ""


def _has_own(cls: type[Operation]) -> bool:
    """Return whether an op has a constructor of its own, not that of all ops of xDSL."""
    return "regions" not in signature(cls.__init__).parameters


def _function(full_name: str) -> Iterator[str]:
    cls, name = op.operators()[full_name], full_name.rpartition(".")[2]
    plan = plan_of(cls)
    fields = {field.name: field for field in plan.fields} if plan else {}
    parameters = list(signature(cls.__init__).parameters.values())[1:]
    arguments = list(_arguments(parameters, fields))
    line = f"def {name}({', '.join(arguments)}) -> Expression:"
    if len(line) > WIDTH:
        line = "\n    ".join([f"def {name}(", *(f"{each}," for each in arguments)])
        line += "\n) -> Expression:"
    yield f"{line}\n{_docstring(getdoc(cls) or '')}\n"


def _arguments(parameters: Iterable[Parameter], fields: dict[str, Field]) -> Iterator[str]:
    starred = False
    for each in parameters:
        if each.kind is Parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred |= each.kind in (Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)
        type = _type(each, fields.get(each.name))
        if each.kind is Parameter.VAR_POSITIONAL:
            yield f"*{each.name}: {type}"
        elif each.kind is Parameter.VAR_KEYWORD:
            yield f"**{each.name}: {type}"
        elif each.default is Parameter.empty:
            yield f"{each.name}: {type}"
        else:
            yield f"{each.name}: {_optional(type, each.default)} = {_default(each.default)}"


def _type(parameter: Parameter, field: Field | None) -> str:
    if isinstance(field, OperandField):
        type = "Shape" if field.type is ShapeType else "Operand"
        type = f"{type} | Size" if field.make is one_size else type
        many = parameter.kind is not Parameter.VAR_POSITIONAL and field.many
        return f"Sequence[{type}]" if many else type
    if isinstance(field, AttributeField) and parameter.annotation is Parameter.empty:
        if field.among:
            return f"Literal[{', '.join(map(_quoted, field.among))}] | str"
        return TYPES.get(field.form, "Number" if field.form.expected == NUMBER else "Any")
    is_dtype = parameter.name.endswith("dtype")
    return "Dtype" if is_dtype else _annotation(str(parameter.annotation))


def _annotation(text: str) -> str:
    for own, type in OWN_NAMES.items():
        text = re.sub(rf"(?<![\w.]){re.escape(own)}(?!\w)", type, text)
    return text


def _optional(type: str, default: Any) -> str:
    is_open = default is None and "None" not in type and type != "Dtype"
    return f"{type} | None" if is_open else type


def _default(default: Any) -> str:
    if isinstance(default, str | Attribute):
        return _quoted(str(default))
    return repr(default)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _docstring(doc: str) -> str:
    """Return the first paragraph as a docstring, and the body of the function."""
    paragraph = re.sub(":$", ".", " ".join(doc.split("\n\n")[0].split()))
    lines = textwrap.wrap(paragraph, WIDTH - 7)
    return textwrap.indent("\n".join(['"""' + "\n".join(lines) + '"""', "..."]), "    ")


if __name__ == "__main__":
    STUB.write_text(stub())

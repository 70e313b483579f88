"""Generator of `relax_dialect/builder/op.pyi`: the signatures of the functions that `op` makes of its operators.

`python test/unit/support/op_stubs.py` writes the file; `test_op_stubs.py` checks that it is up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter
from pathlib import Path

from relax_dialect.builder import op
from relax_dialect.builder.values import Expression

STUBS = Path(__file__).resolve().parents[3] / "relax_dialect" / "builder" / "op.pyi"

HEAD = '''\
"""Every op of the dialect as a function that makes an expression (by test/unit/support/op_stubs.py)."""

from collections.abc import Callable, Mapping
from inspect import Signature
from typing import Any

from xdsl.ir import Operation

from relax_dialect.builder.values import Expression

RELAY_NAMES: Mapping[str, str]
NAMESPACES: Any

def operators() -> Mapping[str, type[Operation]]: ...
def short_name(name: str) -> str: ...
def our_name(name: str) -> str: ...
def get(name: str) -> type[Operation]: ...
def arguments_of(op: type[Operation]) -> Signature: ...

class _Namespace:
    def __getattr__(self, name: str) -> Callable[..., Expression]: ...
    def __dir__(self) -> list[str]: ...

nn: _Namespace
image: _Namespace
vision: _Namespace
memory: _Namespace
grad: _Namespace

def __getattr__(name: str) -> Callable[..., Expression]: ...  # the operators of extensions
'''
MARKS = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}


def default(value: object) -> str:
    """A default as a stub may write it."""
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value) if value is None or isinstance(value, bool | int | float) else "..."


def parameters(name: str) -> Iterator[str]:
    """The parameters of a function."""
    found = list(op.arguments_of(op.get(name)).parameters.values())
    starred = False
    for parameter in found:
        if parameter.kind is Parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred |= parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        optional = parameter.default is not Parameter.empty
        given = f" = {default(parameter.default)}" if optional else ""
        yield f"{MARKS.get(parameter.kind, '')}{parameter.name}: Any{given}"


def stub(name: str) -> str:
    """The declaration of a function, on one line where that fits."""
    given = list(parameters(name))
    line = f"def {name}({', '.join(given)}) -> {Expression.__name__}: ..."
    if len(line) <= 100:
        return line
    inner = f"    {', '.join(given)}"
    if len(inner) > 100:
        inner = "\n".join(f"    {each}," for each in given)
    return f"def {name}(\n{inner}\n) -> {Expression.__name__}: ..."


def text() -> str:
    return HEAD + "".join(f"{stub(name)}\n" for name in sorted(op.operators()))


if __name__ == "__main__":
    STUBS.write_text(text(), encoding="utf-8")

"""Kernels of code generators in the IR: prim funcs that name the library which computes them.

    func.func private @f_cblas(%x: tensor<...>, %w: tensor<...>) -> tensor<...>
        attributes {relax.external = "cblas", relax.options = {bias = "row"}} { linalg.generic ... }

The body defines the semantics of the operators, so that interpreter and passes need not know of libraries,
and a target without the library has the code. The C target prints the library's call instead.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from lowering.external.generator import Options

EXTERNAL, OPTIONS = "relax.external", "relax.options"


def codegen_of(function: func.FuncOp) -> str | None:
    """Return the name of the generator that writes a prim func's C, if one does."""
    name = function.attributes.get(EXTERNAL)
    return name.data if isinstance(name, StringAttr) else None


def options_of(function: func.FuncOp) -> Options:
    """Return the notes of the generator about a kernel."""
    options = function.attributes.get(OPTIONS)
    found = options.data if isinstance(options, DictionaryAttr) else {}
    return {name: _from_attribute(value) for name, value in found.items()}


def mark(function: func.FuncOp, codegen: str, options: Options) -> None:
    """Mark a prim func for a code generator, which writes its C."""
    function.attributes[EXTERNAL] = StringAttr(codegen)
    if noted := {key: _to_attribute(value) for key, value in options.items() if value is not False}:
        function.attributes[OPTIONS] = DictionaryAttr(noted)


def _to_attribute(value: str | int | bool) -> Attribute:
    if isinstance(value, bool):
        return UnitAttr()
    return StringAttr(value) if isinstance(value, str) else IntegerAttr(value, i64)


def _from_attribute(attribute: Attribute) -> str | int | bool:
    match attribute:
        case StringAttr():
            return attribute.data
        case IntegerAttr():
            return attribute.value.data
        case _:
            return True

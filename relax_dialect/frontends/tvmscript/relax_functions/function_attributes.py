"""The attributes that `R.func_attr` sets on a Relax function."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute

from relax_dialect.frontends.tvmscript.attribute_values import attribute_value
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.ir.in_place import IN_PLACE, in_place_attribute

BOUNDS = frozenset({"tir_var_upper_bound", "tir_var_lower_bound"})
"""Attributes about symbolic variables."""


def function_attributes(reader: Expressions, node: ast.FunctionDef) -> dict[str, Attribute]:
    """Return the attributes of `R.func_attr({...})`."""
    found: dict[str, Attribute] = {}
    for statement in node.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not reader.is_call(call, "func_attr") or not call.args:
            continue
        given = reader.read(call.args[0])
        if not isinstance(given, Mapping):
            raise Unreadable(call, f"expected a dict of attributes, found {said(given)}; write one")
        found |= {name: attribute_value(call, value) for name, value in given.items()}
    if isinstance(indices := found.get(IN_PLACE), ArrayAttr):
        found[IN_PLACE] = in_place_attribute(
            [i.value.data for i in indices.data if isinstance(i, IntegerAttr)]
        )
    if getattr(found.get("global_symbol"), "data", None) == node.name:
        del found["global_symbol"]
    for key in BOUNDS & found.keys():  # TVM has bounds of the whole model's sizes on each function
        bounds = found[key]
        if isinstance(bounds, DictionaryAttr):
            known = {n: v for n, v in bounds.data.items() if n in reader.defined}
            found[key] = DictionaryAttr(known)
    return found

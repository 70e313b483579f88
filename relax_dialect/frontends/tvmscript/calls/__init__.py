"""Calls of `R.` that are no operators: of functions, of prim funcs, of functions from outside, and makers
of constants, shapes and tuples."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from relax_dialect.frontends.tvmscript.calls import (
    detection,
    effects,
    function_calls,
    inspect,
    makers,
    memory,
    outside,
    prim_func_calls,
)
from relax_dialect.frontends.tvmscript.calls.arguments import Special
from relax_dialect.frontends.tvmscript.calls.function_calls import call_function
from relax_dialect.frontends.tvmscript.relax_functions.operator_calls import call_operator
from relax_dialect.frontends.tvmscript.script_expressions import Expressions

__all__ = ["call_function", "call_of"]

CALLS: Mapping[str, Special] = {
    **function_calls.CALLS,
    **prim_func_calls.CALLS,
    **outside.CALLS,
    **effects.CALLS,
    **memory.CALLS,
    **inspect.CALLS,
    **makers.CALLS,
    **detection.CALLS,
}
"""The readers of special calls, by the word after `R.`."""


def call_of(reader: Expressions, node: ast.Call, word: str) -> Any:
    """Read the call `R.word(...)`."""
    special = CALLS.get(word)
    return call_operator(reader, node, word) if special is None else special(reader, node)

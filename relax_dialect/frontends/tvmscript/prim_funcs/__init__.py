"""Prim funcs of TVM's tensor IR, read."""

from __future__ import annotations

import ast

from xdsl.dialects import func

from relax_dialect.frontends.tvmscript.source import Unreadable


def read(node: ast.FunctionDef) -> func.FuncOp:
    """The prim func of a definition under `@T.prim_func`; `Unreadable` where it has none."""
    raise Unreadable(node, "expected a Relax function, found T.prim_func, which cannot be read yet")

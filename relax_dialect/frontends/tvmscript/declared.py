"""The functions of a script's module, as calls of them need them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Attribute

from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.ops.core import FuncOp


@dataclass
class Declared:
    """A function of the module, before its body is read and after it."""

    node: ast.FunctionDef
    private: bool = False
    pure: bool = True
    name: str = ""
    """Its name in the module, if that differs from its name in the script."""
    captured: Sequence[str] | None = None
    """For a local function that calls itself: names from the enclosing function, passed as trailing
    arguments."""
    is_prim: bool = False
    prim: func.FuncOp | None = None
    """The prim func; None for a Relax function, and for an unreadable one."""
    scalars: dict[int, str] = field(default_factory=dict)
    """The parameters of a prim func that are numbers, by index."""
    type_variables: Sequence[str] = ()
    """The names in brackets before its parameters."""
    params: dict[str, Attribute] = field(default_factory=dict)
    result: Attribute | None = None
    op: FuncOp | None = None

    def __post_init__(self) -> None:
        self.name = self.name or self.node.name

    def declared(self, node: ast.AST) -> FuncOp:
        """Return the function for calls, with its type."""
        if self.op is None and self.result is not None:
            self.op = FuncOp(self.name, list(self.params.values()), self.result)
        if self.op is None:
            raise Unreadable(
                node,
                f"expected a Relax function whose result type is known, found {self.node.name}; write its "
                "type after ->",
            )
        return self.op

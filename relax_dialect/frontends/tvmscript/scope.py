"""The names that are visible in a script."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.text.wording import nearest

MODULES = {"relax": "R", "ir": "I", "tir": "T", "tirx": "T", "s_tir": "T"}
"""TVM's modules of functions for scripts, and their customary aliases."""


KEPT_INSIDE = object()
"""The value of a name that a dataflow block binds and does not output."""

MATCHED = object()
"""The value of the name of a shape whose only number was matched with a size at its binding."""


@dataclass
class Scope:
    """A lexical scope: bindings, with lookup in enclosing scopes."""

    names: dict[str, Any] = field(default_factory=dict)
    outer: Scope | None = None

    def find(self, name: str) -> Any:
        """Return the value of a name; KeyError if it is unbound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise KeyError(name)

    def get(self, node: ast.Name) -> Any:
        """Return the value of a name; `Unreadable` if it is unbound."""
        try:
            found = self.find(node.id)
        except KeyError:
            known = nearest(node.id, self.known())
            mend = f"the nearest is '{known}'" if known else "define it before"
            raise Unreadable(
                node, f"expected a name that is defined, found '{node.id}'; {mend}"
            ) from None
        if found is KEPT_INSIDE:
            raise Unreadable(
                node,
                f"expected a name that its dataflow block outputs, found '{node.id}', which is not in "
                "R.output; add it there",
            )
        return found

    def known(self) -> list[str]:
        """Return all names, the innermost scope first."""
        return [*self.names, *(self.outer.known() if self.outer else ())]


OF_2022: Mapping[tuple[str, str], tuple[str, str]] = {
    ("R", "func"): ("R", "function"),
    ("R", "outputs"): ("R", "output"),
    ("R", "dot"): ("R", "matmul"),
}
"""Names of the first proposal of Relax, with today's."""


@dataclass
class Aliases:
    """A script's names of TVM's modules."""

    names: dict[str, str] = field(default_factory=lambda: {"R": "R", "I": "I", "T": "T", "Ts": "T"})

    def note(self, node: ast.Import | ast.ImportFrom) -> None:
        """Take up an import of TVM's; others are left alone, as nothing of them is run."""
        for alias in node.names:
            whole = alias.name
            if isinstance(node, ast.ImportFrom):
                whole = f"{node.module}.{alias.name}"
            last = whole.rpartition(".")[2]
            if whole.startswith("tvm.script") and last in MODULES:
                self.names[alias.asname or whole] = MODULES[last]

    def resolve(self, node: ast.AST) -> tuple[str, str] | None:
        """Return `R.nn.relu` as ("R", "nn.relu"); None for other names."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        if (module := self.names.get(node.id)) is not None:
            name = module, ".".join(reversed(parts))
            return OF_2022.get(name, name) if parts else None
        whole = ".".join([node.id, *reversed(parts)])
        if whole in ("tvm.script.ir_module", "ir_module"):
            return "I", "ir_module"
        for name, module in self.names.items():
            if "." in name and whole.startswith(name + "."):
                return module, whole[len(name) + 1 :]
        return None

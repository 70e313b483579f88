"""Copies of functions, one for each reference, if a shared function would capture itself.

```mlir
%a = relax.call @compose(%f, %g)         %a = relax.call @compose(%f, %g)
%b = relax.call @compose(%f, %a)    ->   %b = relax.call @compose_1(%f, %a)
```

The result of `@compose` captures its arguments. To an analysis that sees each function once, `%b` may
capture a value like itself; with two functions it cannot.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr

from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import MakeClosureOp
from relax_dialect.ops.core import FuncOp

MAX_COPIES = 256
"""Functions that call each other twice would double at each step."""


class FunctionCopies:
    """Splits functions of a module, which it enters into `functions`."""

    def __init__(self, module: ModuleOp, functions: dict[str, FuncOp]):
        self.functions = functions
        self.graph = CallGraph.of(module)
        self.recursive = set(self.graph.recursive())
        self.names = set(self.graph.symbols)
        self.left = MAX_COPIES

    def split(self, names: Iterable[str], live: Iterable[str]) -> bool:
        """Split functions referenced from several sites, or else the nearest enclosing functions that are;
        return whether any was split.

        A recursive function is left alone, as its copies would refer to it again.
        """
        sites = self._sites(live)
        chosen: dict[str, None] = {}
        for name in names:
            passed: set[str] = set()
            while name not in passed and len(sites.get(name, ())) == 1:
                passed.add(name)
                ((_, name),) = sites[name]
            if name not in self.recursive and len(sites.get(name, ())) > 1:
                chosen[name] = None
        count = sum(len(sites[name]) - 1 for name in chosen)
        if count > self.left:
            return False
        self.left -= count
        for name in chosen:
            for site, _ in sites[name][1:]:
                fresh = self._fresh(name)
                site.properties["callee"] = SymbolRefAttr(fresh)
                self._copy(name, fresh)
        return bool(chosen)

    def make_twins(self, names: Iterable[str]) -> None:
        """Redirect all calls of some functions inside the module to private copies."""
        sites = self._sites(self.functions)
        twins = {name: self._fresh(name) for name in names if name in sites}
        for name, twin in twins.items():
            for site, _ in sites[name]:
                site.properties["callee"] = SymbolRefAttr(twin)
        for name, twin in twins.items():
            self._copy(name, twin)

    def _sites(self, live: Iterable[str]) -> dict[str, list[tuple[CallOp | MakeClosureOp, str]]]:
        """Return the ops that name each function, with the functions that hold them."""
        found: dict[str, list[tuple[CallOp | MakeClosureOp, str]]] = {}
        for holder in live:
            for op in walk_ops(self.functions[holder]):
                if isinstance(op, CallOp | MakeClosureOp) and op.callee_name in self.functions:
                    found.setdefault(op.callee_name, []).append((op, holder))
        return found

    def _fresh(self, name: str) -> str:
        number = 1
        while (fresh := f"{name}_{number}") in self.names:
            number += 1
        self.names.add(fresh)
        return fresh

    def _copy(self, name: str, fresh: str) -> None:
        """Insert a private copy of a function under a fresh name."""
        original = self.functions[name]
        copy = original.clone()
        copy.sym_name = StringAttr(fresh)
        copy.sym_visibility = StringAttr("private")
        copy.attributes.pop(IN_PLACE, None)  # inside the module values never change
        block = original.parent
        assert block is not None
        block.insert_op_after(copy, original)
        self.functions[fresh] = copy

"""Loops, threads and branches of a kernel."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import index, size_of
from relax_dialect.frontends.tvmscript.prim_funcs.reading.kernel_scope import KernelScope
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import (
    LOOPS,
    is_range,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import elements, keywords, text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.symbolic import const
from relax_dialect.te.dtypes import I1
from relax_dialect.te.scalar import Scalar


class KernelLoops(KernelScope, ABC):
    """Reads the statements that have a body, which `body` reads."""

    @abstractmethod
    def body(self, body: Sequence[ast.stmt]) -> None:
        """Read statements."""

    def _nested(self, body: Sequence[ast.stmt]) -> None:
        with self._inside():
            self.body(body)

    def _loop(self, statement: ast.For) -> None:
        call = statement.iter
        called = self.names.called(call)
        counts = is_range(call) or called in LOOPS
        if not isinstance(call, ast.Call) or not counts or statement.orelse:
            raise Unreadable(
                call, f"no loop of ours: {text(call)}; only counting loops of T are read"
            )
        given = keywords(call)
        named = [given[word] for word in ("start", "stop", "step") if word in given]
        targets = elements(statement.target)
        if called == "grid":
            bounds: list[tuple[ast.expr, ...]] = [(extent,) for extent in call.args]
        else:
            bounds = [(*call.args, *named)]
        if len(targets) != len(bounds) or any(not isinstance(t, ast.Name) for t in targets):
            raise Unreadable(statement, "expected one variable for each loop")
        thread = given.get("thread")
        is_thread = isinstance(thread, ast.Constant) and str(thread.value).startswith("thread")
        self._counted(list(zip(targets, bounds)), statement.body, is_thread)

    def _counted(self, loops: list[Any], body: Sequence[ast.stmt], is_thread: bool) -> None:
        if not loops:
            self.body(body)
            return
        (target, bounds), *rest = loops
        values = list(map(self.expressions.bound, bounds))
        counts = list(map(index, values))
        if not 1 <= len(counts) <= 3:
            raise Unreadable(target, f"expected 1 to 3 bounds of a loop, found {len(counts)}")
        lower, upper = counts[:2] if len(counts) > 1 else (0, counts[0])
        step = size_of(counts[2]) if len(counts) > 2 else const(1)
        if step is None or step.value is None or step.value < 1:
            raise Unreadable(bounds[2], f"expected a step above 0, found {text(bounds[2])}")
        with self._counting(target.id, lower, upper, step.value) as counter:
            if all(map(self.expressions.is_narrow, values)):
                self.expressions.narrow.add(counter)
            if is_thread:
                self._enter_thread(target.id, body)
            self._counted(rest, body, is_thread)

    def _launched(self, statement: ast.stmt) -> tuple[str, ast.expr] | None:
        """Return the name and the number of threads of `i = T.launch_thread("blockIdx.x", 4)`."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[_, extent]) as call):
                pass
            case ast.Expr(value=ast.Call(args=[ast.Name(id=name), extent]) as call):
                pass
            case ast.With(
                items=[ast.withitem(ast.Call(args=[_, extent]) as call, ast.Name(id=name))]
                | [ast.withitem(ast.Call(args=[ast.Name(id=name), extent]) as call)]
            ):
                pass
            case _:
                return None
        return (name, extent) if self.names.called(call) == "launch_thread" else None

    def _thread(self, name: str, extent: ast.expr, body: Sequence[ast.stmt]) -> None:
        """Run threads one after the other."""
        with self._counting(name, 0, self.expressions.index(extent)):
            self._enter_thread(name, body)
            self.body(body)
        self._scope(self.expressions.values)

    def _while(self, statement: ast.While) -> None:
        def holds() -> Scalar:
            self._scope(self.expressions.values)
            return self.expressions.typed(statement.test, I1)

        with self.ib.while_(holds):
            self._nested(statement.body)
        self._scope(self.expressions.values)

    def _branch(self, statement: ast.If) -> None:
        with self.ib.if_(self.expressions.typed(statement.test, I1)):
            self._nested(statement.body)
        if statement.orelse:
            with self.ib.else_():
                self._nested(statement.orelse)
        self._scope(self.expressions.values)

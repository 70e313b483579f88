"""The buffers that a `T.prim_func` writes or updates: parameters written in place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffer_views import source_of
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import IGNORED, block_title
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, statements

_CHOICES = ("if_then_else", "Select")


class Accesses:
    """Finds the buffers that a body writes, and the buffers that it certainly reads before writing them.

    Reads in a branch, a guarded block or the body of `while` do not count, as they may come after the
    write; writes there do. An access to a part of a buffer is an access to the buffer.
    """

    def __init__(self, names: TirCalls):
        self.names = names
        self.written = set[str]()
        self.updated = set[str]()
        self._sources: dict[str, str] = {}

    def body(self, body: Sequence[ast.stmt], certain: bool = True) -> None:
        """Visit the statements in order; `certain` if they are always evaluated."""
        for statement in statements(list(body)):
            self._statement(statement, certain)

    def _statement(self, statement: ast.stmt, certain: bool) -> None:
        match statement:
            case ast.For(body=body):
                self.body(body, certain)
            case ast.While(body=body):
                self._read(statement.test, certain)
                self.body(body, False)
            case ast.If(body=body, orelse=orelse):
                self._read(statement.test, certain)
                self.body(body, False)
                self.body(orelse, False)
            case ast.With(body=body):
                guarded = block_title(self.names, statement) is None or any(
                    isinstance(each, ast.Expr) and self.names.called(each.value) == "where"
                    for each in body
                )
                self.body(body, certain and not guarded)
            case ast.Expr(value=value) if self.names.called(value) in IGNORED:
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                source := source_of(self.names, call)
            ) is not None:
                self._sources[name] = self._sources.get(source.id, source.id)
            case _:
                self._read(statement, certain)
                if isinstance(statement, ast.AugAssign):
                    self._element(statement.target, certain)
                for each in ast.walk(statement):
                    if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store):
                        self.written.add(self._buffer(each))

    def _read(self, node: ast.AST, certain: bool) -> None:
        for each in self._evaluated(node):
            if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load):
                self._element(each, certain)

    def _element(self, node: ast.AST, certain: bool) -> None:
        name = self._buffer(node)
        if certain and name not in self.written:
            self.updated.add(name)

    def _buffer(self, node: ast.AST) -> str:
        name = getattr(getattr(node, "value", None), "id", "")
        return self._sources.get(name, name)

    def _evaluated(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of an expression that are always evaluated."""
        waiting: list[ast.AST] = [node]
        while waiting:
            each = waiting.pop()
            yield each
            match each:
                case ast.Call(args=[condition, *_]) if self.names.called(each) in _CHOICES:
                    waiting.append(condition)
                case ast.IfExp(test=condition) | ast.BoolOp(values=[condition, *_]):
                    waiting.append(condition)
                case ast.Call() if self.names.called(each) == "match_buffer":
                    pass
                case _:
                    waiting += ast.iter_child_nodes(each)


def called_in_place(body: Iterable[ast.AST]) -> dict[str, list[int]]:
    """Return the functions that a module's text passes to `call_tir_inplace`, with the arguments they
    write.

    Of several calls of one function the first counts.
    """
    found: dict[str, list[int]] = {}
    for call in (each for part in body for each in ast.walk(part) if isinstance(each, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "call_tir_inplace":
            continue
        named = {word.arg: word.value for word in call.keywords}
        positional = dict(zip(("gvar", "args", "inplace_indices"), call.args))
        callee = named.get("gvar", positional.get("gvar"))
        name = getattr(callee, "attr", None) or getattr(callee, "id", None)
        try:
            given = ast.literal_eval(named.get("inplace_indices") or positional["inplace_indices"])
        except (KeyError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # the call itself is refused
        indices = [given] if isinstance(given, int) else given
        numbers = isinstance(indices, list | tuple) and all(type(i) is int for i in indices)
        if isinstance(name, str) and numbers:
            found.setdefault(name, list(indices))
    return found

"""The body of a Relax function, read statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import OpResult

from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.declared_scalars import as_declared
from relax_dialect.frontends.tvmscript.decorators import RELAX, decorator
from relax_dialect.frontends.tvmscript.relax_functions.function_signatures import RESULT, parameters
from relax_dialect.frontends.tvmscript.relax_functions.local_recursion import calls_itself, lifted
from relax_dialect.frontends.tvmscript.relax_functions.variable_bindings import Bindings
from relax_dialect.frontends.tvmscript.scope import KEPT_INSIDE, Scope
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import called
from relax_dialect.frontends.tvmscript.script_expressions import Abandoned, Expressions
from relax_dialect.frontends.tvmscript.script_values import Several
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocks import BlockOp


@dataclass
class FunctionReader(Bindings):
    """Reads the statements of one function."""

    result: Any = None
    """The result of the body."""
    returned: bool = False
    later: list[tuple[Declared, Expressions]] = field(default_factory=list)
    """Local functions that become functions of the module; their bodies are read after this one."""

    def no_return(self, node: ast.FunctionDef) -> Exception:
        """Return the error for a function whose body returns nothing, unless it could not be read."""
        if self.problems.found:
            return Abandoned()
        return Unreadable(
            node, f"expected a return at the end of {node.name}, found none; write one"
        )

    # Statements -------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Read statements; unreadable ones are reported, and their dependents omitted."""
        for statement in statements:
            if self.returned:
                self.problems.add(
                    statement, "expected no statement after the return, found one; remove it"
                )
                return
            try:
                with self.builder.at(self.problems.source.location(statement)):
                    self._statement(statement)
            except Unreadable as problem:
                self.problems.note(problem)
                self._lose(statement)
            except Abandoned:
                self._lose(statement)
            except RelaxError as error:
                self.problems.add(statement, str(error))
                self._lose(statement)

    def _lose(self, statement: ast.stmt) -> None:
        for each in ast.walk(statement):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self.expressions.lose(each.id)
            elif isinstance(each, ast.FunctionDef):
                self.expressions.lose(each.name)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                self._bind(name, value, node.annotation)
            case ast.Assign(targets=[ast.Name(id=name)]):
                self._bind(name, node.value, None)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
                targets
            ) == len(values) and all(isinstance(t, ast.Name) for t in targets):
                for target, value in zip(targets, values):
                    self._bind(target.id, value, None)  # pyright: ignore
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                self._unpack(node, targets)
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=value):
                if not any(
                    self.expressions.is_call(value, word) for word in ("func_attr", *RESULT)
                ):
                    self.expressions.binding = "_"
                    self.expressions.read(value)
            case ast.With():
                self._dataflow(node)
            case ast.If():
                self._if(node)
            case ast.Return(value=value) if value is not None:
                self.result = self.expressions.value(value, self.expressions.read(value))
                self.returned = True
            case ast.FunctionDef():
                self._closure(node)
            case _:
                raise Unreadable(
                    node,
                    f"expected a statement of TVMScript, found {called(node)}; write it as bindings",
                )

    # Blocks -----------------------------------------------------------------------------------

    def _dataflow(self, node: ast.With) -> None:
        call = node.items[0].context_expr
        if len(node.items) != 1 or not self.expressions.is_call(call, "dataflow"):
            raise Unreadable(
                node, "expected R.dataflow() after 'with', found another block; correct it"
            )
        names = self.expressions.scope.names
        before = dict(names)
        block = self.builder.binding_block if self._communicates(node) else self.builder.dataflow
        with block():
            at = next((i for i, s in enumerate(node.body) if self._is_output(s)), len(node.body))
            self.body(node.body[:at])
            if self.returned and self.result is not None:
                self.result = self.builder.emit_output(self.result)
            for statement in node.body[at : at + 1]:
                self._output(statement.value)  # pyright: ignore
            for statement in node.body[at + 1 :]:
                self.problems.add(
                    statement,
                    "expected no statement after R.output in its block, found one; move it",
                )
        for name, found in names.items():
            if before.get(name) is not found and _is_inside(found):
                names[name] = KEPT_INSIDE

    def _communicates(self, block: ast.With) -> bool:
        """Return whether a block holds collectives, which TVM calls pure: their order is an effect here."""
        named = (
            self.expressions.aliases.resolve(n.func)
            for n in ast.walk(block)
            if isinstance(n, ast.Call)
        )
        return any(name is not None and name[1].startswith("ccl.") for name in named)

    def _is_output(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and self.expressions.is_call(
            statement.value, "output"
        )

    def _output(self, call: ast.Call) -> None:
        scope = self.expressions.scope
        for each in call.args:
            if not isinstance(each, ast.Name):
                raise Unreadable(
                    each, "expected names in R.output, found another expression; bind it"
                )
            try:
                found = self.expressions.read(each)
                scope.names[each.id] = self._passed_out(each, each.id, found)
            except Abandoned:
                pass
            except Unreadable as problem:
                self.problems.note(problem)
                self.expressions.lose(each.id)

    def _passed_out(self, node: ast.AST, name: str, found: Any) -> Any:
        emit = self.builder.emit_output
        if isinstance(found, Several):
            return Several([emit(part, name) for part in found.parts])
        if isinstance(found, Value | tuple):
            return emit(self.expressions.value(node, found), name)
        return found

    def _if(self, node: ast.If) -> None:
        reader = self.expressions
        condition = reader.value(node.test, reader.read(node.test))
        name = _last_bound(node.body)
        no_value = all(s and isinstance(s[-1], ast.Expr) for s in (node.body, node.orelse))
        if name != _last_bound(node.orelse) or not (name or no_value):
            raise Unreadable(
                node,
                "expected both branches to end by binding one name, found none; add 'else' and name it",
            )
        name = name or "_"
        found = self.builder.if_(
            condition,
            lambda: self._branch(node.body, name),
            lambda: self._branch(node.orelse, name),
            name,
        )
        reader.scope.names[name] = found

    def _branch(self, statements: Sequence[ast.stmt], name: str) -> Value:
        reader = self.expressions
        with self._inner_scope():
            last = statements[-1]
            gives = last.value if isinstance(last, ast.Assign | ast.AnnAssign) else None
            is_other = isinstance(gives, ast.Name)  # a result of a branch needs no name
            self.body(statements[: len(statements) - is_other])
            if isinstance(last, ast.Expr):
                return reader.value(last, ())
            given = gives if is_other else ast.copy_location(ast.Name(name, ast.Load()), last)
            return reader.value(last, reader.read(given))

    @contextmanager
    def _inner_scope(self) -> Iterator[None]:
        reader = self.expressions
        outer, reader.scope = reader.scope, Scope(outer=reader.scope)
        try:
            yield
        finally:
            reader.scope = outer

    def _closure(self, node: ast.FunctionDef) -> None:
        decorator(self.expressions.aliases, node, *RELAX)
        if calls_itself(node):
            self.later.append(lifted(self.expressions, node))
            return
        reader = self.expressions
        with self._inner_scope():
            params = parameters(reader, node)
            if len(params) != len(node.args.args):
                raise Abandoned
            outer = self.result, self.returned
            self.result, self.returned = None, False

            def body(*values: Value) -> Value:
                reader.scope.names |= dict(zip(params, values))
                self.body(node.body)
                if not self.returned:
                    raise self.no_return(node)
                if self.result is None:
                    raise Abandoned
                return self._scalars_of(node, self.result)

            try:
                found = self.builder.closure(params, body, node.name)
            finally:
                self.result, self.returned = outer
                reader.types.known.clear()
        reader.scope.names[node.name] = found

    def _scalars_of(self, node: ast.FunctionDef, result: Value) -> Value:
        """Convert tensors of rank 0 in the result of a closure to the scalars that it declares."""
        is_number = isinstance(result.type, TensorType) and result.type.shape == ()
        if node.returns is None or not (is_number or isinstance(result.type, TupleType)):
            return result
        return as_declared(self.builder, result, self.expressions.types.read(node.returns))


def _last_bound(statements: Sequence[ast.stmt]) -> str | None:
    """Return the name that the last statement binds."""
    last = statements[-1] if statements else None
    match last:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.With(body=body):
            return _last_bound([s for s in body if not isinstance(s, ast.Expr)])
        case ast.If(body=body):
            return _last_bound(body)
        case ast.FunctionDef(name=name):
            return name
    return None


def _is_inside(found: Any) -> bool:
    """Returns whether a name is bound to a value of a block, which is closed."""
    if not isinstance(found, Value) or not isinstance(found.value, OpResult):
        return False
    return isinstance(found.value.op.parent_op(), BlockOp)

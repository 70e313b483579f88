"""The body of a Relax function, read statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, TupleType
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.annotations import declares_variable
from relax_dialect.frontends.tvmscript.attribute_values import attribute_value
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.decorators import RELAX, decorator
from relax_dialect.frontends.tvmscript.expressions import Abandoned, Expressions
from relax_dialect.frontends.tvmscript.recursion import calls_itself, lifted
from relax_dialect.frontends.tvmscript.scope import Scope
from relax_dialect.frontends.tvmscript.signatures import RESULT, parameters
from relax_dialect.frontends.tvmscript.sizes import said
from relax_dialect.frontends.tvmscript.source import Problems, Unreadable
from relax_dialect.frontends.tvmscript.values import PART, Several, Shape
from relax_dialect.ir.in_place import IN_PLACE, in_place_attribute
from relax_dialect.ir.types import (
    PrimType,
    contradict,
    free_variables,
    is_subtype,
)
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.emitter import name_hint

BOUNDS = frozenset({"tir_var_upper_bound", "tir_var_lower_bound"})
"""Attributes that say something of symbolic variables."""


class FunctionReader:
    """Reads the statements of one function."""

    def __init__(self, expressions: Expressions, builder: BlockBuilder, problems: Problems):
        self.expressions = expressions
        self.builder = builder
        self.problems = problems
        self.result: Any = None
        """What the body returns."""
        self.returned = False
        self.later: list[tuple[Declared, Expressions]] = []
        """Local functions that become functions of the module; their bodies are read after this one."""

    def attributes(self, node: ast.FunctionDef) -> dict[str, Attribute]:
        """Those of `R.func_attr({...})`."""
        found: dict[str, Attribute] = {}
        for statement in node.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or not self._is(call, "func_attr") or not call.args:
                continue
            given = self.expressions.read(call.args[0])
            if not isinstance(given, Mapping):
                raise Unreadable(
                    call, f"expected a dict of attributes, found {said(given)}; write one"
                )
            found |= {name: attribute_value(call, value) for name, value in given.items()}
        if isinstance(indices := found.get(IN_PLACE), ArrayAttr):
            found[IN_PLACE] = in_place_attribute(
                [i.value.data for i in indices.data if isinstance(i, IntegerAttr)]
            )
        if getattr(found.get("global_symbol"), "data", None) == node.name:
            del found["global_symbol"]
        for key in (
            BOUNDS & found.keys()
        ):  # TVM has bounds of the whole model's sizes on each function
            bounds = found[key]
            if isinstance(bounds, DictionaryAttr):
                known = {n: v for n, v in bounds.data.items() if n in self.expressions.defined}
                found[key] = DictionaryAttr(known)
        return found

    def _is(self, node: ast.AST, word: str) -> bool:
        """Whether a node is a call of `R.word`."""
        resolve = self.expressions.aliases.resolve
        return isinstance(node, ast.Call) and resolve(node.func) == ("R", word)

    def no_return(self, node: ast.FunctionDef) -> Exception:
        """What is wrong with a function whose body returns nothing, unless it could not be read."""
        if self.problems.found:
            return Abandoned()
        return Unreadable(
            node, f"expected a return at the end of {node.name}, found none; write one"
        )

    # Statements -------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Read statements; those that cannot be read are noted, and what needs them left out."""
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
                if not any(self._is(value, word) for word in ("func_attr", *RESULT)):
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
                kind = type(node).__name__
                raise Unreadable(
                    node, f"expected a statement of TVMScript, found {kind}; write it as bindings"
                )

    def _bind(self, name: str, node: ast.expr, annotation: ast.expr | None) -> None:
        """A name for what an expression gives; its type is as narrow as TVM says."""
        reader = self.expressions
        reader.binding = name
        found = declares_variable(node, reader)
        if found is None:
            found = reader.read(node)
            if annotation is not None:
                found = self._annotated(found, annotation)
        else:
            reader.types.known.clear()
        found = self._named(name, node, found)
        if isinstance(found, Expr | int):
            reader.types.known.clear()
        reader.scope.names[name] = found

    def _named(self, name: str, node: ast.expr, found: Any) -> Any:
        """What a name is bound to: tuples, shapes and other names for values are values of their own."""
        reader = self.expressions
        is_tuple = isinstance(node, ast.Tuple) and any(
            isinstance(v, Value | Several) for v in found
        )
        if isinstance(found, Shape) or is_tuple:
            found = reader.value(node, found)
        elif isinstance(found, Value | Several) and isinstance(node, ast.Name):
            of = reader.value(node, found)
            found = reader.made(node, LetOp(of.value))
        if isinstance(found, Value):
            found.value.name_hint = name_hint(name)
        elif isinstance(found, Several):
            for place, part in enumerate(found.parts):
                part.value.name_hint = name_hint(f"{name}{PART}{place}")
        return found

    def _annotated(self, found: Any, annotation: ast.expr) -> Any:
        """A value with the type that TVM knows, where it tells more than ours."""
        reader = self.expressions
        if not isinstance(found, Value | Several):
            return found
        type = reader.types.read(annotation)
        if isinstance(found, Several):
            if not isinstance(type, TupleType) or len(type.types) != len(found.parts):
                return found
            return Several(
                [self._narrowed(annotation, *pair) for pair in zip(found.parts, type.types.data)]
            )
        return self._narrowed(annotation, found, type)

    def _narrowed(self, node: ast.AST, value: Value, type: Attribute) -> Value:
        own = value.type
        if contradict(own, type):
            raise Unreadable(
                node,
                f"expected a value of the declared type {type}, found one of {own}; correct one of them",
            )
        if own == type or isinstance(own, PrimType) or not is_subtype(type, own):
            return value
        if any(v not in self.builder.defined_variables for v in free_variables(type)):
            return value
        return self.builder.emit(MatchCastOp(value.value, type))

    def _unpack(self, node: ast.Assign, targets: Sequence[ast.expr]) -> None:
        reader = self.expressions
        reader.binding = "_"
        found = reader.read(node.value)
        parts: Sequence[Any] = found if isinstance(found, tuple) else ()
        if isinstance(found, Several):
            parts = found.parts
        elif isinstance(found, Value) and isinstance(found.type, TupleType):
            parts = [reader.made(node, found[i]) for i in range(len(found.type.types))]
        if len(parts) != len(targets):
            raise Unreadable(
                node, f"expected a tuple of {len(targets)}, found {said(found)}; correct it"
            )
        for target, part in zip(targets, parts):
            if not isinstance(target, ast.Name):
                raise Unreadable(target, "expected a name to bind, found another target; name it")
            reader.scope.names[target.id] = part

    # Blocks -----------------------------------------------------------------------------------

    def _dataflow(self, node: ast.With) -> None:
        call = node.items[0].context_expr
        if len(node.items) != 1 or not self._is(call, "dataflow"):
            raise Unreadable(
                node, "expected R.dataflow() after 'with', found another block; correct it"
            )
        with self.builder.dataflow():
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

    def _is_output(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and self._is(statement.value, "output")

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
            is_other = isinstance(gives, ast.Name)  # what a branch gives needs no name of its own
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
                return self.result

            try:
                found = self.builder.closure(params, body, node.name)
            finally:
                self.result, self.returned = outer
                reader.types.known.clear()
        reader.scope.names[node.name] = found


def _last_bound(statements: Sequence[ast.stmt]) -> str | None:
    """The name that the last statement binds."""
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

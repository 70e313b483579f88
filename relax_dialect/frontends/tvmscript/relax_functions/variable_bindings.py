"""Bindings of names in a Relax function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.numbers_in_shapes import NumbersInShapes
from relax_dialect.frontends.tvmscript.relax_functions.annotations import declares_variable
from relax_dialect.frontends.tvmscript.scope import MATCHED
from relax_dialect.frontends.tvmscript.script.script_source import Problems, Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said, variable
from relax_dialect.frontends.tvmscript.script_values import PART, Global, Several, Shape
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.emit.scalar_emitter import name_hint


@dataclass
class Bindings:
    """Reads the bindings of one function."""

    node: ast.FunctionDef
    expressions: Expressions
    builder: BlockBuilder
    problems: Problems

    def _bind(self, name: str, node: ast.expr, annotation: ast.expr | None) -> None:
        """Bind a name to the value of an expression, with the declared type if that is narrower."""
        reader = self.expressions
        reader.binding = name
        if self._matches_number(name, node):
            return
        found = declares_variable(node, reader)
        if found is None:
            found = reader.read(node)
            if annotation is not None:
                found = self._annotated(found, annotation)
        else:
            reader.types.known.clear()
        found = self._named(name, node, self._sized(name, found))
        if isinstance(found, Expr | int):
            reader.types.known.clear()
        reader.scope.names[name] = found

    def _named(self, name: str, node: ast.expr, found: Any) -> Any:
        """Return the value of a binding: tuples, shapes and other names of values are values of their
        own."""
        reader = self.expressions
        is_tuple = isinstance(node, ast.Tuple) and any(
            isinstance(v, Value | Several) for v in found
        )
        is_function = isinstance(found, Global) and not found.captured and self._is_passed_on(name)
        if isinstance(found, Shape) or is_tuple or is_function:
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

    def _is_passed_on(self, name: str) -> bool:
        """Return whether the function of a name is a value wherever it is used, and never called."""
        nodes = list(ast.walk(self.node))
        called = {id(each.func) for each in nodes if isinstance(each, ast.Call)}
        uses = [e for e in nodes if isinstance(e, ast.Name) and e.id == name]
        read = [each for each in uses if isinstance(each.ctx, ast.Load)]
        return bool(read) and called.isdisjoint(map(id, read))

    def _sized(self, name: str, found: Any) -> Any:
        """Match an integer whose name occurs in a shape with a size."""
        if not isinstance(found, Value) or found.type != i64 or name not in self._numbers.names:
            return found
        size = variable(name)
        if str(size) in self.builder.defined_variables:
            return found
        self.expressions.types.known.clear()
        return self.builder.emit(MatchCastOp(found.value, PrimType(size)))

    def _matches_number(self, name: str, node: ast.expr) -> bool:
        """Returns whether a statement is one of a pair that matches a number with a size; the first is
        converted."""
        reader = self.expressions
        if not isinstance(node, ast.Call) or not node.args:
            return False
        of = node.args[0]
        if isinstance(of, ast.Name):
            return reader.scope.names.get(of.id) is MATCHED
        if not (isinstance(of, ast.List) and name in self._numbers.matched):
            return False
        number = reader.read(of.elts[0])
        if not isinstance(number, Value) or number.type != i64:
            return False
        size = reader.variable(self._numbers.matched[name])
        self.builder.emit(MatchCastOp(number.value, PrimType(size)))
        reader.scope.names[name] = MATCHED
        return True

    @cached_property
    def _numbers(self) -> NumbersInShapes:
        return NumbersInShapes(self.expressions.aliases, self.node)

    def _annotated(self, found: Any, annotation: ast.expr) -> Any:
        """Cast a value to the declared type if that is narrower than the inferred one."""
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
        if isinstance(own, TensorType) and own.shape == () and own.dtype == type:
            return value  # TVM computes scalars from scalars, here tensors of rank 0
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
            reader.scope.names[target.id] = self._sized(target.id, part)

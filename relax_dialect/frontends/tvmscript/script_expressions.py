"""Expressions of a script, read: values of the program, sizes, numbers, texts and types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Protocol, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Expression, Value
from relax_dialect.frontends.tvmscript import script_sizes
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.relax_functions.annotations import Annotations
from relax_dialect.frontends.tvmscript.relax_functions.program_values import ProgramValues
from relax_dialect.frontends.tvmscript.relax_functions.tir_calls import SPECIAL_NUMBERS, call_of_tir
from relax_dialect.frontends.tvmscript.scope import Aliases, Scope
from relax_dialect.frontends.tvmscript.script.metadata import TENSOR
from relax_dialect.frontends.tvmscript.script.script_source import Source, Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import called
from relax_dialect.frontends.tvmscript.script.texts import Texts
from relax_dialect.frontends.tvmscript.script_sizes import said, variable
from relax_dialect.frontends.tvmscript.script_values import (
    LOST,
    MODULE,
    Extern,
    Global,
    Lost,
    ScriptScalar,
    Several,
    Shape,
)
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr

CallOf: TypeAlias = "Callable[[Expressions, ast.Call, str], Any]"
"""Reads `R.word(...)`."""
CallFunction: TypeAlias = "Callable[[Expressions, ast.Call, Global | Extern | Value], Any]"
"""Reads a call of a function of the module, of one from outside or of a function value."""


class ScriptContext(Protocol):
    """The surroundings of a function."""

    source: Source
    aliases: Aliases
    functions: dict[str, Declared]
    externs: dict[str, Extern]
    metadata: dict[str, Sequence[Any]]
    builder: BlockBuilder
    scope: Scope


class Abandoned(Exception):
    """An expression that depends on an unreadable one, which is reported already."""


class Expressions(ProgramValues):
    """Reads the expressions of one function; `call_of` reads the calls of `R.`."""

    def __init__(
        self, module: ScriptContext, scope: Scope, call_of: CallOf, call_function: CallFunction
    ):
        super().__init__(module.builder, module.functions)
        self.module = module
        self.parsed = Texts().parsed
        self.source, self.aliases = module.source, module.aliases
        self.externs = module.externs
        self.metadata = module.metadata
        self.scope = scope
        self.call_of, self.call_function = call_of, call_function
        self.types = Annotations(self)
        self.binding = "_"
        """The name of the current binding."""
        self.defined: set[str] = set()
        """The symbolic variables of the function."""

    def beside(self) -> Expressions:
        """Return a reader of the expressions of another function of the module."""
        return Expressions(
            self.module, Scope(outer=self.module.scope), self.call_of, self.call_function
        )

    def is_call(self, node: ast.AST, word: str) -> bool:
        """Returns whether a node is a call of `R.word`."""
        return isinstance(node, ast.Call) and self.aliases.resolve(node.func) == ("R", word)

    # Reading ----------------------------------------------------------------------------------

    def read(self, node: ast.AST) -> Any:
        """Return the value of an expression."""
        match node:
            case ast.Name():
                found = self.scope.get(node)
                if isinstance(found, Lost):
                    raise Abandoned
                return found
            case ast.Constant(value=value) if value is not Ellipsis and not isinstance(
                value, complex
            ):
                return value
            case ast.Call():
                return self._call(node)
            case ast.Tuple() | ast.List():
                return tuple(self.read(each) for each in node.elts)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.BinOp():
                return self._operation(node)
            case ast.UnaryOp():
                return self._placed(node, script_sizes.negated(node, self.read(node.operand)))
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                found = script_sizes.compared(node, operator, self.read(left), self.read(right))
                return self._placed(node, found)
            case ast.Dict():
                return self._dict(node)
        raise Unreadable(
            node, f"expected an expression of TVMScript, found {called(node)}; write it another way"
        )

    def _operation(self, node: ast.BinOp) -> Any:
        """Return the value of an operation; a long chain is evaluated from its first operation."""
        chain: list[ast.BinOp] = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        found = self.read(chain[-1].left)
        for each in reversed(chain):
            found = self._placed(each, script_sizes.binary(each, found, self.read(each.right)))
        return found

    def _placed(self, node: ast.AST, found: Any) -> Any:
        """Return the value of an operation; an op on values is built once, however often its result is
        used."""
        return self.made(node, found) if isinstance(found, Expression) else found

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values):
            if key is None:
                raise Unreadable(node, "expected keys and values, found **; write them out")
            name = self.read(key)
            if not isinstance(name, str | int | Expr):
                raise Unreadable(key, f"expected a text as a key, found {said(name)}; write a text")
            found[name if isinstance(name, str) else str(name)] = self.read(value)
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        name = self.aliases.resolve(node)
        if name is not None:
            return self.types.read(node)
        if isinstance(node.value, ast.Name) and self.scope.get(node.value) is MODULE:
            return self.function_named(node, node.attr)
        if node.attr in ("struct_info", "ty"):
            return self.value(node.value, self.read(node.value)).type
        if node.attr in ("shape", "dtype", "ndim"):
            return self._of_type(node, self.value(node.value, self.read(node.value)).type)
        raise Unreadable(node, f"expected a function of the module, found '.{node.attr}'; name one")

    def _of_type(self, node: ast.Attribute, type: Attribute) -> Any:
        """Return `x.shape`, `x.ndim` or `x.dtype` of a tensor, if its type determines it."""
        if isinstance(type, TensorType):
            dims = type.shape
            if node.attr == "dtype" and type.dtype is not None:
                return type.dtype
            if node.attr == "ndim" and dims is not None:
                return len(dims)
            if node.attr == "shape" and dims is not None and None not in dims:
                return Shape(dims)
        raise Unreadable(
            node,
            f"expected a tensor whose {node.attr} is known, found a value of type {type}; cast it",
        )

    def function_named(self, node: ast.AST, name: str) -> Global | Extern:
        """Return a function of the module, or an external function."""
        if name in self.externs:
            return self.externs[name]
        if name not in self.functions:
            known = ", ".join(self.functions) or "there is none"
            raise Unreadable(
                node,
                f"expected a function of the module ({known[:200]}), found '{name}'; correct the name",
            )
        return Global(name)

    def free_function_name(self, name: str) -> str:
        """Return a name like `name` that is unused by the module's functions."""
        names = (f"{name}_{i}" for i in count(1))
        return (
            name
            if name not in self.functions
            else next(n for n in names if n not in self.functions)
        )

    def _subscript(self, node: ast.Subscript) -> Any:
        base = node.value
        if (
            isinstance(base, ast.Subscript)
            and isinstance(base.value, ast.Name)
            and base.value.id == "metadata"
        ):
            return self._metadata(node, base)
        value, index = self.read(base), self.read(node.slice)
        index = index.value if isinstance(index, ScriptScalar) else index
        if type(index) is not int:
            raise Unreadable(
                node.slice, f"expected an index, found {said(index)}; write an integer"
            )
        parts = value.parts if isinstance(value, Several) else value
        if isinstance(parts, Shape):
            parts = parts.sizes
        if isinstance(parts, tuple | list):
            if not 0 <= index < len(parts):
                raise Unreadable(
                    node, f"expected an index below {len(parts)}, found {index}; correct it"
                )
            return parts[index]
        if isinstance(value, Value) and isinstance(value.type, TupleType):
            return self.made(node, value[index])
        raise Unreadable(
            node, f"expected a tuple before the index, found {said(value)}; correct it"
        )

    def _metadata(self, node: ast.Subscript, base: ast.Subscript) -> Any:
        kind, index = self.read(base.slice), self.read(node.slice)
        held = self.metadata.get(kind) if isinstance(kind, str) else None
        if held is None or type(index) is not int or not 0 <= index < len(held):
            mend = "print the module with show_meta=True, or make its constants parameters"
            raise Unreadable(
                node, f"expected an entry of the metadata, found no such entry; {mend}"
            )
        if not isinstance(held[index], np.ndarray):
            raise Unreadable(
                node, f"expected a tensor, found entry {index} of kind {kind}, which is none"
            )
        return held[index] if kind == TENSOR else self.made(node, const(held[index]))

    # Calls ------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Any:
        name = self.aliases.resolve(node.func)
        if name is None:
            return self._call_of_function(node)
        module, word = name
        if module == "R":
            return self.call_of(self, node, word)
        if module == "T":
            return call_of_tir(self, node, word)
        match node.args:
            case [callee, ast.Tuple(elts=given) | ast.List(elts=given)] if word == "Call":
                # I.Call(f, [x], ty=...), as TVM prints calls in full
                return self.read(ast.copy_location(ast.Call(callee, given, []), node))
        raise Unreadable(
            node, f"expected an expression, found {module}.{word}; it is in no function"
        )

    def _call_of_function(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(ast.Name("float"), [ast.Constant(str() as text)]) if (
                text in SPECIAL_NUMBERS
            ):
                return SPECIAL_NUMBERS[text]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype" and node.args:
            of = self.value(node.func.value, self.read(node.func.value))
            return self.made(node, of.astype(self.types.dtype(node.args[0])))
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            try:
                callee = self.scope.find(node.func.id)
            except KeyError:
                callee = Global(node.func.id)
        else:
            callee = self.read(node.func)
        if not isinstance(callee, Global | Extern | Value):
            raise Unreadable(node, f"expected a function, found {said(callee)}; correct the call")
        return self.call_function(self, node, callee)

    # Texts ------------------------------------------------------------------------------------

    def size_of_text(self, node: ast.Constant) -> Expr:
        """Return the size of a text, `"n * 2"`; its variables need no definition."""
        tree = self.parsed(node)
        inner = Scope(outer=self.scope)
        for each in ast.walk(tree):
            if isinstance(each, ast.Name) and each.id not in self.aliases.names:
                inner.names[each.id] = self.variable(each.id)
        scope, self.scope = self.scope, inner
        try:
            return symbolic.as_expr(script_sizes.as_size(node, self.read(tree)))
        finally:
            self.scope = scope

    def variable(self, name: str) -> Any:
        """Return the symbolic variable of a name, or the size that the name is bound to."""
        try:
            found = self.scope.find(name)
        except KeyError:
            return variable(name)
        return found if isinstance(found, Expr | int) else variable(name)

    def lose(self, name: str) -> None:
        """Bind a name to a value that could not be read."""
        self.scope.names[name] = LOST

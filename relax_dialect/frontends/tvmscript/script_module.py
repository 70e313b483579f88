"""Scripts as modules: the bodies of the functions that a text declares."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute

from relax_dialect.frontends.tvmscript.attribute_values import attribute_value
from relax_dialect.frontends.tvmscript.declarations import Declarations
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.relax_functions.function_reader import FunctionReader
from relax_dialect.frontends.tvmscript.relax_functions.function_signatures import (
    fitted,
    read_signature,
)
from relax_dialect.frontends.tvmscript.scope import Scope
from relax_dialect.frontends.tvmscript.script.script_source import (
    ScriptError,
    Source,
    TooMany,
    Unreadable,
)
from relax_dialect.frontends.tvmscript.script.syntax import parsed
from relax_dialect.frontends.tvmscript.script_expressions import Abandoned, Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.frontends.tvmscript.script_values import Global
from relax_dialect.ir.in_place import IN_PLACE, in_place_attribute
from relax_dialect.ir.types import OBJECT
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import ProgramError, verify


class ModuleReader:
    """Reads one text."""

    def __init__(self, source: Source, metadata: Mapping[str, Sequence[Any]]):
        self.source = source
        self.declared = Declarations(source, metadata)

    def run(self) -> ModuleOp:
        """Return the module, verified."""
        try:
            self.declared.read(*parsed(self.source))
            self._read_functions()
        except TooMany:
            pass
        self.declared.problems.check()
        try:
            verify(self.declared.builder.module, self.source.name)
        except ProgramError as error:
            raise ScriptError(str(error)) from None
        return self.declared.builder.module

    def _read_functions(self) -> None:
        """Read the bodies: functions without a declared result type before their callers."""
        relax = {name: f for name, f in self.declared.functions.items() if not f.is_prim}
        readers: dict[str, Expressions] = {}
        for name, function in relax.items():
            reader = readers[name] = self.declared.expressions(Scope(outer=self.declared.scope))
            self.declared.attempt(function, lambda f, reader=reader: self._signature(f, reader))
        for name in _by_need(relax):
            self.declared.attempt(relax[name], lambda f, name=name: self._body(f, readers[name]))

    def _signature(self, function: Declared, reader: Expressions) -> None:
        try:
            read_signature(reader, function)
        except Unreadable as problem:
            self.declared.problems.note(problem)
            function.result = OBJECT  # so that calls of it are no further problem

    def _body(self, function: Declared, reader: Expressions) -> None:
        node = function.node
        captured = function.captured or ()
        if len(function.params) != len(node.args.args) + len(captured):
            return
        body = FunctionReader(node, reader, self.declared.builder, self.declared.problems)
        attributes: Any = function_attributes(reader, node)
        with self.declared.builder.function(
            function.name, function.params, attributes, function.private, function.result
        ) as values:
            reader.scope.names |= dict(zip(function.params, values))
            if function.captured is not None:
                reader.scope.names[node.name] = Global(function.name, values[len(node.args.args) :])
            body.body(node.body)
            if not body.returned:
                raise body.no_return(node)
            if body.result is None:
                raise Abandoned
            if function.result is not None:
                body.result = fitted(reader, node, body.result, function.result)
            self.declared.builder.emit_func_output(body.result)
        op = self.declared.builder.module.body.block.last_op
        assert isinstance(op, FuncOp)
        function.op = op
        op.location = self.source.location(node)
        for each, inner in body.later:
            self.declared.attempt(each, lambda found, inner=inner: self._body(found, inner))


def _by_need(functions: dict[str, Declared]) -> Sequence[str]:
    """Return the functions, each after the functions whose types it needs."""
    if all(function.node.returns is not None for function in functions.values()):
        return list(functions)
    order: dict[str, None] = {}
    open_: list[tuple[str, bool]] = [(name, False) for name in reversed(functions)]
    entered: set[str] = set()
    while open_:
        name, done = open_.pop()
        if done:
            order[name] = None
        elif name not in entered:
            entered.add(name)
            open_.append((name, True))
            for callee in _named_in(functions[name].node):
                if callee in functions and functions[callee].node.returns is None:
                    open_.append((callee, False))
    return list(order)


def _named_in(node: ast.FunctionDef) -> set[str]:
    names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return names | {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


# The attributes that `R.func_attr` sets on a Relax function -------------------------------------


BOUNDS = frozenset({"tir_var_upper_bound", "tir_var_lower_bound"})
"""Attributes about symbolic variables."""


def function_attributes(reader: Expressions, node: ast.FunctionDef) -> dict[str, Attribute]:
    """Return the attributes of `R.func_attr({...})`."""
    found: dict[str, Attribute] = {}
    for statement in node.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not reader.is_call(call, "func_attr") or not call.args:
            continue
        given = reader.read(call.args[0])
        if not isinstance(given, Mapping):
            raise Unreadable(call, f"expected a dict of attributes, found {said(given)}; write one")
        found |= {name: attribute_value(call, value) for name, value in given.items()}
    if isinstance(indices := found.get(IN_PLACE), ArrayAttr):
        found[IN_PLACE] = in_place_attribute(
            [i.value.data for i in indices.data if isinstance(i, IntegerAttr)]
        )
    if getattr(found.get("global_symbol"), "data", None) == node.name:
        del found["global_symbol"]
    for key in BOUNDS & found.keys():  # TVM has bounds of the whole model's sizes on each function
        bounds = found[key]
        if isinstance(bounds, DictionaryAttr):
            known = {n: v for n, v in bounds.data.items() if n in reader.defined}
            found[key] = DictionaryAttr(known)
    return found

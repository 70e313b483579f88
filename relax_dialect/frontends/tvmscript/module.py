"""Scripts as modules: what stands at the top of the text, and the functions of the module."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import prim_funcs
from relax_dialect.frontends.tvmscript.annotations import declares_variable
from relax_dialect.frontends.tvmscript.calls import call_function, call_of
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.expressions import Abandoned, Expressions, attribute_value
from relax_dialect.frontends.tvmscript.functions import FunctionReader, fitted, parameters
from relax_dialect.frontends.tvmscript.metadata import read_metadata
from relax_dialect.frontends.tvmscript.prim_funcs.kept import ATTRIBUTES
from relax_dialect.frontends.tvmscript.scope import Aliases, Scope
from relax_dialect.frontends.tvmscript.source import Problems, ScriptError, Source, Unreadable
from relax_dialect.frontends.tvmscript.values import MODULE
from relax_dialect.ir.types import OBJECT, free_variables, substitute
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import ProgramError, verify

Decorator: TypeAlias = tuple[ast.expr, Any, dict[str, ast.expr]]
"""Where it stands, TVM's name of it, and its arguments by name."""

COMMON = frozenset({"global_symbol", "tir.noalias", "tirx.noalias"})
"""Attributes of prim funcs that each has, and that need not be kept."""


class ModuleReader:
    """Reads one text."""

    def __init__(self, source: Source, metadata: Mapping[str, Sequence[Any]]):
        self.source = source
        self.problems = Problems(source)
        self.aliases = Aliases()
        self.scope = Scope()
        self.metadata = dict(metadata)
        self.functions: dict[str, Declared] = {}
        self.builder = BlockBuilder()
        self.builder.notes_call_sites = False
        self.classes: list[ast.ClassDef] = []
        self.in_place: dict[str, list[int]] = {}
        """The prim funcs that are called in place, and the arguments that they write."""

    def run(self) -> ModuleOp:
        """The module, verified."""
        tree = self._tree()
        self.in_place = prim_funcs.called_in_place([tree])
        for statement in tree.body:
            self._try(statement, self._top)
        if len(self.classes) > 1:
            second = self.classes[1]
            self.problems.add(
                second, "expected one module, found a second one; put it into a text of its own"
            )
        for each in self.classes[:1]:
            self.scope.names[each.name] = MODULE
            for statement in each.body:
                self._try(statement, self._member)
        if not self.functions and not self.problems.found:
            self.problems.add(
                tree,
                "expected @I.ir_module or @R.function, found none; write one",
            )
        self._read_functions()
        self.problems.check()
        try:
            verify(self.builder.module, self.source.name)
        except ProgramError as error:
            raise ScriptError(str(error)) from None
        return self.builder.module

    def _tree(self) -> ast.Module:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Python, about the text's style
                return ast.parse(self.source.text)
        except SyntaxError as error:
            line, column = error.lineno or 1, max(error.offset or 1, 1)
            reason = f"expected Python's syntax, found an error: {error.msg.partition(';')[0]}; correct it"
            raise ScriptError(self.source.message(line, column, reason)) from None
        except (ValueError, RecursionError, MemoryError) as error:
            reason = f"expected Python's syntax, found a text that cannot be parsed ({error}); simplify it"
            raise ScriptError(self.source.message(1, 1, reason)) from None

    def _try(self, node: Any, read: Any) -> None:
        """Read a part; note it where it cannot be read."""
        try:
            read(node)
        except Unreadable as problem:
            self.problems.note(problem)
        except Abandoned:
            pass
        except RecursionError:
            self.problems.add(
                node,
                "expected expressions that are nested less deeply, found deeper ones; bind parts",
            )
        except RelaxError as error:
            self.problems.add(node, str(error))

    # Declarations -----------------------------------------------------------------------------

    def _top(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self.aliases.note(node)
            case ast.ClassDef():
                self._require(node, ("I", "ir_module"))
                self.classes.append(node)
            case ast.FunctionDef():
                self._member(node)
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Assign(targets=[ast.Name(id="metadata")], value=value):
                self.metadata |= read_metadata(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                reader = self._expressions(self.scope)
                reader.binding = name
                found = declares_variable(value, reader)
                self.scope.names[name] = reader.read(value) if found is None else found
            case _:
                kind = type(node).__name__
                raise Unreadable(node, f"expected a module or a function, found {kind}; remove it")

    def _decorators(self, node: ast.ClassDef | ast.FunctionDef) -> list[Decorator]:
        found: list[Decorator] = []
        for each in node.decorator_list:
            call = each if isinstance(each, ast.Call) else None
            named = {k.arg: k.value for k in call.keywords if k.arg} if call else {}
            found.append((each, self.aliases.resolve(call.func if call else each), named))
        return found

    def _require(self, node: ast.ClassDef, name: tuple[str, str]) -> None:
        for each, found, _ in self._decorators(node):
            if found != name:
                raise Unreadable(
                    each, "expected @I.ir_module alone, found another decorator; remove it"
                )
        if not node.decorator_list:
            raise Unreadable(
                node, f"expected @I.ir_module on the class {node.name}, found none; write it"
            )

    def _member(self, node: ast.stmt) -> None:
        """A statement of the module's class."""
        match node:
            case ast.FunctionDef():
                self._declare(node)
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self._module_call(call)
            case _:
                raise Unreadable(
                    node, f"expected a function, found {type(node).__name__}; remove it"
                )

    def _module_call(self, call: ast.Call) -> None:
        name = self.aliases.resolve(call.func)
        if name == ("I", "module_global_infos"):
            return  # devices: values here have none
        if name != ("I", "module_attrs") or not call.args:
            raise Unreadable(
                call, "expected a function or I.module_attrs, found another call; remove it"
            )
        given = self._expressions(self.scope).read(call.args[0])
        if not isinstance(given, dict):
            raise Unreadable(call, "expected a dict of attributes, found another value; write one")
        for key, value in given.items():
            self.builder.module.attributes[f"tvm.{key}"] = attribute_value(call, value)

    def _declare(self, node: ast.FunctionDef) -> None:
        kinds = [(each, name, named) for each, name, named in self._decorators(node)]
        known = (("R", "function"), ("T", "prim_func"))
        for each, name, _ in kinds:
            if name not in known:
                raise Unreadable(
                    each, "expected @R.function or @T.prim_func, found another decorator; remove it"
                )
        if len(kinds) != 1:
            raise Unreadable(
                node, f"expected one decorator, @R.function or @T.prim_func, found {len(kinds)}"
            )
        if node.name in self.functions:
            raise Unreadable(
                node, f"expected each function once, found a second {node.name}; rename it"
            )
        _, name, named = kinds[0]
        flags = {k: isinstance(v, ast.Constant) and v.value is True for k, v in named.items()}
        found = Declared(node, flags.get("private", False), flags.get("pure", True))
        self.functions[node.name] = found
        if name == ("T", "prim_func"):
            found.is_prim, found.scalars = True, self._scalars(node)
            found.prim = prim_funcs.read(node, self.in_place.get(node.name))
            self._keep_attributes(found.prim, node)
            self.builder.add_func(found.prim)

    def _keep_attributes(self, prim: Operation, node: ast.FunctionDef) -> None:
        """Keep what `T.func_attr` says of a prim func, but for its name and what all have."""
        for statement in node.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                continue
            if self.aliases.resolve(call.func) != ("T", "func_attr"):
                continue
            given = self._expressions(self.scope).read(call.args[0])
            if isinstance(given, dict):
                kept = {k: attribute_value(call, v) for k, v in given.items() if k not in COMMON}
                if kept:
                    prim.attributes[ATTRIBUTES] = DictionaryAttr(kept)

    def _scalars(self, node: ast.FunctionDef) -> dict[int, str]:
        """The parameters of a prim func that are numbers."""
        found: dict[int, str] = {}
        for place, arg in enumerate(node.args.args):
            name = self.aliases.resolve(arg.annotation) if arg.annotation is not None else None
            if name is not None and name[0] == "T" and name[1].startswith(("int", "uint")):
                found[place] = arg.arg
        return found

    # Functions --------------------------------------------------------------------------------

    def _expressions(self, scope: Scope) -> Expressions:
        found = Expressions(self, scope, call_of, call_function)
        found.builder = self.builder
        return found

    def _read_functions(self) -> None:
        """Read the bodies: those whose result type is not written before those that call them."""
        relax = {name: f for name, f in self.functions.items() if not f.is_prim}
        readers: dict[str, Expressions] = {}
        for name, function in relax.items():
            reader = readers[name] = self._expressions(Scope(outer=self.scope))
            self._try(function, lambda f, reader=reader: self._signature(f, reader))
        for name in _by_need(relax):
            self._try(relax[name], lambda f, name=name: self._body(f, readers[name]))

    def _signature(self, function: Declared, reader: Expressions) -> None:
        node = function.node
        try:
            function.params = parameters(reader, node)
            if node.returns is not None:
                result = reader.types.read(node.returns)
                unknown = [v for v in free_variables(result) if v not in reader.defined]
                function.result = substitute(result, dict.fromkeys(unknown))
        except Unreadable as problem:
            self.problems.note(problem)
            function.result = OBJECT  # so that calls of it are no further problem

    def _body(self, function: Declared, reader: Expressions) -> None:
        node = function.node
        if len(function.params) != len(node.args.args):
            return
        body = FunctionReader(reader, self.builder, self.problems)
        attributes: Any = body.attributes(node)
        with self.builder.function(
            node.name, function.params, attributes, function.private, function.result
        ) as values:
            reader.scope.names |= dict(zip(function.params, values))
            body.body(node.body)
            if not body.returned and not self.problems.found:
                raise Unreadable(
                    node, f"expected a return at the end of {node.name}, found none; write one"
                )
            if not body.returned or body.result is None:
                raise Abandoned
            if function.result is not None:
                body.result = fitted(reader, node, body.result, function.result)
            self.builder.emit_func_output(body.result)
        op = self.builder.module.body.block.last_op
        assert isinstance(op, FuncOp)
        function.op = op


def _by_need(functions: dict[str, Declared]) -> Sequence[str]:
    """The functions with those before them whose types they need."""
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

"""The declarations of a script and of its module, read before bodies.

Prim funcs that return a number computed from numbers are read as private Relax functions of one size each.

```python
@T.prim_func(private=True)                    @R.function(private=True)
def f(n: T.int64) -> T.int64:            ->   def f(n: T.int64) -> T.int64:
    T.func_attr({"tirx.is_host_func": True})      return R.prim_value(n * 2)
    return n * T.int64(2)
```

TVM's ComputePrimValue makes such functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import decorators, prim_funcs
from relax_dialect.frontends.tvmscript.attribute_values import attribute_value
from relax_dialect.frontends.tvmscript.calls import call_function, call_of
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.decorators import PRIM, RELAX, decorator
from relax_dialect.frontends.tvmscript.prim_funcs.kept import ATTRIBUTES
from relax_dialect.frontends.tvmscript.prim_funcs.reading.versions import of_this_version
from relax_dialect.frontends.tvmscript.relax_functions.annotations import declares_variable
from relax_dialect.frontends.tvmscript.scope import Aliases, Scope
from relax_dialect.frontends.tvmscript.script.metadata import read_metadata
from relax_dialect.frontends.tvmscript.script.script_source import Problems, Source, Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import TOO_DEEP, TypeVariables, called
from relax_dialect.frontends.tvmscript.script_expressions import Abandoned, Expressions
from relax_dialect.frontends.tvmscript.script_sizes import variable
from relax_dialect.frontends.tvmscript.script_values import MODULE, Extern
from relax_dialect.symbolic import Expr

COMMON = frozenset({"global_symbol", "tir.noalias", "tirx.noalias"})
"""Attributes that all prim funcs have, and that need not be kept."""


class Declarations:
    """The declarations of a script; the bodies of its prim funcs are read at once."""

    def __init__(self, source: Source, metadata: Mapping[str, Sequence[Any]]):
        self.source = source
        self.problems = Problems(source)
        self.aliases = Aliases()
        self.scope = Scope()
        self.metadata = dict(metadata)
        self.functions: dict[str, Declared] = {}
        self.externs: dict[str, Extern] = {}
        """The module's names of external functions."""
        self.builder = BlockBuilder()
        self.builder.notes_call_sites = False
        self.classes: list[ast.ClassDef] = []
        self.in_place: dict[str, list[int]] = {}
        """The prim funcs that are called in place, with the indices of the arguments that they write."""
        self.type_variables: TypeVariables = {}

    def read(self, tree: ast.Module, type_variables: TypeVariables) -> None:
        """Read all but the bodies of Relax functions."""
        self.type_variables = type_variables
        self.in_place = prim_funcs.called_in_place([tree])
        for statement in tree.body:
            self.attempt(statement, self._top)
        if len(self.classes) > 1:
            second = self.classes[1]
            self.problems.add(
                second, "expected one module, found a second one; put it into a text of its own"
            )
        for each in self.classes[:1]:
            self.scope.names[each.name] = MODULE
            for statement in each.body:
                self.attempt(statement, self._member)
        if not self.functions and not self.classes and not self.problems.found:
            self.problems.add(
                tree,
                "expected @I.ir_module or @R.function, found none; write one",
            )

    def attempt(self, part: Any, read: Callable[[Any], None]) -> None:
        """Read a statement or a function; report it if it cannot be read."""
        node: ast.AST = part.node if isinstance(part, Declared) else part
        try:
            read(part)
        except Unreadable as problem:
            self.problems.note(problem)
        except Abandoned:
            pass
        except RecursionError:
            self.problems.add(node, TOO_DEEP)
        except RelaxError as error:
            self.problems.add(node, str(error))

    def expressions(self, scope: Scope) -> Expressions:
        """Return a reader of expressions in a scope."""
        return Expressions(self, scope, call_of, call_function)

    # Statements -------------------------------------------------------------------------------

    def _top(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self.aliases.note(node)
            case ast.ClassDef():
                decorator(self.aliases, node, *decorators.MODULE)
                if node.bases or node.keywords:
                    raise Unreadable(
                        (node.bases or [each.value for each in node.keywords])[0],
                        f"expected a class of its own, found {node.name} with another one as its base; "
                        "write what it takes from there into it",
                    )
                self.classes.append(node)
            case ast.FunctionDef():
                self._member(node)
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Assign(targets=[ast.Name(id="metadata")], value=value):
                self.metadata |= read_metadata(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._name(name, value)
            case _:
                raise Unreadable(
                    node, f"expected a module or a function, found {called(node)}; remove it"
                )

    def _name(self, name: str, node: ast.expr) -> None:
        """Bind a name to a size or another value outside of functions."""
        reader = self.expressions(self.scope)
        reader.binding = name
        found = declares_variable(node, reader)
        if found is not None and found in self.scope.names.values():
            found = variable(name)  # another size, though TVM knows it by the same name
        self.scope.names[name] = reader.read(node) if found is None else found

    def _member(self, node: ast.stmt) -> None:
        """Read a statement of the module's class."""
        match node:
            case ast.FunctionDef():
                self._declare(node)
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self._module_call(call)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=callee) as call) if (
                self.aliases.resolve(callee) == ("R", "ExternFunc")
            ):
                self.externs[name] = self.expressions(self.scope).read(call)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                declares_variable(value, self.expressions(self.scope)) is not None
            ):
                self._name(name, value)
            case _:
                raise Unreadable(node, f"expected a function, found {called(node)}; remove it")

    def _module_call(self, call: ast.Call) -> None:
        name = self.aliases.resolve(call.func)
        if name == ("I", "module_global_infos"):
            return  # devices: values here have none
        if name != ("I", "module_attrs") or not call.args:
            raise Unreadable(
                call, "expected a function or I.module_attrs, found another call; remove it"
            )
        given = self.expressions(self.scope).read(call.args[0])
        if not isinstance(given, dict):
            raise Unreadable(call, "expected a dict of attributes, found another value; write one")
        for key, value in given.items():
            self.builder.module.attributes[f"tvm.{key}"] = attribute_value(call, value)

    # Functions --------------------------------------------------------------------------------

    def _declare(self, node: ast.FunctionDef) -> None:
        name, flags = decorator(self.aliases, node, *RELAX, *PRIM)
        if node.name in self.functions:
            raise Unreadable(
                node, f"expected each function once, found a second {node.name}; rename it"
            )
        found = Declared(node, flags.get("private", False), flags.get("pure", True))
        found.type_variables = self.type_variables.get(node.lineno, ())
        self.functions[node.name] = found
        if name in PRIM and not as_relax_function(node, self.aliases):
            of_this_version(node, self.aliases, self._is_size)
            found.is_prim, found.scalars = True, self._scalars(node)
            found.prim = prim_funcs.read(node, self.in_place.get(node.name))
            if not found.private:
                del found.prim.properties["sym_visibility"]
            self._keep_attributes(found.prim, node)
            self.builder.add_func(found.prim)

    def _is_size(self, name: str) -> bool:
        return isinstance(self.scope.names.get(name), Expr)

    def _keep_attributes(self, prim: Operation, node: ast.FunctionDef) -> None:
        """Keep the attributes of `T.func_attr` of a prim func, except its name and those that all have."""
        for statement in node.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                continue
            if self.aliases.resolve(call.func) != ("T", "func_attr"):
                continue
            given = self.expressions(self.scope).read(call.args[0])
            if isinstance(given, dict):
                kept = {k: attribute_value(call, v) for k, v in given.items() if k not in COMMON}
                if kept:
                    prim.attributes[ATTRIBUTES] = DictionaryAttr(kept)

    def _scalars(self, node: ast.FunctionDef) -> dict[int, str]:
        """Return the parameters of a prim func that are numbers."""
        found: dict[int, str] = {}
        for place, arg in enumerate(node.args.args):
            name = self.aliases.resolve(arg.annotation) if arg.annotation is not None else None
            if name is not None and name[0] == "T" and name[1].startswith(("int", "uint")):
                found[place] = arg.arg
        return found


# Prim funcs of numbers --------------------------------------------------------------------------


def as_relax_function(node: ast.FunctionDef, aliases: Aliases) -> bool:
    """Convert a prim func whose body only returns a number to a Relax function; returns whether it is
    one."""
    returned: list[ast.expr] = []
    for statement in node.body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Return) else None
        called = aliases.resolve(value.func) if isinstance(value, ast.Call) else None
        if isinstance(statement, ast.Return) and value is not None:
            returned.append(value)
        elif isinstance(value, ast.Call) and called == ("T", "ret") and len(value.args) == 1:
            returned.append(value.args[0])
        elif called != ("T", "func_attr") and not isinstance(value, ast.Constant):
            return False
    if node.returns is None or len(returned) != 1:
        return False
    kind = aliases.resolve(node.returns)
    if kind not in (("T", "int64"), ("T", "bool")):
        return False
    (value,) = returned
    name = ast.Attribute(ast.Name("R", ast.Load()), "prim_value", ast.Load())
    last = ast.Return(ast.Call(name, [value], []))
    for each in (last, last.value, name, name.value):
        ast.copy_location(each, value)  # pyright: ignore[reportArgumentType]
    node.body = [last]
    node.returns = None  # the returned expression has a more precise type
    return True

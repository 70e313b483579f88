"""The values of the program that expressions of a script denote, inserted by the builder."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import TypeAttribute

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Expression, Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import script_sizes
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_sizes import said, variable
from relax_dialect.frontends.tvmscript.script_values import (
    Extern,
    Global,
    NamedMemory,
    ScriptScalar,
    Several,
    Shape,
    SizeComparison,
)
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.unify import unify
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import MakeClosureOp
from relax_dialect.ops.core import FuncOp, TupleOp
from relax_dialect.ops.literal_value import LiteralOp
from relax_dialect.ops.shape_value import PrimValueOp, ShapeOp
from relax_dialect.symbolic import Expr


class ProgramValues:
    """Builds values of the program from the results of expressions."""

    def __init__(self, builder: BlockBuilder, functions: dict[str, Declared]):
        self.builder, self.functions = builder, functions

    def made(self, node: ast.AST, value: Any) -> Any:
        """Insert an expression or op with the builder; its errors are located at a node of the text."""
        try:
            return self.builder.emit(value)
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None

    def value(self, node: ast.AST, found: Any) -> Value:
        """Convert the result of an expression to one value of the program."""
        match found:
            case Value():
                return found
            case Expression():
                return self.made(node, found)
            case Global(name=name, captured=captured):
                given = [self.value(node, each) for each in captured]
                return self.last_arguments_given(node, self.functions[name].declared(node), given)
            case None if not isinstance(node, ast.Constant):  # R.null_value(), an object
                return self._unnamed(node, TupleOp())
            case NamedMemory(held=Value() as held):
                return held
            case NamedMemory(name=name):
                raise Unreadable(
                    node,
                    "expected a value, found memory that no call of a prim func has written; write into "
                    f"{name} before",
                )
            case Several(parts=parts):
                return self._unnamed(node, tuple(parts))
            case tuple():
                return self._unnamed(node, tuple(self.value(node, each) for each in found))
            case Shape(sizes=given):
                dims = [symbolic.as_expr(script_sizes.as_size(node, size)) for size in given]
                return self._unnamed(node, ShapeOp(dims))
            case Expr():
                return self._unnamed(node, PrimValueOp(found))
            case SizeComparison():
                return self.made(node, found.expression())
            case Extern(name=name):
                raise Unreadable(
                    node,
                    f"expected a value, found the function {name} from outside; call it by name",
                )
            case int() if not isinstance(found, bool):
                return self._unnamed(node, PrimValueOp(found))
            case ScriptScalar(value=int(number), dtype=dtype) if dtype == i64:
                return self._unnamed(node, PrimValueOp(number))
            case ScriptScalar():
                return self.made(node, const(found.value, found.dtype))
            case bool() | float() if not isinstance(node, ast.Constant):  # R.prim_value(3.5)
                return self.made(node, const(found, i1 if isinstance(found, bool) else f64))
            case str() | TypeAttribute() if not isinstance(node, ast.Constant):
                return self._unnamed(node, LiteralOp(found))
            case _:
                raise Unreadable(
                    node,
                    f"expected a value of the program, found {said(found)}; write R.const(...)",
                )

    def values(self, node: ast.AST, found: Any) -> list[Value]:
        """Return the values of a tuple; any other value is a single one."""
        if isinstance(found, Several):
            return list(found.parts)
        if isinstance(found, tuple):
            return [self.value(node, each) for each in found]
        return [self.value(node, found)]

    def last_arguments_given(
        self, node: ast.AST, function: FuncOp, given: Sequence[Value]
    ) -> Value:
        """Return a function of the module as a value with its last arguments bound, which TVM binds
        first."""
        name = function.sym_name.data
        pure = self.functions[name].pure
        params = function.function_type.inputs.data
        left = len(params) - len(given)
        operands = [each.value for each in given]
        try:
            if left <= 0 or not given:
                return self.builder.emit(MakeClosureOp(function, operands, pure=pure))
            told = unify(f"R.make_closure {name}", params[left:], [v.type for v in given])
            types = [told.apply(type) for type in params[:left]]
            own = dict.fromkeys(v for type in types for v in free_variables(type))
            taken = set(self.builder.defined_variables) - {
                v for each in given for v in free_variables(each.type)
            }
            renamed = {v: variable(f"{v}_of_{name}") for v in own if v in taken}
            named = {f"x{i}": substitute(type, renamed) for i, type in enumerate(types)}
            return self.builder.closure(
                named, lambda *args: CallOp(function, [*[a.value for a in args], *operands])
            )
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None

    def _unnamed(self, node: ast.AST, value: Any) -> Value:
        """Return a value that is written where it is used: it gets no name, so that it is written there
        again."""
        found = self.made(node, value)
        found.value.name_hint = None
        return found

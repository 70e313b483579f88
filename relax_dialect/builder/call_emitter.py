"""Calls and run-time checks: functions, function values, prim funcs, tensor expressions, matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.ir import Attribute

from relax_dialect.builder.emitter import Emitter
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.te_calls import as_tensors, readable_name, te_arguments
from relax_dialect.builder.values import Value
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallOp, CallTirOp, CallTirWithGradOp
from relax_dialect.ops.control import CallClosureOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, MatchShapeOp
from relax_dialect.ops.shape_value import PrimValueOp
from relax_dialect.symbolic import Expr


class CallEmitter(Emitter):
    """An emitter that makes calls, each with its result type inferred from the arguments."""

    def call(
        self,
        callee: object,
        *args: object,
        name_hint: str | None = None,
        result_type: Attribute | None = None,
    ) -> Any:
        """Call a function of the module by name, a prim func, or a function value.

        A function that is not declared yet needs the `result_type`, which `get` checks.
        """
        if isinstance(callee, str):
            found = self._symbols.get(callee)
        elif isinstance(callee, FuncOp | func.FuncOp):
            found, callee = callee, callee.sym_name.data
            if self._symbols.get(callee) is not found:
                raise BuildError(
                    f"call: expected a function of this module, found another one named @{callee}; "
                    "take it in with add_func first"
                )
        else:
            closure = self.operand(callee)
            return self.emit(CallClosureOp(closure, [self._passed(a) for a in args]), name_hint)
        operands = [self._passed(a) for a in args]
        if isinstance(found, func.FuncOp):
            return self.emit(CallTirOp(found, operands), name_hint)
        if isinstance(found, FuncOp) and (self._is_complete(found) or result_type is not None):
            return self.emit(CallOp(found, operands, result_type), name_hint)
        if found is not None and not isinstance(found, FuncOp):
            raise BuildError(f"call: expected a function, found {found.name} @{callee}")
        if result_type is None:
            known = ", ".join(f"@{n}" for n, f in self._symbols.items() if f is not found)
            raise BuildError(
                f"call: expected a function whose result type is known ({known or 'there is none'}), "
                f"found @{callee}; define it before, or state ret_type for a function that calls itself "
                "and result_type for a call of a later function"
            )
        return self.emit(CallOp(callee, operands, result_type), name_hint)

    def _passed(self, argument: object) -> Any:
        """Return an operand of a call; a symbolic expression is a number whose value is known."""
        return (
            self._place(PrimValueOp(argument))
            if isinstance(argument, Expr)
            else self.operand(argument)
        )

    def _is_complete(self, function: FuncOp) -> bool:
        """Return whether a function's result type is known already."""
        return self._scopes.function != function.sym_name.data or self._has_result_type

    def call_tir(
        self,
        callee: str | func.FuncOp,
        *args: object,
        symbols: Iterable[Expr | int | str] = (),
        name_hint: str | None = None,
    ) -> Any:
        """Call a prim func of the module; `symbols` are the sizes that its arguments do not determine."""
        found = self._prim_func(callee)
        return self.emit(CallTirOp(found, [self.operand(a) for a in args], symbols), name_hint)

    def call_tir_dyn(
        self,
        shape: Iterable[Expr | int | str],
        callee: str | func.FuncOp,
        inputs: Sequence[object],
        symbols: Value | Iterable[Expr | int | str] = (),
        name_hint: str | None = None,
    ) -> Any:
        """Call a prim func, `call_tir` as the design documents spell it: the result's shape, the prim func,
        its inputs, and a shape of the sizes that the inputs do not determine.

        Raises `BuildError` if the shape is not that of the result.
        """
        sizes: Any = symbols.shape if isinstance(symbols, Value) else symbols
        operands = [self.operand(argument) for argument in inputs]
        call = CallTirOp(self._prim_func(callee), operands, sizes or ())
        expected = TensorType(shape, None)
        if not is_subtype(call.result_types[0], expected):
            found = call.result_types[0]
            call.erase()
            raise BuildError(
                f"call_tir_dyn: expected the result's shape, {found}, found {expected}; correct the shape "
                "or the symbols"
            )
        return self.emit(call, name_hint)

    def call_tir_with_grad(
        self,
        callee: str | func.FuncOp,
        *args: object,
        te_grad_name: str,
        te_grad_kwargs: Mapping[str, Attribute | str | float] | None = None,
        symbols: Iterable[Expr | int | str] = (),
        name_hint: str | None = None,
    ) -> Any:
        """Call a prim func as `call_tir`, with a gradient by its name: see
        `relax_dialect.gradient.register_te_gradient`."""
        found, operands = self._prim_func(callee), [self.operand(a) for a in args]
        call = CallTirWithGradOp(found, operands, te_grad_name, te_grad_kwargs, symbols)
        return self.emit(call, name_hint)

    def _prim_func(self, callee: str | func.FuncOp) -> func.FuncOp:
        found = self._symbols.get(callee) if isinstance(callee, str) else callee
        if (
            not isinstance(found, func.FuncOp)
            or self._symbols.get(found.sym_name.data) is not found
        ):
            raise BuildError(
                f"call_tir: expected a prim func of this module, found "
                f"{'@' + callee if isinstance(callee, str) else callee.name}; take it in with add_func"
            )
        return found

    def call_te(
        self,
        function: Callable[..., Any],
        *args: Any,
        primfunc_name_hint: str | None = None,
        **kwargs: Any,
    ) -> CallTirOp:
        """The call of the prim func of a TE function, not inserted yet: `emit_te` inserts it too.

        Values among the arguments, in lists, tuples and dicts too, become te.Tensors. Equal prim funcs
        are made once; one is named as `primfunc_name_hint` or the function, that of a lambda as the
        operator it ends with.
        """
        self._scopes.top  # noqa: B018 - refuses a builder without an open function
        if not callable(function):
            raise BuildError(
                f"emit_te: expected a function on tensor expressions first, found {function!r}; write "
                "emit_te(function, *its_arguments)"
            )
        given: list[Any] = []
        args = te_arguments(args, given, self.emit)
        kwargs = te_arguments(kwargs, given, self.emit)
        outputs = as_tensors(function(*args, **kwargs))
        name = primfunc_name_hint or readable_name(function, outputs)
        return self._prim_funcs.call(outputs, given, name)

    def call_te_with_grad(
        self,
        function: Callable[..., Any],
        *args: Any,
        te_grad_name: str,
        te_grad_kwargs: Mapping[str, Attribute | str | float] | None = None,
        **kwargs: Any,
    ) -> CallTirWithGradOp:
        """Return a call as `call_te`, with a gradient by its name: see
        `relax_dialect.gradient.register_te_gradient`."""
        call = self.call_te(function, *args, **kwargs)
        callee, operands = self._prim_func(call.callee_name), list(call.args)
        dims = () if call.symbols is None else call.symbols.data or ()
        sizes = [dim for dim in dims if dim is not None]
        call.erase()
        return CallTirWithGradOp(callee, operands, te_grad_name, te_grad_kwargs, sizes)

    def emit_te(
        self, function: Callable[..., Any], *args: Any, name_hint: str | None = None, **kwargs: Any
    ) -> Any:
        """Call the prim func of a TE function, as `call_te`; several tensors yield a tuple of values."""
        return self.emit(self.call_te(function, *args, **kwargs), name_hint)

    def match_cast(self, value: object, type: Attribute, name_hint: str | None = None) -> Value:
        """Check a value against a type at run time; defines the variables new in it."""
        return self.emit(MatchCastOp(self.operand(value), type), name_hint)

    def match_shape(
        self, value: object, pattern: Iterable[Expr | int | str], name_hint: str | None = None
    ) -> Value:
        """Match the sizes of a tensor or shape at run time; defines the variables new in them."""
        return self.emit(MatchShapeOp(self.operand(value), pattern), name_hint)

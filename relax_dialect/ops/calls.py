"""Calls: of functions of the module, of prim funcs, and of functions from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from xdsl.dialects import func
from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from relax_dialect import prim_func, types
from relax_dialect.errors import RelaxError
from relax_dialect.ops import syntax
from relax_dialect.ops.base import IllFormedOpError, RelaxOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.symbolic import Expr
from relax_dialect.types import DimsAttr, ShapeType, contradict, is_subtype
from relax_dialect.unify import Unification, require_count, unify

Lookup = Callable[[str], Operation | None]


class SymbolCallOp(RelaxOp):
    """A call through a symbol; the function it names is looked up when the caller is verified."""

    callee = prop_def(FlatSymbolRefAttrConstr)
    args = var_operand_def(AnyAttr())

    @property
    def callee_name(self) -> str:
        return self.callee.root_reference.data

    def infer(self) -> Sequence[Attribute]:
        """The types as declared: what they must be is known with the callee, see `verify_call`."""
        return self.result_types

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        """The variables of the callee and the result types that it gives."""
        raise NotImplementedError

    def verify_call(self, lookup: Lookup) -> None:
        """Check arguments and declared result types against the function called."""
        callee = lookup(self.callee_name)
        if callee is None:
            self.fail(
                "the symbol of a function in this module",
                f"@{self.callee_name}",
                "define it or correct the name",
            )
        try:
            _, inferred = self.infer_with(callee)
        except RelaxError as error:
            raise IllFormedOpError(str(error)) from None
        if len(inferred) != len(self.results):
            self.fail(
                f"as many results as @{self.callee_name} gives, {len(inferred)}",
                str(len(self.results)),
                "declare one type per result",
            )
        for result, type in zip(self.results, inferred):
            if not is_subtype(type, result.type):
                mend = (
                    "correct the declared type"
                    if contradict(type, result.type)
                    else "declare the inferred type and narrow it with a relax.match_cast"
                )
                self.fail(
                    f"result type {type}, as @{self.callee_name} gives", f"{result.type}", mend
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        callee = SymbolRefAttr(parser.parse_symbol_name())
        args = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {"callee": callee}
        if parser._current_token.text == "[":  # pyright: ignore[reportPrivateUsage]
            if "symbols" not in cls.get_irdl_definition().properties:
                parser.raise_error(
                    f"{cls.name}: expected no sizes in brackets, found some; the function reads "
                    "its sizes from the arguments"
                )
            properties["symbols"] = DimsAttr(syntax.parse_dims(parser))
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        return syntax.finish_parse(cls, parser, args, attributes, properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.callee_name)
        printer.print_operands(self.args)
        symbols = self.properties.get("symbols")
        if isinstance(symbols, DimsAttr):
            printer.print_string("[" + ", ".join(str(d) for d in symbols.data or ()) + "]")
        syntax.print_attributes(printer, self, elided=("callee", "symbols"))
        printer.print_string(" : ")
        syntax.print_signature(printer, self)


@irdl_op_definition
class CallOp(SymbolCallOp):
    """Call a function of this module: `relax.call @f(%x) : (T1) -> T2`.

    The function's symbolic variables are found from the arguments and substituted in its result
    type; sizes that are not proved equal are checked on entry at run time.
    """

    name = "relax.call"

    result = result_def(AnyAttr())

    def __init__(
        self,
        callee: FuncOp | str,
        args: Sequence[SSAValue | Operation],
        result_type: Attribute | None = None,
    ):
        name = callee if isinstance(callee, str) else callee.sym_name.data
        self.init_inferred([args], {"callee": SymbolRefAttr(name)})  # pyright: ignore
        if isinstance(callee, FuncOp):
            with self.without_trace_on_error():
                self.set_result_types(self.infer_with(callee)[1])
        if result_type is not None:
            self.set_result_types([result_type])

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        if not isinstance(callee, FuncOp):
            self.fail(
                "the symbol of a relax.func",
                f"{callee.name} @{self.callee_name}",
                "call a prim func with relax.call_tir",
            )
        what = f"relax.call @{self.callee_name}"
        found = unify(what, callee.function_type.inputs.data, self.operand_types)
        return found, (found.apply(callee.function_type.output),)


class TirCallOp(SymbolCallOp):
    """A call of a prim func.

    In brackets stand the sizes for those symbols of the prim func that stand bare in none of its
    tensor arguments.
    """

    symbols = opt_prop_def(DimsAttr)
    outs = var_result_def(AnyAttr())

    def __init__(
        self,
        callee: func.FuncOp | str,
        args: Sequence[SSAValue | Operation],
        symbols: Iterable[Expr | int | str] = (),
        result_types: Sequence[Attribute] | None = None,
        **attributes: object,
    ):
        name = callee if isinstance(callee, str) else callee.sym_name.data
        sizes = ShapeType(symbols).dims
        properties: dict[str, object] = {"callee": SymbolRefAttr(name), **attributes}
        if sizes.data:
            properties["symbols"] = sizes
        count = len(result_types) if result_types is not None else 1
        if isinstance(callee, func.FuncOp):
            count = len(prim_func.signature(callee).results)
        self.init_inferred([args], properties, count, variadic=True)  # pyright: ignore
        if result_types is not None:
            self.set_result_types(result_types)
        elif isinstance(callee, func.FuncOp):
            with self.without_trace_on_error():
                self.set_result_types(self.infer_with(callee)[1])

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        if not isinstance(callee, func.FuncOp):
            self.fail(
                "the symbol of a prim func (func.func)",
                f"{callee.name} @{self.callee_name}",
                "call a relax.func with relax.call",
            )
        signature = prim_func.signature(callee)
        unbound = signature.unbound
        sizes = () if self.symbols is None else self.symbols.data
        if sizes is None or None in sizes:
            self.fail("symbolic expressions in brackets", types.dims_text(sizes), "name every size")
        if len(unbound) != len(sizes):
            self.fail(
                f"sizes in brackets for [{', '.join(unbound)}] of @{self.callee_name}",
                types.dims_text(sizes),
                "write one size for each symbol that stands bare in no tensor argument",
            )
        what = f"relax.call_tir @{self.callee_name}"
        require_count(what, signature.params, self.args)
        params = [*signature.params, ShapeType(unbound)]
        found = unify(what, params, [*self.operand_types, ShapeType(sizes)])
        return found, tuple(found.apply(t) for t in signature.results)

    def needed_symbols(self) -> tuple[str, ...]:
        needed = super().needed_symbols()
        if self.symbols is None:
            return needed
        return (*needed, *(v for d in self.symbols.data or () if d for v in d.free_variables))


@irdl_op_definition
class CallTirOp(TirCallOp):
    """Call a prim func, which gives fresh tensors: `relax.call_tir @f(%a, %b)[m] : (A, B) -> C`."""

    name = "relax.call_tir"

    traits = traits_def(Pure())


class PackedCallOp(RelaxOp):
    """A call of a function from outside, by its name; the result type is as declared."""

    func_name = prop_def(StringAttr)
    args = var_operand_def(AnyAttr())
    result = result_def(AnyAttr())

    def __init__(
        self, func_name: str, args: Sequence[SSAValue | Operation], result_type: Attribute
    ):
        IRDLOperation.__init__(
            self,
            operands=[args],
            result_types=[result_type],
            properties={"func_name": StringAttr(func_name)},
        )
        with self.without_trace_on_error():
            self.infer()

    def infer(self) -> Sequence[Attribute]:
        return self.result_types

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_str_literal(', as in relax.call_packed "f"(%x)')
        args = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        properties: dict[str, Attribute] = {"func_name": StringAttr(name)}
        return syntax.finish_parse(cls, parser, args, attributes, properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.func_name.data)
        printer.print_operands(self.args)
        syntax.print_attributes(printer, self, elided=("func_name",))
        printer.print_string(" : ")
        syntax.print_signature(printer, self)


@irdl_op_definition
class CallPackedOp(PackedCallOp):
    """Call a function from outside, which may have any effect: `relax.call_packed "f"(%x) : (T) -> T`."""

    name = "relax.call_packed"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


OPS: list[type[Operation]] = [CallOp, CallTirOp, CallPackedOp]

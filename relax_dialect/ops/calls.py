"""Calls: of functions of the module, of prim funcs, and of external functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
    f64,
    i1,
    i64,
)
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from relax_dialect.errors import RelaxError
from relax_dialect.ir import types
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.spelling import dims_text, is_element_type
from relax_dialect.ir.types import DeviceAttr, DimsAttr, ShapeType, tuple_type
from relax_dialect.ir.unify import Unification, require_count, unify
from relax_dialect.ops import syntax
from relax_dialect.ops.base import IllFormedOpError, RelaxOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.number_operands import (
    WrittenNumber,
    parse_operand,
    sibling_dtype,
    with_numbers,
)
from relax_dialect.prim.signature import PrimSignature, signature
from relax_dialect.symbolic import Expr

Lookup = Callable[[str], Operation | None]


class SymbolCallOp(RelaxOp):
    """A call through a symbol, which is resolved when the caller is verified.

    (F1) A call names a function of this module, of the kind that it calls.
    (F2) It has one argument for each parameter, of types and sizes that fit.
    (F3) Its declared result types are at least as wide as the types the function returns.
    """

    callee = prop_def(FlatSymbolRefAttrConstr)
    args = var_operand_def(AnyAttr())

    @property
    def callee_name(self) -> str:
        return self.callee.root_reference.data

    def infer(self) -> Sequence[Attribute]:
        """Return the declared types: the required types are known with the callee, see `verify_call`."""
        return self.result_types

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        """Return the variables of the callee and the result types of the call."""
        raise NotImplementedError

    def verify_call(self, lookup: Lookup) -> None:
        """Check arguments and declared result types against the function called."""
        callee = lookup(self.callee_name)
        if callee is None:
            self.fail(
                "the symbol of a function in this module (F1)",
                f"@{self.callee_name}",
                "define it or correct the name",
            )
        try:
            _, inferred = self.infer_with(callee)
        except RelaxError as error:
            raise IllFormedOpError(str(error)) from None
        if len(inferred) != len(self.results):
            self.fail(
                f"as many results as @{self.callee_name} returns, {len(inferred)} (F3)",
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
                    f"result type {type}, as @{self.callee_name} returns (F3)",
                    f"{result.type}",
                    mend,
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        callee = SymbolRefAttr(parser.parse_symbol_name())
        args = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_operand(parser)
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
        values = [arg for arg in args if not isinstance(arg, WrittenNumber)]
        op = syntax.finish_parse(cls, parser, values, attributes, properties)
        if len(values) < len(args):
            types = op.operand_types
            op.operands = with_numbers(
                parser,
                cls.name,
                args,
                op.operands,
                lambda _, number: sibling_dtype(parser, cls.name, number, types),
            )
        return op

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
    """Call a function of this module, or a prim func: `relax.call @f(%x) : (T1) -> T2`.

    The function's symbolic variables are found from the arguments and substituted in its result
    type; sizes that are not proved equal are checked on entry at run time. Several results of a prim
    func are a tuple.

    (C1) A prim func that it calls reads all its sizes from its arguments.
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
        if isinstance(callee, func.FuncOp):
            return self._infer_prim(signature(callee))
        if not isinstance(callee, FuncOp):
            self.fail(
                "the symbol of a relax.func or a prim func (F1)",
                f"{callee.name} @{self.callee_name}",
                "correct the name",
            )
        what = f"relax.call @{self.callee_name}"
        params = callee.function_type.inputs.data
        found = unify(what, params, self.operand_types, constraint="F2")
        return found, (found.apply(callee.function_type.output),)

    def _infer_prim(self, prim: PrimSignature) -> tuple[Unification, Sequence[Attribute]]:
        """Return the type of a prim func's result, a tuple for several."""
        if prim.unbound:
            self.fail(
                "a prim func that reads its sizes from its arguments (C1)",
                f"@{self.callee_name} with more sizes, [{', '.join(prim.unbound)}]",
                f"call it with relax.call_tir @{self.callee_name}(...)[{', '.join(prim.unbound)}]",
            )
        what = f"relax.call @{self.callee_name}"
        given = flat_types(self.operand_types)
        require_count(what, prim.params, given, "F2")
        found = unify(what, prim.params, given, constraint="F2")
        results = [found.apply(t) for t in prim.results]
        return found, (results[0] if len(results) == 1 else types.tuple_type(results),)


class TirCallOp(SymbolCallOp):
    """A call of a prim func.

    In brackets are the sizes of the symbols that are not bare sizes of a tensor argument. A tuple among the
    arguments is passed as its fields, and a tuple among the results is as many results:
    `relax.call_tir @f(%t) : (tuple<A, B>) -> tuple<C, D>`.

    (F4) The brackets hold one size for each symbol of the prim func that is not a bare size of a tensor
    argument.
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
            count = len(signature(callee).results)
        self.init_inferred([args], properties, count, variadic=True)  # pyright: ignore
        if result_types is not None:
            self.set_result_types(result_types)
        elif isinstance(callee, func.FuncOp):
            with self.without_trace_on_error():
                self.set_result_types(self.infer_with(callee)[1])

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        if not isinstance(callee, func.FuncOp):
            self.fail(
                "the symbol of a prim func, a func.func (F1)",
                f"{callee.name} @{self.callee_name}",
                "call a relax.func with relax.call",
            )
        prim = signature(callee)
        unbound = prim.unbound
        sizes = () if self.symbols is None else self.symbols.data
        if sizes is None or None in sizes:
            self.fail("symbolic expressions in brackets (F4)", dims_text(sizes), "name every size")
        if len(unbound) != len(sizes):
            self.fail(
                f"sizes in brackets for [{', '.join(unbound)}] of @{self.callee_name} (F4)",
                dims_text(sizes),
                "write one size for each symbol that is a whole dimension of no tensor argument",
            )
        what = f"relax.call_tir @{self.callee_name}"
        given = flat_types(self.operand_types)
        require_count(what, prim.params, given, "F2")
        params = [*prim.params, ShapeType(unbound)]
        found = unify(what, params, [*given, ShapeType(sizes)], constraint="F2")
        results = [found.apply(t) for t in prim.results]
        declared = flat_types(self.result_types)
        if not any(isinstance(type, TupleType) for type in self.result_types):
            return found, results
        if len(declared) != len(results):
            self.fail(
                f"as many results as @{self.callee_name} returns, {len(results)} (F3)",
                str(len(declared)),
                "declare one type per result, or per field of a tuple",
            )
        return found, _nested(self.result_types, iter(results))

    def needed_symbols(self) -> tuple[str, ...]:
        needed = super().needed_symbols()
        if self.symbols is None:
            return needed
        return (*needed, *(v for d in self.symbols.data or () if d for v in d.free_variables))


@irdl_op_definition
class CallTirOp(TirCallOp):
    """Call a prim func, which returns fresh tensors: `relax.call_tir @f(%a, %b)[m] : (A, B) -> C`."""

    name = "relax.call_tir"

    traits = traits_def(Pure())


@irdl_op_definition
class CallTirWithGradOp(TirCallOp):
    """Call a prim func with a custom gradient function, by the name that it is registered under:

    `relax.call_tir_with_grad @f(%a) {te_grad_name = "f_grad", te_grad_kwargs = {k = 1 : i64}} : (A) -> B`

    Before it is compiled it becomes a `relax.call_tir`.

    (C1) `te_grad_name` is a name, not empty.
    """

    name = "relax.call_tir_with_grad"

    te_grad_name = prop_def(StringAttr)
    te_grad_kwargs = opt_prop_def(DictionaryAttr)
    """The keyword arguments of that function."""

    traits = traits_def(Pure())

    def __init__(
        self,
        callee: func.FuncOp | str,
        args: Sequence[SSAValue | Operation],
        te_grad_name: str,
        te_grad_kwargs: Mapping[str, Attribute | str | float] | None = None,
        symbols: Iterable[Expr | int | str] = (),
        result_types: Sequence[Attribute] | None = None,
    ):
        kwargs = {name: literal(value) for name, value in (te_grad_kwargs or {}).items()}
        given = {"te_grad_kwargs": DictionaryAttr(kwargs)} if kwargs else {}
        name = StringAttr(te_grad_name)
        super().__init__(callee, args, symbols, result_types, te_grad_name=name, **given)

    def verify_(self) -> None:
        super().verify_()
        if not self.te_grad_name.data:
            self.fail(
                "the name of a gradient (C1)",
                '""',
                "write that of relax_dialect.gradient.register_te_gradient",
            )


def flat_types(types: Sequence[Attribute]) -> list[Attribute]:
    """Return the types of values, those of the fields for a tuple."""
    found: list[Attribute] = []
    for type in types:
        found += flat_types(type.types.data) if isinstance(type, TupleType) else [type]
    return found


def _nested(types: Sequence[Attribute], flat: Iterator[Attribute]) -> list[Attribute]:
    """Nest types in the tuples of the declared types."""
    return [
        tuple_type(_nested(t.types.data, flat)) if isinstance(t, TupleType) else next(flat)
        for t in types
    ]


class PackedOp(RelaxOp):
    """A call of an external function, by its name.

    The arguments may include literals, which only external functions accept: a string, an element type, a
    number or a device: `"f"(%x, "text", f32, 1 : i64, #relax.device<cpu, 0>)`.

    (F5) The arguments of an external function are values, strings, element types, numbers and devices.
    """

    func_name = prop_def(StringAttr)
    args = var_operand_def(AnyAttr())
    arguments = opt_prop_def(ArrayAttr)
    """All arguments if some are literals, `unit` for an operand."""

    def __init__(
        self,
        func_name: str,
        args: Sequence[SSAValue | Operation | Attribute | str | float],
        result_types: Sequence[Attribute | Sequence[Attribute]],
        **properties: Attribute,
    ):
        values = [a for a in args if isinstance(a, SSAValue | Operation)]
        arguments = [
            UnitAttr() if isinstance(a, SSAValue | Operation) else literal(a) for a in args
        ]
        IRDLOperation.__init__(
            self,
            operands=[values],
            result_types=result_types,
            properties={
                "func_name": StringAttr(func_name),
                "arguments": ArrayAttr(arguments) if len(values) < len(args) else None,
                **properties,
            },
        )
        with self.without_trace_on_error():
            self.verify_()
            self.infer()

    def all_arguments(self) -> list[SSAValue | Attribute]:
        """Return the operands, and the literals among them."""
        if self.arguments is None:
            return list(self.args)
        operands = iter(self.args)
        return [next(operands) if isinstance(a, UnitAttr) else a for a in self.arguments]

    def infer(self) -> Sequence[Attribute]:
        return self.result_types

    def verify_(self) -> None:
        super().verify_()
        listed = self.arguments.data if self.arguments is not None else ()
        if listed and sum(isinstance(a, UnitAttr) for a in listed) != len(self.args):
            self.fail(
                f"an argument list with unit for each of {len(self.args)} operands (F5)",
                str(self.arguments),
                "correct it",
            )
        for argument in listed:
            if not isinstance(argument, UnitAttr) and not is_literal(argument):
                self.fail(
                    "values, strings, element types, numbers and devices as arguments (F5)",
                    str(argument),
                    'write "text", f32, 1 : i64 or #relax.device<cpu, 0>',
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_str_literal(f', as in {cls.name} "f"(%x)')
        operands: list[UnresolvedOperand] = []

        def argument() -> Attribute:
            operand = parser.parse_optional_unresolved_operand()
            if operand is None:
                return parser.parse_attribute()
            operands.append(operand)
            return UnitAttr()

        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        properties: dict[str, Attribute] = {"func_name": StringAttr(name)}
        if len(operands) < len(arguments):
            properties["arguments"] = ArrayAttr(arguments)
        return syntax.finish_parse(cls, parser, operands, attributes, properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.func_name.data)
        with printer.in_parens():
            printer.print_list(
                self.all_arguments(),
                lambda a: (
                    printer.print_ssa_value(a)
                    if isinstance(a, SSAValue)
                    else printer.print_attribute(a)
                ),
            )
        syntax.print_attributes(printer, self, elided=("func_name", "arguments"))
        printer.print_string(" : ")
        syntax.print_signature(printer, self)


def literal(value: Attribute | str | float) -> Attribute:
    """Return a Python value as an argument of an external function."""
    match value:
        case str():
            return StringAttr(value)
        case bool():
            return IntegerAttr(int(value), i1)
        case int() if -(2**63) <= value < 2**63:
            return IntegerAttr(value, i64)
        case int():
            raise IllFormedOpError(
                "expected numbers of 64 bits as arguments of a function from outside, found one of "
                f"{value.bit_length()} bits; pass a tensor or a string"
            )
        case float():
            return FloatAttr(value, f64)
        case Attribute():
            return value
        case _:
            raise IllFormedOpError(
                "expected values, strings, element types, numbers and devices as arguments of a "
                f"function from outside, found a Python {type(value).__name__}"
            )


def is_literal(attribute: Attribute) -> bool:
    """Return whether an attribute may be an argument."""
    if isinstance(attribute, IntegerAttr | FloatAttr):
        type = attribute.type
        return isinstance(type, IndexType) or is_element_type(type)
    return isinstance(attribute, StringAttr | DeviceAttr) or is_element_type(attribute)


class PackedCallOp(PackedOp):
    """A call of an external function that returns its result; the type is as declared."""

    result = result_def(AnyAttr())

    def __init__(
        self,
        func_name: str,
        args: Sequence[SSAValue | Operation | Attribute | str | float],
        result_type: Attribute,
    ):
        super().__init__(func_name, args, [result_type])


@irdl_op_definition
class CallPackedOp(PackedCallOp):
    """Call an external function, which may have any effect: `relax.call_packed "f"(%x) : (T) -> T`."""

    name = "relax.call_packed"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


OPS: list[type[Operation]] = [CallOp, CallTirOp, CallTirWithGradOp, CallPackedOp]

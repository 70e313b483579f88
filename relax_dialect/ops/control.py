"""Control flow and closures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    Pure,
    RecursiveMemoryEffect,
)

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure_function
from relax_dialect.ir.traits import ControlFlow, DefersEffects, HoldsScalars, RegionKind
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.unify import Unification, unify
from relax_dialect.ops import syntax
from relax_dialect.ops.base import FunctionalOp, IllFormedOpError, RelaxOp, require_boolean
from relax_dialect.ops.calls import Lookup, SymbolCallOp
from relax_dialect.ops.core import FuncOp, ReturnOp


@irdl_op_definition
class YieldOp(IRDLOperation):
    """End a region of a branch, a loop or a `relax.compute` with its value: `relax.yield %y : T`.

    (C1) It stands in a relax.if, relax.while, relax.compute or reduction over indices.
    """

    name = "relax.yield"

    values = var_operand_def(AnyAttr())

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "($values^)? attr-dict (`:` type($values)^)?"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])

    @property
    def value(self) -> SSAValue:
        """The only value: of a branch, or the condition of a loop."""
        (value,) = self.operands
        return value

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not any(
            parent.has_trait(trait, value_if_unregistered=True)
            for trait in (ControlFlow, HoldsScalars)
        ):
            raise IllFormedOpError(
                f"relax.yield: expected relax.if, relax.while or relax.compute around it (C1), found "
                f"{parent.name}; a block ends in relax.output, a function in relax.return"
            )


@irdl_op_definition
class IfOp(RelaxOp):
    """One of two branches: `relax.if %c : (!relax.tensor<[], i1>) -> T { ... } else { ... }`.

    A branch is a sequence that ends in `relax.yield`; in a graph region its nodes have no fixed scope.

    (C1) The condition is a boolean: an i1, or a tensor of it of rank 0.
    (C2) Each branch ends in relax.yield with one value.
    (C3) The result type is at least as wide as the type each branch yields, without the symbolic variables
    that the branch defines itself.
    """

    name = "relax.if"

    condition = operand_def(AnyAttr())
    result = result_def(AnyAttr())
    then_region = region_def("single_block")
    else_region = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RegionKind("inherited"), ControlFlow())

    def __init__(
        self,
        condition: SSAValue | Operation,
        then_region: Region,
        else_region: Region,
        result_type: Attribute | None = None,
    ):
        if result_type is None:
            result_type = join(_yielded(then_region).type, _yielded(else_region).type)
        IRDLOperation.__init__(
            self,
            operands=[condition],
            result_types=[result_type],
            regions=[then_region, else_region],
        )
        with self.without_trace_on_error():
            self.infer()

    @property
    def yields(self) -> tuple[SSAValue, SSAValue]:
        """The values of both branches, that of the one taken on true first."""
        return _yielded(self.then_region), _yielded(self.else_region)

    def infer(self) -> Sequence[Attribute]:
        require_boolean(self, self.condition, "C1")
        for region in self.regions:
            last = region.block.last_op
            if not isinstance(last, YieldOp):
                found = "an empty branch" if last is None else last.name
                self.fail(
                    "branches that end in relax.yield (C2)", found, "yield the branch's value"
                )
            if len(last.values) != 1:
                self.fail(
                    "branches that yield one value (C2)",
                    f"{len(last.values)}",
                    "put them into a relax.tuple",
                )
        return (self.result.type,)

    def verify_exit(self, region: Region, types: Sequence[Attribute]) -> None:
        """Check the types that a branch yields, without the variables it defines itself."""
        (value,) = types
        if not is_subtype(value, self.result.type):
            self.fail(
                f"branches that yield the result type {self.result.type} (C3)",
                f"{value}",
                "declare a type that holds the values of both branches, with '?' where they differ",
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.parse_unresolved_operand()
        if _BRANCH.match(parser.lexer.input.content, parser.pos):
            parser.raise_error(
                "relax.if: expected ': (C) -> T', the types of the condition and of the result, before "
                "the branches, found none; write relax.if %c : (!relax.tensor<[], i1>) -> T { ... }"
            )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types of relax.if")
        op = syntax.finish_parse(cls, parser, [condition], attributes)
        op.add_region(parse_body(parser, "relax.if", YieldOp, "C2"))
        if parser.parse_optional_keyword("else") is None:
            parser.raise_error(
                "relax.if: expected 'else' and a second branch, found neither; yield what the result "
                "is where the condition does not hold"
            )
        op.add_region(parse_body(parser, "relax.if", YieldOp, "C2"))
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        syntax.print_attributes(printer, self)
        printer.print_string(" : ")
        syntax.print_signature(printer, self)
        printer.print_string(" ")
        printer.print_region(self.then_region)
        printer.print_string(" else ")
        printer.print_region(self.else_region)


_BRANCH = re.compile(r'\{(?!\s*(?:\}|(?:[\w.$-]+|"[^"]*")\s*[=,}]))')
"""A brace that opens a region, not a dictionary of attributes."""


def parse_body(
    parser: Parser,
    owner: str,
    terminator: type[YieldOp] | type[ReturnOp],
    constraint: str,
    arguments: Sequence[Parser.Argument] | None = None,
) -> Region:
    """Parse a region of one block that ends as its op demands; errors have its position."""
    position = parser.pos
    region = parser.parse_region(arguments)
    last = region.blocks[0].last_op if region.first_block is not None else None
    if len(region.blocks) > 1 or not isinstance(last, terminator):
        found = "an empty one" if last is None else f"one that ends in {last.name}"
        if len(region.blocks) > 1:
            found = f"{len(region.blocks)} blocks"
        parser.raise_error(
            f"{owner}: expected one block that ends in {terminator.name} ({constraint}), found {found}; "
            f"end it with {terminator.name} and the value that it returns",
            position,
        )
    return region


def _yielded(region: Region) -> SSAValue:
    last = region.block.last_op
    if not isinstance(last, YieldOp) or len(last.values) != 1:
        found = "an empty branch" if last is None else last.name
        raise IllFormedOpError(
            "relax.if: expected branches that end in relax.yield with one value (C2), "
            f"found {found}; yield the branch's value"
        )
    return last.value


@irdl_op_definition
class ClosureOp(IRDLOperation):
    """A function value that captures the outer values it uses.

    `relax.closure [k] (%y: !relax.tensor<[n, k], f32>) -> !relax.tensor<[n, k], f32> { ... }`

    The symbolic variables in brackets are its own: each call binds them anew. All others are captured.
    Making a closure has no effect, even if calling it does; `impure` before the body declares effects, and
    the body is ordered then, also for a closure in a graph region.

    (C1) Its body ends in relax.return.
    (C2) The arguments of its body are the parameters of its type, which binds the variables in brackets.
    (C3) Each variable in brackets is defined by the sizes of the parameters.
    (C4) No variable in brackets is defined around the closure.
    (C5) The value returned is of the declared result type, or a narrower one, without the symbolic
    variables that the body defines itself.
    (C6) The body has no effects, unless the closure is impure.
    """

    name = "relax.closure"

    variables = opt_prop_def(ArrayAttr[StringAttr])
    result = result_def(FuncType)
    body = region_def("single_block")

    traits = traits_def(Pure(), DefersEffects(), RegionKind("inherited"))

    def __init__(
        self,
        body: Region,
        output: Attribute,
        variables: Iterable[str] = (),
        *,
        pure: bool = True,
    ):
        names = list(variables)
        inputs = list(body.block.arg_types)
        super().__init__(
            properties={"variables": ArrayAttr(map(StringAttr, names)) if names else None},
            result_types=[FuncType(inputs, output, names, pure=pure)],
            regions=[body],
        )

    @property
    def type(self) -> FuncType:
        """The type of the function value."""
        assert isinstance(self.result.type, FuncType)
        return self.result.type

    def entry_symbols(self) -> tuple[str, ...]:
        """Return the symbolic variables that a call binds."""
        return () if self.variables is None else tuple(v.data for v in self.variables)

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, ReturnOp):
            found = "an empty body" if last is None else last.name
            raise IllFormedOpError(
                f"{describe(self)}: expected a relax.return at the end of the body (C1), found {found}; "
                "return the closure's value"
            )
        body_type = (tuple(self.body.block.arg_types), self.entry_symbols())
        if body_type != (self.type.inputs.data, tuple(v.data for v in self.type.variables)):
            raise IllFormedOpError(
                f"{describe(self)}: expected the parameters of its type {self.type} (C2), found "
                f"{', '.join(map(str, self.body.block.arg_types))}; change the two together"
            )

        own = frozenset(self.entry_symbols())
        read = defined_variables(self.type.inputs, lambda name: name not in own)
        for name in self.entry_symbols():
            if name not in read:
                raise IllFormedOpError(
                    f"{describe(self)}: expected each variable in brackets to be a whole "
                    f"dimension of a parameter, or the only unknown of an affine one (C3), found '{name}', "
                    "which is neither; add a parameter of type "
                    f"!relax.shape<[{name}]> or !relax.prim<{name}>"
                )

    def verify_exit(self, region: Region, types: Sequence[Attribute]) -> None:
        """Check the types that the body returns, without the variables it defines itself."""
        (value,) = types
        if not is_subtype(value, self.type.output):
            raise IllFormedOpError(
                f"{describe(self)}: expected a value of the declared result type "
                f"{self.type.output} (C5), found {value}; correct the type, or narrow the value with a "
                "relax.match_cast"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_identifier
        )
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_punctuation("->", " before the closure's result type")
        output = parser.parse_type()
        pure = parser.parse_optional_keyword("impure") is None
        extra = parser.parse_optional_attr_dict_with_keyword()
        body = parse_body(parser, "relax.closure", ReturnOp, "C1", arguments)
        op = cls(body, output, variables or (), pure=pure)
        if extra is not None:
            op.attributes |= extra.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.entry_symbols():
            printer.print_string(f"[{', '.join(self.entry_symbols())}] ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(" -> ")
        printer.print_attribute(self.type.output)
        if not self.type.is_pure:
            printer.print_string(" impure")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


class CallEffects(MemoryEffect):
    """A call of a closure has an effect unless the closure's type is pure."""

    EFFECTS = frozenset(
        (EffectInstance(MemoryEffectKind.READ), EffectInstance(MemoryEffectKind.WRITE))
    )

    @classmethod
    def get_effects(cls, op: Operation) -> frozenset[EffectInstance]:
        callee = op.operands[0].type
        pure = isinstance(callee, FuncType) and callee.is_pure
        return frozenset() if pure else cls.EFFECTS


@irdl_op_definition
class CallClosureOp(FunctionalOp):
    """Call a function value: `relax.call_closure %f, %a : (!relax.func<(A) -> B>, A) -> B`.

    (C1) As many arguments as the function has parameters, of types that fit.
    """

    name = "relax.call_closure"

    callee = operand_def(FuncType)
    args = var_operand_def(AnyAttr())
    result = result_def(AnyAttr())

    traits = traits_def(CallEffects())

    def __init__(self, callee: SSAValue | Operation, args: Sequence[SSAValue | Operation]):
        self.init_inferred([callee, list(args)], {})  # pyright: ignore[reportArgumentType]

    @property
    def type(self) -> FuncType:
        """The type of the function called."""
        assert isinstance(self.callee.type, FuncType)
        return self.callee.type

    def infer(self) -> Sequence[Attribute]:
        try:
            found = unify(
                describe(self),
                self.type.inputs.data,
                self.operand_types[1:],
                bound=self.type.bound,
                constraint="C1",
            )
        except RelaxError as error:
            raise IllFormedOpError(str(error)) from None
        return (found.apply(self.type.output),)


@irdl_op_definition
class MakeClosureOp(SymbolCallOp):
    """A function of this module with its first arguments bound: `relax.make_closure @f(%a) : (A) -> F`.

    The symbolic variables that the bound arguments determine are fixed; each call of the function value
    binds the others anew.

    (C1) Not more arguments than the function has parameters, of types that fit.
    (C2) The result type says impure if the function may have effects.
    """

    name = "relax.make_closure"

    result = result_def(FuncType)

    traits = traits_def(Pure())

    def __init__(self, callee: FuncOp, args: Sequence[SSAValue | Operation], *, pure: bool = True):
        self.init_inferred([list(args)], {"callee": SymbolRefAttr(callee.sym_name.data)})  # pyright: ignore
        with self.without_trace_on_error():
            self.set_result_types([self._type(callee, pure)[1]])

    def infer_with(self, callee: Operation) -> tuple[Unification, Sequence[Attribute]]:
        declared = self.result.type
        pure = not isinstance(declared, FuncType) or declared.is_pure
        found, type = self._type(callee, pure)
        if isinstance(declared, FuncType) and declared.bound == type.bound:  # in any order
            names = [v.data for v in declared.variables]
            type = FuncType(type.inputs, type.output, names, pure=pure)
        return found, (type,)

    def _type(self, callee: Operation, pure: bool) -> tuple[Unification, FuncType]:
        """Return the type of the function after binding the arguments."""
        if not isinstance(callee, FuncOp):
            self.fail(
                "the symbol of a relax.func (F1)", f"{callee.name} @{self.callee_name}", "name one"
            )
        signature = callee.function_type
        count, params = len(self.args), signature.inputs.data
        if count > len(params):
            self.fail(
                f"at most {len(params)} arguments for @{self.callee_name} (C1)",
                str(count),
                "pass the first of its parameters only",
            )
        what = f"{self.name} @{self.callee_name}"
        found = unify(what, params[:count], self.operand_types, constraint="C1")
        rest = [v.data for v in signature.variables if v.data not in found.bindings]
        type = found.apply(FuncType(params[count:], signature.output, rest))
        assert isinstance(type, FuncType)
        names = [v.data for v in type.variables]
        return found, FuncType(type.inputs, type.output, names, pure=pure)

    def verify_call(self, lookup: Lookup) -> None:
        super().verify_call(lookup)
        callee = lookup(self.callee_name)
        assert callee is not None and isinstance(self.result.type, FuncType)
        symbols = lookup if isinstance(lookup, ModuleSymbols) else None
        if self.result.type.is_pure and not is_pure_function(callee, symbols):
            self.fail(
                f"an impure result type (C2), as @{self.callee_name} may have effects",
                f"{self.result.type}",
                "write ', impure' at its end",
            )


OPS: list[type[Operation]] = [YieldOp, IfOp, ClosureOp, CallClosureOp, MakeClosureOp]

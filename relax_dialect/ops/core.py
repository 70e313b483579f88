"""Functions, constants, tuples, shapes, and the ops that define symbolic variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    TupleType,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    CallableOpInterface,
    ConstantLike,
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir import types
from relax_dialect.ir.checkpoints import wrong_checkpoint
from relax_dialect.ir.in_place import wrong_in_place
from relax_dialect.ir.lattice import contradict, hides_effects
from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.type_variables import bare_variables, defined_variables, free_variables
from relax_dialect.ir.types import Dims, DimsAttr, FuncType, ShapeType, TensorType
from relax_dialect.ir.upper_bounds import wrong_bounds
from relax_dialect.ir.well_formed import Report, verify_function
from relax_dialect.ops import syntax
from relax_dialect.ops.base import IllFormedOpError, MatchOp, OperatorOp, RelaxOp
from relax_dialect.ops.fields import Given, Operand, Operands, integer, many, operand, tensor
from relax_dialect.ops.kinds import K_INJECTIVE, K_OPAQUE, K_TUPLE
from relax_dialect.ops.number_operands import NumberOperand, numbers_of_function
from relax_dialect.ops.operator import operator
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.symbolic import Expr
from relax_dialect.text import data_files
from relax_dialect.text.literals import check_strings


class _Callable(CallableOpInterface):
    """The signature of a function, for callers that do not know the dialect."""

    @classmethod
    def get_callable_region(cls, op: Operation) -> Region:
        return op.regions[0]

    @classmethod
    def get_argument_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FuncOp)
        return op.function_type.inputs.data

    @classmethod
    def get_result_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FuncOp)
        return (op.function_type.output,)


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A function: `relax.func private @f(%x: T) -> T { ... relax.return %y : T }`.

    Its region is a sequence of blocks and bindings; the parameters define the symbolic variables of
    their types. `relax_dialect.ir.well_formed` checks the body.

    (C1) Its body ends in relax.return.
    (C2) The arguments of its block are the parameters of its type, which binds the variables they name.
    (C3) The attribute tir_var_upper_bound, if present, maps variables that the parameters define to their
    maximum values; arguments of larger sizes are an error.
    (C4) The attribute inplace_indices, if present, has for each field of the result (or for the result) the
    index of the parameter that it overwrites for external callers, or -1; no index twice, both of one type,
    tensors of known rank and element type or tuples of them. The function is not private.
    (C5) The attribute checkpoint, of a function for which gradients keep only the arguments, has no value.
    """

    name = "relax.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FuncType)
    sym_visibility = opt_prop_def(StringAttr)
    body = region_def("single_block")

    # NoTerminator: the missing relax.return is reported by `verify_`
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator(), _Callable())

    def __init__(
        self,
        name: str,
        inputs: Sequence[Attribute],
        output: Attribute,
        body: Region | None = None,
        *,
        private: bool = False,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": _function_type(inputs, output),
                "sym_visibility": StringAttr("private") if private else None,
            },
            regions=[body or Region(Block(arg_types=inputs))],
        )

    @property
    def is_private(self) -> bool:
        return self.sym_visibility is not None and self.sym_visibility.data == "private"

    @property
    def return_op(self) -> ReturnOp:
        """The `relax.return` that ends the body."""
        last = self.body.block.last_op
        assert isinstance(last, ReturnOp)
        return last

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, ModuleOp):
            raise IllFormedOpError(
                f"relax.func @{self.sym_name.data}: expected builtin.module around it (M1), found "
                f"{parent.name}; move it to the module, or write a relax.closure"
            )
        block = self.body.block
        if tuple(block.arg_types) != self.function_type.inputs.data:
            raise IllFormedOpError(
                f"relax.func @{self.sym_name.data}: expected block arguments of the types "
                f"{', '.join(map(str, self.function_type.inputs))} (C2), found "
                f"{', '.join(map(str, block.arg_types))}; change the two together"
            )
        expected = _function_type(block.arg_types, self.function_type.output)
        if self.function_type != expected:
            raise IllFormedOpError(
                f"relax.func @{self.sym_name.data}: expected the type {expected}, which binds the "
                f"variables of the parameters (C2), found {self.function_type}; change the brackets"
            )
        if not isinstance(block.last_op, ReturnOp):
            found = "an empty body" if block.last_op is None else block.last_op.name
            raise IllFormedOpError(
                f"relax.func @{self.sym_name.data}: expected a relax.return at the end (C1), "
                f"found {found}; add one"
            )
        if wrong := wrong_checkpoint(self, "C5"):
            raise IllFormedOpError(f"relax.func @{self.sym_name.data}: {wrong}")
        variables = defined_variables(block.arg_types)
        if wrong := wrong_bounds(self, variables):
            raise IllFormedOpError(f"relax.func @{self.sym_name.data}: {wrong}")
        if wrong := wrong_in_place(self, block.arg_types, self.function_type.output):
            raise IllFormedOpError(f"relax.func @{self.sym_name.data}: {wrong}")
        self.verify_body()

    def verify_body(self, report: Report | None = None) -> None:
        """Check the body; with `report`, all errors are found."""
        verify_function(
            self,
            f"@{self.sym_name.data}",
            self.body.block,
            self.function_type.inputs.data,
            self.function_type.output,
            report,
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        check_strings(parser.lexer.input)  # for xdsl-opt, whose own parser has not done it
        visibility = parser.parse_optional_visibility_keyword()
        name = parser.parse_symbol_name().data
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_punctuation("->", f" and the type that @{name} returns")
        position = parser.pos
        if parser.parse_optional_punctuation("(") is not None:
            parser.raise_error(
                f"relax.func @{name}: expected the type of one value, found '('; leave the parentheses "
                "out, several values are one tuple<...>",
                position,
            )
        output = parser.parse_type()
        extra = parser.parse_optional_attr_dict_with_keyword()
        position = parser.pos
        for word in ("impure", "pure"):
            if parser.parse_optional_keyword(word) is not None:
                parser.raise_error(
                    f"relax.func @{name}: expected a body in braces, found '{word}'; leave it out: the "
                    "body of a function shows whether it has effects, closures alone say it",
                    position,
                )
        with numbers_of_function() as numbers:
            body = parser.parse_optional_region(arguments)
        if body is None:
            parser.raise_error(
                f"relax.func @{name}: expected a body in braces, found none; a function from "
                "outside is called with relax.call_packed",
                position,
            )
        if len(body.blocks) != 1:
            parser.raise_error(
                f"relax.func @{name}: expected a body of one block, found {len(body.blocks)}; "
                "leave out the labels",
                position,
            )
        for number in numbers:
            _place_constant(number)
        op = cls(name, [a.type for a in arguments], output, body)
        op.sym_visibility = visibility
        if extra is not None:
            op.attributes |= extra.data
        return op

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(" -> ")
        printer.print_attribute(self.function_type.output)
        if self.attributes:
            printer.print_string(" attributes ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _place_constant(number: NumberOperand) -> None:
    """Insert the constant for a number before its op."""
    (use,) = number.uses
    constant, user = ConstantOp(number.elements), use.operation
    constant.location = user.location
    assert user.parent is not None
    user.parent.insert_op_before(constant, user)
    number.replace_all_uses_with(constant.result)


def _function_type(inputs: Sequence[Attribute], output: Attribute) -> FuncType:
    """Return the type of a function: it binds every variable its parameters name."""
    bound = dict.fromkeys(v for t in inputs for v in free_variables(t))
    return FuncType(inputs, output, bound)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """End a function with its result: `relax.return %y : T`.

    (C1) Its parent is a relax.func or relax.closure.
    (C2) In a relax.func the value is of the declared result type, or a narrower one.
    """

    name = "relax.return"

    value = operand_def(AnyAttr())

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation):
        super().__init__(operands=[value])

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and parent.name not in ("relax.func", "relax.closure"):
            mend = (
                "write relax.func"
                if parent.name == "func.func"
                else "a block ends in relax.output, a branch in relax.yield"
            )
            raise IllFormedOpError(
                f"relax.return: expected relax.func or relax.closure around it (C1), found {parent.name}; "
                f"{mend}"
            )


@irdl_op_definition
class ConstantOp(RelaxOp):
    """A constant tensor: `relax.constant dense<[1.0, 2.0]> : tensor<2xf32>`, or of a .safetensors file in
    the folder of the program: `relax.constant file("model.safetensors", "w") : tensor<2xf32>`.

    (C1) The value is a dense tensor.
    """

    name = "relax.constant"

    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TensorType)

    TYPES_ARE_IMPLIED: ClassVar = True

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        self.init_inferred([], {"value": value})

    def infer(self) -> Sequence[Attribute]:
        if not isinstance(self.value.type, BuiltinTensorType):
            self.fail("a dense tensor (C1)", f"{self.value.type}", "write dense<...> : tensor<...>")
        return (from_builtin(self.value.type),)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        is_in_file = parser.parse_optional_keyword(data_files.KEYWORD)
        value = data_files.parse_constant(parser) if is_in_file else parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error(
                f"relax.constant: expected a dense tensor (C1), found {value}; "
                "write dense<...> : tensor<...>",
                position,
                parser.pos,
            )
        attributes = syntax.parse_attributes(parser)
        syntax.refuse_type(parser, cls.name)
        try:
            op = cls(value)
        except (RelaxError, VerifyException) as error:
            parser.raise_error(str(error), position, parser.pos)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.value)
        syntax.print_attributes(printer, self, elided=("value",))


MOST_LEAVES = 1 << 13
"""The most parts of a nested tuple, as each level may have the one below twice."""


@operator("relax.tuple", K_TUPLE)
class TupleOp(OperatorOp):
    """Make a tuple of any number of values: `relax.tuple %a, %b : (A, B) -> tuple<A, B>`."""

    STORES: ClassVar = True

    fields: Operands = many(AnyAttr())
    result = result_def(TupleType)

    def __init__(self, *fields: Given | Sequence[Given]):
        is_list = len(fields) == 1 and isinstance(fields[0], list | tuple)
        self.init_fields(fields=fields[0] if is_list else fields)

    def infer(self) -> Sequence[Attribute]:
        count = types.count_leaves(self.operand_types, MOST_LEAVES)
        if count > max(MOST_LEAVES, len(self.operand_types)):
            self.fail(
                f"a tuple of at most {MOST_LEAVES} parts in all, or one that is not nested",
                "one with more",
                "tuples of tuples double with every level: take their parts apart",
            )
        return (types.tuple_type(self.operand_types),)


@operator("relax.tuple_get_item", K_INJECTIVE)
class TupleGetItemOp(OperatorOp):
    """Take field `index` of a tuple, counted from zero.

    (C1) 0 <= index < number of fields.
    """

    STORES: ClassVar = True

    tuple: Operand = operand(TupleType)
    index: int = integer()
    result = result_def(AnyAttr())

    def infer(self) -> Sequence[Attribute]:
        fields = self.tuple.type.types.data  # pyright: ignore[reportAttributeAccessIssue]
        if not 0 <= self.index < len(fields):
            self.fail(
                f"an index from 0 to {len(fields) - 1} for {len(fields)} fields (C1)"
                if fields
                else "a tuple with fields (C1)",
                str(self.index) if fields else "tuple<>",
                "fields are counted from zero",
            )
        return (fields[self.index],)


@operator("relax.shape_of", K_OPAQUE)
class ShapeOfOp(OperatorOp):
    """The shape of a tensor as a value: `relax.shape_of %x : (tensor) -> shape`."""

    STORES: ClassVar = True

    x: Operand = tensor()
    result = result_def(ShapeType)

    def infer(self) -> Sequence[Attribute]:
        return (ShapeType(self.x.type.shape),)  # pyright: ignore[reportAttributeAccessIssue]


@irdl_op_definition
class MatchShapeOp(MatchOp):
    """Match the shape of a tensor, or a shape value, against symbolic expressions.

    `relax.match_shape %x [m, n] : (!relax.tensor<[?, ?], f32>) -> !relax.tensor<[m, n], f32>`

    An entry that is an unbound variable defines it; every other entry is an equality that is checked at run
    time.

    (C1) As many entries as the value has sizes, if that is known.
    (C2) No entry provably differs from the size it is matched with.
    (C3) Every entry is a symbolic expression, none is `?`.
    """

    name = "relax.match_shape"

    value = operand_def(TensorType | ShapeType)
    pattern = prop_def(DimsAttr)
    result = result_def(TensorType | ShapeType)

    def __init__(self, value: SSAValue | Operation, pattern: Iterable[Expr | int | str]):
        self.init_inferred([value], {"pattern": ShapeType(pattern).dims})

    def infer(self) -> Sequence[Attribute]:
        pattern = self.pattern.data
        if pattern is None or None in pattern:
            self.fail(
                "a pattern of symbolic expressions (C3)",
                dims_text(pattern),
                "name every size",
            )
        operand = self.value.type
        assert isinstance(operand, TensorType | ShapeType)
        if contradict(ShapeType(operand.shape), ShapeType(pattern)):
            same_rank = len(operand.shape or ()) == len(pattern)
            self.fail(
                f"a pattern that {dims_text(operand.shape)} can match "
                f"({'C2' if same_rank else 'C1'})",
                dims_text(pattern),
                "correct the sizes" if same_rank else "write one entry for each size",
            )
        if isinstance(operand, TensorType):
            return (TensorType.get(pattern, operand.dtype),)
        return (ShapeType(pattern),)

    def candidates(self) -> tuple[str, ...]:
        return bare_variables(ShapeType(self.pattern.data))

    def needed_symbols(self) -> tuple[str, ...]:
        bare = self.candidates()
        return tuple(v for v in free_variables(ShapeType(self.pattern.data)) if v not in bare)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parser.parse_unresolved_operand()
        pattern: Dims | None = syntax.parse_dims(parser)
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the types")
        properties: dict[str, Attribute] = {"pattern": DimsAttr(pattern)}
        return syntax.finish_parse(cls, parser, [value], attributes, properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(f" {dims_text(self.pattern.data)}")
        syntax.print_attributes(printer, self, elided=("pattern",))
        printer.print_string(" : ")
        syntax.print_signature(printer, self)


@irdl_op_definition
class MatchCastOp(MatchOp):
    """Check at run time that a value is of a type: `relax.match_cast %v : T1 -> T2`.

    Unbound variables that are bare sizes of T2 are defined; every other dimension of T2 is an equality that
    is checked.

    (C1) T1 and T2 do not contradict each other.
    (C2) No function that may have effects is pure in T2.
    """

    name = "relax.match_cast"

    value = operand_def(AnyAttr())
    result = result_def(AnyAttr())

    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue | Operation, type: Attribute):
        value = SSAValue.get(value)
        IRDLOperation.__init__(self, operands=[value], result_types=[type])
        with self.without_trace_on_error():
            self.infer()

    def infer(self) -> Sequence[Attribute]:
        if contradict(self.value.type, self.result.type):
            self.fail(
                f"a type that a value of {self.value.type} can have (C1)",
                str(self.result.type),
                "correct the target type",
            )
        if hides_effects(self.value.type, self.result.type):
            self.fail(
                f"a type that keeps the effects of {self.value.type} (C2)",
                str(self.result.type),
                "write 'impure' in the target type: no check at run time makes a function pure",
            )
        return (self.result.type,)


OPS: list[type[Operation]] = [
    FuncOp,
    ReturnOp,
    ConstantOp,
    TupleOp,
    TupleGetItemOp,
    ShapeOp,
    ShapeOfOp,
    MatchShapeOp,
    MatchCastOp,
]

"""The ops in the region of a `relax.compute`: elements, sizes, reductions over indices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, Signedness
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, RecursiveMemoryEffect

from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.traits import HoldsScalars, has_trait
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import DimsAttr, ShapeType, TensorType
from relax_dialect.ops import syntax
from relax_dialect.ops.base import RelaxOp
from relax_dialect.ops.control import YieldOp, parse_body
from relax_dialect.ops.shape_value import ExpressionOp
from relax_dialect.symbolic import Expr

INDEX = IndexType()


class IndexedOp(RelaxOp):
    """An op whose region runs over indices, which are its first block arguments.

    (C1) Every size is a symbolic expression, none is `?`; there are as many indices, of type index.
    """

    sizes = prop_def(DimsAttr)
    body = region_def("single_block")

    @property
    def extents(self) -> tuple[Expr, ...]:
        """The number of values of each index."""
        found = self.sizes.data or ()
        return tuple(size for size in found if size is not None)

    @property
    def indices(self) -> Sequence[BlockArgument]:
        return self.body.block.args[: len(self.extents)]

    @property
    def elements(self) -> Sequence[SSAValue]:
        """The scalars that the region yields, one for each result."""
        last, count = self.body.block.last_op, len(self.results)
        if not isinstance(last, YieldOp) or len(last.values) != count:
            found = "an empty one" if last is None else f"one that ends in {last.name}"
            if isinstance(last, YieldOp):
                found = f"{len(last.values)} values"
            expected = "one scalar" if count == 1 else f"a scalar for each of {count} results"
            self.fail(
                f"a region that yields {expected} (C2)", found, "yield the value of an element"
            )
        return last.values

    def needed_symbols(self) -> tuple[str, ...]:
        own = super().needed_symbols()
        return tuple(dict.fromkeys((*own, *free_variables(ShapeType(self.sizes.data)))))

    def check_indices(self) -> None:
        """Refuse sizes that are unknown, and other arguments than an index for each of them."""
        if self.sizes.data is None or None in self.sizes.data:
            found = dims_text(self.sizes.data)
            self.fail("sizes that are symbolic expressions (C1)", found, "name every size")
        found = self.body.block.arg_types[: len(self.extents)]
        if len(found) != len(self.extents) or any(type != INDEX for type in found):
            self.fail(
                f"as many indices as sizes, {len(self.extents)} (C1)",
                listed(self.body.block.arg_types),
                "write one index for each size, as in (%i, %j) in [n, m]",
            )

    @classmethod
    def parse_indices(cls, parser: Parser) -> tuple[list[Parser.Argument], DimsAttr]:
        """Parse `(%i, %j) in [n, m]`."""
        position = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand, " with the indices"
        )
        if parser.parse_optional_keyword("in") is None:
            parser.raise_error(
                f"{cls.name}: expected 'in' and the sizes after the indices, found neither; write "
                f"{cls.name} (%i, %j) in [n, m]"
            )
        sizes = DimsAttr(syntax.parse_dims(parser))
        if len(sizes.data or ()) != len(names):
            parser.raise_error(
                f"{cls.name}: expected as many indices as sizes, {len(sizes.data or ())} (C1), found "
                f"{len(names)}; write one index for each size, as in (%i, %j) in [n, m]",
                position,
                parser.pos,
            )
        return [parser.Argument(name.span, INDEX) for name in names], sizes

    def print_indices(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(f" in {dims_text(self.sizes.data)}")


class InComputeOp(RelaxOp):
    """An op of the region of a `relax.compute`."""

    def check_position(self, constraint: str) -> None:
        """Refuse the op outside of a `relax.compute`."""
        around = self.parent_op()
        while around is not None and around.name in ("scf.if", "relax.if"):
            around = around.parent_op()
        if around is not None and not has_trait(around, HoldsScalars):
            self.fail(
                f"relax.compute around it ({constraint})",
                f"{around.name}",
                "a tensor is indexed by relax.take or relax.strided_slice elsewhere",
            )


@dataclass(frozen=True)
class ReducedTypes:
    """The types that a reduction takes, and their name in errors."""

    name: str
    holds: Callable[[Attribute], bool]


NUMBERS = ReducedTypes(
    "a float of more than 16 bits or an integer of more than one",
    lambda type: is_element(type) and _bits(type) > (16 if isinstance(type, AnyFloat) else 1),
)
"""Types that sums are accumulated in."""

ORDERED = ReducedTypes(
    "a float or an integer of more than one bit", lambda type: is_element(type) and _bits(type) > 1
)
TRUTHS = ReducedTypes("an i1", lambda type: type == IntegerType(1))


class IndexReduceOp(InComputeOp, IndexedOp):
    """A reduction of a scalar over indices, in the region of a `relax.compute`.

    (C2) The region is one block that ends in relax.yield with one scalar.
    (C3) It is in the region of a relax.compute.
    (C4) The scalar is of a type that the reduction takes.
    """

    REDUCED: ClassVar[ReducedTypes]
    """The types whose values are reduced."""

    TYPES_ARE_IMPLIED: ClassVar = True

    result = result_def(AnyAttr())

    traits = traits_def(RecursiveMemoryEffect(), HoldsScalars())

    @property
    def element(self) -> SSAValue:
        """The scalar that the region yields."""
        return self.elements[0]

    def infer(self) -> Sequence[Attribute]:
        self.check_indices()
        if len(self.body.block.args) != len(self.extents) or not self.extents:
            found = listed(self.body.block.arg_types)
            self.fail("one or more indices and nothing else (C1)", found, "write one for each size")
        self.check_position("C3")
        type = self.element.type
        if not self.REDUCED.holds(type):
            self.fail(f"{self.REDUCED.name} (C4)", f"{type}", "cast it, and the result back")
        return (type,)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        arguments, sizes = cls.parse_indices(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parse_body(parser, cls.name, YieldOp, "C2", arguments)
        types = _yielded_types(region)
        return cls.create(
            result_types=types[:1],
            properties={"sizes": sizes},
            attributes={} if attributes is None else dict(attributes.data),
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        self.print_indices(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _yielded_types(region: Region) -> Sequence[Attribute]:
    last = region.block.last_op
    assert last is not None
    return list(last.operand_types) or [INDEX]


@irdl_op_definition
class IndexSumOp(IndexReduceOp):
    """The sum over indices: `relax.index_sum (%k) in [n] { ... relax.yield %x : f32 }`, in their order."""

    name = "relax.index_sum"

    REDUCED: ClassVar = NUMBERS


@irdl_op_definition
class IndexProdOp(IndexReduceOp):
    """The product over indices, 1 if there are none."""

    name = "relax.index_prod"

    REDUCED: ClassVar = NUMBERS


@irdl_op_definition
class IndexMaxOp(IndexReduceOp):
    """The greatest scalar over indices, NaN if one is; the least of the type if there are none."""

    name = "relax.index_max"

    REDUCED: ClassVar = ORDERED


@irdl_op_definition
class IndexMinOp(IndexReduceOp):
    """The least scalar over indices, NaN if one is; the greatest of the type if there are none."""

    name = "relax.index_min"

    REDUCED: ClassVar = ORDERED


@irdl_op_definition
class IndexAllOp(IndexReduceOp):
    """Whether a condition holds at all indices."""

    name = "relax.index_all"

    REDUCED: ClassVar = TRUTHS


@irdl_op_definition
class IndexAnyOp(IndexReduceOp):
    """Whether a condition holds at some index."""

    name = "relax.index_any"

    REDUCED: ClassVar = TRUTHS


@irdl_op_definition
class ElementOp(InComputeOp):
    """An element of a tensor, in the region of a `relax.compute`: `relax.element %x[%i, %j] : T`.

    (C1) It is in the region of a relax.compute.
    (C2) One index for each dimension, each of type index.
    (C3) Rank and element type are known; elements are floats or signless integers.
    """

    name = "relax.element"

    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    result = result_def(AnyAttr())

    TYPES_ARE_IMPLIED: ClassVar = True

    traits = traits_def(Pure())

    def infer(self) -> Sequence[Attribute]:
        self.check_position("C1")
        type = self.tensor.type
        assert isinstance(type, TensorType)
        if type.shape is None or type.dtype is None or not is_element(type.dtype):
            self.fail(
                "a tensor of known rank with elements that are floats or signless integers (C3)",
                f"{type}",
                "cast it before it is passed to relax.compute, with relax.match_cast or relax.astype",
            )
        if len(self.indices) != len(type.shape):
            self.fail(
                f"one index for each dimension of {type} (C2)",
                f"{len(self.indices)}",
                f"write {len(type.shape)} indices",
            )
        return (type.dtype,)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        tensor = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand, " with the indices"
        )
        attributes = syntax.parse_attributes(parser)
        parser.parse_punctuation(":", " before the type of the tensor")
        position = parser.pos
        type = parser.parse_type()
        if not isinstance(type, TensorType):
            parser.raise_error(
                f"{cls.name}: expected the type of a tensor, found {type}; write that of the tensor, "
                "from which the type of the element follows",
                position,
                parser.pos,
            )
        operands = parser.resolve_operands(
            [tensor, *indices], [type, *[INDEX] * len(indices)], position
        )
        element = INDEX if type.dtype is None else type.dtype
        return cls.create(operands=operands, result_types=[element], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.tensor)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        syntax.print_attributes(printer, self)
        printer.print_string(f" : {syntax.type_text(self.tensor.type)}")


@irdl_op_definition
class IndexSizeOp(InComputeOp, ExpressionOp):
    """A size as an index, in the region of a `relax.compute`: `relax.index_size [2 * n - 1]`.

    (C1) No number in it is larger than 2^62, so that sums with sizes stay in 64 bits.
    (C2) It is in the region of a relax.compute.
    """

    name = "relax.index_size"

    result = result_def(IndexType)

    TYPE_OF: ClassVar = staticmethod(lambda expression: INDEX)

    def infer(self) -> Sequence[Attribute]:
        self.check_position("C2")
        return super().infer()


def is_element(type: Attribute | None) -> bool:
    """Whether a type is that of elements that scalars can be computed with."""
    if isinstance(type, IntegerType):
        return type.signedness.data == Signedness.SIGNLESS and not is_storage(type)
    return isinstance(type, AnyFloat) and not is_storage(type)


def _bits(type: Attribute) -> int:
    return type.bitwidth if isinstance(type, IntegerType | AnyFloat) else 0


def is_scalar(type: Attribute) -> bool:
    return type == INDEX or isinstance(type, IntegerType | AnyFloat)


def can_be_read(type: Attribute) -> bool:
    """Whether the region of a compute can know values of a type."""
    if isinstance(type, TensorType):
        return type.shape is not None and type.dtype is not None
    return is_element(type)


def listed(types: Iterable[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"

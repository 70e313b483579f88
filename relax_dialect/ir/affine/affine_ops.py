"""Ops of MLIR's affine dialect that xDSL lacks or defines otherwise.

%m = affine.max affine_map<(d0)[s0] -> (d0, s0 - 4)>(%i)[%n]
%q:2 = affine.delinearize_index %x into (%n, 5) : index, index
%x = affine.linearize_index [%i, %j] by (%n, 5) : index
affine.prefetch %b[%k, %j + 1], read, locality<3>, data : memref<?x48xf32>
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.affine import Affine, ParallelOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from relax_dialect.ir.affine import affine_parallel
from relax_dialect.ir.affine.affine_subscripts import (
    parse_map_operands,
    parse_memory,
    parse_memref_type,
    print_map_operands,
    print_memory,
)

INDEX = IndexType()


@irdl_op_definition
class MaxOp(IRDLOperation):
    """The greatest result of an affine map."""

    name = "affine.max"

    arguments = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    result = result_def(INDEX)

    traits = traits_def(Pure())

    def __init__(self, operands: Sequence[SSAValue], map: AffineMapAttr):
        super().__init__(operands=[operands], properties={"map": map}, result_types=[INDEX])

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        position, map = parser.pos, parser.parse_attribute()
        if not isinstance(map, AffineMapAttr):
            parser.raise_error(f"expected an affine map, found {map}", position, parser.pos)
        return cls(parse_map_operands(parser), map)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.map)
        print_map_operands(printer, self.map.data.num_dims, self.arguments)


# Mixed radix numbers --------------------------------------------------------------------------


def basis_of(op: DelinearizeIndexOp | LinearizeIndexOp) -> list[SSAValue | int]:
    """Return the entries of a basis, constants and values, in order."""
    values = iter(op.dynamic_basis)
    return [next(values) if n == DYNAMIC_INDEX else n for n in op.static_basis.get_values()]


def _check_basis(op: DelinearizeIndexOp | LinearizeIndexOp, digits: int, what: str) -> None:
    """Raise unless there is an entry for each digit, or for all but the first."""
    static = op.static_basis.get_values()
    if len(static) not in (digits, digits - 1):
        raise VerifyException(
            f"expected a basis of {digits - 1} or {digits} entries for {digits} {what}, found "
            f"{len(static)}; write one for each"
        )
    if static.count(DYNAMIC_INDEX) != len(op.dynamic_basis):
        raise VerifyException(
            f"expected {static.count(DYNAMIC_INDEX)} values in the basis, found "
            f"{len(op.dynamic_basis)}; pass a value for each entry that is no constant"
        )
    if any(n <= 0 for n in static if n != DYNAMIC_INDEX):
        raise VerifyException(
            f"expected numbers above 0 in the basis, found {min(static)}; write the size of each dimension"
        )


def _print_basis(op: DelinearizeIndexOp | LinearizeIndexOp, printer: Printer) -> None:
    def entry(n: SSAValue | int) -> None:
        printer.print_string(str(n)) if isinstance(n, int) else printer.print_ssa_value(n)

    with printer.in_parens():
        printer.print_list(basis_of(op), entry)


def _parse_basis(parser: Parser) -> tuple[list[SSAValue], DenseArrayBase]:
    """`(4, %n)`: the values, and all entries."""
    values: list[SSAValue] = []

    def entry() -> int:
        if (value := parser.parse_optional_operand(INDEX)) is None:
            return parser.parse_integer(allow_boolean=False)
        values.append(value)
        return DYNAMIC_INDEX

    static = parser.parse_comma_separated_list(parser.Delimiter.PAREN, entry)
    return values, DenseArrayBase.from_list(i64, static)


@irdl_op_definition
class DelinearizeIndexOp(IRDLOperation):
    """The digits of an index in a mixed radix, the last one fastest. The first digit has no upper limit,
    whether or not the basis has an entry for it."""

    name = "affine.delinearize_index"

    linear_index = operand_def(INDEX)
    dynamic_basis = var_operand_def(INDEX)
    static_basis = prop_def(DenseArrayBase.constr(i64))
    multi_index = var_result_def(INDEX)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _check_basis(self, len(self.multi_index), "results")

    @classmethod
    def parse(cls, parser: Parser) -> DelinearizeIndexOp:
        index = parser.parse_operand(INDEX)
        parser.parse_keyword("into")
        values, static = _parse_basis(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.build(
            operands=[index, values],
            properties={"static_basis": static},
            attributes=attributes,
            result_types=[types],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.linear_index)
        printer.print_string(" into ")
        _print_basis(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.multi_index.types, printer.print_attribute)


@irdl_op_definition
class LinearizeIndexOp(IRDLOperation):
    """The index of digits in a mixed radix, the last one fastest; the opposite of
    `affine.delinearize_index`. `disjoint` promises that every digit is within its entry of the basis."""

    name = "affine.linearize_index"

    multi_index = var_operand_def(INDEX)
    dynamic_basis = var_operand_def(INDEX)
    static_basis = prop_def(DenseArrayBase.constr(i64))
    disjoint = opt_prop_def(AnyAttr())
    linear_index = result_def(INDEX)

    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_(self) -> None:
        _check_basis(self, len(self.multi_index), "digits")

    @classmethod
    def parse(cls, parser: Parser) -> LinearizeIndexOp:
        disjoint = parser.parse_optional_keyword("disjoint") is not None
        digits = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
        )
        parser.parse_keyword("by")
        values, static = _parse_basis(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.build(
            operands=[digits, values],
            properties={"static_basis": static, "disjoint": UnitAttr() if disjoint else None},
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        is_disjoint = self.disjoint not in (None, BoolAttr.from_bool(False))
        printer.print_string(" disjoint " if is_disjoint else " ")
        with printer.in_square_brackets():
            printer.print_list(self.multi_index, printer.print_ssa_value)
        printer.print_string(" by ")
        _print_basis(self, printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.linear_index.type)


# Memory ---------------------------------------------------------------------------------------


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Prefetch an element; `memref.prefetch` with affine subscripts."""

    name = "affine.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality = prop_def(IntegerAttr, prop_name="localityHint")
    is_data = prop_def(BoolAttr, prop_name="isDataCache")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        name, map, indices = parse_memory(parser)
        parser.parse_punctuation(",")
        is_write = _flag(parser, "write", "read")
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        is_data = _flag(parser, "data", "instr")
        memory = parser.resolve_operand(name, parse_memref_type(parser))
        properties = {
            "map": map,
            "isWrite": is_write,
            "localityHint": IntegerAttr(locality, i32),
            "isDataCache": is_data,
        }
        return cls.build(operands=[memory, indices], properties=properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_memory(printer, self.memref, self.map.data, self.indices)
        kind = "write" if self.is_write.value.data else "read"
        cache = "data" if self.is_data.value.data else "instr"
        printer.print_string(f", {kind}, locality<{self.locality.value.data}>, {cache} : ")
        printer.print_attribute(self.memref.type)


def _flag(parser: Parser, yes: str, no: str) -> BoolAttr:
    """Parse one of two words as a boolean."""
    if parser.parse_optional_keyword(yes) is not None:
        return BoolAttr.from_bool(True)
    parser.parse_keyword(no)
    return BoolAttr.from_bool(False)


def install() -> None:
    """Register these ops with xDSL's dialect, whichever way it is loaded."""
    own = (MaxOp, DelinearizeIndexOp, LinearizeIndexOp, PrefetchOp, affine_parallel.ParallelOp)
    operations = Affine._operations  # pyright: ignore[reportPrivateUsage]
    operations[:] = [op for op in operations if op is not ParallelOp and op not in own]
    operations += own

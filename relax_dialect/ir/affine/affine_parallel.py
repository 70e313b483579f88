"""`affine.parallel` as MLIR defines it.

%s = affine.parallel (%i, %j) = (0, max(%a, 3)) to (%n, 10) step (1, 2) reduce ("addf") -> (f32) { ... }

xDSL's class has no custom form, has strings where MLIR has the numbers of its kinds of reductions, and
counts the results among the operands: the class here replaces it in the dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.affine import YieldOp
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from relax_dialect.ir.affine.affine_subscripts import SubscriptOperands, print_expr

INDEX = IndexType()

REDUCTIONS: Sequence[str] = (
    *("addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu"),
    *("minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori"),
)
"""The kinds of reductions by number, as in `arith::AtomicRMWKind`."""


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """Loops in any order, with bounds that are extremes of groups of affine expressions."""

    name = "affine.parallel"

    map_operands = var_operand_def(INDEX)
    reductions = prop_def(ArrayAttr[IntegerAttr])
    lower_map = prop_def(AffineMapAttr, prop_name="lowerBoundsMap")
    lower_groups = prop_def(DenseIntElementsAttr, prop_name="lowerBoundsGroups")
    upper_map = prop_def(AffineMapAttr, prop_name="upperBoundsMap")
    upper_groups = prop_def(DenseIntElementsAttr, prop_name="upperBoundsGroups")
    steps = prop_def(ArrayAttr[IntegerAttr])
    res = var_result_def()
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        lower: tuple[AffineMapAttr, Sequence[SSAValue], Sequence[int]],
        upper: tuple[AffineMapAttr, Sequence[SSAValue], Sequence[int]],
        steps: Sequence[int],
        reductions: Sequence[str],
        body: Region,
        result_types: Sequence[Attribute] = (),
    ):
        """Bounds are a map, its operands, and how many results each loop has."""
        super().__init__(
            operands=[[*lower[1], *upper[1]]],
            properties={
                "reductions": ArrayAttr(IntegerAttr(REDUCTIONS.index(r), i64) for r in reductions),
                "lowerBoundsMap": lower[0],
                "lowerBoundsGroups": _groups(lower[2]),
                "upperBoundsMap": upper[0],
                "upperBoundsGroups": _groups(upper[2]),
                "steps": ArrayAttr(IntegerAttr(step, i64) for step in steps),
            },
            regions=[body],
            result_types=[result_types],
        )

    @property
    def kinds(self) -> list[str]:
        """The kinds of the reductions by name."""
        return [REDUCTIONS[kind.value.data] for kind in self.reductions]

    @property
    def step_numbers(self) -> list[int]:
        """The steps of the loops."""
        return [step.value.data for step in self.steps]

    def lower(self) -> tuple[list[Sequence[AffineExpr]], int, Sequence[SSAValue]]:
        """Return the lower bounds of each loop, the number of dimensions of their map, and its operands."""
        map = self.lower_map.data
        count = map.num_dims + map.num_symbols
        return _grouped(map.results, self.lower_groups), map.num_dims, self.map_operands[:count]

    def upper(self) -> tuple[list[Sequence[AffineExpr]], int, Sequence[SSAValue]]:
        """Return the same of the upper bounds."""
        map, below = self.upper_map.data, self.lower_map.data
        first = below.num_dims + below.num_symbols
        return _grouped(map.results, self.upper_groups), map.num_dims, self.map_operands[first:]

    def verify_(self) -> None:
        loops = len(self.steps)
        maps = (self.lower_map.data, self.upper_map.data)
        wanted = sum(bounds.num_dims + bounds.num_symbols for bounds in maps)
        if len(self.map_operands) != wanted:
            raise VerifyException(
                f"expected {wanted} operands for the bounds, found "
                f"{len(self.map_operands)}; pass one for each dimension and symbol of the maps"
            )
        for bounds, groups in zip(maps, (self.lower_groups, self.upper_groups)):
            sizes = groups.get_values()
            if len(sizes) != loops or sum(sizes) != len(bounds.results) or 0 in sizes:
                raise VerifyException(
                    f"expected a bound or several for each of {loops} loops, found groups "
                    f"of {list(sizes)} for {len(bounds.results)} results; write a bound for each"
                )
        if list(self.body.block.arg_types) != [INDEX] * loops:
            raise VerifyException(
                f"expected an index for each of {loops} loops in the body, found "
                f"({', '.join(map(str, self.body.block.arg_types))}); declare one for each"
            )
        if any(not 0 <= kind.value.data < len(REDUCTIONS) for kind in self.reductions):
            raise VerifyException(
                f"expected kinds of reductions from 0 to {len(REDUCTIONS) - 1}, found "
                f"{self.reductions}; use {', '.join(REDUCTIONS)}"
            )
        if len(self.reductions) != len(self.results):
            raise VerifyException(
                f"expected a reduction for each of {len(self.results)} results, found "
                f"{len(self.reductions)}; write reduce (...) with one for each"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        counters = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        counters = [counter.resolve(INDEX) for counter in counters]
        parser.parse_punctuation("=")
        lower = _parse_bounds(parser, "max")
        parser.parse_keyword("to")
        upper = _parse_bounds(parser, "min")
        steps = [1] * len(counters)
        if parser.parse_optional_keyword("step") is not None:
            steps = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_integer(allow_boolean=False)
            )
        kinds: list[str] = []
        if parser.parse_optional_keyword("reduce") is not None:
            kinds = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_kind(parser)
            )
        types = _parse_types(parser)
        body = parser.parse_region(counters)
        if not body.blocks:  # without counters
            body.add_block(Block())
        if not isinstance(body.block.last_op, YieldOp):
            body.block.add_op(YieldOp.get())
        op = cls(lower, upper, steps, kinds, body, types)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(" = ")
        _print_bounds(printer, *self.lower(), "max")
        printer.print_string(" to ")
        _print_bounds(printer, *self.upper(), "min")
        if set(self.step_numbers) - {1}:
            printer.print_string(f" step ({', '.join(map(str, self.step_numbers))})")
        if self.kinds:
            kinds = ", ".join(f'"{kind}"' for kind in self.kinds)
            printer.print_string(f" reduce ({kinds}) -> ")
            with printer.in_parens():
                printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_block_terminators=bool(self.res)
        )
        printer.print_op_attributes(self.attributes)


def _groups(sizes: Sequence[int]) -> DenseIntElementsAttr:
    return DenseIntElementsAttr.from_list(TensorType(i32, [len(sizes)]), list(sizes))


def _grouped(
    exprs: Sequence[AffineExpr], groups: DenseIntElementsAttr
) -> list[Sequence[AffineExpr]]:
    rest = iter(exprs)
    return [[next(rest) for _ in range(size)] for size in groups.get_values()]


def _parse_bounds(
    parser: Parser, extreme: str
) -> tuple[AffineMapAttr, Sequence[SSAValue], Sequence[int]]:
    """`(0, max(%a, 3))`."""
    values = SubscriptOperands(parser)

    def bound() -> list[AffineExpr]:
        if parser.parse_optional_keyword(extreme) is None:
            return [values.expr()]
        return parser.parse_comma_separated_list(parser.Delimiter.PAREN, values.expr)

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, bound)
    exprs = [expr for group in groups for expr in group]
    return values.map(exprs), values.operands(), [len(group) for group in groups]


def _parse_kind(parser: Parser) -> str:
    position, kind = parser.pos, parser.parse_str_literal()
    if kind not in REDUCTIONS:
        parser.raise_error(
            f"expected one of the reductions {', '.join(REDUCTIONS)}, found {kind}",
            position,
            parser.pos,
        )
    return kind


def _parse_types(parser: Parser) -> Sequence[Attribute]:
    """`-> (f32, i32)`, `-> f32`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def _print_bounds(
    printer: Printer,
    groups: Sequence[Sequence[AffineExpr]],
    dims: int,
    operands: Sequence[SSAValue],
    extreme: str,
) -> None:
    def expr(each: AffineExpr) -> None:
        print_expr(printer, each, dims, operands)

    def bound(group: Sequence[AffineExpr]) -> None:
        if len(group) == 1:
            return expr(group[0])
        printer.print_string(f"{extreme}(")
        printer.print_list(group, expr)
        printer.print_string(")")

    with printer.in_parens():
        printer.print_list(groups, bound)

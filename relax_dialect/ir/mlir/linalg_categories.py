"""`linalg.elementwise` and `linalg.contract`, which xDSL 0.75 does not have, read as `linalg.generic`.

    %y = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [#id, #row, #id]
      ins(%a, %b : A, B) outs(%c : C) -> C
    %y = linalg.contract indexing_maps = [#mk, #kn, #mn] ins(%a, %b : A, B) outs(%c : C) -> C

Without maps the operands of an elementwise op have the shape of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ShapedType, StringAttr
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, ParametrizedAttribute, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition, param_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.rewriter import InsertPoint

from relax_dialect.ir.mlir.linalg_map import parse_values
from relax_dialect.ir.mlir.linalg_ops import TABLE, Combine, PointwiseOp, body_of, choose, of_floats


def _of_inputs(combine: Combine) -> Combine:
    return lambda out, values: combine(out, values[:-1])


KINDS: Mapping[str, Combine] = {
    **{name: combine for name, (kind, _, combine) in TABLE.items() if kind is PointwiseOp},
    "exp": _of_inputs(of_floats(math.ExpOp)),
    "log": _of_inputs(of_floats(math.LogOp)),
    "sqrt": _of_inputs(of_floats(math.SqrtOp)),
    "add": _of_inputs(choose(arith.AddfOp, arith.AddiOp)),
    "sub": _of_inputs(choose(arith.SubfOp, arith.SubiOp)),
    "mul": _of_inputs(choose(arith.MulfOp, arith.MuliOp)),
    "max_signed": _of_inputs(choose(arith.MaximumfOp, arith.MaxSIOp)),
    "min_signed": _of_inputs(choose(arith.MinimumfOp, arith.MinSIOp)),
    "max_unsigned": _of_inputs(choose(arith.MaximumfOp, arith.MaxUIOp)),
    "min_unsigned": _of_inputs(choose(arith.MinimumfOp, arith.MinUIOp)),
}
"""The computations of elementwise ops by kind; `select` has operands of two types."""


@irdl_attr_definition
class ElementwiseKindAttr(ParametrizedAttribute):
    """The computation of a `linalg.elementwise`: `#linalg.elementwise_kind<mul>`."""

    name = "linalg.elementwise_kind"

    kind: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.kind.data)


@irdl_op_definition
class ElementwiseOp(IRDLOperation):
    """One computation on elements, read as `linalg.generic`."""

    name = "linalg.elementwise"

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        start, kind = parser.pos, parser.parse_attribute()
        if not isinstance(kind, ElementwiseKindAttr) or kind.kind.data not in (*KINDS, "select"):
            parser.raise_error(
                f"linalg.elementwise: expected a kind among {', '.join(sorted((*KINDS, 'select')))}, "
                f"found {kind}; correct the kind",
                start,
                parser.pos,
            )
        maps = _parse_maps(parser)
        inputs, outputs, results = _parse_operands(parser)
        types = [value.type for value in (*inputs, *outputs)]
        if maps is None:
            maps = [AffineMapAttr(AffineMap.identity(_rank(types[-1])))] * len(types)
        return _generic(inputs, outputs, _body(kind.kind.data, inputs, outputs), maps, results)


@irdl_op_definition
class ContractOp(IRDLOperation):
    """A sum of products by its maps, read as `linalg.generic`."""

    name = "linalg.contract"

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        maps = _parse_maps(parser)
        inputs, outputs, results = _parse_operands(parser)
        if maps is None or len(maps) != 3 or len(inputs) != 2:
            parser.raise_error(
                f"linalg.contract: expected two inputs and three indexing_maps, found {len(inputs)} and "
                f"{len(maps or ())}; correct the operands or the maps"
            )
        body = body_of("contract", TABLE["dot"][2], inputs, outputs)
        return _generic(inputs, outputs, body, maps, results)


def _rank(type: Attribute) -> int:
    return len(type.get_shape()) if isinstance(type, ShapedType) else 0


def _body(kind: str, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    if kind != "select":
        return body_of(kind, KINDS[kind], inputs, outputs)
    block = Block(arg_types=[_element(value.type) for value in (*inputs, *outputs)])
    out = Builder(InsertPoint.at_end(block))
    chosen = out.insert(arith.SelectOp(*block.args[:3]))
    out.insert(YieldOp(chosen.result))
    return Region(block)


def _element(type: Attribute) -> Attribute:
    found: Any = type
    return found.get_element_type() if isinstance(type, ShapedType) else type


def _generic(
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    body: Region,
    maps: Sequence[AffineMapAttr],
    results: Sequence[Attribute],
) -> GenericOp:
    """Return the generic op; loops that the result's map does not have are reductions."""
    parallel = {e.position for e in maps[-1].data.results if isinstance(e, AffineDimExpr)}
    kinds = (IteratorTypeAttr.reduction(), IteratorTypeAttr.parallel())
    iterators = [kinds[dim in parallel] for dim in range(maps[-1].data.num_dims)]
    return GenericOp(inputs, outputs, body, maps, iterators, results)


def _parse_maps(parser: Parser) -> list[AffineMapAttr] | None:
    """`indexing_maps = [...]`, if it is next."""
    if parser.parse_optional_keyword("indexing_maps") is None:
        return None
    parser.parse_punctuation("=")
    found = parser.parse_attribute()
    maps = list(found.data) if isinstance(found, ArrayAttr) else []
    if not maps or not all(isinstance(each, AffineMapAttr) for each in maps):
        parser.raise_error(f"expected a list of affine maps, found {found}; correct the list")
    return [each for each in maps if isinstance(each, AffineMapAttr)]


def _parse_operands(
    parser: Parser,
) -> tuple[list[SSAValue], list[SSAValue], Sequence[Attribute]]:
    """`ins(...) outs(...) -> T`: inputs, outputs, and the types of the results."""
    parser.parse_keyword("ins")
    inputs = parse_values(parser, "ins")
    parser.parse_keyword("outs")
    outputs = parse_values(parser, "outs")
    has_result = parser.parse_optional_punctuation("->") is not None
    return inputs, outputs, [parser.parse_type()] if has_result else []


def install() -> None:
    """Register the ops and the attribute with xDSL's dialect, whichever way it is loaded."""
    ops: list[Any] = Linalg._operations  # pyright: ignore[reportPrivateUsage]
    ops += [op for op in (ElementwiseOp, ContractOp) if op not in ops]
    attributes: list[Any] = Linalg._attributes  # pyright: ignore[reportPrivateUsage]
    if ElementwiseKindAttr not in attributes:
        attributes.append(ElementwiseKindAttr)

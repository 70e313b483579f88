"""Named structured ops of MLIR's linalg dialect that xDSL 0.74 does not have, by family, as tables.

An operand is indexed by letters, one for each loop: `bmk,bkn->bmn` is `linalg.batch_matmul`. Capital
letters are windows: in `nHWc,HW->nhwc` the dimension H of the image has the subscript
`h * stride + H * dilation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from xdsl.builder import Builder
from xdsl.dialects import arith, linalg, math
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntElementsAttr,
    FloatAttr,
    IntegerType,
)
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation, NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.rewriter import InsertPoint

Combine = Callable[[Builder, Sequence[SSAValue]], SSAValue]
"""Emits the body of an op, from an element of each operand, cast to the result's type, to the new one."""

# Bodies ---------------------------------------------------------------------------------------


def _emit(out: Builder, op: Operation) -> SSAValue:
    return out.insert(op).results[0]


def choose(of_floats: type[Operation], of_integers: type[Operation]) -> Combine:
    """Return the body of one op, by the result's element type."""

    def combine(out: Builder, values: Sequence[SSAValue]) -> SSAValue:
        kind = of_floats if isinstance(values[-1].type, AnyFloat) else of_integers
        return _emit(out, kind(*values))

    return combine


_add = choose(arith.AddfOp, arith.AddiOp)
_multiply = choose(arith.MulfOp, arith.MuliOp)


def _multiply_add(out: Builder, values: Sequence[SSAValue]) -> SSAValue:
    a, b, total = values
    return _add(out, [total, _multiply(out, [a, b])])


def of_floats(op: type[Operation]) -> Combine:
    """Return the body of one op on floats."""
    return lambda out, values: _emit(out, op(*values))


def _square(out: Builder, values: Sequence[SSAValue]) -> SSAValue:
    return _multiply(out, [values[0], values[0]])


def _reciprocal(out: Builder, values: Sequence[SSAValue]) -> SSAValue:
    one = _emit(out, arith.ConstantOp(FloatAttr(1.0, values[0].type)))  # pyright: ignore
    return _emit(out, arith.DivfOp(one, values[0]))


def _cast(out: Builder, value: SSAValue, type: Attribute, signed: bool) -> SSAValue:
    """Return a value as the result's element type, as MLIR's named ops convert it."""
    given = value.type
    if given == type:
        return value
    match given, type:
        case IntegerType(), IntegerType():
            widens = given.width.data < type.width.data
            kind = (arith.ExtSIOp if signed else arith.ExtUIOp) if widens else arith.TruncIOp
        case IntegerType(), _:
            kind = arith.SIToFPOp if signed else arith.UIToFPOp
        case _, IntegerType():
            kind = arith.FPToSIOp if signed else arith.FPToUIOp
        case _:
            narrows = given.bitwidth > type.bitwidth  # pyright: ignore[reportAttributeAccessIssue]
            kind = arith.TruncFOp if narrows else arith.ExtFOp
    return _emit(out, kind(value, type))  # pyright: ignore[reportCallIssue, reportArgumentType]


# Classes --------------------------------------------------------------------------------------


class TableOp(NamedOperation):
    """A named op that a row of a table describes."""

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
    SPEC: ClassVar[str]
    COMBINE: ClassVar[Combine]
    SIGNED: ClassVar[bool] = True

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        block = Block(arg_types=(types := cls.body_arg_types((*inputs, *outputs))))
        out = Builder(InsertPoint.at_end(block))
        values = [_cast(out, value, types[-1], cls.SIGNED) for value in block.args]
        out.insert(YieldOp(cls.COMBINE(out, values)))
        for cast in [value.owner for value in values if not value.uses]:
            if isinstance(cast, Operation):
                cast.detach()
                cast.erase()
        return Region(block)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        inputs, result = self.SPEC.split("->")
        loops = {letter: AffineDimExpr(i) for i, letter in enumerate(self._loops())}
        first, *others = (*inputs.split(","), result)
        maps = [self._windowed(first, loops)]
        maps += [(loops[letter] for letter in operand) for operand in others]
        return [AffineMap(len(loops), 0, tuple(exprs)) for exprs in maps]

    def _loops(self) -> str:
        """Return a letter for each loop, those of the result first."""
        inputs, result = self.SPEC.split("->")
        return "".join(dict.fromkeys(result + inputs.replace(",", "")))

    def _windowed(self, operand: str, loops: Mapping[str, AffineDimExpr]) -> Iterator[AffineExpr]:
        """Return the subscripts of the first operand."""
        return (loops[letter] for letter in operand)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        result = self.SPEC.split("->")[1]
        parallel, reduction = IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction()
        return ArrayAttr(parallel if letter in result else reduction for letter in self._loops())


class LinalgWindowOp(TableOp):
    """A convolution or pooling, whose windows start `strides` apart and skip `dilations`."""

    strides = opt_prop_def(DenseIntElementsAttr)
    dilations = opt_prop_def(DenseIntElementsAttr)

    def _windowed(self, operand: str, loops: Mapping[str, AffineDimExpr]) -> Iterator[AffineExpr]:
        windows = [letter for letter in operand if letter.isupper()]
        strides, dilations = (
            [1] * len(windows) if attribute is None else attribute.get_values()
            for attribute in (self.strides, self.dilations)
        )
        for letter in operand:
            if letter in windows:
                axis = windows.index(letter)
                yield loops[letter.lower()] * strides[axis] + loops[letter] * dilations[axis]
            else:
                yield loops[letter]


class PointwiseOp(ElementwiseOperation, TableOp):
    """An op on the elements of operands of one shape."""

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = False


Row = tuple[type[TableOp], str, Combine]


def _rows(kind: type[TableOp], combine: Combine, specs: Mapping[str, str]) -> dict[str, Row]:
    return {name: (kind, spec, combine) for name, spec in specs.items()}


_IMAGES = {
    "nwc": "nWc,W->nwc",
    "nhwc": "nHWc,HW->nhwc",
    "ndhwc": "nDHWc,DHW->ndhwc",
    "ncw": "ncW,W->ncw",
    "nchw": "ncHW,HW->nchw",
}


def _pools(name: str, combine: Combine, layouts: str) -> dict[str, Row]:
    specs = {f"pooling_{layout}_{name}": _IMAGES[layout] for layout in layouts.split()}
    return _rows(LinalgWindowOp, lambda out, v: combine(out, [v[2], v[0]]), specs)


def _pointwise(ops: Mapping[str, Combine]) -> dict[str, Row]:
    return {
        name: (PointwiseOp, "", lambda out, v, combine=combine: combine(out, v[:-1]))
        for name, combine in ops.items()
    }


TABLE: Mapping[str, Row] = {
    **_rows(
        TableOp,
        _multiply_add,
        {
            "batch_matmul": "bmk,bkn->bmn",
            "batch_matvec": "bmk,bk->bm",
            "batch_vecmat": "bk,bkn->bn",
            "matvec": "mn,n->m",
            "vecmat": "m,mn->n",
            "dot": "m,m->",
        },
    ),
    **_rows(
        LinalgWindowOp,
        _multiply_add,
        {
            "conv_1d": "W,W->w",
            "conv_2d": "HW,HW->hw",
            "conv_3d": "DHW,DHW->dhw",
            "conv_1d_nwc_wcf": "nWc,Wcf->nwf",
            "conv_1d_ncw_fcw": "ncW,fcW->nfw",
            "conv_3d_ndhwc_dhwcf": "nDHWc,DHWcf->ndhwf",
            "conv_3d_ncdhw_fcdhw": "ncDHW,fcDHW->nfdhw",
            "depthwise_conv_1d_nwc_wc": "nWc,Wc->nwc",
            "depthwise_conv_1d_ncw_cw": "ncW,cW->ncw",
            "depthwise_conv_1d_nwc_wcm": "nWc,Wcm->nwcm",
            "depthwise_conv_2d_nhwc_hwc": "nHWc,HWc->nhwc",
            "depthwise_conv_2d_nchw_chw": "ncHW,cHW->nchw",
            "depthwise_conv_2d_nhwc_hwcm": "nHWc,HWcm->nhwcm",
            "depthwise_conv_3d_ndhwc_dhwc": "nDHWc,DHWc->ndhwc",
        },
    ),
    **_pools("sum", _add, "nwc nhwc ndhwc ncw nchw"),
    **_pools("max", choose(arith.MaximumfOp, arith.MaxSIOp), "nwc nhwc ndhwc ncw nchw"),
    **_pools("min", choose(arith.MinimumfOp, arith.MinSIOp), "nwc nhwc ndhwc"),
    **_pools("max_unsigned", choose(arith.MaximumfOp, arith.MaxUIOp), "nwc nhwc"),
    **_pools("min_unsigned", choose(arith.MinimumfOp, arith.MinUIOp), "nwc nhwc"),
    **_pointwise(
        {
            "abs": of_floats(math.AbsFOp),
            "ceil": of_floats(math.CeilOp),
            "div": choose(arith.DivfOp, arith.DivSIOp),
            "div_unsigned": choose(arith.DivfOp, arith.DivUIOp),
            "erf": of_floats(math.ErfOp),
            "floor": of_floats(math.FloorOp),
            "negf": of_floats(arith.NegfOp),
            "powf": of_floats(math.PowFOp),
            "reciprocal": _reciprocal,
            "round": of_floats(math.RoundOp),
            "rsqrt": of_floats(math.RsqrtOp),
            "square": _square,
            "tanh": of_floats(math.TanhOp),
        }
    ),
}
"""The ops by name: their kind, the indexing of their operands, and the computation."""


def _op(name: str, row: Row) -> type[TableOp]:
    kind, spec, combine = row
    words = "".join(word.capitalize() for word in name.split("_"))
    doc = f"`linalg.{name}`" + (f": `{spec}`." if spec else ", element by element.")
    op: Any = irdl_op_definition(
        type(f"{words}Op", (kind,), {"name": f"linalg.{name}", "__doc__": doc})
    )
    op.SPEC, op.COMBINE, op.SIGNED = spec, staticmethod(combine), "unsigned" not in name
    return op


def body_of(
    name: str, combine: Combine, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
) -> Region:
    """Return the body of an op on some operands."""
    return _op(name, (PointwiseOp, "", combine)).get_hidden_region(inputs, outputs)


_STOCK = {op.name for op in linalg.Linalg.operations}
OPS: Sequence[type[TableOp]] = [
    _op(name, row) for name, row in TABLE.items() if f"linalg.{name}" not in _STOCK
]


def _max_of_pool(inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    """Return the body of `linalg.pooling_nchw_max`: xDSL 0.74 takes the maximum with the window's
    elements."""
    name = "pooling_nchw_max"
    return _op(name, TABLE[name]).get_hidden_region(inputs, outputs)


def install() -> None:
    """Register these ops with xDSL's dialect, whichever way it is loaded."""
    known: list[Any] = linalg.Linalg._operations  # pyright: ignore[reportPrivateUsage]
    known += [op for op in OPS if op not in known]
    stock: Any = linalg.ops.PoolingNchwMaxOp
    stock.get_hidden_region = classmethod(lambda _, ins, outs: _max_of_pool(ins, outs))

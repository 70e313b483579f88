"""Rewrites of ops into TVM's forms, if its operators and calls take less but can express the same.

Without an axis its `R.concat` takes only tensors of one rank, its `R.meshgrid` infers for "xy" the type of
"ij", slices are as long as the distance of their bounds, and no call takes an argument whose rank or
element type is unknown. Such ops get other operands, bounds and attributes, which compute the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from relax_dialect.analysis.struct_info import erase_to_well_defined
from relax_dialect.frontends.tvmscript.operators import TABLE
from relax_dialect.frontends.tvmscript.writing.script_names import UNNAMED_SIZES
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.types import Dims, ObjectType, PrimType, ShapeType, TensorType, tuple_type
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp
from relax_dialect.ops.core import ConstantOp, FuncOp, MatchCastOp, MatchShapeOp, ShapeOp
from relax_dialect.ops.create import FullOp, LikeOp, OnesLikeOp, ZerosLikeOp, ZerosOp
from relax_dialect.ops.cumulative import CumprodOp, CumsumOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.indexing import GatherNdOp
from relax_dialect.ops.joining import ConcatOp, MeshgridOp
from relax_dialect.ops.manipulate import (
    BatchFlattenOp,
    BroadcastToOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
)
from relax_dialect.ops.moving import ReverseSequenceOp
from relax_dialect.ops.normalization import (
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    LayerNormOp,
    RmsNormOp,
)
from relax_dialect.ops.ranges import ArangeOp
from relax_dialect.ops.resizing import ResizeOp
from relax_dialect.ops.shapes import ShapeToTensorOp
from relax_dialect.ops.slices import FAR, near
from relax_dialect.ops.slicing import DynamicStridedSliceOp, SliceScatterOp, StridedSliceOp
from relax_dialect.ops.statistical import MaxOp, MinOp
from relax_dialect.ops.ternary import EwiseFmaOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.vision import RoiPoolOp
from relax_dialect.symbolic import Expr, as_expr, ceildiv
from relax_dialect.transform.regions import dissolve, reorder

Edit = Callable[[], object]
"""Rewrites an op into TVM's form."""
Symbols = Mapping[str, Operation]


def give_forms(module: ModuleOp) -> None:
    """Rewrite all ops of a module into TVM's forms."""
    symbols = symbols_of(module)
    for op in list(walk_ops(module)):
        if (edit := edit_of(op, symbols)) is not None:
            edit()
    for op in list(walk_ops(module)):
        if shapes := given_shapes(op):
            _take(op, {value: ShapeOp(sizes) for value, sizes in shapes.items()})
        for index, kind in unused_weights(op).items():
            op.operands[index] = _before(op, kind(op.operands[index])).results[0]


def symbols_of(module: ModuleOp) -> Symbols:
    """Return the functions of a module by name."""
    return {name: op for op in module.ops if (name := symbol_name(op)) is not None}


def edit_of(op: Operation, symbols: Symbols) -> Edit | None:
    """Return the edit that rewrites an op into TVM's form; None if it has that."""
    match op:
        case CallOp():
            callee = symbols.get(op.callee_name)
            if isinstance(callee, FuncOp):
                return _arguments(op, op.args, callee.function_type.inputs.data)
        case CallClosureOp():
            return _arguments(op, op.args, op.type.inputs.data)
        case MatchShapeOp():
            return lambda: _replace(op, MatchCastOp(op.value, op.result.type))
        case LetOp() if op.result.type != op.value.type:
            return lambda: _replace(op, MatchCastOp(op.value, op.result.type))
        case DataflowOp() if any(map(_is_in_no_block, walk_ops(op))):
            return partial(_dissolve, op)
        case ConstantOp() if 0 in op.value.get_shape():
            return partial(_no_elements, op)
        case ConcatOp() if op.axis is None:
            return partial(_concat_vectors, op)
        case CumsumOp() | CumprodOp() if op.axis is None and None in (_dims(op.x) or ()):
            return partial(_running_vector, op)
        case MeshgridOp() if len(op.operands) == 1:
            return lambda: _replace(op, LetOp(op.operands[0]))
        case MeshgridOp() if op.indexing == "xy":
            return partial(_meshgrid_ij, op)
        case ArangeOp() if op.dtype is None and (dtype := _dtype(op.result)) is not None:
            return lambda: op.properties.update(dtype=dtype)
        case StridedSliceOp():
            return _slice(op)
        case SliceScatterOp():
            return _scatter(op)
        case GatherNdOp():
            return _as_i64(op, [op.indices])
        case DynamicStridedSliceOp():
            return _as_i64(op, [op.begin, op.end, op.strides])
        case ReverseSequenceOp() if _dtype(op.seq_lengths) != IntegerType(32):
            return _as_i64(op, [op.seq_lengths])
        case EwiseFmaOp():
            return _fma_of_one_shape(op)
        case BatchNormOp() if op.axis < 0 and (dims := _dims(op.x)):
            axis = IntegerAttr(op.axis % len(dims), i64)  # TVM builds it with no other
            return lambda: op.properties.update(axis=axis)
        case InstanceNormOp() if op.channel_axis < 0 and (dims := _dims(op.x)):
            axis = IntegerAttr(op.channel_axis % len(dims), i64)
            return lambda: op.properties.update(channel_axis=axis)
        case LayerNormOp() | RmsNormOp() if dims := _dims(op.x):
            return _norm_in_order(op, [axis % len(dims) for axis in op.axes])
        case BatchFlattenOp() if (dims := _dims(op.x)) and len(dims) == 1 and dims[0] is not None:
            rows = [dims[0], as_expr(1)]
            return lambda: _replace(op, ReshapeOp(op.x, _before(op, ShapeOp(rows))))
        case RoiPoolOp() if op.layout == "NHWC" and _dims(op.x) is not None:
            return partial(_roi_pool_nchw, op)
        case ResizeOp() if op.scales is not None and _is_scaled_exactly(op, op.scales):
            return partial(_keep_operands, op, [op.x, op.size])
        case MaxOp() | MinOp() if op.of_nothing and _has_elements(op):
            return lambda: op.properties.pop("of_nothing")
    return None


def given_shapes(op: Operation) -> Mapping[SSAValue, Sequence[Expr]]:
    """Return the sizes of shapes that an operator takes by name: TVM builds it with those in the call
    alone."""
    if type(op) not in TABLE.by_op:
        return {}
    takes_names = isinstance(op, ReshapeOp | FullOp | ShapeToTensorOp)
    found: dict[SSAValue, Sequence[Expr]] = {}
    for value in op.operands:
        dims = value.type.shape if isinstance(value.type, ShapeType) else None
        is_in_call = isinstance(value.owner, ShapeOp) and value.name_hint in UNNAMED_SIZES
        is_in_call |= takes_names and isinstance(value.owner, Operation)  # except for parameters
        if dims is not None and not is_in_call and all(map(_is_spelled, dims)):
            found[value] = [size for size in dims if size is not None]
    return found


def unused_weights(op: Operation) -> Mapping[int, type[LikeOp]]:
    """Return the operands that a norm does not use, and their replacements: TVM builds one that uses
    them."""
    found: dict[int, type[LikeOp]] = {}
    if isinstance(op, LayerNormOp | GroupNormOp | InstanceNormOp):
        if not op.scale and not isinstance(op.gamma.owner, OnesLikeOp):
            found[1] = OnesLikeOp
        if not op.center and not isinstance(op.beta.owner, ZerosLikeOp):
            found[2] = ZerosLikeOp
    return found


def _is_spelled(size: Expr | None) -> bool:
    """Returns whether TVM can express a size."""
    return size is not None and "broadcast" not in str(size)


# Calls and blocks -------------------------------------------------------------------------------


def _arguments(op: Operation, args: Sequence[SSAValue], wanted: Sequence[Attribute]) -> Edit | None:
    """Match arguments with the known parts of the parameters' types, if TVM requires it."""
    types = [_known_as(arg.type, type) for arg, type in zip(args, wanted)]
    if all(arg.type == type for arg, type in zip(args, types)):
        return None

    def match() -> None:
        matched = [
            arg if arg.type == type else _before(op, MatchCastOp(arg, type)).results[0]
            for arg, type in zip(args, types)
        ]
        op.operands = [*op.operands[: len(op.operands) - len(args)], *matched]

    return match


def _known_as(given: Attribute, wanted: Attribute) -> Attribute:
    """Return a type with the rank and element type of another, without sizes that are not known here."""
    match given, wanted:
        case (_, ObjectType()):
            return given
        case TensorType(), TensorType():
            dtype = wanted.dtype if given.dtype is None else given.dtype
            return TensorType(_ranked(given.shape, wanted.shape), dtype)
        case ShapeType(), ShapeType():
            return ShapeType(_ranked(given.shape, wanted.shape))
        case TupleType(), TupleType():
            return tuple_type(map(_known_as, given.types.data, wanted.types.data))
        case ObjectType(), _:
            return erase_to_well_defined(wanted)
    return given


def _ranked(given: Dims | None, wanted: Dims | None) -> Dims | None:
    return given if given is not None or wanted is None else (None,) * len(wanted)


def _is_in_no_block(op: Operation) -> bool:
    """Returns whether an op is not allowed in TVM's dataflow blocks: functions that have effects, numbers
    matched with sizes."""
    if isinstance(op, ClosureOp):
        return not op.type.is_pure
    return isinstance(op, MatchCastOp) and isinstance(op.result.type, PrimType)


def _dissolve(op: DataflowOp) -> None:
    """Replace a block by its bindings."""
    reorder(op.body.block, topological_order(op.body.block))
    dissolve(op)


# Operators --------------------------------------------------------------------------------------


def _no_elements(op: ConstantOp) -> None:
    """Replace a constant without elements by zeros: TVM does not load it."""
    shape = _before(op, ShapeOp(op.value.get_shape()))
    _replace(op, ZerosOp(shape, tensor_type(op.result).dtype))


def _concat_vectors(op: ConcatOp) -> None:
    longer = [x for x in op.tensors if len(_dims(x) or ()) != 1]
    _take(op, {x: FlattenOp(x) for x in longer})
    op.properties["axis"] = IntegerAttr(0, i64)


def _running_vector(op: CumsumOp | CumprodOp) -> None:
    _take(op, {op.x: FlattenOp(op.x)})
    op.properties["axis"] = IntegerAttr(0, i64)


def _meshgrid_ij(op: MeshgridOp) -> None:
    """Swap the first two axes of "xy": they are those of "ij" with the first two vectors swapped."""
    x, y, *others = op.operands
    new = MeshgridOp([y, x, *others], "ij")
    results = [new.results[1], new.results[0], *new.results[2:]]
    for result, old in zip(results, op.results):
        result.name_hint = old.name_hint
    Rewriter.replace_op(op, new, results)


def _slice(op: StridedSliceOp) -> Edit | None:
    """Clamp bounds to the range of sizes; those of an empty slice become equal."""
    dims, begin, end = _dims(op.x), op.begin, op.end
    if begin is None or end is None:
        return None
    near_begin, near_end = ([near(b).value or 0 for b in bounds] for bounds in (begin, end))
    slices = op.slices(dims) if dims is not None else {}
    for place, found in enumerate(slices[a % len(dims or ())] for a in op.axes if dims):
        if found is not None and found.length.value == 0:
            near_end[place] = near_begin[place]
    if (near_begin, near_end) == ([*begin], [*end]):
        return None
    return partial(_set_bounds, op, near_begin, near_end)


def _set_bounds(op: Operation, begin: Sequence[int], end: Sequence[int]) -> None:
    op.properties |= {
        "begin": DenseArrayBase.from_list(i64, begin),
        "end": DenseArrayBase.from_list(i64, end),
    }


def _scatter(op: SliceScatterOp) -> Edit | None:
    """Count bounds from the front, and inside: TVM assumes the slice as long as their distance."""
    dims, src = _dims(op.input_tensor), _dims(op.src)
    if dims is None or op.begin is None or op.end is None or len(op.axes) != 1:
        return None
    (begin,), (end,), (step,), (axis,) = op.begin, op.end, op.steps(), op.axes
    size, length = dims[axis], src[axis] if src is not None else None
    if (
        size is None
        or step < 0
        or not (begin < 0 or end < 0 or (size.value or FAR) < end or end >= FAR)
    ):
        return None
    first, last = (_from_front(near(bound), size) for bound in (begin, end))
    if size.value is None and (length is None or length is not ceildiv(last - first, step)):
        far = [near(bound).value or 0 for bound in (begin, end)]
        is_near = far == [begin, end]  # bounds that may be out of range are unchanged
        return None if is_near else partial(_set_bounds, op, far[:1], far[1:])
    return lambda: _replace(op, SliceScatterOp(op.input_tensor, op.src, first, last, step, axis))


def _from_front(bound: Expr, size: Expr) -> Expr:
    """Return a bound counted from the front, clamped if the size of the axis is known."""
    number = bound.value or 0
    if size.value is not None:
        return as_expr(max(number + size.value, 0) if number < 0 else min(number, size.value))
    return size + number if number < 0 else size if number == FAR else bound


def _as_i64(op: Operation, values: Sequence[SSAValue]) -> Edit | None:
    """Convert integers to i64, which holds them exactly."""
    narrow = [value for value in values if _fits_i64(_dtype(value))]
    return (lambda: _take(op, {v: AstypeOp(v, i64) for v in narrow})) if narrow else None


def _fits_i64(dtype: Attribute | None) -> bool:
    if not isinstance(dtype, IntegerType) or dtype == i64:
        return False
    return dtype.width.data < 64 or dtype.signedness.data is not Signedness.UNSIGNED


def _fma_of_one_shape(op: EwiseFmaOp) -> Edit | None:
    shapes = [_dims(x) for x in op.operands]
    sizes = _dims(op.results[0])
    if sizes is None or None in shapes or len(set(shapes)) == 1:
        return None
    known = [size for size in sizes if size is not None]
    if not all(map(_is_spelled, sizes)):
        return None

    def broadcast() -> None:
        shape = _before(op, ShapeOp(known))
        smaller = [x for x in op.operands if _dims(x) != sizes]
        _take(op, {x: BroadcastToOp(x, shape) for x in smaller})

    return broadcast


def _norm_in_order(op: LayerNormOp | RmsNormOp, axes: Sequence[int]) -> Edit | None:
    """Permute the axes of weights to the order of those of x, as TVM requires."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    if order == [*range(len(axes))]:
        return None

    def permute() -> None:
        _take(op, {weight: PermuteDimsOp(weight, order) for weight in op.operands[1:]})
        op.properties["axes"] = DenseArrayBase.from_list(i64, sorted(axes))

    return permute


def _roi_pool_nchw(op: RoiPoolOp) -> None:
    images = _before(op, PermuteDimsOp(op.x, (0, 3, 1, 2)))
    new = op.clone()
    new.results[0].name_hint = None
    new.operands[0] = images.results[0]
    new.properties["layout"] = StringAttr("NCHW")
    new.set_result_types(new.checked_types())
    _before(op, new)
    _replace(op, PermuteDimsOp(new.results[0], (0, 2, 3, 1)))


def _is_scaled_exactly(op: ResizeOp, scales: SSAValue) -> bool:
    """Returns whether scales are exactly the ratios of the sizes."""
    if not isinstance(scales.owner, ConstantOp):
        return False
    factors = from_dense(scales.owner.value).tolist()
    for letter, factor, target in zip(op.SPATIAL, factors, op.target):
        size = op.x_sizes[letter]
        if size is None or target is None:
            return False
        if size.value is not None and target.value is not None:
            if size.value * factor != target.value:
                return False
        elif not factor.is_integer() or size * int(factor) is not target:
            return False
    return True


def _has_elements(op: MaxOp | MinOp) -> bool:
    """Returns whether each result is known to be non-empty."""
    dims = _dims(op.x)
    if dims is None:
        return False
    sizes = [dims[axis] for axis in op.axes(len(dims))]
    return all(size is not None and (size.value or 0) > 0 for size in sizes)


# Helpers ----------------------------------------------------------------------------------------


def _before(op: Operation, new: Operation) -> Operation:
    """Put an op before another."""
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
    return new


def _take(op: Operation, taken: Mapping[SSAValue, Operation]) -> None:
    """Replace operands of an op by the results of ops on them."""
    for new in taken.values():
        _before(op, new)
    op.operands = [taken[v].results[0] if v in taken else v for v in op.operands]


def _keep_operands(op: Operation, kept: Sequence[SSAValue]) -> None:
    op.operands = kept


def _replace(op: Operation, new: Operation) -> None:
    """Replace an op by another, keeping its name."""
    new.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, new)


def _dims(value: SSAValue) -> Dims | None:
    return value.type.shape if isinstance(value.type, TensorType) else None


def _dtype(value: SSAValue) -> Attribute | None:
    return value.type.dtype if isinstance(value.type, TensorType) else None

"""relax-outline-tensor-ops: ops of other dialects on builtin tensors in a Relax function become prim funcs.

```mlir
%t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
%u = math.exp %t : tensor<?xf32>
%y = relax.from_builtin %u : (tensor<?xf32>) -> !relax.tensor<[?], f32>
    ->
%u = relax.call_tir @math_exp(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
%y = relax.let %u : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
```

These are scalar ops on tensors, `linalg` ops, `tensor.insert`, `tensor.from_elements`, slices at positions
that are values, and calls of functions on tensors of static sizes; those of other sizes are inlined. Ops
without indexing maps become generic ones first (`structured_patterns.py`). Views, other slices and
`tensor.concat` become Relax operators (`tensor_operators.py`). Sizes that an op requires to be equal are
one symbol of the prim func's arguments, so that the call checks them before anything is written; other
subscripts are checked in the prim func (`bounds_checks.py`). Scalars go in as tensors of rank 0. Other ops
stay. The program is in A-normal form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from lowering.legalize.tensor_ops.bounds_checks import bounds_checks, is_monotonic
from lowering.legalize.tensor_ops.inline_tensor_calls import TensorCalls
from lowering.legalize.tensor_ops.structured_patterns import generalize_structured
from lowering.legalize.tensor_ops.tensor_operators import PATTERNS, replace_by_relax
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp, round_trip
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shapes import ScalarToTensorOp
from relax_dialect.prim.run_time_checks import PLACE
from relax_dialect.prim.signature import DIMS
from relax_dialect.transform.pattern_driver import apply_patterns, replace
from relax_dialect.transform.regions import (
    bodies,
    functions,
    holds_bindings,
    is_relax,
    sort_regions,
)

Dims = Sequence[str]
"""The sizes of a tensor in the signature of a prim func."""


def _static(type: Attribute) -> Dims | None:
    assert isinstance(type, TensorType)
    sizes = type.get_shape()
    return None if DYNAMIC_INDEX in sizes else [str(size) for size in sizes]


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _inputs(op: Operation) -> list[SSAValue]:
    """Return the operands of an op and the outside values that its regions use."""
    inside = dict.fromkeys(walk_ops(op))
    captured = [
        value
        for each in inside
        for value in each.operands
        if value.owner not in inside
        and not (isinstance(value.owner, Block) and value.owner.parent_op() in inside)
    ]
    return list(dict.fromkeys((*op.operands, *captured)))


def _element(scalar: SSAValue) -> Attribute:
    """Return the type of a scalar in a tensor."""
    return i64 if scalar.type == IndexType() else scalar.type


# Sizes ----------------------------------------------------------------------------------------


def _dims(op: Operation) -> list[Dims] | None:
    """Return the sizes of an op's tensor operands and results, in order; None for an op that stays."""
    tensors = [value for value in (*op.operands, *op.results) if _is_tensor(value)]
    if not op.results or not all(map(_is_tensor, op.results)):
        return None
    if isinstance(op, LinalgStructuredOperation):
        return _dims_by_maps(op)
    if any(_is_tensor(value) and value not in op.operands for value in _inputs(op)):
        return None
    if isinstance(op, tensor.InsertSliceOp):
        return [_own_dims(op.source, "s"), _own_dims(op.dest, "d"), _own_dims(op.dest, "d")]
    if op.dialect_name() in ("arith", "math"):
        maps = [AffineMap.identity(len(_shape(value))) for value in tensors]
        return _dims_of_loops(tensors, maps)
    if isinstance(op, tensor.InsertOp):
        return [_own_dims(op.dest, "d")] * 2
    if isinstance(op, tensor.FromElementsOp | func.CallOp):
        found = [_static(value.type) for value in tensors]
        return None if None in found else found  # pyright: ignore[reportReturnType]
    return None


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _own_dims(value: SSAValue, name: str) -> Dims:
    """Return the sizes of a tensor, with a variable for each that is dynamic."""
    return [
        f"{name}{axis}" if size == DYNAMIC_INDEX else str(size)
        for axis, size in enumerate(_shape(value))
    ]


def _dims_by_maps(op: LinalgStructuredOperation) -> list[Dims] | None:
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    pairs = [(v, m) for v, m in zip(op.operands, maps, strict=True) if _is_tensor(v)]
    if len(op.results) != len(op.outputs):
        return None
    found = _dims_of_loops([v for v, _ in pairs], [m for _, m in pairs])
    return None if found is None else [*found, *found[len(found) - len(op.results) :]]


def _dims_of_loops(tensors: Sequence[SSAValue], maps: Sequence[AffineMap]) -> list[Dims] | None:
    """Return the sizes of tensors that loops index: sizes indexed by the same loop alone are equal.
    Dimensions with other indices are checked when the prim func is called."""
    sizes: dict[int, str] = {}
    for value, map in zip(tensors, maps):
        for size, at in zip(_shape(value), map.results):
            if isinstance(at, AffineDimExpr):
                if size != DYNAMIC_INDEX:
                    sizes.setdefault(at.position, str(size))
            elif not is_monotonic(at):
                return None
    return [
        [
            sizes.setdefault(at.position, f"d{at.position}")
            if isinstance(at, AffineDimExpr)
            else own
            for at, own in zip(map.results, _own_dims(value, f"w{number}_"))
        ]
        for number, (value, map) in enumerate(zip(tensors, maps))
    ]


# Prim funcs -----------------------------------------------------------------------------------


class _Outlining:
    """The prim funcs that ops of one module become."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._numbers: dict[str, int] = {}

    @cached_property
    def _names(self) -> set[str]:
        """The symbols of the module; most functions outline nothing, and need none."""
        found = (op.properties.get("sym_name") for op in self.module.ops)
        return {name.data for name in found if isinstance(name, StringAttr)}

    def outline(
        self, rewriter: PatternRewriter, group: Sequence[Operation], dims: Sequence[Dims]
    ) -> None:
        """Call a prim func instead of an op, or of a group of ops used only by its last one.

        `dims` are those of the tensor operands of the first op, of the other ops' further tensor operands,
        and of the results of the last.
        """
        last = group[-1]
        made_inside = {result for op in group[:-1] for result in op.results}
        inputs = [v for op in group for v in _inputs(op) if v not in made_inside]
        inputs = list(dict.fromkeys(inputs))
        tensors = [v for op in group for v in op.operands if _is_tensor(v) and v not in made_inside]
        sizes = dict(zip(tensors, dims))
        for number, value in enumerate(inputs):
            if _is_tensor(value) and value not in sizes:
                sizes[value] = _own_dims(value, f"c{number}_")
        callee = self._prim_func(group, inputs, sizes, dims[len(dims) - len(last.results) :])
        made: list[Operation] = []
        args: list[SSAValue] = []
        for value in inputs:
            if value.type == IndexType():
                made.append(cast := arith.IndexCastOp(value, i64))
                value = cast.result
            made.append(taken := (FromBuiltinOp if _is_tensor(value) else ScalarToTensorOp)(value))
            args.append(taken.result)
        made.append(call := CallTirOp(callee, args))
        if any(isinstance(op, cf.AssertOp) for op in callee.body.block.ops):
            call.attributes[PLACE] = StringAttr(group[0].name)
        replace_by_relax(rewriter, last, made, call.results)
        for op in reversed(group[:-1]):
            rewriter.erase(op)

    def _prim_func(
        self,
        group: Sequence[Operation],
        inputs: Sequence[SSAValue],
        sizes: dict[SSAValue, Dims],
        results: Sequence[Dims],
    ) -> func.FuncOp:
        types = [v.type if _is_tensor(v) else TensorType(_element(v), []) for v in inputs]
        block = Block(arg_types=types)
        values: dict[SSAValue, SSAValue] = {}
        for value, argument in zip(inputs, block.args):
            argument.name_hint = value.name_hint
            values[value] = argument
            if not _is_tensor(value):
                block.add_op(taken := tensor.ExtractOp(argument, [], _element(value)))
                values[value] = taken.result
                if value.type == IndexType():
                    block.add_op(cast := arith.IndexCastOp(taken.result, value.type))
                    values[value] = cast.result
        for op in group:
            copy = op.clone(values)
            block.add_ops(bounds_checks(copy))
            block.add_op(copy)
        block.add_op(func.ReturnOp(*copy.results))
        made = func.FuncOp(
            self._fresh(group[0].name.replace(".", "_")),
            (types, [result.type for result in group[-1].results]),
            Region(block),
            visibility="private",
            arg_attrs=ArrayAttr(_described(sizes.get(value, ())) for value in inputs),
            res_attrs=ArrayAttr(map(_described, results)),
        )
        self.module.body.block.add_op(made)
        return made

    def _fresh(self, name: str) -> str:
        """Return a fresh name for a prim func; the search continues at the last one."""
        found, number = name, self._numbers.get(name, 0)
        while found in self._names:
            number += 1
            found = f"{name}_{number}"
        self._numbers[name] = number
        self._names.add(found)
        return found


def _described(dims: Dims) -> DictionaryAttr:
    return DictionaryAttr({DIMS: ArrayAttr(map(StringAttr, dims))})


# The pass -------------------------------------------------------------------------------------


def outline_tensor_ops(module: ModuleOp) -> None:
    """Call prim funcs where ops of other dialects work on whole tensors."""
    outlining, calls = _Outlining(module), TensorCalls(module)
    for function in functions(module):
        _outline_in(function, outlining, calls)
    calls.remove_uncalled()


def _outline_in(function: FuncOp, outlining: _Outlining, calls: TensorCalls) -> None:
    if not any(map(_is_of_interest, walk_ops(function))):
        return
    for body in list(bodies(function)):
        calls.inline(body)
    generalize_structured(function, named=False)
    sort_regions(function)  # so that the sizes of operands are known
    to_prim_funcs = SliceToPrimFunc(outlining), OpToPrimFunc(outlining)
    apply_patterns(
        function, [InRelax([ConstantToRelax(), *PATTERNS, *to_prim_funcs], dce_enabled=False)]
    )
    apply_patterns(function, [RoundTripToTensor(), CallOfKnownSizes()])
    apply_patterns(function, [UnusedView()], last_first=True)


def _is_of_interest(op: Operation) -> bool:
    return not is_relax(op) or isinstance(op, FromBuiltinOp | ToBuiltinOp | LetOp)


class InRelax(GreedyRewritePatternApplier):
    """Patterns for ops of other dialects in the bodies of Relax ops, and in no region of their own."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        around = op.parent_op()
        if not is_relax(op) and around is not None and holds_bindings(around):
            super().match_and_rewrite(op, rewriter)


class ConstantToRelax(RewritePattern):
    """`arith.constant` of a tensor -> `relax.constant`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter) -> None:
        if isinstance(op.value, DenseIntOrFPElementsAttr):
            constant = ConstantOp(op.value)
            replace(rewriter, op, [constant, back := ToBuiltinOp(constant.result)], [back.result])
            constant.result.name_hint = back.result.name_hint


@dataclass
class SliceToPrimFunc(RewritePattern):
    """A slice at positions that are values -> a call of a prim func that copies it to a new tensor."""

    outlining: _Outlining

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.ExtractSliceOp, rewriter: PatternRewriter) -> None:
        empty = rewriter.insert(tensor.EmptyOp(op.sizes, op.result.type))
        copy = linalg.CopyOp([op.result], [empty.tensor], [op.result.type])
        rewriter.insert(copy, InsertPoint.after(op))
        rewriter.replace_uses_with_if(
            op.result, copy.results[0], lambda use: use.operation is not copy
        )
        copy.results[0].name_hint = op.result.name_hint
        rewriter.insertion_point = InsertPoint.before(copy)
        part = _own_dims(op.result, "p")
        self.outlining.outline(rewriter, [op, copy], [_own_dims(op.source, "d"), part, part])


@dataclass
class OpToPrimFunc(RewritePattern):
    """An op of another dialect on tensors of known relations of sizes -> a call of a prim func."""

    outlining: _Outlining

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if (dims := _dims(op)) is not None:
            self.outlining.outline(rewriter, [op], dims)


class RoundTripToTensor(RewritePattern):
    """`from_builtin(to_builtin(x))` -> x, of the type that is known best if it is the same."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FromBuiltinOp, rewriter: PatternRewriter) -> None:
        if (value := round_trip(op)) is not None:
            known = _known(value)
            rewriter.replace(op, (), [known if known.type == op.result.type else value])


class CallOfKnownSizes(RewritePattern):
    """Bypass of the `relax.let` ops that widen the types of call operands."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CallTirOp, rewriter: PatternRewriter) -> None:
        if any(isinstance(value.owner, LetOp) for value in op.operands):
            op.operands = [_known(value) for value in op.operands]
            rewriter.handle_operation_modification(op)


class UnusedView(RewritePattern):
    """A view or a let that nothing uses is erased."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ToBuiltinOp | LetOp, rewriter: PatternRewriter) -> None:
        if op.result.first_use is None:
            rewriter.erase(op)


def _known(value: SSAValue) -> SSAValue:
    """Return a value without the `relax.let` ops that widen its type."""
    while isinstance(value.owner, LetOp):
        value = value.owner.value
    return value


class OutlineTensorOpsPass(ModulePass):
    """`outline_tensor_ops`."""

    name = "relax-outline-tensor-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outline_tensor_ops(op)

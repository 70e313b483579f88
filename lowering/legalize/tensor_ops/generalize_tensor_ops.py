"""relax-generalize-tensor-ops: ops of other dialects on tensors in a prim func become ops that are lowered.

    %y = math.exp %x : tensor<?xf32>                   %e = tensor.empty(%n) : tensor<?xf32>
                                                  ->   %y = linalg.generic ins(%x) outs(%e) { math.exp }
    %z = linalg.matmul ins(%a, %b) outs(%c)       ->   %z = linalg.generic ins(%a, %b) outs(%c) { ... }
    %t = tensor.from_elements %p, %q              ->   %t = tensor.insert %q into (tensor.insert %p ...)
    %r = func.call @g(%x) : (tensor<..>) -> ...   ->   the body of @g

Functions on tensors that are only called become part of their callers; recursive ones are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import SymbolTable

from lowering.ir.argument_attributes import is_tensor_prim_func
from lowering.legalize.tensor_ops.structured_patterns import generalize_structured
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.walk import walk_ops
from relax_dialect.transform.pattern_driver import apply_patterns

_INDEX = IndexType()


def generalize(function: func.FuncOp, module: ModuleOp) -> None:
    """Write the ops on tensors of one function as `linalg.generic`, insertions and scalar ops."""
    _inline_calls(function, module)
    generalize_structured(function, named=True)
    if any(
        isinstance(op, tensor.FromElementsOp) or _is_elementwise(op) for op in walk_ops(function)
    ):
        apply_patterns(function, [ElementsToInsertions(), ElementwiseToGeneric()])


def _in_generic(op: Operation) -> bool:
    return isinstance(op.parent_op(), linalg.GenericOp | NamedOperation)


# Calls ----------------------------------------------------------------------------------------


def _inline_calls(function: func.FuncOp, module: ModuleOp) -> None:
    """Inline the bodies of called functions on tensors."""
    if next(_calls_on_tensors(function), None) is None:
        return
    recursive = CallGraph.of(module).recursive()
    while call := next(_calls_on_tensors(function), None):
        callee = SymbolTable.lookup_symbol(module, call.callee)
        if not isinstance(callee, func.FuncOp) or callee.body.first_block is None:
            return
        if callee.sym_name.data in recursive:
            return
        values: dict[SSAValue, SSAValue] = dict(zip(callee.body.block.args, call.arguments))
        block = call.parent
        assert block is not None
        for op in callee.body.block.ops:
            if isinstance(op, func.ReturnOp):
                for result, value in zip(call.results, op.operands):
                    values[value].name_hint = result.name_hint or values[value].name_hint
                    result.replace_all_uses_with(values[value])
            else:
                block.insert_op_before(op.clone(values), call)
        call.detach()
        call.erase()


def _calls_on_tensors(function: func.FuncOp) -> Iterator[func.CallOp]:
    for op in walk_ops(function):
        if isinstance(op, func.CallOp) and any(
            isinstance(v.type, TensorType) for v in (*op.operands, *op.results)
        ):
            yield op


# Elements -------------------------------------------------------------------------------------


def _is_elementwise(op: Operation) -> bool:
    """Return whether a scalar op is applied to whole tensors."""
    return (
        op.dialect_name() in ("arith", "math")
        and not isinstance(op, arith.ConstantOp)
        and bool(op.results)
        and all(isinstance(result.type, TensorType) for result in op.results)
    )


class ElementwiseToGeneric(RewritePattern):
    """A scalar op on tensors of one shape -> a generic that applies it to their elements."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not _is_elementwise(op) or _in_generic(op):
            return
        (result,) = op.results
        assert isinstance(result.type, TensorType)
        tensors = [v for v in op.operands if isinstance(v.type, TensorType)]
        sizes: list[SSAValue] = []
        for axis, size in enumerate(result.type.get_shape()):
            if size == DYNAMIC_INDEX:
                index = rewriter.insert(arith.ConstantOp.from_int_and_width(axis, _INDEX))
                sizes.append(rewriter.insert(tensor.DimOp(tensors[0], index)).result)
        empty = rewriter.insert(tensor.EmptyOp(sizes, result.type))
        generic = linalg.GenericOp(
            tensors,
            [empty.tensor],
            _body(op, tensors),
            [AffineMapAttr(AffineMap.identity(len(result.type.get_shape())))] * (len(tensors) + 1),
            [IteratorTypeAttr(IteratorType.PARALLEL)] * len(result.type.get_shape()),
            [result.type],
        )
        rewriter.replace(op, generic)


def _body(op: Operation, tensors: Sequence[SSAValue]) -> Region:
    """Return an op on tensors as the body of a generic, on their elements."""
    (result,) = op.results
    body = Block(arg_types=[_element(v) for v in (*tensors, result)])
    inside = dict(zip(tensors, body.args))
    scalar = type(op).create(
        operands=[inside.get(v, v) for v in op.operands],
        result_types=[_element(result)],
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
    )
    body.add_ops([scalar, linalg.YieldOp(*scalar.results)])
    return Region(body)


def _element(value: SSAValue) -> Attribute:
    type = value.type
    return type.element_type if isinstance(type, TensorType) else type


class ElementsToInsertions(RewritePattern):
    """`tensor.from_elements` -> an empty tensor that they are inserted into one by one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tensor.FromElementsOp, rewriter: PatternRewriter) -> None:
        type = op.result.type
        assert isinstance(type, TensorType)
        last = rewriter.insert(tensor.EmptyOp([], type)).tensor
        indices: dict[int, SSAValue] = {}
        for number, element in enumerate(op.elements):
            place: list[SSAValue] = []
            for size in reversed(type.get_shape()):
                number, at = divmod(number, size)
                if at not in indices:
                    constant = arith.ConstantOp.from_int_and_width(at, _INDEX)
                    indices[at] = rewriter.insert(constant).result
                place.insert(0, indices[at])
            last = rewriter.insert(tensor.InsertOp(element, last, place)).result
        last.name_hint = op.result.name_hint
        rewriter.replace(op, (), [last])


class GeneralizeTensorOpsPass(ModulePass):
    """Ops on whole tensors in prim funcs -> structured ops: see this file's docstring."""

    name = "relax-generalize-tensor-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.body.block.ops):
            if isinstance(function, func.FuncOp) and is_tensor_prim_func(function):
                generalize(function, op)

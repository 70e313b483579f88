"""relax-rewrite-dataflow-reshape: calls of prim funcs that only reshape become `relax.reshape`.

    %h = relax.call_tir @flatten(%y) : (!relax.tensor<[n, 16, 8], f32>) -> !relax.tensor<[n, 128], f32>
    ->
    %s = relax.shape [n, 128]
    %h = relax.reshape %y, %s : (...) -> !relax.tensor<[n, 128], f32>

Prim funcs made by `relax-legalize` from reshape, flatten, squeeze, expand_dims and their like are
recognised by their body, as are prim funcs from elsewhere (`relax_dialect.analysis.has_reshape_pattern`):
the elements of the result are those of the argument in their order. `relax-lower-functions` makes a view of
its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from lowering.external.library_kernel import codegen_of
from relax_dialect import symbolic
from relax_dialect.analysis.reshape_pattern import has_reshape_pattern
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp, ShapeOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.prim.signature import DIMS, attribute_dicts
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.pattern_driver import apply_patterns, replace


def rewrite_dataflow_reshape(module: ModuleOp) -> None:
    """Replace the calls in the module's functions, and erase the prim funcs that nothing calls any more."""
    pattern = CallToReshape(module_symbols(module))
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        calls = (op for op in walk_ops(function) if isinstance(op, CallTirOp))
        if any(map(pattern.may_match, calls)):  # most functions have none, and need no walk
            apply_patterns(function, [pattern])
    remove_unused_functions(module, pattern.replaced)


@dataclass
class CallToReshape(RewritePattern):
    """A call of a prim func that only reshapes -> `relax.reshape`."""

    symbols: Mapping[str, Operation]
    replaced: set[str] = field(default_factory=set[str])
    """The prim funcs that calls of were replaced."""
    decided: dict[str, bool] = field(default_factory=dict[str, bool])

    def may_match(self, call: CallTirOp) -> bool:
        """Return whether a call only reshapes, if its sizes match the prim func."""
        if (name := call.callee_name) not in self.decided:
            self.decided[name] = _only_reshapes(self.symbols.get(name))
        return self.decided[name] and _may_be_view(call)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, call: CallTirOp, rewriter: PatternRewriter) -> None:
        if not self.may_match(call):
            return
        if not call.infer_with(self.symbols[call.callee_name])[0].proved:
            return
        self.replaced.add(call.callee_name)
        (source,), (result,) = call.args, call.results
        assert isinstance(result.type, TensorType) and result.type.shape is not None
        shape = ShapeOp([size for size in result.type.shape if size is not None])
        replace(rewriter, call, [shape, reshape := ReshapeOp(source, shape)], [reshape.result])


def _may_be_view(call: CallTirOp) -> bool:
    """Return whether a call returns a tensor with as many elements of the same type as its only
    argument."""
    if len(call.args) != 1 or len(call.results) != 1:
        return False
    old, new = call.args[0].type, call.results[0].type
    if not isinstance(old, TensorType) or not isinstance(new, TensorType) or old.dtype != new.dtype:
        return False
    if old.dtype is None or None in (old.shape, new.shape, *(old.shape or ()), *(new.shape or ())):
        return False
    counts = (symbolic.product(d for d in t.shape or () if d is not None) for t in (old, new))
    return next(counts) is next(counts)


def _only_reshapes(callee: Operation | None) -> bool:
    """Return whether a prim func computes a view, and checks nothing on the way."""
    if not isinstance(callee, func.FuncOp) or codegen_of(callee) is not None:
        return False
    checks = any(isinstance(op, cf.AssertOp) for op in walk_ops(callee))
    named = attribute_dicts(callee.arg_attrs, len(callee.function_type.inputs))
    return not checks and all(DIMS in entry for entry in named) and has_reshape_pattern(callee)


class RewriteDataflowReshapePass(ModulePass):
    """Calls that only reshape become `relax.reshape`: see this file's docstring."""

    name = "relax-rewrite-dataflow-reshape"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_dataflow_reshape(op)

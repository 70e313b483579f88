"""relax-compute-prim-value: values of symbolic expressions are computed by private functions.

```mlir
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.prim<2 * n> {
  %v = relax.prim_value [2 * n]
  ...
->
relax.func private @compute_symbolic_expr(%n: !relax.prim<n>) -> !relax.prim<2 * n> {
  %value = relax.prim_value [2 * n]
  relax.return %value : !relax.prim<2 * n>
}
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.prim<2 * n> {
  %0 = relax.prim_value [n]
  %v = relax.call @compute_symbolic_expr(%0) : (!relax.prim<n>) -> !relax.prim<2 * n>
  ...
```

Values of `relax.symbolic_value` are converted likewise. One function serves all values of an expression.
Numbers and single variables are kept, and so are sizes in types and `relax.shape`. Interpreter and C
compute values in line; the pass is for programs exported to TVM, whose VM has no arithmetic except for
prim funcs: these functions are written as such (and read back). relax-inline-private-functions is the
inverse.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from relax_dialect.ir.types import PrimType
from relax_dialect.ir.walk import symbol_name, unique_name, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.compute_region import InComputeOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.ops.shape_value import ExpressionOp, PrimValueOp
from relax_dialect.symbolic import Expr, var
from relax_dialect.transform.computed_values import computed_value
from relax_dialect.transform.pattern_driver import apply_patterns, replace
from relax_dialect.transform.regions import functions

NAME = "compute_symbolic_expr"
"""The base name of the functions, followed by a number for all but the first."""


def compute_prim_value(module: ModuleOp) -> int:
    """Compute symbolic expressions by private functions; returns the number of values."""
    pattern = ValueToCall(module, {symbol_name(op) or "" for op in module.ops})
    for function in [f for f in functions(module) if computed_value(f) is None]:
        if any(map(_is_computed, walk_ops(function))):
            apply_patterns(function, [pattern])
    return pattern.count


@dataclass
class ValueToCall(RewritePattern):
    """The value of a symbolic expression -> a call of the function that computes it."""

    module: ModuleOp
    taken: set[str]
    """The names of the module."""
    made: dict[tuple[type[ExpressionOp], Expr], FuncOp] = field(default_factory=dict)
    count: int = 0

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExpressionOp, rewriter: PatternRewriter) -> None:
        if not _is_computed(op):
            return
        expression = op.expression.data
        key = type(op), expression
        if key not in self.made:
            self.taken.add(name := unique_name(NAME, self.taken))
            self.made[key] = _function(name, op)
            self.module.body.block.add_op(self.made[key])
        values = [PrimValueOp(var(name)) for name in expression.free_variables]
        call = CallOp(self.made[key], [v.result for v in values])
        replace(rewriter, op, [*values, call], [call.result])
        self.count += 1


def _is_computed(op: Operation) -> bool:
    """Return whether an op yields the value of an expression other than a number or a variable, outside of
    `relax.compute`, where there are no calls."""
    if not isinstance(op, ExpressionOp) or isinstance(op, InComputeOp):
        return False
    expression = op.expression.data
    return not expression.is_constant and expression.name is None


def _function(name: str, op: ExpressionOp) -> FuncOp:
    """Create the function that computes the result of an op."""
    names = op.expression.data.free_variables
    types: list[Attribute] = [PrimType(var(each)) for each in names]
    block = Block(arg_types=types)
    for argument, each in zip(block.args, names):
        argument.name_hint = each
    value = type(op)(op.expression.data)
    value.results[0].name_hint = "value"
    block.add_ops([value, ReturnOp(value.results[0])])
    return FuncOp(name, types, op.results[0].type, Region(block), private=True)


class ComputePrimValuePass(ModulePass):
    """Compute values of symbolic expressions by private functions."""

    name = "relax-compute-prim-value"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compute_prim_value(op)

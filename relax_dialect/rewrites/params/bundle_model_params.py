"""relax-bundle-model-params{param=weights}: the weights of a function become one tuple.

```mlir
relax.func @main(%x: A, %w: B, %b: C) -> D attributes {num_input = 1 : i64} {
  %y = relax.linear %x, %w, %b : (A, B, C) -> D
->
relax.func @main(%x: A, %weights: tuple<B, C>) -> D attributes {num_input = 1 : i64} {
  %w = relax.tuple_get_item %weights {index = 0 : i64} : (tuple<B, C>) -> B
  %b = relax.tuple_get_item %weights {index = 1 : i64} : (tuple<B, C>) -> C
  %y = relax.linear %x, %w, %b : (A, B, C) -> D
```

Weights are the parameters after the first `num_input`; a function without that attribute is unchanged. Each
use extracts its weight from the tuple at its position, under the weight's name (relax-cse merges them). A
call packs the weights into a tuple; a function referenced otherwise than by calls cannot change.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.analysis.compile_time import NUM_INPUT, checked_num_input
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import tuple_type
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, TupleGetItemOp, TupleOp
from relax_dialect.transform.binding import signature
from relax_dialect.transform.private_signatures import calls_and_names, replace_call
from relax_dialect.transform.regions import functions

MODEL_PARAMS = "model_params"
"""The name of the tuple of weights."""


def bundle_model_params(module: ModuleOp, name: str = MODEL_PARAMS) -> int:
    """Make every function with the attribute `num_input` take its weights as one tuple; returns their
    number.

    A function referenced otherwise than by calls, or with an invalid `num_input`, is an error.
    """
    changed = {f: checked_num_input(f) for f in functions(module) if NUM_INPUT in f.attributes}
    calls, named = calls_and_names(module)
    for func in changed:
        if func.sym_name.data in named:
            raise RelaxError(
                f"relax-bundle-model-params: @{func.sym_name.data}: expected a function that is named by "
                "calls alone, found one that is made into a value; inline it, or remove its attribute "
                f"{NUM_INPUT}"
            )
    for func, count in changed.items():
        for call in calls.get(func.sym_name.data, ()):
            _pack(call, count)
        bundle(func, count, name)
    return len(changed)


def bundle(func: FuncOp, count: int, name: str = MODEL_PARAMS) -> None:
    """Make a function take its parameters after the first `count` as one tuple; its calls are unchanged."""
    block = func.body.block
    weights = list(block.args[count:])
    position: dict[SSAValue, int] = {weight: index for index, weight in enumerate(weights)}
    bundled = block.insert_arg(tuple_type([weight.type for weight in weights]), len(block.args))
    bundled.name_hint = name
    used = [op for op in walk_ops(func) if not position.keys().isdisjoint(op.operands)]
    for op in used:
        for index, value in enumerate(op.operands):
            if value in position:
                item = TupleGetItemOp(bundled, position[value])
                item.result.name_hint = value.name_hint
                assert op.parent is not None
                op.parent.insert_op_before(item, op)
                op.operands[index] = item.result
    for weight in weights:
        block.erase_arg(weight)
    output = func.function_type.output
    func.properties["function_type"] = signature(block.arg_types, output)


def _pack(call: CallOp, count: int) -> None:
    """Make a call pass its arguments after the first `count` as one tuple."""
    packed = TupleOp(*call.args[count:])
    assert call.parent is not None
    call.parent.insert_op_before(packed, call)
    replace_call(call, [*call.args[:count], packed.result])


@dataclass(frozen=True)
class BundleModelParamsPass(ModulePass):
    """Make functions take their weights as one tuple."""

    name = "relax-bundle-model-params"

    param: str = MODEL_PARAMS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bundle_model_params(op, self.param)

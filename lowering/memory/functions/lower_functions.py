"""relax-lower-functions: `relax.func` -> `func.func` on memrefs: allocation, calls, run-time checks, frees.

    relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 10], f32> {
      %w = relax.constant dense<...> : tensor<64x10xf32>
      %y = relax.call_tir @matmul(%x, %w) : (...) -> !relax.tensor<[n, 10], f32>
      relax.return %y : !relax.tensor<[n, 10], f32>
    }
    ->
    func.func @main(%n: index {relax.symbol = "n"},
                    %x: memref<?x64xf32> {relax.dims = ["n", "64"], relax.name = "x"})
        -> (memref<?x10xf32> {relax.dims = ["n", "10"]}) attributes {relax.entry} {
      %w = memref.get_global @w : memref<64x10xf32>
      %y = memref.alloc(%n) : memref<?x10xf32>
      func.call @matmul(%n, %x, %w, %y) : ...
      func.return %y : memref<?x10xf32>
    }

A recursive function takes its level as its last argument: the number of active calls of such functions. A
recursive function that is public or used as a function value is called through a wrapper of its name and
signature: at level 0, or at the level of the external call during which that happens.

A function owns its allocations and frees them after their last use; results are handed to the caller, so a
value that it does not own (a parameter, a constant) is copied before it is returned.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from lowering.memory.functions import (
    calls,
    closures,
    control_flow,
    effects,
    match_cast,
    structural_ops,
    tensors,
)
from lowering.memory.functions.body import register_lowerings
from lowering.memory.functions.external_forms import SCALAR, PackedForm
from lowering.memory.functions.interface import lower_function
from lowering.memory.functions.module_state import ModuleState
from relax_dialect.ir.in_place import in_place
from relax_dialect.ir.locations import inherit
from relax_dialect.ops import core
from relax_dialect.prim.run_time_checks import PLACE, place_of
from relax_dialect.prim.signature import ENTRY
from relax_dialect.transform.function_values.function_copies import FunctionCopies
from relax_dialect.transform.regions import erase

for family in (
    structural_ops,
    match_cast,
    tensors,
    calls,
    control_flow,
    effects,
    closures,
):
    register_lowerings(family.LOWERINGS)


def lower_functions(module: ModuleOp) -> None:
    """Replace every relax.func of the module by a func.func on memrefs."""
    _keep_values(module)
    state = ModuleState(module)
    functions = [op for op in module.body.block.ops if isinstance(op, core.FuncOp)]
    lowered = [(function, lower_function(function, state)) for function in functions]
    for function, replacement in lowered:
        module.body.block.insert_op_before(replacement, function)
        if function.sym_name.data in state.nested:
            nested, replacement = replacement, entry(function, replacement, state)
            module.body.block.insert_op_before(replacement, nested)
        if function.sym_name.data in state.made:
            closures.describe_parts(replacement, state.signature_of(function), function)
        inherit([replacement], function.location)
        erase(function)


def _keep_values(module: ModuleOp) -> None:
    """Redirect calls inside the module to copies of functions that write over their parameters: values in
    the module never change."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, core.FuncOp)}
    if names := [name for name, function in functions.items() if in_place(function)]:
        FunctionCopies(module, functions).make_twins(names)


def entry(function: core.FuncOp, nested: func.FuncOp, state: ModuleState) -> func.FuncOp:
    """Return the entry of a recursive function for callers: a call of it at level 0, or at that of the call
    from which they came."""
    types, outputs = nested.function_type.inputs.data[:-1], nested.function_type.outputs.data
    body = Block(arg_types=types)
    for argument, inner in zip(body.args, nested.args):
        argument.name_hint = inner.name_hint
    level = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
    if state.recursion.calls_out:
        symbol = state.declare(
            PackedForm("level", (), SCALAR, level="get"), (), (level.result.type,)
        )
        level = func.CallOp(symbol, (), (level.result.type,))
    call = func.CallOp(nested.sym_name.data, [*body.args, level], outputs)
    body.add_ops([level, call, func.ReturnOp(*call.results)])
    assert nested.arg_attrs is not None
    found = func.FuncOp(
        function.sym_name.data,
        (types, outputs),
        Region(body),
        arg_attrs=ArrayAttr(nested.arg_attrs.data[:-1]),
        res_attrs=nested.res_attrs,
        visibility="private" if function.is_private else None,
    )
    if place_of(function):
        found.attributes[PLACE] = StringAttr(place_of(function))
    if not function.is_private:
        found.attributes[ENTRY] = UnitAttr()
    return found


class LowerFunctionsPass(ModulePass):
    """relax.func on tensors -> func.func on memrefs, see the module docstring."""

    name = "relax-lower-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_functions(op)

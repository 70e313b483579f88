"""relax-lift-constants{file=weights.npz func=main}: constants become parameters; their values go to a file.

```mlir
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %w = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = relax.multiply %x, %w : ...
->                                             (weights.npz holds an array `w` of two elements)
relax.func @main(%x: !relax.tensor<[n, 2], f32>, %w: !relax.tensor<[2], f32>) -> ...
    attributes {num_input = 1 : i64} {
  %y = relax.multiply %x, %w : ...
```

`relax-bind-params{file=weights.npz}` is the inverse. Tensors are lifted, including those in private
functions that are only called: one parameter of both for all calls. Numbers, of rank 0, are kept, and so
are the constants of recursive functions. The parameters follow the others, each under the constant's
name, with a number appended if that is taken; `num_input` marks them as weights, as for
relax-bundle-model-params.

Importers, such as that of ONNX, make constants of a model's weights: the pass converts them into parameters
that `training.make_step` can train.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.analysis.compile_time import NUM_INPUT
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import dtype_name, from_dense
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.rewrites.params.bind_params import ELEMENTS, uncalled_function
from relax_dialect.transform.binding import signature
from relax_dialect.transform.private_signatures import changeable_functions, replace_call
from relax_dialect.transform.regions import erase, replace_uses

Array = np.ndarray[Any, Any]


def lift_constants(module: ModuleOp, func: str = "main") -> dict[str, Array]:
    """Make the constant tensors of a function its last parameters; returns their values by the parameters'
    names, in order.

    Raises `RelaxError` if the module has no such function, or uses it itself.
    """
    function = uncalled_function(module, func, PASS, "inline the callers, or lift those of a copy")
    graph = CallGraph.of(module)
    reached = graph.reachable([func]) - graph.recursive()
    for callee, calls in changeable_functions(module).items():
        if callee.sym_name.data not in reached:
            continue
        for constant in list(_tensors(callee)):
            given: dict[Block, SSAValue] = {}
            for place, call in enumerate(calls):
                body = _body_around(call)
                if body not in given:
                    assert body.first_op is not None
                    body.insert_op_before(copy := constant.clone(), body.first_op)
                    given[body] = copy.result
                calls[place] = replace_call(call, [*call.args, given[body]])
            _as_parameter(callee, constant)
    block = function.body.block
    taken = {argument.name_hint for argument in block.args}
    function.attributes.setdefault(NUM_INPUT, IntegerAttr(len(block.args), i64))
    found: dict[str, Array] = {}
    for constant in list(_tensors(function)):
        name = base = constant.result.name_hint or "constant"
        number = 0
        while name in taken:
            number += 1
            name = f"{base}{number}"
        taken.add(name)
        found[name] = from_dense(constant.value).copy()  # a step of training writes over it
        _as_parameter(function, constant).name_hint = name
    return found


def _tensors(function: FuncOp) -> Iterator[ConstantOp]:
    return (o for o in walk_ops(function) if isinstance(o, ConstantOp) and o.value.get_shape())


def _body_around(op: Operation) -> Block:
    """Return the body of the function that contains an op."""
    around = op.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    assert around is not None
    return around.body.block


def _as_parameter(function: FuncOp, constant: ConstantOp) -> BlockArgument:
    """Convert a constant of a function into its last parameter."""
    block = function.body.block
    param = block.insert_arg(constant.result.type, len(block.args))
    param.name_hint = constant.result.name_hint
    replace_uses({constant.result: param})
    erase(constant)
    function.properties["function_type"] = signature(block.arg_types, function.function_type.output)
    return param


PASS = "relax-lift-constants"


@dataclass(frozen=True)
class LiftConstantsPass(ModulePass):
    """Make constants parameters, and write their values to an .npz file."""

    name = PASS

    file: str
    func: str = "main"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arrays = lift_constants(op, self.func)
        for name, array in arrays.items():
            if (element := dtype_name(array.dtype)) not in ELEMENTS:
                raise RelaxError(
                    f"{PASS}: '{name}': expected an element type of numpy's, found {element}; "
                    "lift_constants returns such arrays in Python"
                )
        try:
            with open(self.file, "wb") as file:  # savez adds .npz to a name without it
                np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
        except OSError as error:
            raise RelaxError(
                f"{PASS}: expected a file to write to, found {self.file}: {error}; name another"
            ) from None

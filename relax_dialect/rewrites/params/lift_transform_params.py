"""relax-lift-transform-params{shared=true}: values that depend on weights only are computed once, by a
separate function.

```mlir
relax.func @main(%x: A, %w: B, %b: C) -> D attributes {num_input = 1 : i64} {
  %t = relax.permute_dims %w : (B) -> E
  %y = relax.matmul %x, %t : (A, E) -> D
  %z = relax.add %y, %b : (D, C) -> D
->
relax.func @main_transform_params(%model_params: tuple<B, C>) -> tuple<C, E> ... {
  %w = relax.tuple_get_item %model_params {index = 0 : i64} : (tuple<B, C>) -> B
  %t = relax.permute_dims %w : (B) -> E
  %b = relax.tuple_get_item %model_params {index = 1 : i64} : (tuple<B, C>) -> C
  %transformed = relax.tuple %b, %t : (C, E) -> tuple<C, E>
relax.func @main(%x: A, %b: C, %t: E) -> D attributes {num_input = 1 : i64} {
  %y = relax.matmul %x, %t : (A, E) -> D
  %z = relax.add %y, %b : (D, C) -> D
```

Weights are the parameters after the first `num_input`; a function without that attribute is unchanged. The
function takes the results of the separate one instead of its weights: the weights that it still needs, then
the values computed from them. `transformed = run(module, "main_transform_params", weights)` is done once,
and `run(module, "main", x, *transformed)` for each input.

With `shared=true` one `@transform_params` serves all functions, or those of `funcs=f,g`, whose weights must
be of the same types: it computes the values common to all of them, in any order, and each takes all its
results. Then ops with regions are not moved.

What depends on constants alone stays, and is computed by the transform too if weights need it; an op that
has an effect or defines a size stays. `relax.let %w {stop_lift_params = true}` ends the lifting: the let
is removed, its users stay. A weight that alone defines a size is still a parameter. A transform of the same
name, made by an earlier run, is composed with the new one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TupleType, i64
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from relax_dialect.analysis.compile_time import (
    NUM_INPUT,
    checked_num_input,
)
from relax_dialect.ir.purity import ModuleSymbols, module_symbols
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.rewrites.calls.inline_private_functions import inline_calls
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_function
from relax_dialect.rewrites.params.lifting.weight_functions import Lifting, lifting_error
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.private_signatures import calls_and_names
from relax_dialect.transform.regions import (
    function_named,
    functions,
)

NAME = "relax-lift-transform-params"

SHARED = "transform_params"
"""The name of the function that transforms the weights of all."""
SUFFIX = f"_{SHARED}"
"""The suffix of a function's name for the function that transforms its weights."""


def lift_transform_params(
    module: ModuleOp, shared: bool = False, funcs: Sequence[str] | None = None
) -> int:
    """Compute values that depend on weights only in separate functions; returns the number of functions
    changed.

    `shared` makes one for all, `funcs` names the functions, by default all that have `num_input`. It is an
    error if the module itself references a function, its `num_input` is invalid, its transform's name is
    taken, or its weights differ from those of the functions that it shares the transform with.
    """
    chosen = [
        f
        for f in functions(module)
        if NUM_INPUT in f.attributes and not f.sym_name.data.endswith(SHARED)
    ]
    if funcs is not None:
        chosen = [function_named(module, name, NAME, "funcs") for name in dict.fromkeys(funcs)]
    elif shared:
        chosen = sorted(chosen, key=lambda f: f.sym_name.data)
    found = {f: checked_num_input(f) for f in chosen}
    calls, named = calls_and_names(module)
    taken = module_symbols(module)
    for func in found:
        name = func.sym_name.data
        if name in calls or name in named:
            raise lifting_error(
                name,
                "a function that is called from outside only",
                "uses of it in the module",
                f"inline it, or remove its attribute {NUM_INPUT}",
            )
        transform = SHARED if shared else name + SUFFIX
        weights = len(func.body.block.args) - found[func]
        if transform in taken and not is_transform(taken[transform], weights):
            raise lifting_error(
                name,
                f"no function @{transform}, or one of a tuple that returns one of {weights} weights",
                "another one",
                f"rename it, or remove {NUM_INPUT}",
            )
    liftings = [Lifting(func, count) for func, count in found.items()]
    for group in [liftings] if shared and liftings else [[each] for each in liftings]:
        transform = SHARED if shared else group[0].func.sym_name.data + SUFFIX
        _lift(module, group, transform, taken.get(transform))
    return len(found)


def _lift(module: ModuleOp, group: Sequence[Lifting], name: str, before: Operation | None) -> None:
    """Make the transform that some functions share, and have them take its results.

    `before` is the transform that their weights had so far: the new one applies it first.
    """
    first = group[0]
    if len(group) > 1:
        known: dict[Hashable, int] = {}
        for each in group:
            each.number(first, known)
        common = set[Hashable].intersection(*(set(each.numbers.values()) for each in group))
        for each in group:
            each.restrict(common)
    for each in group:
        each.isolate()
    used = {place for each in group for place in each.used()}
    places = [place for place in first.places() if place in used]
    for each in group:
        each.take(places)
    kept = sorted({index for each in group for index in each.needed_weights()})
    transform = first.transform(name, kept, places)
    for each in group:
        each.finish(kept)
    module.body.block.insert_op_before(transform, first.func)
    if isinstance(before, FuncOp):
        compose(module, before, transform)


@dataclass(frozen=True)
class LiftTransformParamsPass(ModulePass):
    """Compute values that depend on weights only in separate functions."""

    name = NAME

    shared: bool = False
    funcs: tuple[str, ...] | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lift_transform_params(op, self.shared, self.funcs)


# A transform of weights that is applied before another one --------------------------------------


def is_transform(op: Operation, weights: int) -> bool:
    """Whether an op is a function from one tuple to a tuple of so many weights."""
    if not isinstance(op, FuncOp) or NUM_INPUT not in op.attributes or checked_num_input(op):
        return False
    output = op.function_type.output
    inputs = op.function_type.inputs.data
    is_bundled = len(inputs) == 1 and isinstance(inputs[0], TupleType)
    return is_bundled and isinstance(output, TupleType) and len(output.types) == weights


def compose(module: ModuleOp, before: FuncOp, after: FuncOp) -> None:
    """Apply `before` in `after` first, which has its name: both are inlined into a new function."""
    name = after.sym_name.data
    for func in (before, after):
        private = unique_name(name, module_symbols(module))
        func.properties |= {
            "sym_name": StringAttr(private),
            "sym_visibility": StringAttr("private"),
        }
    (taken,) = before.body.block.args
    body = Block(arg_types=[taken.type])
    body.args[0].name_hint = taken.name_hint
    body.add_op(first := CallOp(before, [body.args[0]]))
    body.add_op(second := CallOp(after, [first.result]))
    body.add_op(ReturnOp(second.result))
    both = FuncOp(name, body.arg_types, second.result.type, Region(body))
    both.attributes[NUM_INPUT] = IntegerAttr(0, i64)
    module.body.block.insert_op_before(both, after)
    inline_calls(both, [before, after], ModuleSymbols(module))
    remove_unused_functions(module, {f.sym_name.data for f in (before, after)})
    canonicalize_function(both)
    remove_dead_ops(both)

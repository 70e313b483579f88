"""relax-lift-transform-params: what depends on weights alone is computed once, by a function of its own.

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

Weights are the parameters after the first `num_input`; a function without that attribute stays. The
function takes what the other one gives in place of its weights: those that it still needs, then what
was computed from them. `transformed = run(module, "main_transform_params", weights)` is done once, and
`run(module, "main", x, *transformed)` for each input.

What depends on constants alone stays, unless only the weights need it; so does what has an effect, or
defines a size. A weight that alone tells a size is still a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.analysis.compile_time import (
    NUM_INPUT,
    bindings,
    checked_num_input,
    computable_at_compile_time,
)
from relax_dialect.analysis.struct_info import erase_to_well_defined
from relax_dialect.analysis.variables import free_vars
from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.in_place import keep_in_place
from relax_dialect.ir.types import (
    PrimType,
    ShapeType,
    TensorType,
    bare_variables,
    free_variables,
    leaf_types,
)
from relax_dialect.ir.upper_bounds import keep_bounds
from relax_dialect.ops.blocks import BlockOp, DataflowOp
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleOp
from relax_dialect.rewrites.bundle_model_params import bundle
from relax_dialect.rewrites.remove_unused_parameters import missing_sizes
from relax_dialect.symbolic import var
from relax_dialect.transform.binding import signature
from relax_dialect.transform.cloning import named_symbols
from relax_dialect.transform.private_signatures import calls_and_names
from relax_dialect.transform.regions import (
    enclose,
    erase,
    functions,
    is_relax,
    remake,
    replace_uses,
    resolve,
)

SUFFIX = "_transform_params"
"""What follows a function's name in that of the function that transforms its weights."""


def lift_transform_params(module: ModuleOp) -> int:
    """Compute what depends on weights alone in functions of their own; tells how many these are.

    A function that the module itself names, whose `num_input` is none, or whose transform's name is
    taken, is an error.
    """
    found = {f: checked_num_input(f) for f in functions(module) if NUM_INPUT in f.attributes}
    calls, named = calls_and_names(module)
    taken = {f.sym_name.data for f in functions(module)}
    for func in found:
        name = func.sym_name.data
        if name in calls or name in named:
            raise _fail(
                name,
                "a function that is called from outside only",
                "uses of it in the module",
                f"inline it, or remove its attribute {NUM_INPUT}",
            )
        if name + SUFFIX in taken:
            raise _fail(
                name, f"no function @{name}{SUFFIX}", "one", f"rename it, or remove {NUM_INPUT}"
            )
    for func, count in found.items():
        _Lifting(func, count).apply()
    return len(found)


def _fail(name: str, expected: str, found: str, mend: str) -> RelaxError:
    return RelaxError(
        f"relax-lift-transform-params: @{name}: expected {expected}, found {found}; {mend}"
    )


class _Lifting:
    """What one function computes from its weights, and the function that is to compute it."""

    def __init__(self, func: FuncOp, count: int):
        self.func = func
        self.weights: list[SSAValue] = list(func.body.block.args[count:])
        self.sizes = {name for w in self.weights for name in bare_variables(w.type)}
        """The sizes that the weights tell."""
        self.origin: dict[SSAValue, SSAValue] = {}
        """What the results of blocks are inside of them."""
        self.lifted = self._lifted()
        self.inside = {inner for op in self.lifted for inner in ops_inside(op)}

    def apply(self) -> None:
        """Make the transform, and let the function take what it gives."""
        func = self.func
        before = {param: param.index for param in func.body.block.args}
        known = {name: var(name) for name in self.sizes}
        body = Block(arg_types=[erase_to_well_defined(w.type, known) for w in self.weights])
        values: dict[SSAValue, SSAValue] = dict(zip(self.weights, body.args))
        for old, new in values.items():
            new.name_hint = old.name_hint
        self._move(body, values)
        given = self._take()
        kept = self._drop()
        result = TupleOp(*(values[weight] for weight in kept), *given)
        body.add_op(result)
        body.add_op(ReturnOp(result.result))
        if self.weights and not any(op.regions for op in body.ops):
            enclose(list(body.ops)[:-1], DataflowOp)
        name = func.sym_name.data + SUFFIX
        transform = FuncOp(name, body.arg_types, result.result.type, Region(body))
        transform.attributes[NUM_INPUT] = IntegerAttr(0, i64)
        assert func.parent is not None
        func.parent.insert_op_before(transform, func)
        bundle(transform, 0)
        now = func.body.block
        func.properties["function_type"] = signature(now.arg_types, func.function_type.output)
        keep_bounds(func, {name for type in now.arg_types for name in bare_variables(type)})
        keep_in_place(func, {before[arg]: arg.index for arg in now.args if arg in before})

    def _free(self, op: Operation) -> set[SSAValue]:
        return {resolve(self.origin, value) for value in free_vars(op)}

    def _lifted(self) -> list[Operation]:
        """The ops to move: what needs a weight, and what of constants alone is computed for it."""
        computable = set(computable_at_compile_time(self.func))
        of_weights = {w for w in self.weights if self.sizes.issuperset(free_variables(w.type))}
        of_constants: set[SSAValue] = set()
        found: dict[Operation, bool] = {}
        for op in bindings(self.func):
            if isinstance(op, BlockOp):
                self.origin.update(zip(op.results, op.output.operands))
            elif op.results and computable.issuperset(op.results) and self._can_move(op):
                free = self._free(op)
                if free <= of_weights | of_constants:
                    found[op] = not free.isdisjoint(of_weights)
                    (of_weights if found[op] else of_constants).update(op.results)
        needed: set[SSAValue] = set()
        for op in reversed(found):
            is_computed = bool(op.operands or op.regions)
            found[op] |= is_computed and not needed.isdisjoint(op.results)
            if found[op]:
                needed |= self._free(op)
        return [op for op, is_lifted in found.items() if is_lifted]

    def _can_move(self, op: Operation) -> bool:
        """Whether an op gives data and names no size but those of the weights."""
        leaves = [leaf for type in op.result_types for leaf in leaf_types(type)]
        is_data = all(isinstance(leaf, TensorType | ShapeType | PrimType) for leaf in leaves)
        return is_relax(op) and is_data and named_symbols(op) <= self.sizes

    def _move(self, body: Block, values: dict[SSAValue, SSAValue]) -> None:
        """Move the ops to the transform, and copies of the constants that they use."""
        constants: dict[Operation, None] = {}
        for op in self.lifted:
            op.detach()
            for inner in ops_inside(op):
                inner.operands = [resolve(self.origin, operand) for operand in inner.operands]
            for free in free_vars(op):
                if free not in values and free.owner not in self.inside:
                    assert isinstance(free, OpResult)
                    constants[free.op] = None
                    body.add_op(copy := free.op.clone())
                    copied = copy.results[free.index]
                    copied.name_hint = free.name_hint
                    values[free] = copied
            for inner in ops_inside(op):
                inner.operands = [values.get(operand, operand) for operand in inner.operands]
            body.add_op(op)
        for op in constants:
            if not any(result.uses for result in op.results):
                erase(op)

    def _take(self) -> list[SSAValue]:
        """Let the function take what it still needs of what was moved; gives that."""
        self._pass_directly()
        found: list[SSAValue] = []
        for value in (result for op in self.lifted for result in op.results):
            if any(use.operation not in self.inside for use in value.uses):
                block = self.func.body.block
                param = block.insert_arg(value.type, len(block.args))
                param.name_hint = value.name_hint
                replace_uses({value: param}, lambda op: op not in self.inside)
                found.append(value)
        return found

    def _pass_directly(self) -> None:
        """Let blocks pass out neither weights nor what was moved; a block that is empty then goes."""
        moved = {*self.weights, *(result for op in self.lifted for result in op.results)}
        for block in [op for op in bindings(self.func) if isinstance(op, BlockOp)]:
            values = list(block.output.operands)
            direct: dict[SSAValue, SSAValue] = {
                r: v for r, v in zip(block.results, values) if v in moved
            }
            replace_uses(direct)
            kept = [index for index, value in enumerate(values) if value not in moved]
            if len(kept) < len(values) or block.body.block.first_op is block.output:
                rest = remake(block, kept)
                if rest.body.block.first_op is rest.output and not kept:
                    erase(rest)

    def _drop(self) -> list[SSAValue]:
        """Take the weights away that the function needs no longer; gives the others."""
        unused = [weight for weight in self.weights if not weight.uses]
        while missing := missing_sizes(self.func, unused):
            telling = [w for w in unused if not missing.isdisjoint(bare_variables(w.type))]
            if not telling:
                break
            unused.remove(telling[0])
        kept = [weight for weight in self.weights if weight not in unused]
        block = self.func.body.block
        for param in [arg for arg in block.args if arg in unused]:
            block.erase_arg(param)
        return kept


@dataclass(frozen=True)
class LiftTransformParamsPass(ModulePass):
    """Compute what depends on weights alone in functions of their own."""

    name = "relax-lift-transform-params"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lift_transform_params(op)

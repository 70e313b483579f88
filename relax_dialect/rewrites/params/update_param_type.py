"""relax-update-param-type{params=w types="!relax.tensor<[64, 16], f32>"}: parameters get other types.

```mlir
relax.func @main(%w: !relax.tensor<[32, 16], f32>, %x: A) -> !relax.tensor<[32], f32> {
  %y = relax.matmul %w, %x : (!relax.tensor<[32, 16], f32>, A) -> !relax.tensor<[32], f32>
->
relax.func @main(%w: !relax.tensor<[64, 16], f32>, %x: A) -> !relax.tensor<[64], f32> {
  %y = relax.matmul %w, %x : (!relax.tensor<[64, 16], f32>, A) -> !relax.tensor<[64], f32>
```

The parameters of these names change in every function, or with `{func=f}` in one. Types are inferred anew
through the functions: return types, results of calls, and the state of loops whose initial values have
changed. A type that was declared wider than inferred remains as wide as necessary; the result type of a
recursion is widened to cover its results before and after. A mismatch is an error: a call whose arguments
are of other types, an op that cannot take its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.dpl.syntax.type_text import read_type
from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify
from relax_dialect.transform.regions import function_named, functions
from relax_dialect.transform.retyping import Retyping

ROUNDS = 4
"""The maximum number of rounds of inferring the types of mutually recursive functions until a fixpoint."""

NAME = "relax-update-param-type"


def update_param_type(
    module: ModuleOp,
    type_of: Callable[[BlockArgument], Attribute | None],
    func: str | None = None,
) -> int:
    """Change the types of parameters of functions, or of one; returns the number of changed parameters.

    `type_of` is called once for each parameter, which has a `name_hint` and a `type`, and returns its new
    type or None. A mismatch is an error, after which the module is invalid.
    """
    chosen = functions(module) if func is None else [function_named(module, func, NAME)]
    types: dict[SSAValue, Attribute] = {}
    for function in chosen:
        for param in function.body.block.args:
            type = type_of(param)
            if type is not None and type != param.type:
                types[param] = type
    count = len(types)
    retyping = Retyping(NAME, types)
    graph = CallGraph.of(module)
    for component in graph.components if types else ():
        members = [f for f in map(graph.symbols.get, component) if isinstance(f, FuncOp)]
        for _ in range(ROUNDS):
            changed = [f for f in members if retyping.changes(f)]
            if not changed:
                break
        else:
            raise RelaxError(
                f"{NAME}: @{members[0].sym_name.data}: expected types that stay as they are once they are "
                "inferred, found a recursion that changes them each time; declare its result as unknown"
            )
    if count:
        verify(module, NAME)
    return count


@dataclass(frozen=True)
class UpdateParamTypePass(ModulePass):
    """Change the types of parameters, by their names."""

    name = NAME

    params: tuple[str, ...]
    types: tuple[str, ...]
    func: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if len(self.params) != len(self.types) or len(set(self.params)) != len(self.params):
            raise RelaxError(
                f"{NAME}: expected one type for each parameter, found params={','.join(self.params)} and "
                f'{len(self.types)} types; write as in {{params=x,w types="!relax.tensor<[4], f32>","i64"}}'
            )
        types = {n: read_type(t, f"{NAME}: types") for n, t in zip(self.params, self.types)}
        found = {p.name_hint or "": None for f in functions(op) for p in f.body.block.args}
        for name in types:
            if name not in found:
                raise RelaxError(
                    f"{NAME}: expected names of parameters ({', '.join(found) or 'there are none'}), "
                    f"found '{name}'; correct the name"
                )
        update_param_type(op, lambda param: types.get(param.name_hint or ""), self.func)

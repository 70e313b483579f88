"""relax-to-basic-block-normal-form: every node into the region where it is evaluated.

```mlir
%r = relax.graph {                            %r = relax.graph {
  %a = relax.add %x, %one : (T, T) -> T         %a = relax.add %x, %one : (T, T) -> T
  %m = relax.multiply %a, %a : (T, T) -> T      %v = relax.let %a : (T) -> T
  %r = relax.if %c : (B) -> T {          ->     %r = relax.if %c : (B) -> T {
    relax.yield %m : T                            %m = relax.multiply %v, %v : (T, T) -> T
  } else {                                        relax.yield %m : T
    relax.yield %a : T                          } else {
  }                                               relax.yield %v : T
  relax.output %r : T                           }
}                                               relax.output %r : T
                                              }
```

(D0) A block is a region: of a graph, a branch or a closure. The condition of an `if` belongs to the
block that holds the `if`.
(D1) A node is in the one block that evaluates it, the least common ancestor of its uses; an unused node is
dropped.
(D2) A value used in a block nested in its own is a variable: a `relax.let` after it. Constants, parameters
and results of `relax.match_*` count as variables; all other lets are removed. A constant could thus be in
any block around its uses: it is moved to the innermost one, so that no closure has to capture it.

A function in another form is brought into graph form first. No node leaves its graph: an effect may be
between two graphs. `relax.match_*` remains in its region, and so does an op that binds symbolic variables
inside, as another variable of the same name could be defined in a nested region. The outputs of a graph are
in the order of its ops.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.normal_forms.blocks import graph_regions
from relax_dialect.normal_forms.lca_scopes import place_graph
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form
from relax_dialect.transform.regions import functions


def to_basic_block_normal_form(func: FuncOp) -> None:
    """Bring a function into basic block normal form, in place."""
    to_graph_normal_form(func)
    graphs: list[GraphOp] = []
    for graph, bound in graph_regions(func):
        if isinstance(graph, GraphOp):
            place_graph(graph, bound, lets=True)
            graphs.append(graph)
    for graph in graphs:
        if graph.results:
            _sort_outputs(graph)
        elif graph.body.block.first_op is graph.body.block.last_op:
            graph.detach()
            graph.erase()


def _sort_outputs(graph: GraphOp) -> None:
    """Sort the outputs by the order of the ops, independent of their former order."""
    block = graph.body.block
    results = (result for op in block.ops for result in op.results)
    position: dict[SSAValue, int] = {result: i for i, result in enumerate(results)}
    passed = list(graph.output.operands)
    order = sorted(range(len(passed)), key=lambda i: position.get(passed[i], -1))
    if order == list(range(len(order))):
        return
    graph.output.operands = [passed[i] for i in order]
    successor = GraphOp.create(
        regions=[graph.detach_region(graph.body)],
        result_types=[passed[i].type for i in order],
        attributes=graph.attributes,
    )
    assert graph.parent is not None
    graph.parent.insert_op_before(successor, graph)
    for i, result in zip(order, successor.results):
        result.name_hint = graph.results[i].name_hint
        graph.results[i].replace_all_uses_with(result)
    graph.detach()
    graph.erase()


class ToBasicBlockNormalFormPass(ModulePass):
    """`to_basic_block_normal_form` on every function."""

    name = "relax-to-basic-block-normal-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in functions(op):
            to_basic_block_normal_form(func)

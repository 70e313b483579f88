"""relax-merge-composite-functions: neighbouring calls for one code generator become one function.

    %0 = relax.call @fused_matmul(%x, %w) : (...) -> ...            Composite = "cblas.matmul"
    %1 = relax.call @fused_matmul_add(%0, %v, %b) : (...) -> ...    Composite = "cblas.matmul_bias"
->
    %1 = relax.call @cblas_region(%x, %w, %v, %b) : (...) -> ...
    relax.func private @cblas_region(...) -> ... attributes {Codegen = "cblas"} {
      %0 = relax.call @fused_matmul(%x, %w) : (...) -> ...
      %1 = relax.call @fused_matmul_add(%0, %v, %b) : (...) -> ...
      relax.return %1 : ...
    }

Neighbours are calls of which one uses the result of the other. The code generator is the prefix of a
composite's name before its first dot. Two are not merged if another op is on a path between them, which
would create a cyclic dependence (`composite_groups`); nor across an op with an effect, a block or a branch;
nor in a `relax.graph`, whose nodes are unordered, into a function of several results. A composite whose
call has no neighbour is marked `Codegen` itself, so that every call for a code generator is in a function
marked for it.

TVM copies the composite functions into the merged one; here they remain functions of the module.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from relax_dialect.dpl.rewriter.outlined_matches import CODEGEN, COMPOSITE, Outliner, why_not
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import bound_around
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.composite_groups import CompositeGroup, composite_groups
from relax_dialect.transform.regions import Body, bodies, functions, reorder


def merge_composite_functions(module: ModuleOp) -> None:
    """Merge neighbouring calls of composite functions, in all functions that are not marked themselves."""
    outliners: dict[Operation, Outliner] = {}
    for function in functions(module):
        if COMPOSITE in function.attributes or CODEGEN in function.attributes:
            continue
        around = function.parent_op()
        assert isinstance(around, ModuleOp)
        if around not in outliners:
            outliners[around] = Outliner(around)
        _Merger(function, outliners[around]).run()


class _Merger:
    """Merges the calls of one function."""

    def __init__(self, function: FuncOp, outliner: Outliner):
        self.function = function
        self.outliner = outliner
        self.lookup = ModuleSymbols(function)

    def run(self) -> None:
        for body in list(bodies(self.function)):
            if any(self._codegen(op) is not None for op in body.block.ops):
                self._merge(body)

    def _merge(self, body: Body) -> None:
        groups = composite_groups(body, self._codegen, lambda op: is_pure(op, self.lookup))
        bound = None if body.is_graph else bound_around(body.block)
        moved = False
        for group in groups:
            if group.calls > 1 and why_not(group.ops) is None:
                self._outline(group)
                moved = True
            else:
                self._mark(group)
        if moved and bound is not None:
            order = topological_order(body.block, bound)
            if order != list(body.block.ops):
                reorder(body.block, order)

    def _outline(self, group: CompositeGroup) -> None:
        last = next(op for op in reversed(group.ops) if isinstance(op, CallOp))
        marks = {CODEGEN: StringAttr(group.codegen)}
        self.outliner.outline(
            self.function,
            group.ops,
            last,
            marks,
            name=f"{group.codegen}_region",
            bind_constants=False,
        )

    def _mark(self, group: CompositeGroup) -> None:
        for call in group.ops:
            callee = self.lookup(call.callee_name) if isinstance(call, CallOp) else None
            if callee is not None:
                callee.attributes[CODEGEN] = StringAttr(group.codegen)

    def _codegen(self, op: Operation) -> str | None:
        """Return the code generator of a call of a composite function."""
        callee = self.lookup(op.callee_name) if isinstance(op, CallOp) else None
        name = callee.attributes.get(COMPOSITE) if isinstance(callee, FuncOp) else None
        if not isinstance(name, StringAttr):
            return None
        before, dot, _ = name.data.partition(".")
        return before if dot and before else None


class MergeCompositeFunctionsPass(ModulePass):
    """Merge neighbouring calls of composite functions for one code generator."""

    name = "relax-merge-composite-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        merge_composite_functions(op)

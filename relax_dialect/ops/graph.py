"""Graph form: nodes without a fixed scope, and the op that fixes one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation
from xdsl.irdl import AnyAttr, irdl_op_definition, result_def, traits_def
from xdsl.traits import NoTerminator, RecursiveMemoryEffect

from relax_dialect.ir.traits import RegionKind, SymbolsEscape
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.fields import Operand, flag, operand
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator


@irdl_op_definition
class GraphOp(BlockOp):
    """A graph whose nodes have no fixed scope: `%y = relax.graph { ... relax.output %v : T }`.

    It may contain `relax.if` and closures. A node's textual region is only an upper bound of its scope: the
    lowest common ancestor of its uses. So a node that only one branch uses is evaluated in that branch, and
    an unused node is not evaluated. `relax.let` fixes the scope.
    """

    name = "relax.graph"

    traits = traits_def(
        NoTerminator(), RecursiveMemoryEffect(), RegionKind("graph"), SymbolsEscape()
    )


@operator("relax.let", K_OPAQUE)
class LetOp(OperatorOp):
    """A variable: the value, evaluated in the region of the let.

    `%v1 = relax.let %1 : (T) -> T`

    With `{stop_lift_params = true}`, relax-lift-transform-params leaves what is computed from it in the
    function.
    """

    value: Operand = operand(AnyAttr())
    stop_lift_params: bool = flag(default=False)
    result = result_def(AnyAttr())

    def infer(self) -> Sequence[Attribute]:
        return (self.value.type,)


OPS: list[type[Operation]] = [GraphOp, LetOp]

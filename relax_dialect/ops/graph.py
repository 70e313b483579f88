"""Graph form: nodes without a place, and the op that gives one."""

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
    """A graph whose nodes have no place: `%y = relax.graph { ... relax.output %v : T }`.

    `relax.if` and closures may stand in it. A node's textual region is only an upper bound of where
    it is evaluated: that is the least common ancestor of its uses, so a node that only one branch
    needs is evaluated in that branch, and one that nobody uses is not. `relax.let` fixes the place.
    """

    name = "relax.graph"

    traits = traits_def(
        NoTerminator(), RecursiveMemoryEffect(), RegionKind("graph"), SymbolsEscape()
    )


@operator("relax.let", K_OPAQUE)
class LetOp(OperatorOp):
    """A variable: the value, evaluated in the region where the let stands.

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

"""The boundary to builtin tensors: a view of a Relax tensor as one, and back."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure

from relax_dialect.ir.mlir.builtin_types import from_builtin, to_builtin
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, operand, tensor
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator


class _FoldsFromBuiltin(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldFromBuiltin(),)


class _FoldsToBuiltin(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldToBuiltin(),)


@operator("relax.from_builtin", K_OPAQUE)
class FromBuiltinOp(OperatorOp):
    """View a builtin tensor as a Relax tensor, whose dynamic sizes are unknown.

    `relax.from_builtin %t : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>`
    """

    traits = traits_def(Pure(), _FoldsFromBuiltin())

    value: Operand = operand(BuiltinTensorType)

    def infer(self) -> Sequence[Attribute]:
        return (from_builtin(self.value.type),)  # pyright: ignore[reportArgumentType]


@operator("relax.to_builtin", K_OPAQUE)
class ToBuiltinOp(OperatorOp):
    """View a Relax tensor as a builtin one.

    `relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>`

    (C1) Rank and element type of the tensor are known.
    """

    traits = traits_def(Pure(), _FoldsToBuiltin())

    value: Operand = tensor()
    result = result_def(BuiltinTensorType)

    def infer(self) -> Sequence[Attribute]:
        type = self.value.type
        assert isinstance(type, TensorType)
        if type.shape is None or type.dtype is None:
            self.fail(
                "a tensor of known rank and element type (C1)",
                str(type),
                "insert a relax.match_cast to a type that has both",
            )
        return (to_builtin(type),)


def round_trip(op: Operation) -> SSAValue | None:
    """Return the value of `from_builtin(to_builtin(x))` or `to_builtin(from_builtin(t))`, None for another
    op.

    Sizes that the builtin type forgot must not come back, since they could contradict a use: x is then
    replaced by a `relax.let` before the op, of the wider type.
    """
    source = op.operands[0].owner if isinstance(op, FromBuiltinOp | ToBuiltinOp) else None
    if isinstance(op, ToBuiltinOp) and isinstance(source, FromBuiltinOp):
        return source.value if source.value.type == op.result.type else None
    if not isinstance(op, FromBuiltinOp) or not isinstance(source, ToBuiltinOp):
        return None
    if source.value.type == op.result.type:
        return source.value
    let = LetOp.create(operands=[source.value], result_types=[op.result.type])
    let.result.name_hint = op.result.name_hint
    let.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(let, op)
    return let.result


class FoldFromBuiltin(RewritePattern):
    """`from_builtin(to_builtin(x))` -> x."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FromBuiltinOp, rewriter: PatternRewriter) -> None:
        if (value := round_trip(op)) is not None:
            rewriter.replace_op(op, [], [value])


class FoldToBuiltin(RewritePattern):
    """`to_builtin(from_builtin(t))` -> t."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ToBuiltinOp, rewriter: PatternRewriter) -> None:
        if (value := round_trip(op)) is not None:
            rewriter.replace_op(op, [], [value])


OPS: list[type[Operation]] = [FromBuiltinOp, ToBuiltinOp]

"""The prim func of a kernel, made of the operators that it computes."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import cf, func
from xdsl.ir import SSAValue

from lowering.external.generator import Offload, UnsupportedError
from lowering.external.library_kernel import mark
from lowering.legalize.registry import apply_rule, known_tensor
from lowering.legalize.relax_legalize import RULES
from relax_dialect import te
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops


def make_kernel(name: str, codegen: str, offload: Offload) -> func.FuncOp:
    """Return the prim func of a kernel, with the semantics of its operators as its body.

    Raises `UnsupportedError` if the operators must check sizes at run time, as no library would.
    """
    if not offload.ops or len(offload.ops[-1].results) != 1:
        found = offload.ops[-1].name if offload.ops else "none"
        raise RelaxError(
            f'code generator "{codegen}": expected a kernel of operators, the last with one result, '
            f"found {found}; choose others"
        )
    tensors: dict[SSAValue, te.Tensor] = {}
    inputs: list[te.Tensor] = []
    for number, value in enumerate(offload.inputs):
        hint = value.name_hint or f"arg{number}"
        shape, dtype = known_tensor(offload.ops[-1], f"%{hint}", value.type)
        inputs.append(te.placeholder(shape, dtype, name=hint))
        tensors[value] = inputs[-1]
    for op in offload.ops:
        if type(op) not in RULES:
            raise RelaxError(
                f'code generator "{codegen}": expected operators with a rule in lowering.legalize, '
                f"found {op.name} in a kernel; leave it out of the kernel"
            )
        if missing := [v for v in _tensor_operands(op.operands) if v not in tensors]:
            found = ", ".join(f"%{v.name_hint or '?'}" for v in missing)
            raise RelaxError(
                f'code generator "{codegen}": {op.name}: expected operands that are inputs of the '
                f"kernel or made in it, found {found}; name them among the inputs"
            )
        operands = [tensors[v] for v in _tensor_operands(op.operands)]
        tensors.update(zip(op.results, apply_rule(op, operands), strict=True))
    result = tensors[offload.ops[-1].results[0]]
    function = te.create_prim_func([*inputs, result], name)
    if any(isinstance(op, cf.AssertOp) for op in walk_ops(function)):
        raise UnsupportedError(
            f"{offload.ops[-1].name}: expected sizes that are proved to fit, found some that are "
            "checked at run time"
        )
    mark(function, codegen, offload.options)
    return function


def _tensor_operands(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, TensorType)]

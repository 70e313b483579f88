"""The operators as a library of tensor expressions: `topi.softmax(A, axis=1)` on tensors of `te`.

Every operator of the dialect that has a rule in `lowering.legalize` is available under its own name, with
the arguments of its op: tensors instead of values, attributes as they are. Further `te.compute` stages can
read its result, or `emit_te` can emit it as it is (operators whose sizes the program computes, such as
`nonzero`, are no expressions and are available only in the builder's `op`):

```python
y = bb.emit_te(topi.softmax, x, axis=1)
z = bb.emit_te(lambda x, w: topi.relu(topi.matmul(x, w)), x, w)
```

Wrong ranks, shapes and element types get the error of the operator. (The name is that of TVM's
tensor operator inventory.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from inspect import getdoc
from types import MappingProxyType
from typing import Any

from xdsl.ir import Block, SSAValue

from lowering.legalize import relax_legalize
from lowering.legalize.registry import apply_rule
from relax_dialect import te
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp


@cache
def operators() -> Mapping[str, type[OperatorOp]]:
    """Return the operators that can be written with tensors, by name."""
    rules = relax_legalize.RULES
    ops = [op for op in rules if issubclass(op, OperatorOp)]
    return MappingProxyType({op.name.removeprefix("relax."): op for op in ops})


@cache
def several_steps() -> Collection[str]:
    """Return the operators that become several calls, by name."""
    return [op.name.removeprefix("relax.") for op in relax_legalize.STEPS]


class _Operands:
    """Values of the types of tensors, from which the op is built to infer and check its type."""

    def __init__(self) -> None:
        self.block = Block()
        self.values: dict[te.Tensor, SSAValue] = {}
        self.tensors: dict[SSAValue, te.Tensor] = {}

    def replaced(self, argument: Any) -> Any:
        """Replace every tensor in an argument by its value, in lists and tuples too."""
        if isinstance(argument, te.Tensor):
            if argument not in self.values:
                tensor = TensorType(argument.shape, argument.dtype)
                value = self.block.insert_arg(tensor, len(self.block.args))
                self.values[argument], self.tensors[value] = value, argument
            return self.values[argument]
        if isinstance(argument, list | tuple):
            return type(argument)([self.replaced(a) for a in argument])
        return argument


def _renamed(tensor: te.Tensor, name: str) -> te.Tensor:
    """Rename a result that has no readers yet."""
    renamed = replace(tensor, name=name)
    if (stage := tensor.stage) is not None:
        stage.outputs = tuple(renamed if o is tensor else o for o in stage.outputs)
    return renamed


def __getattr__(name: str) -> Callable[..., Any]:
    op_type = operators().get(name)
    if op_type is None:
        if name in several_steps():
            raise AttributeError(
                f"lowering.topi has no '{name}', whose result has a size that the program computes: no "
                "one tensor expression says it; emit the operator itself, with "
                f"bb.emit(op.{name}(...))"
            )
        raise AttributeError(f"lowering.topi has no '{name}'; there are {', '.join(operators())}")

    def apply(*arguments: Any, **attributes: Any) -> Any:
        operands = _Operands()
        op = op_type(
            *map(operands.replaced, arguments),
            **{key: operands.replaced(value) for key, value in attributes.items()},
        )
        given = [v for v in op.operands if isinstance(v.type, TensorType)]
        if any(v not in operands.tensors for v in given):
            raise RelaxError(f"topi.{name}: expected tensors of te as operands, found other values")
        outputs = apply_rule(op, [operands.tensors[v] for v in given])
        if len(outputs) == 1:
            return _renamed(outputs[0], name)
        return tuple(outputs)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = getdoc(op_type)
    return apply


def __dir__() -> list[str]:
    return list(operators())

"""Every op of the dialect as a function that makes an expression: `op.tanh(x)`, `op.sum(y, axis=0)`.

The arguments are those of the op's class. Operands may be values, expressions, numbers and numpy arrays; a
shape may be a list of sizes, as in `op.reshape(x, [n, 4])`. `op.nn`, `op.image`, `op.vision`, `op.memory`
and `op.grad` have the same functions under TVM's names: `op.nn.dense(x, w)`,
`op.vision.roi_align(x, rois, 7, 0.5)`; `op.ccl` has those that communicate: `op.ccl.allreduce(x)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Signature, getdoc, signature
from types import MappingProxyType

from xdsl.ir import Operation

from relax_dialect.builder.values import Expression
from relax_dialect.dialect import Relax
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.control import ClosureOp, IfOp, YieldOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.text.wording import nearest

_MADE_BY_THE_BUILDER = (BlockOp, FuncOp, ReturnOp, YieldOp, IfOp, WhileOp, ClosureOp)


@cache
def operators() -> Mapping[str, type[Operation]]:
    """Return the ops that expressions are made of, by name."""
    return MappingProxyType(
        {
            op.name.removeprefix("relax."): op
            for op in Relax.operations
            if not issubclass(op, _MADE_BY_THE_BUILDER) and op.name != "relax.output"
        }
    )


RELAY_NAMES: Mapping[str, str] = {
    "dense": "linear",
    "leaky_relu": "leakyrelu",
    "batch_matmul": "matmul",
    "transpose": "permute_dims",
    "concatenate": "concat",
    "cast": "astype",
    "fast_gelu": "gelu_tanh",
    "layer_normalization": "layer_norm",
}
"""Names that Relay and exporters have for operators, and ours."""


NAMESPACES = ("nn", "image", "vision", "memory", "grad")
"""TVM's names of operators may begin with one of them."""


def short_name(name: str) -> str:
    """Return the name of an operator alone: `dense` of `relax.nn.dense`."""
    space, _, rest = name.removeprefix("relax.").partition(".")
    return rest if rest and space in NAMESPACES else name.removeprefix("relax.")


def our_name(name: str) -> str:
    """Return our name for an operator that TVM may call another, `nn.dense`; a name of ours is returned as
    it is."""
    short = short_name(name)
    return short if short in operators() else RELAY_NAMES.get(short, short)


def get(name: str) -> type[Operation]:
    """Return the operator itself, as patterns match it: `is_op("add").match(op.get("add"))`."""
    found = operators().get(our_name(name))
    if found is None:
        raise AttributeError(f"relax_dialect.builder.op has no '{name}'")
    return found


def __getattr__(name: str) -> Callable[..., Expression]:
    return _maker(name)


@cache
def _maker(name: str) -> Callable[..., Expression]:
    op = operators().get(name)
    if op is None and name.startswith(
        "_"
    ):  # Python and other tools look such names up in any module
        raise AttributeError(f"relax_dialect.builder.op has no '{name}'")
    if op is None:
        close = nearest(name, [*operators(), *RELAY_NAMES])
        mend = f"the nearest is '{close}'" if close else "docs/operators.md lists them"
        raise AttributeError(f"relax_dialect.builder.op has no '{name}'; {mend}")
    parameters = list(signature(op.__init__).parameters.values())[1:]
    names = tuple(parameter.name for parameter in parameters)

    def make(*arguments: object, **attributes: object) -> Expression:
        placed = list(arguments)
        while len(placed) < len(names) and names[len(placed)] in attributes:
            placed.append(attributes.pop(names[len(placed)]))
        return Expression(op, placed, attributes)

    make.__name__ = name
    make.__doc__ = getdoc(op)
    make.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    return make


class _Namespace:
    """The functions of this module under TVM's names, or those whose names begin with a prefix."""

    def __init__(self, prefix: str = ""):
        self._prefix = prefix

    def __getattr__(self, name: str) -> Callable[..., Expression]:
        return _maker(self._prefix + name if self._prefix else our_name(name))

    def __dir__(self) -> list[str]:
        if self._prefix:
            own = (n for n in operators() if n.startswith(self._prefix))
            return [n.removeprefix(self._prefix) for n in own]
        return [*operators(), *RELAY_NAMES]


nn = image = vision = memory = grad = _Namespace()
ccl = _Namespace("ccl.")


def __dir__() -> list[str]:
    return list(operators())

"""The arguments of a call of a prim func: tensors, and the sizes that it takes as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import func
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.frontends.tvmscript.prim_funcs.kept import kept_names
from relax_dialect.frontends.tvmscript.writing.surroundings import CallWriter
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr


def prim_arguments(
    writer: CallWriter,
    op: Operation,
    prim: func.FuncOp,
    args: Sequence[SSAValue],
    results: Sequence[Attribute],
) -> Sequence[str]:
    """Return the arguments in the order of the prim func's parameters in `prim_funcs.write`."""
    own = signature(prim)
    sizes: dict[str, Expr] = {}
    _match(sizes, own.params, (arg.type for arg in args))
    _match(sizes, own.results, results)
    if isinstance(op, TirCallOp) and op.symbols is not None:
        sizes |= {name: size for name, size in zip(own.unbound, op.symbols.data or ()) if size}
    order = kept_names(prim)
    tensors = [name for name in order if name not in sizes]
    if len(tensors) != len(own.params) + len(own.results):
        order = [*(f"%{i}" for i in range(len(args))), *own.symbols]
        tensors = order[: len(args)]
    values = dict(zip(tensors, map(writer.read, args)))
    return [
        values[name] if name in values else _number(writer, sizes[name])
        for name in order
        if name in values or name in sizes
    ]


def _match(sizes: dict[str, Expr], params: Iterable[Attribute], types: Iterable[Attribute]) -> None:
    """Infer the sizes of a prim func's variables from types."""
    for param, type in zip(params, types):
        if isinstance(param, TensorType) and isinstance(type, TensorType):
            for name, size in zip(param.shape or (), type.shape or ()):
                if name is not None and name.name is not None and size is not None:
                    sizes.setdefault(name.name, size)


def _number(writer: CallWriter, size: Expr) -> str:
    """Write a size among the arguments of a call."""
    text = writer.sizes.text(size)
    return f"R.prim_value({text})" if size.value is not None else text

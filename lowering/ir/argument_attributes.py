"""The attributes of a prim func's arguments: dimensions, symbols, results."""

import re
from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from relax_dialect.prim.signature import DIMS, attribute_dicts, symbol_of

_NAME = re.compile(r"[A-Za-z_]\w*")


def dims_of(attributes: Mapping[str, Attribute]) -> tuple[str, ...] | None:
    """Return the text of every dimension, or None if there is no attribute."""
    dims = attributes.get(DIMS)
    if not isinstance(dims, ArrayAttr):
        return None
    return tuple(dim.data for dim in dims if isinstance(dim, StringAttr))


def is_bare_symbol(dim: str) -> bool:
    """Return whether a dimension is a single symbol: `n`, but neither `64` nor `n + 1`."""
    return _NAME.fullmatch(dim) is not None


def bare_symbols(all_dims: Iterable[Sequence[str] | None]) -> list[str]:
    """Return the symbols that are a dimension by themselves, in the order of their first appearance."""
    found = (dim for dims in all_dims if dims for dim in dims if is_bare_symbol(dim))
    return list(dict.fromkeys(found))


def leading_symbols(func: FuncOp) -> list[str]:
    """Return the symbols a prim func on tensors takes once bufferized, in the order of the arguments: the
    bare symbols of its tensor arguments, then its `index` arguments."""
    attributes = attribute_dicts(func.arg_attrs, len(func.function_type.inputs))
    extra = [symbol for entry in attributes if (symbol := symbol_of(entry)) is not None]
    return list(dict.fromkeys([*bare_symbols(map(dims_of, attributes)), *extra]))


def is_tensor_prim_func(func: FuncOp) -> bool:
    """Return whether a function has a body and tensors whose dimensions `relax.dims` names."""
    signature = func.function_type
    arguments = zip(signature.inputs, attribute_dicts(func.arg_attrs, len(signature.inputs)))
    results = zip(signature.outputs, attribute_dicts(func.res_attrs, len(signature.outputs)))
    return func.body.first_block is not None and any(
        isinstance(type_, TensorType) and DIMS in attributes
        for type_, attributes in (*arguments, *results)
    )


def symbol_arguments(func: FuncOp, block: Block) -> dict[str, SSAValue]:
    """Every symbol with the `index` argument of `block` that holds it."""
    attributes = attribute_dicts(func.arg_attrs, len(func.function_type.inputs))
    return {
        symbol: argument
        for argument, entry in zip(block.args, attributes)
        if (symbol := symbol_of(entry)) is not None
    }

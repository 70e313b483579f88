"""Memory planned by TVM's passes: `alloc = R.builtin.alloc_tensor(...)`, written by `cls.f(x, alloc)`, is
the result of that call of the prim func."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial

from relax_dialect.frontends.tvmscript.calls.arguments import Special, argument
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_values import NamedMemory
from relax_dialect.ir.types import TensorType


def _allocated(shape: int, dtype: int, reader: Expressions, node: ast.Call) -> NamedMemory:
    """Return the memory of a tensor, whose shape and element type are the arguments at these positions."""
    dims = reader.types.dims(argument(node, shape, "shape"))
    of = reader.types.dtype(argument(node, dtype, "dtype"))
    return NamedMemory(reader.binding, TensorType(dims, of))


def _storage(reader: Expressions, node: ast.Call) -> NamedMemory:
    """Read the memory of several tensors, one after the other."""
    return NamedMemory(reader.binding)


def _freed(reader: Expressions, node: ast.Call) -> tuple[()]:
    return ()


def written_memory(
    reader: Expressions, args: Sequence[ast.expr], count: int
) -> Sequence[NamedMemory] | None:
    """Return the trailing arguments of a call, if they are memory for its results."""
    found = [reader.read(each) for each in args[len(args) - count :]] if count else []
    memory = [each for each in found if isinstance(each, NamedMemory)]
    if not memory:
        return None
    for node, each in zip(args[len(args) - count :], found):
        if not isinstance(each, NamedMemory) or each.type is None:
            raise Unreadable(
                node,
                "expected the memory of a tensor for each result, found another argument; allocate it",
            )
    return memory


CALLS: Mapping[str, Special] = {
    "builtin.alloc_tensor": partial(_allocated, 0, 1),
    "memory.alloc_tensor": partial(_allocated, 2, 3),
    "vm.alloc_tensor": partial(_allocated, 2, 3),
    "memory.alloc_storage": _storage,
    "vm.alloc_storage": _storage,
    "memory.kill_tensor": _freed,
    "memory.kill_storage": _freed,
    "vm.kill_object": _freed,
}

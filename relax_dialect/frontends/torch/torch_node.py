"""A node of a graph as its converter sees it: arguments by the names of the schema, sizes, the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.fx_graphs import source_line
from relax_dialect.frontends.torch.torch_dtypes import is_float, spelling
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr

Key = int | str
"""An argument: its index or its name in the schema of the overload."""


def is_node(value: object) -> bool:
    """Returns whether an argument is the result of a node, and no number, list or None."""
    return hasattr(value, "meta") and hasattr(value, "op")


class TorchNode:
    """A node with its arguments; its errors name the program, the node and the line of the model."""

    def __init__(self, importer: Any, fx: Any, name: str):
        self.importer, self.fx, self.name = (
            importer,
            fx,
            name,
        )  # an TorchImporter, which imports this file
        schema = getattr(fx.target, "_schema", None)
        declared = schema.arguments if schema is not None else ()
        self.keys: list[str] = [argument.name for argument in declared]
        self.arguments: dict[str, Any] = {
            a.name: a.default_value for a in declared if a.has_default_value()
        }
        self.arguments.update(zip(self.keys, fx.args))
        self.arguments.update(fx.kwargs)
        if schema is None:
            self.keys = [str(i) for i in range(len(fx.args))]
            self.arguments.update(zip(self.keys, fx.args))

    @property
    def operator(self) -> str:
        """The name without the overload, and without `prims::`."""
        return (self.name.rpartition(".")[0] or self.name).removeprefix("prims::")

    @property
    def overload(self) -> str:
        return self.name.rpartition(".")[2]

    # Arguments --------------------------------------------------------------------------------

    def arg(self, key: Key, default: Any = None) -> Any:
        """Return an argument as it is in the graph, or its default in the schema."""
        name = key if isinstance(key, str) else self.keys[key] if key < len(self.keys) else ""
        return self.arguments.get(name, default)

    def number(self, key: Key) -> int | float | bool:
        """Return an argument that is a number known now."""
        found = self.arg(key)
        if is_node(found):
            size = self.size(key).value
            found = size if size is not None else self.unsupported(f"a size as {key}")
        if not isinstance(found, int | float):
            self.unsupported(f"{found} as {key}")
        return found

    def ints(self, key: Key, count: int | None = None) -> list[int]:
        """Return an argument that is a list of known integers; one stands for `count` equal ones."""
        found = self.arg(key)
        found = [found] if isinstance(found, int) else list(found or ())
        sizes = [self._size(each).value for each in found]
        if None in sizes:
            self.unsupported(f"sizes {found} as {key}")
        return sizes * count if count and len(sizes) == 1 else sizes  # pyright: ignore

    def size(self, key: Key) -> Expr:
        """Return an argument that is a size."""
        return self._size(self.arg(key))

    def sizes(self, key: Key) -> list[Expr]:
        """Return an argument that is a list of sizes."""
        return [self._size(each) for each in self.arg(key) or ()]

    def _size(self, value: Any) -> Expr:
        return self.importer.size_of(value.meta["val"] if is_node(value) else value)

    def tensor(self, key: Key, dtype: str | None = None) -> Value:
        """Return an argument as a tensor, converted to an element type; a number becomes a constant."""
        found = self.arg(key)
        if found is None:
            self.unsupported(f"no {key}")
        return self.as_tensor(found, dtype)

    def optional(self, key: Key, dtype: str | None = None) -> Value | None:
        """Return an argument as a tensor, or None if it is left out."""
        return None if self.arg(key) is None else self.tensor(key, dtype)

    def tensors(self, key: Key, dtype: str | None = None) -> list[Value]:
        """Return an argument that is a list of tensors."""
        return [self.as_tensor(each, dtype) for each in self.arg(key)]

    def as_tensor(self, value: Any, dtype: str | None = None) -> Value:
        """Return a part of an argument as a tensor: a node, a size or a number."""
        if not is_node(value):
            return self.emit(const(value, dtype or _spelling_of(value)))
        found = self.importer.tensor_of(value)
        return found if dtype is None else self.cast(found, dtype)

    def cast(self, value: Any, dtype: str) -> Value:
        """Convert a tensor to an element type."""
        value = value if isinstance(value, Value) else self.emit(value)
        return value if str(value.dtype) == dtype else self.emit(op.astype(value, dtype))

    def full(self, shape: Sequence[Expr], value: float, dtype: str) -> Value:
        """Return a tensor of equal elements."""
        return self.emit(op.full(list(shape), const(value, dtype), dtype))

    # Types ------------------------------------------------------------------------------------

    def meta(self, key: Key) -> Any:
        """Return the example value of an argument: a fake tensor, or the number itself."""
        found = self.arg(key)
        return found.meta["val"] if is_node(found) else found

    def shape(self, key: Key) -> list[Expr]:
        """Return the sizes of an argument."""
        return self.shape_of(self.meta(key))

    def shape_of(self, example: Any) -> list[Expr]:
        """Return the sizes of a fake tensor."""
        return [self.importer.size_of(size) for size in example.shape]

    def rank(self, key: Key) -> int:
        return len(self.meta(key).shape)

    def dtype(self, key: Key) -> str:
        """Return the element type of an argument."""
        return spelling(self.meta(key).dtype)

    def axis(self, key: Key, rank: int | None = None) -> int:
        """Return an argument that is an axis of the first argument, counted from the front."""
        rank = self.rank(0) if rank is None else rank
        return int(self.arg(key)) % max(1, rank)

    def axes(self, key: Key) -> list[int] | None:
        """Return an argument that lists axes of the first argument; None for all of them."""
        found = self.arg(key)
        found = [found] if isinstance(found, int) else found
        return [int(axis) % max(1, self.rank(0)) for axis in found] if found else None

    @property
    def result(self) -> Any:
        """The example value of the result, or a list of them."""
        return self.fx.meta["val"]

    @property
    def out_shape(self) -> list[Expr]:
        """The sizes of the result."""
        return self.shape_of(self.result)

    @property
    def out_dtype(self) -> str:
        """The element type of the result."""
        return spelling(self.result.dtype)

    @property
    def is_float(self) -> bool:
        """Whether the elements of the result are floating-point numbers."""
        return is_float(self.out_dtype)

    def uses(self, index: int) -> bool:
        """Returns whether anything reads one of the results."""
        return any(user.args[1] == index and user.users for user in self.fx.users)

    # The program ------------------------------------------------------------------------------

    def emit(self, expression: object) -> Any:
        """Emit an expression of the builder now; returns its value or values."""
        return self.importer.builder.emit(expression)

    def with_shape(self, value: Any, shape: Sequence[Expr]) -> Value:
        """Check the sizes of a value at run time; sizes that are not defined yet are defined by it."""
        value = value if isinstance(value, Value) else self.emit(value)
        return self.importer.builder.match_cast(value, TensorType(shape, value.dtype))

    def unsupported(self, what: str, mend: str = "change the model") -> NoReturn:
        """Refuse a form of the operator that has no counterpart here."""
        raise self.error(f"expected a form of {self.operator} that we have, found {what}; {mend}")

    def error(self, message: str) -> TorchError:
        """Return an error at this node."""
        line = source_line(self.fx)
        place = f" ({line})" if line else ""
        return TorchError(f"{self.importer.name}: {self.fx.name}, {self.name}{place}: {message}")


def _spelling_of(value: object) -> str:
    """Return the element type of a Python number in PyTorch."""
    return "i1" if isinstance(value, bool) else "i64" if isinstance(value, int) else "f32"


def equal_shapes(a: Sequence[Expr | None], b: Sequence[Expr]) -> bool:
    """Returns whether shapes are proved to be equal."""
    return len(a) == len(b) and all(
        x is not None and symbolic.provably_equal(x, y) for x, y in zip(a, b)
    )

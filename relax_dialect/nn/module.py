"""Modules: parameters and further modules by name, and a `forward` that emits Relax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder, Value
from relax_dialect.builder.values import Expression, Var, element_type
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.mapped_data import bytes_of
from relax_dialect.nn.errors import ModuleError
from relax_dialect.symbolic import Expr

_BUILDER: ContextVar[BlockBuilder] = ContextVar("_BUILDER")
"""The builder of the function that is being exported."""

LISTED = 8
"""The names that an error lists at most."""


class Parameter(Var):
    """A weight: its type, and its array once it is loaded. In `forward` it is a value."""

    __slots__ = ("data",)

    def __init__(self, shape: Iterable[int], dtype: Attribute | str = "f32"):
        super().__init__("weight", TensorType(list(shape), element_type(dtype)))
        self.data: np.ndarray | None = None

    def rename(self, name: str) -> None:
        """Set the name that the parameter has in the program."""
        self._name = name

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape, all of which is known."""
        assert isinstance(self._type, TensorType) and self._type.shape is not None
        return tuple(
            n for size in self._type.shape if size is not None and (n := size.value) is not None
        )

    def load(self, name: str, array: np.ndarray) -> None:
        """Set the array, converted to the parameter's element type. Raises `ModuleError` for another
        shape."""
        if np.shape(array) != self.sizes:
            raise ModuleError(
                f"{name}: expected an array of shape {list(self.sizes)}, found {list(np.shape(array))}; "
                "correct the configuration, or take the weights of this model"
            )
        assert isinstance(self._type, TensorType) and self._type.dtype is not None
        found = np.ascontiguousarray(array, numpy_dtype(self._type.dtype)).reshape(self.sizes)
        if found.flags.writeable:
            found = np.frombuffer(bytes_of(found), np.uint8).view(found.dtype).reshape(self.sizes)
        self.data = found


class Module:
    """A part of a model. Its attributes that are parameters, modules or lists of modules are named by the
    attributes, as in PyTorch: `layers.0.norm.weight`."""

    def forward(self, *args: Any, **named: Any) -> Any:
        """Return expressions or values that the part computes from its arguments."""
        raise ModuleError(
            f"{type(self).__name__}: expected a method forward, found none; write one"
        )

    def __call__(self, *args: Any, **named: Any) -> Any:
        placed = [emit(each) for each in args]
        return emit(self.forward(*placed, **{name: emit(each) for name, each in named.items()}))

    def children(self) -> Iterator[tuple[str, Parameter | Module]]:
        """Yield the parameters and modules among the attributes, by name."""
        for name, value in vars(self).items():
            if isinstance(value, Parameter | Module):
                yield name, value

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Yield this module and all inside by their path."""
        yield prefix.removesuffix("."), self
        for name, value in self.children():
            if isinstance(value, Module):
                yield from value.named_modules(f"{prefix}{name}.")

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        """Yield all parameters by their path; one that several modules share once, by its first."""
        seen: set[int] = set()
        for name, parameter in self._all_parameters(prefix):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield name, parameter

    def _all_parameters(self, prefix: str) -> Iterator[tuple[str, Parameter]]:
        for name, value in self.children():
            if isinstance(value, Parameter):
                yield prefix + name, value
            else:
                yield from value._all_parameters(f"{prefix}{name}.")

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return the loaded arrays by name."""
        return {n: p.data for n, p in self.named_parameters() if p.data is not None}

    def load_state_dict(self, arrays: Mapping[str, np.ndarray], strict: bool = True) -> None:
        """Load arrays by name; unless `strict`, others are ignored and missing parameters stay.

        Raises `ModuleError` for missing and further names, before anything is loaded, and for another
        shape.
        """
        own = dict(self._all_parameters(""))
        first = dict(self.named_parameters())
        if strict:
            missing = [name for name in first if name not in arrays]
            _require_none(missing, "is missing", "in the weights")
            _require_none([name for name in arrays if name not in own], "is no parameter", "")
        for name, parameter in own.items():
            if name in arrays and (name in first or parameter.data is None):
                parameter.load(name, arrays[name])


class ModuleList(Module):
    """Modules in a row, named by their numbers."""

    def __init__(self, modules: Iterable[Module]):
        self.modules = list(modules)

    def children(self) -> Iterator[tuple[str, Parameter | Module]]:
        yield from ((str(number), module) for number, module in enumerate(self.modules))

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    def __getitem__(self, index: int) -> Module:
        return self.modules[index]


def emit(value: Any) -> Any:
    """Emit an expression, or those of a tuple or list; anything else is returned as it is."""
    if isinstance(value, list | tuple):
        return type(value)(emit(each) for each in value)
    return builder().emit(value) if isinstance(value, Expression) else value


def builder() -> BlockBuilder:
    """Return the builder of the function that is being exported. Raises `ModuleError` outside."""
    try:
        return _BUILDER.get()
    except LookupError:
        raise ModuleError(
            "expected a function that is being exported, found none; call the module in a method that "
            "nn.export exports, or in nn.emitting(builder)"
        ) from None


@contextmanager
def emitting(bb: BlockBuilder) -> Iterator[None]:
    """Open a builder for modules, whose parameters must be values there: they emit into its open region."""
    token = _BUILDER.set(bb)
    try:
        with bb.sharing():
            yield
    finally:
        _BUILDER.reset(token)


def sizes(value: Value) -> list[Expr]:
    """Return the sizes of a tensor. Raises `ModuleError` if one is unknown."""
    shape = value.shape
    if shape is None or None in shape:
        raise ModuleError(
            f"expected a tensor whose sizes are known or symbolic, found {value!r}; narrow it with "
            "match_cast"
        )
    return [size for size in shape if size is not None]


def _require_none(names: Sequence[str], what: str, where: str) -> None:
    if names:
        listed = ", ".join(names[:LISTED]) + (" and further ones" if len(names) > LISTED else "")
        raise ModuleError(
            f"expected the weights of this model, found {len(names)} of them that {what}"
            f"{where and ' ' + where}: {listed}; take the weights of this model, or load with strict=False"
        )

"""Tensors of tensor expressions: inputs, and stages computed element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import INDEX, DType, as_dtype, kind
from relax_dialect.te.scalar import Scalar, as_scalar

Dim: TypeAlias = symbolic.Expr | int | str


@dataclass(frozen=True)
class Requirement:
    """A condition on sizes that a prim func checks before it computes: `size` is one of `allowed`.

    If it `shows` values, the message has holes, see `relax_dialect.prim.run_time_checks`.
    """

    message: str
    size: symbolic.Expr
    allowed: tuple[symbolic.Expr, ...]
    shows: bool = False


class Stage(ABC):
    """A computation of tensors, all of `outputs` at once."""

    outputs: tuple[Tensor, ...] = ()
    requires: tuple[Requirement, ...] = ()
    """The requirements on sizes for the stage to be right."""
    checked: bool = True
    """Whether the prim func checks indices that are not proved to be in bounds."""

    def bounds_to_check(
        self, bounds: Any, around: Sequence[symbolic.Expr]
    ) -> Iterable[Requirement]:
        """Return the requirements on sizes for its accesses to be in bounds, unless proved.

        `bounds` holds the facts about indices (a `Bounds`), `around` the extents of the loops that the
        stage runs in.
        """
        return ()

    @property
    @abstractmethod
    def scalars(self) -> Iterable[Scalar]:
        """The expressions it is made of."""

    @property
    @abstractmethod
    def reads(self) -> Iterable[Tensor]:
        """The tensors it reads, in order of appearance."""

    @property
    @abstractmethod
    def sizes(self) -> Iterable[symbolic.Expr]:
        """The sizes it computes with, besides those of its outputs and requirements."""

    @abstractmethod
    def emit(self, function: Any) -> Sequence[SSAValue]:
        """Add its operations to a function (a `FunctionEmitter`); the values of its outputs."""

    def produce(self, shape: tuple[symbolic.Expr, ...], dtype: DType, name: str) -> Tensor:
        """Add one more output and return it."""
        tensor = Tensor(shape, dtype, name, self)
        self.outputs = (*self.outputs, tensor)
        return tensor


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor with a symbolic shape; without a stage it is an input. `A[i, j]` is an element."""

    shape: tuple[symbolic.Expr, ...]
    dtype: DType
    name: str
    stage: Stage | None = None

    __iter__ = None  # pyright: ignore[reportAssignmentType]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, indices: Any) -> Scalar:
        indices = indices if isinstance(indices, tuple) else (indices,)
        if len(indices) != self.ndim:
            example = ", ".join("ijkl"[d] if d < 4 else f"i{d}" for d in range(self.ndim))
            raise RelaxError(
                f"te: tensor '{self.name}' of shape [{shape_text(self.shape)}] takes {self.ndim} "
                f"indices, found {len(indices)}; write {self.name}[{example or '()'}]"
            )
        return Load(self, tuple(self._index(index) for index in indices))

    def __call__(self, *indices: Any) -> Scalar:
        """The same as `A[i, j]`."""
        return self[indices]

    def _index(self, index: object) -> Scalar:
        scalar = as_scalar(index, INDEX)
        if kind(scalar.dtype) not in ("integer", "unsigned"):
            raise RelaxError(
                f"te: an index of tensor '{self.name}' is of type {scalar.dtype}, expected an "
                'integer; cast it with .astype("index")'
            )
        return scalar.astype(INDEX)

    def __str__(self) -> str:
        return f"{self.name}: [{shape_text(self.shape)}] {self.dtype}"


class Load(Scalar):
    """The element of a tensor at indices of type `index`."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor, indices: tuple[Scalar, ...]):
        super().__init__(tensor.dtype, indices)
        self.tensor = tensor


def shape_text(shape: Iterable[object]) -> str:
    return ", ".join(map(str, shape))


def as_shape(shape: Sequence[Dim] | Dim) -> tuple[symbolic.Expr, ...]:
    """Return a shape from a sequence of sizes (one size alone counts as a shape of rank 1)."""
    if isinstance(shape, symbolic.Expr | int | str):
        shape = (shape,)
    dims = tuple(symbolic.as_expr(dim) for dim in shape)
    for dim in dims:
        if dim.value is not None and dim.value < 0:
            raise RelaxError(f"te: negative size in the shape [{shape_text(dims)}]")
    return dims


def var(name: str) -> symbolic.Expr:
    """Return a symbolic size."""
    return symbolic.var(name)


def placeholder(
    shape: Sequence[Dim] | Dim, dtype: DType | str = "float32", name: str = "placeholder"
) -> Tensor:
    """Return an input tensor."""
    return Tensor(as_shape(shape), as_dtype(dtype), name)

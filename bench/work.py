"""A work: one computation defined once, for us and for every peer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Network = Callable[..., Any]
"""From a language and values to a value: `lambda o, x, y: o.relu(o.add(x, y))`."""


@dataclass(frozen=True)
class Input:
    """An argument: its sizes, symbolic ones by name; its element type; the range of its numbers."""

    dims: tuple[int | str, ...]
    dtype: str = "f32"
    low: float = -2.0
    high: float = 2.0

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(sizes[dim] if isinstance(dim, str) else dim for dim in self.dims)

    def array(self, random: np.random.Generator, sizes: Mapping[str, int]) -> np.ndarray:
        """Draw random numbers of these sizes."""
        shape, dtype = self.shape(sizes), NUMPY_TYPES[self.dtype]
        if self.dtype == "f32":
            return random.uniform(self.low, self.high, shape).astype(dtype)
        return random.integers(int(self.low), int(self.high), shape, endpoint=True).astype(dtype)


NUMPY_TYPES: Mapping[str, Any] = {
    "f32": np.float32,
    "i8": np.int8,
    "ui8": np.uint8,
    "i64": np.int64,
}


@dataclass(frozen=True)
class Work:
    """A row of the benchmark.

    `network` is written in the operators of `relax_dialect.builder.op`, which every language speaks; rows
    with the same network and inputs share one symbolic artifact. `operations` (floating-point or integer)
    make it a work that the core's peak bounds, else the bytes of its arguments and its result do.
    """

    name: str
    network: Network
    inputs: tuple[Input, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    operations: float = 0
    core: bool = False
    static: bool = True
    """Whether an artifact for only these sizes is measured too."""
    whole: bool = False
    """Whether its compile time and its memory are measured too."""
    tolerance: float = 1e-3
    """The maximum difference of results from a peer's, relative to the largest number of the result."""
    peers: Mapping[str, Callable[[Work, Sequence[np.ndarray]], Any]] = field(default_factory=dict)
    """The functions that peers run instead of the network, by the language's name."""
    expected: Callable[..., np.ndarray] | None = None
    """Computes the result independently of all contenders; None to compare with the first peer."""
    prepare: Callable[[Any], object] | None = None
    """A pass that our module goes through before it is compiled."""
    unit: str = "GF/s"

    @property
    def symbolic(self) -> bool:
        """Returns whether any size varies."""
        return bool(self.variables)

    @property
    def variables(self) -> dict[str, int]:
        """The sizes that vary between calls of one artifact."""
        names = {dim for input in self.inputs for dim in input.dims if isinstance(dim, str)}
        return {name: size for name, size in self.sizes.items() if name in names}

    def arrays(self) -> list[np.ndarray]:
        """Return the arguments, the same in every run."""
        random = np.random.default_rng(0)
        return [input.array(random, self.sizes) for input in self.inputs]

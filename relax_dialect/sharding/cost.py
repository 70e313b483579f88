"""Bytes that collectives move: the same for the choice of placements and for the report.

A rank of p sends, as rings do, of a tensor of b bytes (p - 1) / p * b to gather, scatter or exchange its
parts, and twice that to reduce it on every rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.memory import byte_count
from relax_dialect.symbolic import Expr

Kind = Literal["allreduce", "allgather", "reduce_scatter", "all_to_all"]

FLOPS_PER_BYTE = 10
"""How much a core computes while it sends a byte: 100 GFLOP/s, 10 GB/s."""

ASSUMED = 256
"""The value of symbolic sizes where placements are compared."""


def bytes_sent(kind: Kind, size: Expr | float, ranks: int) -> float:
    """Return the bytes that each rank sends for a tensor of so many bytes before it is cut."""
    value = size if isinstance(size, int | float) else evaluated(size, {})
    return (2 if kind == "allreduce" else 1) * value * (ranks - 1) / ranks


def evaluated(size: Expr, sizes: Mapping[str, int]) -> int:
    """Return a size for values of its variables, which are `ASSUMED` if they are not given."""
    return size.evaluate({name: sizes.get(name, ASSUMED) for name in size.free_variables})


def weight(type: TensorType) -> float:
    """Return the assumed bytes of a tensor."""
    count = byte_count(type)
    return 0.0 if count is None else float(evaluated(count, {}))


@dataclass(frozen=True)
class Move:
    """A collective that was inserted, with the bytes of the tensor on each rank before or after it,
    whichever are more."""

    kind: Kind
    axis: str
    bytes: Expr | None
    where: str
    """The value that it serves, for the report."""

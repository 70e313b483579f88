"""The collectives of a sharded function, the bytes that a rank sends, and how both grow with the ranks.

```
@main on 4 ranks: tp = 4; sizes b = 256, s = 256
  allreduce tp 256 * b * s bytes, of gv
  allreduce tp 256 * b * s bytes, of gv
  a rank sends 50331648 bytes in 2 collectives
  ranks of tp       bytes        time
            8    58720256     5.942 ms
```

The time is that of rings on links of 10 GB/s, with 5 us for each of the p - 1 steps of a ring of p ranks.
Where one axis grows, the tensors that other axes move stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from relax_dialect.sharding.cost import ASSUMED, Move, bytes_sent, evaluated
from relax_dialect.sharding.value_sharding import Grid

BANDWIDTH = 10e9
"""The bytes that a link moves in a second."""

LATENCY = 5e-6
"""The seconds that a step of a ring takes at least."""

RANKS = tuple(2**power for power in range(3, 11))


def sent(moves: Sequence[Move], grid: Mapping[str, int], sizes: Mapping[str, int]) -> float:
    """Return the bytes that each rank sends, for values of the symbolic sizes."""
    found = 0.0
    for move in moves:
        if move.bytes is not None:
            found += bytes_sent(move.kind, evaluated(move.bytes, sizes), grid[move.axis])
    return found


def seconds(moves: Sequence[Move], grid: Mapping[str, int], sizes: Mapping[str, int]) -> float:
    """Return the seconds that the collectives take one after the other."""
    steps = sum((2 if m.kind == "allreduce" else 1) * (grid[m.axis] - 1) for m in moves)
    return sent(moves, grid, sizes) / BANDWIDTH + steps * LATENCY


def grown(moves: Sequence[Move], grid: Grid, axis: str, ranks: int) -> list[Move]:
    """Return collectives if an axis had other ranks: parts that it exchanges shrink with their number."""
    found: list[Move] = []
    for move in moves:
        size = move.bytes
        if move.kind == "all_to_all" and move.axis == axis and size is not None:
            size = size * grid.axes[axis] // ranks
        found.append(Move(move.kind, move.axis, size, move.where))
    return found


def report(
    name: str, moves: Sequence[Move], grid: Grid, sizes: Mapping[str, int] | None = None
) -> str:
    """Return the report of a function; symbolic sizes without a value are 256."""
    given = sizes or {}
    variables = sorted({v for m in moves if m.bytes is not None for v in m.bytes.free_variables})
    values = ", ".join(f"{v} = {given.get(v, ASSUMED)}" for v in variables)
    axes = ", ".join(f"{axis} = {size}" for axis, size in grid.axes.items())
    lines = [f"@{name} on {grid.ranks} ranks: {axes}" + f"; sizes {values}" * bool(values)]
    lines += [f"  {m.kind} {m.axis} {m.bytes or '?'} bytes, of {m.where}" for m in moves]
    total = sent(moves, grid.axes, given)
    lines.append(f"  a rank sends {total:.0f} bytes in {len(moves)} collectives")
    for axis in grid.axes:
        if any(move.axis == axis for move in moves):
            lines += _growth(moves, grid, axis, given)
    return "\n".join(lines)


def _growth(
    moves: Sequence[Move], grid: Grid, axis: str, sizes: Mapping[str, int]
) -> Iterator[str]:
    """Yield a table of bytes and times for 8 to 1,024 ranks of an axis."""
    head = f"  ranks of {axis}"
    yield f"{head} {'bytes':>14} {'time':>14}"
    for ranks in RANKS:
        larger, axes = grown(moves, grid, axis, ranks), {**grid.axes, axis: ranks}
        time = seconds(larger, axes, sizes) * 1e3
        yield f"{ranks:>{len(head)}} {sent(larger, axes, sizes):>14.0f} {time:>11.3f} ms"

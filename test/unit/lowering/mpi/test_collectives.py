"""Collectives of compiled programs under mpirun, compared with simulated ranks."""

from __future__ import annotations

import numpy as np
import pytest
from support.mpi_ranks import RankCall, run_ranks
from support.optional import MPI, needs
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32, f64, i1, i8, i32, i64

from relax_dialect import interpret, parse
from relax_dialect.interpret.runtime_values import numpy_dtype

pytestmark = needs(MPI)

ELEMENTS = {
    **{
        "f64": f64,
        "f32": f32,
        "f16": f16,
        "bf16": bf16,
        "i1": i1,
        "i8": i8,
        "i32": i32,
        "i64": i64,
    },
    "ui8": IntegerType(8, Signedness.UNSIGNED),
}

GRIDS = {"": 1, "grid = array<i64: 2, -1>, grid_axes = array<i64: 0>": 2}
"""Grids with the numbers that the number of ranks is a multiple of."""


def program(op: str, result: str, attrs: str = "", grid: str = "", dtype: str = "f32") -> str:
    """A function of one collective on a matrix of [4 * n, 12], in groups of `r` ranks."""
    x, y, wide = (f"!relax.tensor<[{sizes}], {dtype}>" for sizes in ("4 * n, 12", result, "?, ?"))
    counted = op not in ("allreduce", "broadcast_from_worker0")
    args, types = ("%x, %q", f"{x}, !relax.shape<[r]>") if counted else ("%x", x)
    given = ", ".join(filter(None, (attrs, grid)))
    return f"""
relax.func @NAME(%x: {x}) -> {wide} {{
  %p = relax.ccl.world_size {{{grid}}} : () -> !relax.shape<[?]>
  %q = relax.match_shape %p [r] : (!relax.shape<[?]>) -> !relax.shape<[r]>
  %y = relax.ccl.{op} {args} {{{given}}} : ({types}) -> {y}
  relax.return %y : {y}
}}
"""


PARTS = ("4 * n floordiv r, 12", "4 * n, 12 floordiv r")
"""The parts of the ranks along either axis."""


def programs(grid: str) -> list[tuple[str, str]]:
    """Every collective, along both axes, with its element type."""
    found = [
        (program("allreduce", "4 * n, 12", f'op_type = "{kind}"', grid, dtype), dtype)
        for dtype in ("f32", "f64", "f16", "bf16", "i8", "i32", "i64", "ui8")
        for kind in ("sum", "prod", "min", "max", "avg")
        if kind != "avg" or "f" in dtype
    ]
    for dtype in ("f32", "i1", "bf16"):
        found.append((program("broadcast_from_worker0", "4 * n, 12", "", grid, dtype), dtype))
        for axis, joined in enumerate(("4 * n * r, 12", "4 * n, 12 * r")):
            text = program("allgather", joined, f"axis = {axis} : i64", grid, dtype)
            found.append((text, dtype))
            attrs = f"axis = {axis} : i64"
            text = program("scatter_from_worker0", PARTS[axis], attrs, grid, dtype)
            found.append((text, dtype))
    for axis, part in enumerate(PARTS):
        attrs = f'axis = {axis} : i64, op_type = "sum"'
        found.append((program("reduce_scatter", part, attrs, grid), "f32"))
    for split, concat, result in (
        (0, 0, "4 * n, 12"),
        (1, 1, "4 * n, 12"),
        (0, 1, "4 * n floordiv r, 12 * r"),
        (1, 0, "4 * n * r, 12 floordiv r"),
    ):
        attrs = f"split_axis = {split} : i64, concat_axis = {concat} : i64"
        found.append((program("all_to_all", result, attrs, grid), "f32"))
    return found


def inputs(dtype: str, ranks: int, n: int, seed: int) -> list[np.ndarray]:
    """Small whole numbers, whose sums and products are exact: one matrix for each rank."""
    kind = numpy_dtype(ELEMENTS[dtype])
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 3, (4 * n, 12)).astype(kind) for _ in range(ranks)]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_collectives_are_those_of_simulated_ranks(ranks: int):
    found = [each for grid, count in GRIDS.items() if ranks % count == 0 for each in programs(grid)]
    cases = [
        RankCall(f"f{number}", [[x] for x in inputs(dtype, ranks, 3 * (number % 3), number)])
        for number, (_, dtype) in enumerate(found)
    ]
    texts = [text.replace("@NAME", f"@f{number}") for number, (text, _) in enumerate(found)]
    for call, text, given in zip(cases, texts, run_ranks("".join(texts), cases, ranks)):
        xs = interpret.PerRank([x for (x,) in call.arguments])
        wanted = interpret.run_spmd(parse(text), call.function, xs, ranks=ranks)
        for each, expected in zip(given, wanted):
            np.testing.assert_array_equal(each, expected, text)

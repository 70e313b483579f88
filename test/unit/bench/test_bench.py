"""The benchmarks measure what they say: their programs mean the right thing, and they run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optional import LONG, needs

import lowering
import relax_dialect
from bench import programs
from bench.measuring import Table

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3, 5, 7), ("n", "k", "m"), ("n", 5, "m")])
def test_the_matmul_is_one(sizes: tuple[int | str, int | str, int | str]):
    model = lowering.compile(relax_dialect.parse(programs.matmul(*sizes)))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((3, 5), (5, 7)))
    np.testing.assert_allclose(model.main(a, b), a @ b, rtol=1e-5, atol=1e-6)


def test_the_blocks_are_as_long_as_they_say():
    for make in programs.BLOCKS.values():
        lines = [line for line in make(40).splitlines() if line.startswith("    %")]
        assert len(lines) == 40


@pytest.mark.slow
def test_dense_layers_are_dense_layers():
    model = lowering.compile(relax_dialect.parse(programs.layers(6)))
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal(shape, dtype=np.float32) / 8 for shape in ((5, 64), (64, 64)))
    b = rng.standard_normal(64, dtype=np.float32)
    once = np.maximum(x @ w + b, 0)
    np.testing.assert_allclose(model.main(x, w, b), np.maximum(once @ w + b, 0), atol=1e-4)


def test_residuals_use_values_twice():
    model = lowering.compile(relax_dialect.parse(programs.residuals(4)))
    x = np.random.default_rng(2).standard_normal((3, 64), dtype=np.float32)
    first = np.tanh(x) + x
    second = np.tanh(first) + first
    w, b = np.zeros((64, 64), np.float32), np.zeros(64, np.float32)
    np.testing.assert_allclose(model.main(x, w, b), second, atol=1e-5)


def test_a_missed_limit_is_noted():
    table = Table("t", ("what", "met"))
    assert table.limit("speed", 0.3, at_least=0.25) == "yes"
    assert table.limit("speed", 0.2, at_least=0.25) == "NO"
    assert table.limit("time", 4, at_most=3) == "NO"
    assert table.missed == [
        "speed: expected at least 0.25, found 0.2",
        "time: expected at most 3, found 4",
    ]


@needs(LONG)
def test_the_compiler_keeps_its_time(tmp_path: Path):
    """At most a second of Python and three in all for the digits model, on one core."""
    figures = tmp_path / "figures.json"
    command = [
        sys.executable,
        "-m",
        "bench",
        "--only",
        "compile",
        "--json",
        str(figures),
        "--check",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every limit is met." in done.stdout
    (table,) = json.loads(figures.read_text())["tables"]
    assert [row[0] for row in table["rows"]][-1] == "Relax to shared object"

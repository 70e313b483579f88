"""The figures of `docs/limits.md`: how deep programs may be, here and for xDSL's own tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import programs, sizes
from relax_dialect.interpret import run
from relax_dialect.parsing import ProgramError, parse

OURS = 798
"""The `if`s that stand in a function and a graph."""


@pytest.mark.slow
def test_ours_reads_what_it_says():
    parse(programs.nested_ifs(OURS))
    with pytest.raises(ProgramError, match="nested at most 800 deep"):
        parse(programs.nested_ifs(OURS + 1))


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "read"), [(100, True), (200, False)])
def test_xdsl_gives_up_first(tmp_path: Path, depth: int, read: bool):
    """It reads 135 levels with Python 3.11; other versions count calls in other ways."""
    path = tmp_path / "deep.mlir"
    path.write_text(programs.nested_ifs(depth))
    command = [sys.executable, "-m", "xdsl.tools.xdsl_opt", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is read
    assert ("RecursionError" in done.stderr) is not read


@pytest.mark.parametrize("name", sizes.SIZES)
def test_the_programs_of_the_benchmark_mean_what_they_say(name: str):
    x = np.array([1.0, -2.0], np.float32)
    expected = {
        "bindings in one block": -(-x + x) + x,
        "nested lets": -x,
        "nested ifs": x,  # negated at each of four levels
        "diamonds": x,
        "chained ifs": x,  # negated four times
        "closures": 5 * x,
        "nested closures": -2 * x,
        "calls": 5 * x,
        "facts": 5 * x,
    }
    module = parse(sizes.SIZES[name].make(4))
    np.testing.assert_array_equal(run(module, "main", x, np.array(True)), expected[name])

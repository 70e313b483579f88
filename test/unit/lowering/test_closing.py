"""Modules that are closed leave memory; and threads that compile at once get what one gets."""

from __future__ import annotations

import gc
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import lowering
from lowering.runtime.loading import compile_c, load
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

pytestmark = pytest.mark.usefixtures("unoptimised")

VECTOR = "!relax.tensor<[3], f32>"
PROGRAM = f"""
relax.func @main(%x: {VECTOR}) -> {VECTOR} {{
  %c = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = relax.add %x, %c : ({VECTOR}, {VECTOR}) -> {VECTOR}
  relax.return %0 : {VECTOR}
}}
"""
X = np.ones(3, np.float32)


def mapped() -> list[str]:
    """The lines of our libraries that are in memory."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [line for line in lines if "/closing-" in line]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("built")
    source = lowering.to_c(parse(PROGRAM), "closing", sidecar_threshold=0)
    assert source.weights is not None
    library = compile_c(source, folder, extra_flags=["-O0"])
    return lambda: load(library, source.entries, folder / "closing.weights")


def ours() -> list[str]:
    """The same after what only refers to itself has gone."""
    gc.collect()
    return mapped()


@pytest.mark.slow
def test_no_file_remains_and_nothing_is_mapped_after_close(built, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for _ in range(20):
        with built() as model:
            assert len(mapped()) > 0 and all(line.endswith("(deleted)") for line in mapped())
            np.testing.assert_array_equal(model.main(X), [2, 3, 4])
    assert ours() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_results_outlive_the_module(built):
    model = built()
    result, main = model.main(X), model.main
    model.close()
    model.close()
    np.testing.assert_array_equal(result, [2, 3, 4])
    assert len(ours()) > 0
    del result
    assert ours() == []
    for call in (main, model.main, model["main"]):
        with pytest.raises(RelaxError, match=r"@main: .* found a call after close\(\)"):
            call(X)


def test_functions_with_names_of_the_module_s_own():
    names = ["close", "functions", "library", "_model", "__exit__", "__class__", "main"]
    text = "".join(PROGRAM.replace("@main", f"@{name}") for name in names)
    model = lowering.compile(parse(text), "names", opt_level=0)
    with model:
        for name in names:
            np.testing.assert_array_equal(model[name](X), [2, 3, 4])
        np.testing.assert_array_equal(model.main(X), [2, 3, 4])
        assert list(model.functions) == names
    with pytest.raises(RelaxError, match=r"@close: .* found a call after close\(\)"):
        model["close"](X)


@pytest.mark.slow
def test_threads_compile_at_once():
    text = (
        Path(__file__).parents[2] / "filecheck/rewrites/defunctionalize/targets.mlir"
    ).read_text()
    limit, switch = sys.getrecursionlimit(), sys.getswitchinterval()
    expected = lowering.to_c(parse(text)).c
    module, value = parse(PROGRAM), np.ones(3, np.float32)

    def work(number: int) -> bool:
        if number % 4 == 0:
            return interpret.run(module, "main", value).tolist() == [2, 3, 4]
        return lowering.to_c(parse(text)).c == expected

    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(work, range(20)))
    finally:
        sys.setswitchinterval(switch)
    assert sys.getrecursionlimit() == limit

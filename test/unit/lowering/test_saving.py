"""Models that are saved, pickled, copied and sent to other processes."""

import copy
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
import relax_dialect
from lowering.runtime.loading import CompiledModule
from relax_dialect import RelaxError

WEIGHTS = np.linspace(-1.0, 1.0, 64 * 64, dtype=np.float32).reshape(64, 64)
X = np.arange(3 * 64, dtype=np.float32).reshape(3, 64) / 64


def program(weights: np.ndarray = WEIGHTS) -> str:
    text = np.array2string(weights, separator=",", threshold=10**6, floatmode="unique")
    return f"""
relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32> {{
  %w = relax.constant dense<{text}> : tensor<64x64xf32>
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32>
  relax.return %0 : !relax.tensor<[n, 64], f32>
}}"""


@pytest.fixture(scope="module", params=[10**9, 1024], ids=["weights in C", "file of weights"])
def model(request: pytest.FixtureRequest) -> CompiledModule:
    module = relax_dialect.parse(program())
    return lowering.compile(module, "net", sidecar_threshold=request.param, extra_flags=UNOPTIMISED)


def agrees(found: CompiledModule, model: CompiledModule) -> bool:
    return np.array_equal(found.main(X), model.main(X))


def test_a_saved_model_is_loaded(model: CompiledModule, tmp_path: Path):
    manifest = model.save(tmp_path / "build" / "net")
    assert manifest.name == "net.json"
    assert agrees(lowering.load(tmp_path / "build" / "net"), model)


def test_a_loaded_model_is_saved_after_its_files_have_gone(model: CompiledModule, tmp_path: Path):
    loaded = lowering.load(model.save(tmp_path / "a"))
    for file in (tmp_path / "a").iterdir():
        file.unlink()
    loaded.save(tmp_path / "b")
    assert agrees(lowering.load(tmp_path / "b"), model)


@pytest.mark.slow
def test_a_model_with_a_directory_is_saved_as_it_was_compiled(tmp_path: Path):
    kept = lowering.compile(
        relax_dialect.parse(program()),
        "net",
        directory=tmp_path / "a",
        sidecar_threshold=1024,
        extra_flags=UNOPTIMISED,
    )
    lowering.compile(
        relax_dialect.parse(program(-WEIGHTS)),
        "net",
        directory=tmp_path / "a",
        sidecar_threshold=1024,
        extra_flags=UNOPTIMISED,
    )
    kept.save(tmp_path / "b")
    assert agrees(lowering.load(tmp_path / "b"), kept)


@pytest.mark.slow
def test_a_model_is_saved_after_the_files_it_was_linked_with_have_gone(tmp_path: Path):
    linked = tmp_path / "linked.c"
    linked.write_text("int relax_test_of_saving = 1;\n")
    kept = lowering.compile(
        relax_dialect.parse(program()), "net", link=[linked], extra_flags=UNOPTIMISED
    )
    linked.unlink()
    kept.save(tmp_path / "build")
    assert agrees(lowering.load(tmp_path / "build"), kept)


def test_pickles_and_copies_compute_the_same(model: CompiledModule):
    again = pickle.loads(pickle.dumps(model))
    assert agrees(again, model)
    assert agrees(copy.deepcopy(again), model)
    function = pickle.loads(pickle.dumps(model.main))
    assert np.array_equal(function(X), model.main(X))


@pytest.mark.slow
def test_a_function_is_sent_to_workers(model: CompiledModule):
    inputs = [X[:n] for n in range(4)]
    with multiprocessing.get_context("spawn").Pool(2) as workers:
        found = workers.map(model.main, inputs, chunksize=2)
    assert all(np.array_equal(y, model.main(x)) for x, y in zip(inputs, found, strict=True))


@pytest.mark.slow
def test_a_closed_model_is_neither_saved_nor_pickled(tmp_path: Path):
    closed = lowering.compile(relax_dialect.parse(program()), extra_flags=UNOPTIMISED)
    closed.close()
    with pytest.raises(RelaxError, match="save: expected a model that is open"):
        closed.save(tmp_path)
    with pytest.raises(RelaxError, match="pickle: expected a model that is open"):
        pickle.dumps(closed)


def test_a_directory_that_cannot_be_written_is_refused(model: CompiledModule, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        RelaxError, match=r"save .*file: expected a directory that can be written to"
    ):
        model.save(tmp_path / "file")

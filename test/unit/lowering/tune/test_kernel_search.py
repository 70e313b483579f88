"""The search for schedules: what is tried, what is taken, and what a file keeps of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import relax_dialect
from lowering.schedule.schedule import parse
from lowering.tune import Options, tuning_file
from lowering.tune.candidates import KernelSchedules
from lowering.tune.comparing import Case, Stopwatch, cases, same_results, speedup
from lowering.tune.kernel_programs import kernels_of
from lowering.tune.program_search import Tuning, tuning
from lowering.tune.search import KernelSearch, Record, key_of
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

HEAD = {"cpu": "x", "opt_level": 1, "passes": [], "threads": 1, "sizes": [{"n": 40}]}


def program(columns: int = 96):
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", 40], "f32")}) as (x,):
        weights = const(np.ones((40, columns), np.float32))
        y = builder.emit(op.relu(builder.emit(op.matmul(x, weights))))
        builder.emit_func_output(builder.emit(op.softmax(y)))
    return builder.get()


class Model:
    """Machine code as the tests need it."""

    def __init__(self, settings, wrong=()):
        self.settings, self.wrong, self.closed = settings, wrong, False

    def __getitem__(self, name):
        is_wrong = any(item in self.settings.items() for item in self.wrong)
        return lambda *_: np.full(3, 2.0 if is_wrong else 1.0)

    def close(self):
        self.closed = True


class Unbuilt(KernelSchedules):
    """Schedules that are not compiled."""

    wrong = ()
    known: ClassVar = {}

    def of(self, settings):
        key = key_of(settings)
        if key not in self.known:
            self.known[key] = super().of(settings)
        return self.known[key]

    def lowered(self, candidate):
        return candidate.settings

    def built(self, source):
        return Model(source, self.wrong)


class Fake(Stopwatch):
    """The time of a schedule by its decisions."""

    faster = {"matmul_relu rows": (6, 0.5), "matmul_relu block": (4, 0.8)}
    noisy = {"matmul_relu vectors of columns": 2}
    measures = 0

    def seconds(self, model):
        found = 1.0
        for name, (value, factor) in self.faster.items():
            found *= factor if model.settings.get(name) == value else 1.0
        return found

    def times(self, cases, first, second, rounds=7):
        self.measures += 1
        a, b = self.seconds(first), self.seconds(second)
        if rounds == 7 and any(second.settings.get(k) == v for k, v in self.noisy.items()):
            b *= 0.9
        return [(a, b) for _ in cases]


def search(record=None, stopwatch=None) -> KernelSearch:
    kernel = next(k for k in kernels_of(program(), 1, "x86-64-v4", (), ["n"]) if k.calls)
    assert kernel.name == "matmul_relu"
    candidates = Unbuilt(kernel, "x86-64-v4")
    own = record or Record(kernel.name, candidates.digest)
    return KernelSearch(candidates, cases(kernel.types, [{"n": 40}]), own, stopwatch or Fake())


@pytest.fixture(scope="module")
def done() -> KernelSearch:
    found = search()
    while found.step(3):
        pass
    return found


@pytest.mark.slow
def test_the_fastest_decisions_are_found(done: KernelSearch):
    assert done.record.settings == {"matmul_relu rows": 6, "matmul_relu block": 4}
    assert done.record.speedup == pytest.approx(2.5) and done.record.seconds == pytest.approx(
        [1.0, 0.4]
    )


@pytest.mark.slow
def test_noise_is_not_taken(done: KernelSearch):
    assert done.record.tried["matmul_relu vectors of columns=2"] == 1.0


@pytest.mark.slow
def test_nothing_is_tried_twice(done: KernelSearch):
    again = search(done.record)
    assert not again.step(3) and again.record.tried == done.record.tried


@pytest.mark.slow
def test_what_is_slower_is_closed(done: KernelSearch):
    assert set(done.models) == {"", "current"} and not done.models["current"].closed


@pytest.mark.slow
def test_the_schedules_are_read_back(done: KernelSearch, tmp_path: Path):
    file = tmp_path / "a.schedules"
    tuning_file.write(file, HEAD, [done])
    text = file.read_text()
    (steps,) = parse(text).values()
    assert str(steps[0]).startswith("expect(cpu=x86_64_v4, kernel=k") and "tile(d0, 6" in text


@pytest.mark.slow
def test_a_search_goes_on_from_its_file(done: KernelSearch, tmp_path: Path):
    file = tmp_path / "a.schedules"
    tuning_file.write(file, HEAD, [done])
    known = tuning_file.records(file, HEAD, {"matmul_relu": done.record.digest})
    again = search(known["matmul_relu"], stopwatch := Fake())
    assert not again.step(3) and stopwatch.measures == 0
    assert again.record.settings == done.record.settings


@pytest.mark.slow
def test_an_interrupted_search_is_a_valid_file(tmp_path: Path):
    file, found = tmp_path / "a.schedules", search()

    class Stopped(Fake):
        def times(self, *args):
            if self.measures == 4:
                raise KeyboardInterrupt
            return super().times(*args)

    found.stopwatch = Stopped()
    running = Tuning([found], lambda: tuning_file.write(file, HEAD, [found]))
    with pytest.raises(KeyboardInterrupt):
        running.run(100.0)
    known = tuning_file.records(file, HEAD, {"matmul_relu": found.record.digest})
    assert known["matmul_relu"] == found.record
    found.stopwatch, found.current = Fake(), None
    assert running.run(100.0) and found.record.speedup == pytest.approx(2.5)


@pytest.mark.slow
def test_other_results_are_never_taken():
    found = search()
    found.candidates.wrong = [("matmul_relu rows", 6)]
    while found.step(3):
        pass
    assert found.record.settings == {"matmul_relu block": 4}
    assert "matmul_relu rows=6" in found.wrong


@pytest.mark.slow
def test_a_schedule_whose_calls_fail_is_never_taken(monkeypatch: pytest.MonkeyPatch):
    def called(model, name):
        def call(*_):
            if model.settings:
                raise RelaxError("failed")
            return np.ones(3)

        return call

    monkeypatch.setattr(Model, "__getitem__", called)
    found = search()
    while found.step(3):
        pass
    assert found.record.settings == {} and "matmul_relu rows=6" in found.wrong


@pytest.mark.slow
def test_the_budget_is_that_of_the_clock():
    found, ticks = search(), iter(range(100))
    running = Tuning([found], lambda: None)
    assert not running.run(2.5, lambda: next(ticks)) and found.steps == 1
    assert len(found.record.tried) > 0


def test_a_schedule_has_to_be_good_for_all_sizes():
    assert speedup([(1.0, 0.5), (1.0, 2.0)]) == pytest.approx(1.0)
    assert speedup([(1.0, 0.25), (1.0, 1.1)]) == 1.0
    assert speedup([(1.0, 0.5), (1.0, 0.5)]) == pytest.approx(2.0)


def test_results_may_be_rounded_differently():
    case = [Case("call0", ())]
    models = [{"call0": lambda value=value: np.float32([value, 0.0])} for value in (1.0, 1.00001)]
    assert same_results(case, *models)
    assert not same_results(case, models[0], {"call0": lambda: np.float32([1.0, 0.01])})
    assert not same_results(case, models[0], {"call0": lambda: np.float32([1.0, np.nan])})


def test_samples_alternate_and_the_least_counts():
    order, now = [], [0.0]

    def call(name, seconds):
        def run():
            order.append(name)
            now[0] += seconds

        return run

    models = [{"call0": call("a", 1.0)}, {"call0": call("b", 0.5)}]
    found = Stopwatch(lambda: now[0]).times([Case("call0", ())], *models, rounds=2)
    assert found == [(1.0, 0.5)] and order[1:] == ["a", "b", "b", "a"]


def test_kernels_are_programs_of_their_own():
    found = {k.name: k for k in kernels_of(program(), 1, "generic", (), ["n"])}
    assert list(found) == ["matmul_relu", "softmax"]
    ((only,),) = found["matmul_relu"].types  # the weights are constants in it
    assert str(only) == "!relax.tensor<[n, 40], f32>"
    assert not kernels_of(program(), 1, "generic", (), [])


def test_equal_kernels_have_equal_digests():
    first, other = (
        KernelSchedules(kernels_of(program(n), 1, "generic", (), ["n"])[0], "generic").digest
        for n in (96, 80)
    )
    assert first == search().candidates.digest and first != other


def test_a_program_is_searched(tmp_path: Path):
    text = """
relax.func @main(%x: !relax.tensor<[9, 64], f32>) -> !relax.tensor<[9], f32> {
  %y = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[9, 64], f32>) -> !relax.tensor<[9], f32>
  relax.return %y : !relax.tensor<[9], f32>
}
"""
    file, ticks = tmp_path / "a.schedules", iter(range(100))
    found = tuning(relax_dialect.parse(text), file, options=Options("generic"))
    found.run(2.5, lambda: next(ticks))
    head, record = (
        json.loads(line.removeprefix(tuning_file.MARK))
        for line in file.read_text().splitlines()
        if line.startswith(tuning_file.MARK)
    )
    assert head["cpu"] == "generic" and record["kernel"] == "sum" and record["tried"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cpu": "y"}, "expected the cpu y"),
        ({"threads": 2}, "expected the threads 2"),
        ({"sizes": []}, "expected the sizes"),
    ],
)
def test_the_file_of_another_search_is_refused(tmp_path: Path, change, message):
    file = tmp_path / "a.schedules"
    tuning_file.write(file, HEAD, [])
    with pytest.raises(RelaxError, match=message):
        tuning_file.records(file, {**HEAD, **change}, {})


@pytest.mark.slow
def test_the_file_of_another_model_is_refused(done: KernelSearch, tmp_path: Path):
    file = tmp_path / "a.schedules"
    tuning_file.write(file, HEAD, [done])
    for known in ({}, {"matmul_relu": "k0"}):
        with pytest.raises(RelaxError, match="expected the kernels of this program"):
            tuning_file.records(file, HEAD, known)


@pytest.mark.parametrize(
    "text", ["", "@f:\n", "// relax-tune {", '// relax-tune {}\n// relax-tune {"a": 1}']
)
def test_other_files_are_refused(tmp_path: Path, text: str):
    file = tmp_path / "a.schedules"
    file.write_text(text)
    with pytest.raises(RelaxError, match="remove this one"):
        tuning_file.records(file, {}, {})


@pytest.mark.slow
def test_an_earlier_schedule_is_measured_against():
    found = search(replace(search().record, settings={"matmul_relu rows": 6}))
    assert "tile(d0, 6" in str(found.schedules["matmul_relu"][5])
    while found.step(3):
        pass
    assert found.record.settings == {"matmul_relu rows": 6, "matmul_relu block": 4}

"""Large files compile in parts, and the parts together are the file compiled alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sanitizers import STRICT
from xdsl.dialects.builtin import ModuleOp

from lowering import to_c
from lowering.emit_c import CSource
from lowering.emit_c.helpers.used_helpers import runtime_helpers
from lowering.emit_c.syntax import file_parts
from lowering.emit_c.syntax.file_parts import shared_out
from lowering.runtime import c_command
from lowering.runtime import loading as runtime
from relax_dialect import interpret, parse
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.gradient import gradient
from relax_dialect.ir.types import TensorType

LAYERS = 4
RANDOM = np.random.default_rng(1)


def network() -> ModuleOp:
    """Layers of several sizes, weights, constants of one value, a check that may fail, a call outside."""
    bb = BlockBuilder()
    size = 24
    params = {"x": TensorType(["n", size], "f32"), "i": TensorType(["k"], "i64")}
    with bb.function("main", params) as (x, i):
        with bb.dataflow():
            for _ in range(LAYERS):
                w = RANDOM.standard_normal((size, size + 1)).astype(np.float32)
                bias = np.arange(size + 1, dtype=np.float32)
                x = bb.emit(op.softmax(op.matmul(x, const(w)) + const(bias), -1))
                size += 1
            x = bb.emit(x + const(np.full((1100, 1, size), 0.5, np.float32)))
            y = bb.emit_output(op.take(op.sum(x, [0]), i, axis=0))
        bb.emit_func_output(y)
    return bb.get()


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return network()


@pytest.fixture(scope="module")
def source(module: ModuleOp) -> CSource:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_parts, "PART_SIZE", 30_000)
        return to_c(module, sidecar_threshold=1000)


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(c_command, "cores", lambda: 4)


def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that will be run."""
    done: list[list[str]] = []
    run = c_command._run

    def noted(command: list[str]) -> subprocess.CompletedProcess[str]:
        done.append(command)
        return run(command)

    monkeypatch.setattr(c_command, "_run", noted)
    return done


def symbols(file: Path, *options: str) -> dict[str, str]:
    """The symbols that a file defines, with nm's letters for what they are."""
    command = ["nm", "--defined-only", *options, str(file)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2]: line.split()[1] for line in lines if len(line.split()) == 3}


def objects(source: CSource, folder: Path, cc: str) -> list[Path]:
    """The parts compiled by hand, as the file says."""
    source.write(folder)
    made = [folder / f"{part}.o" for part in range(source.parts)]
    for part, compiled in enumerate(made):
        flags = ["-std=c11", "-O0", "-fPIC", *STRICT, "-Wundef", "-Wno-unused"]
        command = [cc, *flags, f"-DMODEL_PART={part}", "-c", "model.c", "-o", str(compiled)]
        subprocess.run(command, cwd=folder, check=True)
    return made


@pytest.mark.slow
def test_the_parts_are_the_whole(module: ModuleOp, source: CSource, tmp_path: Path, cc: str):
    assert source.parts >= 3 and source.weights is not None
    with pytest.MonkeyPatch.context() as patch:
        done = commands(patch)
        flags = ["-O0", *STRICT]
        library = runtime.compile_c(source, tmp_path / "parts", cc=cc, extra_flags=flags)
        assert len(done) == source.parts + 1
        patch.setattr(c_command, "cores", lambda: 1)
        alone = runtime.compile_c(source, tmp_path / "alone", cc=cc, extra_flags=flags)
        assert len(done) == source.parts + 2
    weights = tmp_path / "parts" / "model.weights"
    assert symbols(library, "-D") == symbols(alone, "-D"), "callers see the same"
    x, i = RANDOM.standard_normal((3, 24)).astype(np.float32), np.array([2, 0])
    models = [runtime.load(file, source.entries, weights) for file in (library, alone)]
    for _ in range(2):  # the second time the arena is as large as the first needed
        found = [model.main(x, i) for model in models]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], interpret.run(module, "main", x, i), rtol=1e-5)
    assert models[0].trim() == models[1].trim() > 0, "frames lie in one another"
    messages = []
    for model in models:
        with pytest.raises(ExecutionError) as error:
            model.main(x, np.array([9]))
        messages.append(str(error.value))
    assert messages[0] == messages[1] and "relax.take" in messages[0]


@pytest.mark.slow
def test_state_is_one_and_each_function_stands_in_one_part(
    source: CSource, tmp_path: Path, cc: str
):
    files = objects(source, tmp_path, cc)
    tables = [symbols(file) for file in files]
    kinds = {name: kind for table in tables for name, kind in table.items()}
    assert {"last_error", "loaded_weights", "enter_frame"} <= kinds.keys()
    for number, table in enumerate(tables):
        own = [n for n, kind in table.items() if kind == "b" or (kind == "d" and "." not in n)]
        assert number == 0 or own == [], "what part 0 has besides, no other part names"
    shared = [name for table in tables for name, kind in table.items() if kind in "TBD"]
    assert len(shared) == len(set(shared)), "defined once"
    assert {"model_main", "model_load", "model_last_error"} <= {
        name for name, kind in tables[0].items() if kind == "T"
    }
    assert all("T" in table.values() for table in tables)


@pytest.mark.slow
def test_the_file_compiles_alone_with_no_words(source: CSource, tmp_path: Path, cc: str):
    source.write(tmp_path)
    subprocess.run([cc, "-std=c11", "-c", *STRICT, "model.c"], cwd=tmp_path, check=True)
    seen = {name for name, kind in symbols(tmp_path / "model.o").items() if kind.isupper()}
    assert seen == set(re.findall(r"^MODEL_API .*?(\w+)\(", source.h, re.M)), "those of the header"


@pytest.mark.slow
def test_a_part_that_fails_is_quoted(source: CSource, tmp_path: Path):
    broken = source.c + "\n#if MODEL_PART == 1\n#error no\n#endif\n"
    spoiled = CSource(**{**vars(source), "c": broken})
    with pytest.raises(RelaxError, match=r"failed on model\.c:\n.*#error no"):
        runtime.compile_c(spoiled, tmp_path, extra_flags=["-O0"])


@pytest.mark.slow
@pytest.mark.parametrize("flags", [["-save-temps=obj"], ["-L."]], ids=str)
def test_flags_that_are_not_understood_compile_the_whole(
    source: CSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str]
):
    done = commands(monkeypatch)
    runtime.compile_c(source, tmp_path, extra_flags=["-O0", *flags])
    assert len(done) == 1


@pytest.mark.slow
def test_names_of_linked_files_never_meet_ours(source: CSource, tmp_path: Path):
    """A file of the user's may have a function called as one of ours, which is static then."""
    names = re.findall(r"^MODEL_LOCAL \w+ (\w+)\(", source.c, re.M)
    other = tmp_path / "other.c"
    other.write_text("".join(f"int {name} = 3;\n" for name in dict.fromkeys(names)))
    runtime.compile_c(source, tmp_path, extra_flags=["-O0"], link=[other])


PACKED = """
relax.func @main(%x: !relax.tensor<[n], f32>, %o: TYPE) -> TYPE {
  %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.call_packed "f"(%y, %o) : (!relax.tensor<[n], f32>, TYPE) -> TYPE
  relax.return %z : TYPE
}"""


def test_small_files_and_files_with_objects_are_whole(monkeypatch: pytest.MonkeyPatch):
    """Objects count calls in variables inside functions, which each part would have for itself."""
    assert shared_out({"f": 11_000, "g": 10_000}, []) == {"f": 0, "g": 0}
    monkeypatch.setattr(file_parts, "PART_SIZE", 300)
    assert to_c(parse(PACKED.replace("TYPE", "!relax.object"))).parts == 1
    packed = to_c(parse(PACKED.replace("TYPE", "!relax.tensor<[n], f32>")))
    assert packed.parts > 1
    first = packed.c.index("#if !defined(MODEL_PART) || MODEL_PART == 0")
    assert packed.c.index("packed_functions[0]") > packed.c.index("packed_functions[]") > first


@pytest.mark.long
def test_what_grows_in_loops_grows_in_any_part(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Room is taken and left by functions of parts that have no arena of their own."""
    bb = BlockBuilder()
    row = TensorType([20_000], "f32")
    with bb.function("loss", {"k": TensorType([], "i64"), "x": row}) as (k, x):
        _, y = bb.while_(lambda i, y: i < k, lambda i, y: (i + 1, op.sin(y * x)), bb.emit(k - k), x)
        bb.emit_func_output(op.sum(y))
    module = bb.get()
    gradient(module, "loss")
    monkeypatch.setattr(file_parts, "PART_SIZE", 300)
    source = to_c(module)
    parts = re.split(r"^#if !defined\(MODEL_PART\) \|\| MODEL_PART == (\d+)$", source.c, flags=re.M)
    users = {part for part, text in zip(parts[1::2], parts[2::2]) if "deallocate_room(" in text}
    assert users - {"0"}
    library = runtime.compile_c(source, tmp_path, extra_flags=["-O0", *STRICT])
    x = np.linspace(0, 1, 20_000, dtype=np.float32)
    model = runtime.load(library, source.entries)
    for turns in (3, 70, 3):
        loss, slope = model.loss_adjoint(np.array(turns), x)
        expected, (expected_slope,) = interpret.run(module, "loss_adjoint", np.array(turns), x)
        np.testing.assert_allclose(loss, expected, rtol=1e-4)
        np.testing.assert_allclose(slope, expected_slope, rtol=1e-4, atol=1e-4)


def test_functions_are_shared_out_evenly():
    sizes = {f"f{i}": 500 + 7919 * i % 9000 for i in range(35)}
    part_of = shared_out(sizes, ["f3"])
    loads = [sum(sizes[n] for n in sizes if part_of[n] == p) for p in set(part_of.values())]
    assert part_of["f3"] == 0 and part_of.keys() == sizes.keys()
    assert len(loads) == sum(sizes.values()) // file_parts.PART_SIZE
    assert max(loads) <= min(loads) + max(sizes.values())
    assert max(loads) < 1.1 * sum(loads) / len(loads)
    assert len(set(shared_out({f"f{i}": 90_000 for i in range(60)}, []).values())) == 16


def test_helpers_keep_their_state_where_it_is_seen():
    """The other ways to keep something: inside a function, and with a value at the top of the file."""
    keeps = {
        name
        for name, helper in runtime_helpers().items()
        if file_parts._OWN_STATE.search(helper.text)
    }
    assert keeps == {"empty_arena", "release_object", "call_function", "run_parts"}
    for text, found in (
        ("static int count = 0;", True),
        ("static int f(void)\n{\n    static int count;\n}", True),
        ("__attribute__((destructor)) static void f(void)", True),
        ("static const int table[] = {1};", False),
        ("static int f(void)\n{\n    static const int table[] = {1};\n}", False),
        ("static int f(int a, int b)\n{\n    return a == b;\n}", False),
    ):
        assert bool(file_parts._OWN_STATE.search(text)) is found, text

"""Large data: mapped from files, so that programs and tools hold no weights in memory."""

from __future__ import annotations

import gc
import mmap
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType, f32

import lowering
from lowering.tools import relax_compile
from relax_dialect import mapped_data
from relax_dialect.frontends import onnx as importer
from relax_dialect.ir.storage import is_repeated
from relax_dialect.mapped_data import LARGE, bytes_of, drop, mapping, read, stored

SIZE = 1024
LAYERS = 24


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.bin"
    path.write_bytes(np.random.default_rng(0).bytes(4 * LARGE))
    return path


def test_tools_map_large_data(file: Path):
    content = file.read_bytes()
    with file.open("rb") as opened, mapping():
        assert isinstance(read(opened, 5, LARGE - 1), bytes)
        first, second = read(opened, 5, LARGE), read(opened, 7, 2 * LARGE)
        assert read(opened, 3 * LARGE, LARGE) == content[3 * LARGE :]
    assert isinstance(first, memoryview) and isinstance(second, memoryview)
    assert isinstance(first.obj, mmap.mmap) and first.obj is second.obj
    for data, expected in ((first, content[5:]), (second, content[7:])):
        drop(data)
        assert data == expected[: len(data)]
    drop(content)


def test_programs_copy_large_data(file: Path):
    """The file may change then, and be shorter."""
    content = file.read_bytes()
    with file.open("rb") as opened:
        data = [read(opened, 5, LARGE), read(opened, 3 * LARGE, LARGE)]
        assert read(opened, 3 * LARGE, 2 * LARGE) == content[3 * LARGE :]
    file.write_bytes(b"")
    assert [type(each) for each in data] == [memoryview] * 2
    assert data == [content[5 : 5 + LARGE], content[3 * LARGE :]]


@pytest.mark.parametrize(
    "view",
    [lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x[:0]],
    ids=["whole", "transposed", "reversed", "strided", "empty"],
)
def test_arrays_are_stored_row_by_row(view: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mapped_data, "BLOCK", 1000)
    array = view(np.random.default_rng(0).integers(0, 255, (3, 300, 401), np.uint16))
    found = stored(array)
    assert bytes(found) == array.tobytes()
    assert isinstance(found, memoryview) == (array.nbytes >= LARGE)


def test_arrays_on_constant_memory_are_not_copied():
    data = stored(np.arange(LARGE))
    array = np.frombuffer(data, np.int64)
    assert bytes_of(array.reshape(4, -1)) is bytes_of(array)
    assert bytes_of(array[1:]) == array[1:].tobytes()
    changed = np.arange(LARGE)
    kept = bytes_of(changed)
    changed[0] = 7
    assert kept == data


def test_temporary_files_end_with_their_uses(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mapped_data, "SEGMENT", 3 * LARGE)
    monkeypatch.setattr(mapped_data, "_OPEN", [])  # the file of earlier tests stays open meanwhile
    before, arrays = open_files(), [np.full(LARGE, i, np.uint8) for i in range(7)]
    kept = [stored(array) for array in arrays]
    assert open_files() > before
    assert all(data == array.tobytes() for data, array in zip(kept, arrays))
    kept.clear()
    assert open_files() <= before


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def test_a_child_process_has_its_own_file():
    first = stored(np.full(LARGE, 1, np.uint8))
    child = os.fork()
    if child == 0:
        stored(np.full(LARGE, 2, np.uint8))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    second = stored(np.full(LARGE, 3, np.uint8))
    assert set(first) == {1} and set(second) == {3}


def test_data_is_in_memory_where_no_file_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mapped_data, "_OPEN", [])
    monkeypatch.setattr(mapped_data, "_folder", lambda: str(tmp_path / "missing"))
    array = np.arange(LARGE)
    assert stored(array) == array.tobytes()


def test_constants_of_mapped_data(file: Path):
    """They are equal to constants of the bytes, have the same text, and can be hashed."""
    with file.open("rb") as opened, mapping():
        data: Any = read(opened, 0, LARGE)
    type = TensorType(f32, [LARGE // 4])
    mapped, plain = (DenseIntOrFPElementsAttr(type, BytesAttr(d)) for d in (data, bytes(data)))
    assert mapped == plain and hash(mapped) == hash(plain)
    assert str(mapped) == str(plain)


@pytest.mark.parametrize("kind", [bytes, memoryview])
def test_repeated_elements(kind: Any):
    one = bytes([1, 2, 3, 4])
    assert is_repeated(kind(one), 4) and is_repeated(kind(one * 100), 4)
    assert not is_repeated(kind(one * 100 + b"\0" * 4), 4)
    assert not is_repeated(kind(b""), 4)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
@pytest.mark.parametrize("is_tool", [True, False])
@pytest.mark.parametrize("is_external", [True, False])
def test_compiling_holds_no_copy_of_the_weights(tmp_path: Path, is_external: bool, is_tool: bool):
    onnx = package("onnx")
    model = tmp_path / "model.onnx"
    options = {"save_as_external_data": True, "location": "model.data"} if is_external else {}
    onnx.save(layers(onnx), str(model), **options)
    weights = 4 * SIZE * SIZE * LAYERS
    words = [str(model), "-o", str(tmp_path / "out"), "--emit", "c", "--quiet", "--no-cache"]
    before = peak_memory()
    if is_tool:
        assert relax_compile.main(words) == 0
    else:
        program = importer.load(str(model))
        lowering.to_c(program, "model").write(tmp_path / "out")
    peak = peak_memory(reset=False) - before
    assert (tmp_path / "out" / "model.weights").stat().st_size > weights
    assert peak < 0.5 * weights + (48 << 20)  # with what the process imports


def peak_memory(reset: bool = True) -> int:
    """The most bytes of memory that this process has held, or holds if that is forgotten."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) << 10


def layers(onnx: Any) -> Any:
    """Products of matrices that are all different."""
    helper, array = onnx.helper, np.random.default_rng(0).random((SIZE, SIZE), np.float32)
    values = [onnx.numpy_helper.from_array(np.roll(array, i), f"w{i}") for i in range(LAYERS)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(LAYERS)]
    x, y = (helper.make_tensor_value_info(f"x{i}", 1, ["n", SIZE]) for i in (0, LAYERS))
    graph = helper.make_graph(nodes, "g", [x], [y], values)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)

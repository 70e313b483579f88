"""Large data of files: read by programs, mapped by tools, which hold no copy of a model's weights."""

from __future__ import annotations

import mmap
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType, f32

from lowering.tools import relax_compile
from relax_dialect.ir.storage import is_repeated
from relax_dialect.text.mapped_data import LARGE, drop, mapping, read

SIZE = 1024
LAYERS = 10


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.bin"
    path.write_bytes(np.random.default_rng(0).bytes(4 * LARGE))
    return path


def test_tools_map_large_data(file: Path):
    content = file.read_bytes()
    with file.open("rb") as opened:
        assert isinstance(read(opened, 5, LARGE), bytes)
        with mapping():
            assert isinstance(read(opened, 5, LARGE - 1), bytes)
            first, second = read(opened, 5, LARGE), read(opened, 7, 2 * LARGE)
            assert read(opened, 3 * LARGE, 2 * LARGE) == content[3 * LARGE :]
        assert read(opened, 5, LARGE) == content[5 : 5 + LARGE]
    assert isinstance(first, memoryview) and isinstance(second, memoryview)
    assert isinstance(first.obj, mmap.mmap) and first.obj is second.obj
    for data, expected in ((first, content[5:]), (second, content[7:])):
        drop(data)
        assert data == expected[: len(data)]
    drop(content)


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


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
@pytest.mark.parametrize("is_external", [True, False])
def test_compiling_holds_one_copy_of_the_weights(tmp_path: Path, is_external: bool):
    """The weights as kernels read them; neither the model's, nor the file of weights."""
    onnx = package("onnx")
    model = tmp_path / "model.onnx"
    options = {"save_as_external_data": True, "location": "model.data"} if is_external else {}
    onnx.save(layers(onnx), str(model), **options)
    weights = 4 * SIZE * SIZE * LAYERS
    words = [str(model), "-o", str(tmp_path / "out"), "--emit", "c", "--quiet", "--no-cache"]
    before = peak_memory()
    assert relax_compile.main(words) == 0
    peak = peak_memory(reset=False) - before
    assert (tmp_path / "out" / "model.weights").stat().st_size > weights
    assert peak < 1.2 * weights + (48 << 20)  # with what the process imports


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

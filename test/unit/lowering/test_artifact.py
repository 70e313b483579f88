"""Models that were built once: loaded without a compiler, elsewhere, and refused where they are not whole."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowering
from lowering.emit_c.model_interface import described
from lowering.runtime import artifact, manifest
from lowering.support.c_compiler import machine
from lowering.support.external_library import ExternalLibrary
from relax_dialect import RelaxError, interpret, parse

pytestmark = pytest.mark.usefixtures("unoptimised")

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 3], f32>, %s: tuple<!relax.tensor<[n], f32>, !relax.shape<[k]>>)
    -> tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %k = relax.shape [k]
  %r = relax.tuple %y, %k : (!relax.tensor<[n, 2], f32>, !relax.shape<[k]>) -> tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>>
  relax.return %r : tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>>
}
relax.func @twice(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call_packed "add_up"(%x, "by", 2 : i32) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)
WEIGHTS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)

CALL = """
import sys
import numpy as np
import lowering
y, k = lowering.load(sys.argv[1]).main(np.load(sys.argv[2]), (np.zeros(2, np.float32), (7,)))
assert k == (7,)
print(y.tolist())
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model with weights, which C code of another process might have made."""
    folder = tmp_path_factory.mktemp("built")
    lowering.compile(parse(PROGRAM), "net", directory=folder, sidecar_threshold=8)
    return folder


@pytest.fixture
def moved(built: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(built, tmp_path / "else where")


def refused(path: Path) -> str:
    with pytest.raises(RelaxError) as caught:
        lowering.load(path)
    return str(caught.value)


# Whole ones ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_another_process_calls_it_from_another_folder(moved: Path, tmp_path: Path):
    np.save(tmp_path / "x.npy", X)
    done = subprocess.run(
        [sys.executable, "-c", CALL, "net", str(tmp_path / "x.npy")],
        cwd=moved, env={"PYTHONPATH": str(Path(lowering.__file__).parents[1]), "PATH": ""},
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.stderr, json.loads(done.stdout)) == ("", (X @ WEIGHTS).tolist())


@pytest.mark.parametrize("name", ["", "net", "net.so", "net.json", "net.weights"])
def test_what_names_a_model(moved: Path, name: str):
    (moved / "package.json").write_text('{"name": "other"}')
    model = lowering.load(moved / name)
    np.testing.assert_array_equal(model.main(X, (np.zeros(2, np.float32), (7,)))[0], X @ WEIGHTS)


def test_it_calls_functions_from_outside_and_checks_as_the_program_does(built: Path):
    def add_up(x: np.ndarray, how: str, times: int) -> np.ndarray:
        assert how == "by"
        return x * np.float32(times)

    interpret.register_packed("add_up", add_up)
    with lowering.load(built / "net") as model:
        assert model.twice(X[0]).tolist() == (2 * X[0]).tolist()
        with pytest.raises(RelaxError, match="argument 's': expected a tuple"):
            model.main(X, 3)


def test_the_manifest_is_all_that_a_caller_by_hand_needs(built: Path):
    """ctypes alone, with what DLPack says of a tensor."""

    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p),
            ("byte_offset", ctypes.c_uint64),
        ]  # fmt: skip

    def tensor(array: np.ndarray) -> Tensor:
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        bits = 8 * array.itemsize
        return Tensor(array.ctypes.data, (1, 0), array.ndim, 2, bits, 1, shape, None, 0)

    told = json.loads((built / "net.json").read_text())
    library = ctypes.CDLL(str(built / told["files"]["library"]["file"]))
    assert f"int {told['name']}_load(const char *path)" in told["declarations"]
    weights = str(built / told["files"]["weights"]["file"])
    assert getattr(library, f"{told['name']}_load")(weights.encode()) == 0
    main = next(e for e in told["entry_points"] if e["name"] == "main")
    assert main["variables"] == ["n", "k"]
    assert [(p["kind"], p["dtype"], p.get("shape")) for p in main["parameters"]] == [
        ("tensor", "float32", ["n", "3"]), ("tensor", "float32", ["n"]), ("scalar", "int64", None),
    ]  # fmt: skip
    assert [p.get("shape") for p in main["results"]] == [["n", "2"], None]
    assert (
        f"int {main['c_name']}(const DLTensor *x, const DLTensor *s, int64_t k, DLTensor *out0, "
        "int64_t *out1)"
    ) in told["declarations"]
    y, k = np.zeros((2, 2), np.float32), ctypes.c_int64()
    given = [tensor(X), tensor(np.zeros(2, np.float32))]
    out = tensor(y)
    call = getattr(library, main["c_name"])
    assert (
        call(*map(ctypes.byref, given), ctypes.c_int64(5), ctypes.byref(out), ctypes.byref(k)) == 0
    )
    np.testing.assert_array_equal(y, X @ WEIGHTS)
    assert k.value == 5


def test_all_that_is_known_of_functions_comes_back():
    source = lowering.to_c(
        parse("""
relax.func @main(%f: !relax.func<(!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.shape<[2]>>>,
    %o: !relax.object, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %a = relax.call_packed "f"(%o, %t, f16, #relax.device<cpu, 1>, "s") : (!relax.object, tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.object
  %b = relax.call_inplace_packed "g"(%x) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.object
}""")
    )
    told = json.loads(manifest.as_text(described(source)))
    assert len(source.packed) == 2
    assert manifest.packed(told["functions_from_outside"]) == source.packed
    assert manifest.signatures(told["entry_points"]) == source.signatures
    blas = ExternalLibrary("cblas", ("cblas.h",), ("openblas",), r"cblas_\w+", {"THREADS": "1"})
    told_library = json.loads(manifest.as_text([asdict(blas)]))
    assert manifest.libraries(told_library) == (blas,)
    found = manifest.entries(told["entry_points"])
    assert [(e.name, e.c_name, e.params, e.results) for e in found] == [
        (e.name, e.c_name, e.params, e.results) for e in source.entries
    ]


# Others ----------------------------------------------------------------------------------------------


def changed(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Changes a manifest."""

    def act(folder: Path) -> None:
        file = folder / "net.json"
        told = json.loads(file.read_text())
        change(told)
        file.write_text(json.dumps(told))

    return act


def cut(name: str, size: int) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])  # pyright: ignore


def flipped(name: str, at: int) -> Callable[[Path], None]:
    """Changes one byte of a file."""

    def act(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[at] ^= 1
        (folder / name).write_bytes(data)

    return act


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (cut("net.json", 700), "net.json: expected the manifest of a model, found JSON that ends early"),
        (cut("net.so", 4096), "net.so: expected "),
        (flipped("net.so", -9), "net.so: expected the file of sha256 "),
        (lambda f: (f / "net.so").unlink(), "net.json: expected net.so in the same folder, found none"),
        (lambda f: (f / "net.json").unlink(), "expected {}/net.json, the manifest that relax-compile"),
        (cut("net.weights", 64), "net.weights: expected 128 bytes, as net.json says, found 64"),
        (flipped("net.weights", 70), "net_load: {}/net.weights: "),
        (changed(lambda m: m.update(version=3, made_by={"relax-xdsl": "9.1"})),
         "net.json: expected version 2, found 3 of relax-xdsl 9.1; load it with that release"),
        (changed(lambda m: m.update(abi_version=1)), "net.json: expected abi_version 2, found 1"),
        (changed(lambda m: m.update(format="other")), "expected the manifest of a model, found other JSON"),
        (changed(lambda m: m["target"].update(architecture="pdp11", cpu="old")),
         f"expected code for this machine, {machine()}, found code for pdp11 (--cpu old); load it there"),
        (changed(lambda m: m["entry_points"][0].pop("results")), "expected a manifest as relax-compile has written it, found one that was changed"),
        (changed(lambda m: m["entry_points"][0]["relax"].update(result="f99")), "found one that was changed: its functions have the digest"),
        (changed(lambda m: m["files"]["library"].update(file=3)), "expected the name of a file in the same folder, no link, found 3"),
        (changed(lambda m: m["files"].update(library=3)), "that was changed (TypeError: "),
    ],
)  # fmt: skip
def test_what_is_not_of_one_build_is_refused(
    moved: Path, act: Callable[[Path], None], message: str
):
    act(moved)
    found = refused(moved / "net")
    assert message.format(moved) in found
    assert "; take all files of one build together, or compile" in found or re.search(
        "; (load it|name what) ", found
    )


@pytest.mark.slow
def test_files_of_another_build(built: Path, moved: Path, tmp_path: Path):
    other = PROGRAM.replace("5.0, 6.0", "5.0, 7.0").replace("2 : i32", "3 : i32")
    lowering.compile(parse(other), "net", directory=tmp_path / "other", sidecar_threshold=8)
    for name in ("net.so", "net.weights"):
        shutil.copytree(built, moved, dirs_exist_ok=True)
        shutil.copy(tmp_path / "other" / name, moved / name)
        assert f"{name}: " in (found := refused(moved)) and artifact.TOGETHER in found
    shutil.copytree(tmp_path / "other", moved, dirs_exist_ok=True)
    lowering.load(moved).close()


def test_a_name_that_is_nearly_right_and_a_folder_of_two(moved: Path):
    assert f"is {moved / 'net'} meant?" in refused(moved / "nett")
    shutil.copy(moved / "net.json", moved / "net2.json")
    assert f"found {moved / 'net'}, {moved / 'net2'}; name the model" in refused(moved)
    assert "found none" in refused(moved.parent)

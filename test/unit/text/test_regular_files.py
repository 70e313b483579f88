"""Files that do not end, are elsewhere, or hold less or far more than they claim: one clear error each."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from optional import package

from lowering.tools.inputs.array_files import read_arrays
from relax_dialect import RelaxError, load
from relax_dialect.frontends import onnx
from relax_dialect.rewrites.params.bind_params import load_arrays
from relax_dialect.rewrites.quantization.quantizing.inputs import load_calibration
from relax_dialect.text.regular_files import open_inside, open_regular, path_inside

PROGRAM = """relax.func @main() -> !relax.tensor<[2], f32> {
  %w = relax.constant file("NAME", "w") : tensor<2xf32>
  relax.return %w : !relax.tensor<[2], f32>
}"""


def program(path: Path) -> None:
    """Read a program with a constant in a file."""
    (path.parent / "p.mlir").write_text(PROGRAM.replace("NAME", path.name))
    load(path.parent / "p.mlir")


READERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "npy": (lambda p: read_arrays(str(p)), ".npy"),
    "npz": (lambda p: read_arrays(str(p)), ".npz"),
    "safetensors": (lambda p: read_arrays(str(p)), ".safetensors"),
    "image": (lambda p: read_arrays(str(p)), ".png"),
    "parameters": (lambda p: load_arrays(str(p)), ".npz"),
    "calibration": (lambda p: load_calibration(str(p)), ".npz"),
    "constant": (program, ".safetensors"),
    "ONNX": (onnx.load, ".onnx"),
}


def reading(name: str) -> tuple[Callable[[Path], object], str]:
    """A reader and the suffix of its files; skips what needs a package that is missing."""
    if name == "ONNX":
        package("onnx", "onnx")
    return READERS[name]


def refused(read: Callable[[Path], object], path: Path) -> str:
    with pytest.raises(RelaxError) as caught:
        read(path)
    return str(caught.value)


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_or_a_folder_is_no_file_to_wait_for(reader: str, tmp_path: Path):
    read, suffix = reading(reader)
    os.mkfifo(pipe := tmp_path / f"pipe{suffix}")
    (folder := tmp_path / f"folder{suffix}").mkdir()
    assert "it is a pipe" in refused(read, pipe)
    assert "Is a directory" in refused(read, folder)


@pytest.mark.parametrize("reader", sorted(READERS.keys() - {"constant"}))
def test_a_device_has_no_end(reader: str, tmp_path: Path):
    read, suffix = reading(reader)
    (path := tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    assert "it is a device" in refused(read, path)


def test_what_is_inside_of_a_folder(tmp_path: Path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for name in ("w.bin", "in/w.bin", "in/sub/w.bin"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "in" / "link").symlink_to("w.bin")
    (tmp_path / "in" / "out").symlink_to("..")
    folder = tmp_path / "in"
    for name in ("w.bin", "sub/w.bin", "./w.bin", "sub/../w.bin"):
        with open_inside(folder, name) or io.BytesIO() as file:
            assert file.read() == b"x"
    for name in (
        *("", ".", "..", "../w.bin", "../in/w.bin\0", "/etc/passwd", str(folder / "w.bin"), "link"),
        *("out/w.bin", "out/in/w.bin", "\ud800", "w.bin\0", None, 3, ["w.bin"], {}, b"w.bin", True),
    ):
        assert path_inside(folder, name) is None, name
    with pytest.raises(OSError, match="too long"):
        open_inside(folder, "x" * 300)
    with pytest.raises(OSError, match="none of a file"):
        open_regular("a\0b")


# Archives --------------------------------------------------------------------------------------------


def npy(shape: str = "(2,)", descr: str = "'<f4'", data: bytes = bytes(8)) -> bytes:
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def bomb(path: Path) -> None:
    """A small archive whose list of members claims half a gigabyte."""
    np.savez_compressed(path, x=np.zeros(100, np.float32))
    content = path.read_bytes()
    at = content.index(b"PK\x01\x02") + 24
    path.write_bytes(content[:at] + (1 << 29).to_bytes(4, "little") + content[at + 4 :])


def archives() -> Iterator[tuple[str, bytes, str]]:
    for name, member, words in (
        ("text", b"hello", "its member 'x' is no array"),
        ("objects", npy(descr="'|O'"), "allow_pickle"),
        ("no head", b"\x93NUMPY\x01\x00\xff\xff", "EOF"),
        ("more than there is", npy("(1000000,)"), "EOF"),
        ("more than memory", npy(f"({1 << 60},)"), ""),
        ("negative", npy("(-1,)"), ""),
        ("infinite", npy("(1e400,)"), "shape is not valid"),
        ("another type", npy(descr="'<q99'"), ""),
        ("a call", npy(descr="exit()"), ""),
        ("deep", npy(descr="[" * 400), ""),
    ):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("x.npy", member)
        yield name, stream.getvalue(), words
    whole = stream.getvalue()
    yield "cut", whole[:-30], ""
    yield (
        "encrypted",
        whole.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"),
        "",
    )
    yield "one array", npy(), "one array without a name"
    yield "empty", b"", ""


@pytest.mark.parametrize("reader", ["npz", "parameters", "calibration"])
def test_archives_of_no_arrays(reader: str, tmp_path: Path):
    for name, content, words in archives():
        (path := tmp_path / f"{name}.npz").write_bytes(content)
        found = refused(READERS[reader][0], path)
        assert words in found and len(found) < 500 and "Traceback" not in found, (name, found)


def test_an_archive_that_grows_is_refused_before_it_does(tmp_path: Path):
    bomb(path := tmp_path / "bomb.npz")
    assert "its members claim 536" in refused(READERS["npz"][0], path)
    np.savez_compressed(tmp_path / "zeros.npz", x=np.zeros(1 << 20))
    assert read_arrays(str(tmp_path / "zeros.npz"))["x"].size == 1 << 20


@pytest.mark.parametrize("reader", ["safetensors", "constant"])
def test_heads_that_are_none(reader: str, tmp_path: Path):
    whole = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for change in (
        *(
            {"data_offsets": o}
            for o in ([0, 9], [8, 0], [-8, 0], [0, 2**70], [0, 1e400], None, {}, [0])
        ),
        *({"shape": s} for s in ([-2], [2**70], [1e400], 2, "2", None)),
        *({"dtype": d} for d in ("F9", None, 3, [])),
    ):
        head = json.dumps({"w": {**whole, **change}}).encode()
        path = tmp_path / "w.safetensors"
        path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(8))
        found = refused(READERS[reader][0], path)
        assert len(found) < 900 and "Traceback" not in found, (change, found)
    for content in (b"", bytes(7), bytes(8), b"\xff" * 8, (2**40).to_bytes(8, "little") + b"{}"):
        path.write_bytes(content)
        assert "expected a whole .safetensors file" in refused(READERS[reader][0], path)

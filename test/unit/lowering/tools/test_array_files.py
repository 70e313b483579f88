"""Files of arguments: arrays with names, safetensors, and images."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lowering.tools import relax_run
from lowering.tools.inputs.array_files import read_arrays
from lowering.tools.inputs.images import as_tensor
from relax_dialect import RelaxError, parse
from relax_dialect.interpret.tensor_files import write_tensors

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 2], f32>, %y: !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32> {
  %z = relax.subtract %x, %y : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %z : !relax.tensor<[n, 2], f32>
}
"""
INTERPRETED = ("--backend", "interpret")
X, Y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([5, 7], np.float32)


def safetensors(arrays: Mapping[str, np.ndarray], **others: object) -> bytes:
    """A file as the format says: eight bytes for the size of the head, the head, and what it tells of."""
    head: dict[str, object] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, a in arrays.items():
        dtype = {"float32": "F32", "int64": "I64", "bool": "BOOL", "uint8": "U8"}[str(a.dtype)]
        end = len(content) + a.nbytes
        head[name] = {"dtype": dtype, "shape": a.shape, "data_offsets": [len(content), end]}
        content += a.tobytes()
    text = json.dumps(head | others).encode()
    return struct.pack("<Q", len(text)) + text + content


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("program.mlir").write_text(PROGRAM)
    np.save("x.npy", X)
    np.save("y.npy", Y)
    np.savez("both.npz", y=Y, x=X)
    np.savez("numbered.npz", X, Y)
    np.savez("other.npz", output=Y)
    Path("both.safetensors").write_bytes(safetensors({"y": Y, "x": X}))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    ["x.npy y.npy", "y=y.npy x.npy", "both.npz", "numbered.npz", "both.safetensors", "x.npy other.npz", "y=other.npz x=x.npy"],
)  # fmt: skip
def test_arrays_by_name_and_in_order(words: str, capsys: pytest.CaptureFixture[str]):
    assert (
        relax_run.main(
            [*INTERPRETED, "program.mlir", "--input", *words.split(), "--output", "z.npz"]
        )
        == 0
    )
    with np.load("z.npz") as saved:
        np.testing.assert_array_equal(saved["output"], X - Y)
    assert "time" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("x=x.npy both.npz", "'x' occurs twice; leave one out"),
        ("z=x.npy", "--input z=x.npy: expected one of the parameters x, y, found 'z'"),
        ("three.npz", "three.npz: expected arrays called as parameters of @main are (x, y), found 'z'; rename it"),
        ("both.npz x.npy", "@main: expected 2 input arrays, found 3; leave out the others"),
        ("broken.npz", "broken.npz: expected a .npz file with numbers: "),
        ("short.safetensors", "short.safetensors: expected a whole .safetensors file, found another: 'x' of shape [3, 2]"),
        ("head.safetensors", "head.safetensors: expected a whole .safetensors file, found another: its head ends after"),
        ("none.safetensors", "none.safetensors: expected a file of arrays, .npy, .npz, .safetensors or an image, found none: No such file"),
        ("f8.safetensors", "'x': expected an element type that numpy has, one of BOOL, BF16"),
        ("photo.jpg", "photo.jpg: expected a kind of image that is read without Pillow"),
        ("short.png", "short.png: expected a whole image, found another"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "PIL", None)  # as if it were not installed
    np.savez("three.npz", x=X, z=Y)
    Path("broken.npz").write_bytes(Path("both.npz").read_bytes()[:200])
    whole = Path("both.safetensors").read_bytes()
    Path("short.safetensors").write_bytes(whole[:-1])
    Path("head.safetensors").write_bytes(whole[:30])
    odd = {"dtype": "F8_E4M3", "shape": [0], "data_offsets": [0, 0]}
    Path("f8.safetensors").write_bytes(safetensors({}, x=odd))
    Path("photo.jpg").write_bytes(b"\xff\xd8\xff")
    Path("short.png").write_bytes(png(np.zeros((4, 4, 3), np.uint8))[:50])
    assert relax_run.main([*INTERPRETED, "program.mlir", "--input", *words.split()]) == 1
    assert message in capsys.readouterr().err


def test_repeated_calls_tell_their_time(capsys: pytest.CaptureFixture[str]):
    command = [*INTERPRETED, "program.mlir", "--input", "both.npz", "--repeat"]
    assert relax_run.main([*command, "3"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    best, middle = (float(word) for word in last.split() if word[0].isdigit() and "." in word)
    assert 0 < best <= middle and last.endswith("ms in the middle of 3 calls")
    assert relax_run.main([*command, "0"]) == 1
    assert "--repeat 0: expected a number of 1 or more" in capsys.readouterr().err


def test_safetensors_of_every_kind_that_numpy_has():
    arrays = {"i": np.arange(4), "b": np.array([True, False]), "e": np.zeros((0, 3), np.float32)}
    Path("all.safetensors").write_bytes(safetensors(arrays))
    found = read_arrays("all.safetensors")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


# Images ----------------------------------------------------------------------------------------------


def png(image: np.ndarray) -> bytes:
    """A PNG with each of the five filters in turn, as the standard defines them."""
    height, width, step = image.shape
    pixels = image.reshape(height, width * step).astype(int)
    zero = np.zeros(step, int)
    lines = b""
    for y, row in enumerate(pixels):
        up = pixels[y - 1] if y else np.zeros_like(row)
        left, corner = np.concatenate([zero, row])[:-step], np.concatenate([zero, up])[:-step]
        p = left + up - corner
        distances = np.abs(np.stack([p - left, p - up, p - corner]))
        paeth = np.choose(distances.argmin(axis=0), [left, up, corner])
        guess = [0, left, up, (left + up) // 2, paeth][y % 5]
        lines += bytes([y % 5]) + ((row - guess) % 256).astype(np.uint8).tobytes()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    colour = {1: 0, 2: 4, 3: 2, 4: 6}[step]
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png(channels: int):
    image = np.random.default_rng(0).integers(0, 256, (11, 7, channels), np.uint8)
    Path("image.png").write_bytes(png(image))
    np.testing.assert_array_equal(read_arrays("image.png")[""].reshape(image.shape), image)


def test_ppm_and_pgm():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    Path("image.ppm").write_bytes(b"P6\n# of a camera\n4 2\n255\n" + image.tobytes())
    Path("grey.pgm").write_bytes(b"P5 12 2 255 " + image.tobytes())
    np.testing.assert_array_equal(read_arrays("image.ppm")[""], image)
    np.testing.assert_array_equal(read_arrays("grey.pgm")[""], image.reshape(2, 12))
    Path("grey.pgm").write_bytes(b"P5 12 3 255 " + image.tobytes())
    with pytest.raises(RelaxError, match="expected a whole image"):
        read_arrays("grey.pgm")


class Bomb(Exception):
    """Pillow's refusal of images that are too large, which is no error of the file system."""


class Photo:
    """An image of Pillow's, which lies on its side until it is turned; what is converted tells to what."""

    def __init__(self, mode: str, pixels: np.ndarray):
        self.mode, self.pixels = mode, pixels

    def __enter__(self) -> Photo:
        return self

    def __exit__(self, *_: object) -> None: ...

    def turned(self) -> Photo:
        return Photo(self.mode, np.rot90(self.pixels))

    def convert(self, mode: str) -> Photo:
        shape = {"L": (), "RGB": (3,), "LA": (2,), "RGBA": (4,)}[mode]
        each = self.pixels.reshape(*self.pixels.shape, *(1 for _ in shape))
        return Photo(mode, np.broadcast_to(each, (*self.pixels.shape, *shape)).astype(np.uint8))

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.pixels


@pytest.fixture
def pillow(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A stand-in for Pillow, whose images are what `Image.open` is said to give."""
    image = SimpleNamespace(DecompressionBombError=Bomb)
    operations = SimpleNamespace(exif_transpose=Photo.turned)
    monkeypatch.setitem(sys.modules, "PIL", SimpleNamespace(Image=image, ImageOps=operations))
    return image


@pytest.mark.parametrize(
    ("mode", "channels"),
    [("1", ()), ("L", ()), ("I;16", ()), ("LA", (2,)), ("PA", (4,)), ("CMYK", (3,)), ("P", (3,))],
)
def test_other_images_by_pillow(pillow: SimpleNamespace, mode: str, channels: tuple[int, ...]):
    pixels = np.arange(6).reshape(2, 3)
    pillow.open = lambda path: Photo(mode, pixels << 8 if mode == "I;16" else pixels)
    for kind in ("jpg", "bmp", "gif", "webp", "tiff"):
        Path(f"a.{kind}").write_bytes(b"another kind")
        found = read_arrays(f"a.{kind}")[""]
        assert (found.dtype, found.shape) == (np.uint8, (3, 2, *channels))
        np.testing.assert_array_equal(found.reshape(3, 2, -1)[..., -1], np.rot90(pixels))


@pytest.mark.parametrize("error", [Bomb, SyntaxError, OSError, ValueError])
def test_what_pillow_refuses(pillow: SimpleNamespace, error: type[Exception]):
    def refuse(path: str) -> Photo:
        raise error("too large")

    pillow.open = refuse
    Path("a.jpg").write_bytes(b"another kind")
    with pytest.raises(
        RelaxError, match=r"a\.jpg: expected an image, found another file: too large"
    ):
        read_arrays("a.jpg")


def test_images_become_what_parameters_take(capsys: pytest.CaptureFixture[str]):
    image = np.random.default_rng(0).integers(0, 256, (5, 4, 3), np.uint8)

    def taken(dims: str, dtype: str = "f32", of: np.ndarray = image) -> np.ndarray:
        text = f"relax.func @f(%x: !relax.tensor<[{dims}], {dtype}>) -> !relax.tensor<[{dims}], {dtype}> {{ relax.return %x : !relax.tensor<[{dims}], {dtype}> }}"
        return as_tensor(of, next(iter(parse(text).ops)).body.block.args[0].type)

    floats = image / np.float32(255)
    np.testing.assert_array_equal(taken("1, 3, h, w"), floats.transpose(2, 0, 1)[None])
    np.testing.assert_array_equal(taken("3, h, w"), floats.transpose(2, 0, 1))
    np.testing.assert_array_equal(taken("n, h, w, 3"), floats[None])
    np.testing.assert_array_equal(taken("h, w, 3", "ui8"), image)
    assert taken("1, 1, h, w", of=image[:, :, 0]).shape == (1, 1, 5, 4)
    assert taken("h, w", "f16", of=image[:, :, 0]).dtype == np.float16
    Path("image.png").write_bytes(png(image))
    Path("image.mlir").write_text(
        "relax.func @main(%k: !relax.tensor<[], f32>, %x: !relax.tensor<[1, 3, h, w], f32>) -> !relax.tensor<[1, 3, h, w], f32> { relax.return %x : !relax.tensor<[1, 3, h, w], f32> }"
    )
    for words in (["x=image.png"], ["k.npy", "image.png"]):
        np.save("k.npy", np.float32(1))
        command = [*INTERPRETED, "image.mlir", "--input", *words, "--random", "--output", "out.npz"]
        assert relax_run.main(command) == 0, capsys.readouterr().err
        with np.load("out.npz") as saved:
            np.testing.assert_array_equal(saved["output"], floats.transpose(2, 0, 1)[None])


def test_what_is_written_as_safetensors_is_read_again(tmp_path: Path):
    arrays = {
        "x": X.T, "empty": np.zeros((0, 3), np.float64), "one": np.array(True), "big": np.arange(3, dtype=">i8")
    }  # fmt: skip
    file = tmp_path / "all.safetensors"
    write_tensors(file, arrays)
    again = read_arrays(str(file))
    assert list(again) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype.newbyteorder("<")
    with pytest.raises(
        RelaxError, match=r"'z': expected an element type .* found complex128; convert"
    ):
        write_tensors(file, {"z": np.zeros(1, np.complex128)})

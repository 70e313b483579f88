"""Images as arrays, PNG and PPM by themselves, others where Pillow is installed; and as tensors.

An image is [height, width, channels] of u8, a grey one [height, width]; photos are rotated by their EXIF
tag.
"""

from __future__ import annotations

import re
import struct
import zlib

import numpy as np
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.text.regular_files import open_regular

PNG = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Of the colour types of PNG: grey, RGB, palette, grey and RGB with transparency."""

MODES = {"1": "L", "L": "L", "LA": "LA", "RGBA": "RGBA", "PA": "RGBA"}
"""The mode that Pillow converts each of its modes to; all others become RGB."""

PPM = re.compile(rb"P([56])(?:\s|#[^\n]*\n)+(\d+)\s+(\d+)\s+255\s")


def read_image(path: str) -> np.ndarray:
    """Read the numbers of an image, 0 to 255."""
    with open_regular(path) as file:
        data = file.read()
    try:
        if data.startswith(PNG):
            return _png(data)
        if (match := PPM.match(data)) is not None:
            shape = (int(match[3]), int(match[2]), *((3,) if match[1] == b"6" else ()))
            return np.frombuffer(data, np.uint8, int(np.prod(shape)), match.end()).reshape(shape)
        raise NotImplementedError("PNG and PPM are")
    except NotImplementedError as reason:
        return _by_pillow(path, str(reason))
    except (ValueError, IndexError, KeyError, struct.error, zlib.error) as error:
        raise RelaxError(f"{path}: expected a whole image, found another: {error}") from None


def _by_pillow(path: str, known: str) -> np.ndarray:
    try:
        from PIL import Image, ImageOps  # pyright: ignore
    except ImportError:
        raise RelaxError(
            f"{path}: expected a kind of image that is read without Pillow ({known}), found another; save "
            "it as PNG of 8 bits, or install Pillow (pip install pillow)"
        ) from None
    try:
        with Image.open(path) as opened:
            image = ImageOps.exif_transpose(opened)
            if image.mode.startswith("I"):  # grey, of 16 bits
                return (np.asarray(image) >> 8).astype(np.uint8)
            return np.asarray(image.convert(MODES.get(image.mode, "RGB")))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise RelaxError(f"{path}: expected an image, found another file: {error}") from None


def _png(data: bytes) -> np.ndarray:
    chunks: dict[bytes, bytes] = {}
    at = len(PNG)
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += 12 + size
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 8 or interlaced or colour not in CHANNELS:
        raise NotImplementedError("PNG of 8 bits without interlacing, and PPM, are")
    step = CHANNELS[colour]
    size = height * (1 + width * step)
    reader = zlib.decompressobj()  # which yields no more than the image has, however much there is
    raw = np.frombuffer(reader.decompress(chunks[b"IDAT"], size + 1), np.uint8)
    rows = raw.reshape(height, 1 + width * step)
    image = np.zeros((height, width * step), np.uint8)
    above = np.zeros(width * step, np.uint8)
    for y, row in enumerate(rows):
        above = image[y] = _unfiltered(int(row[0]), row[1:], above, step)
    if colour == 3:
        return np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)[image]
    return image if step == 1 else image.reshape(height, width, step)


def _unfiltered(kind: int, row: np.ndarray, above: np.ndarray, step: int) -> np.ndarray:
    """Reconstruct a row of a PNG from its differences to the pixels on its left and above."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    found, up = row.tolist(), above.tolist()
    for i, value in enumerate(found):
        left, corner = (found[i - step], up[i - step]) if i >= step else (0, 0)
        if kind == 3:
            guess = (left + up[i]) // 2
        elif kind == 4:
            nearest = left + up[i] - corner
            guess = min((left, up[i], corner), key=lambda each: abs(nearest - each))
        else:
            raise ValueError(f"a row filtered by method {kind}")
        found[i] = (value + guess) % 256
    return np.array(found, np.uint8)


def as_tensor(image: np.ndarray, type: Attribute) -> np.ndarray:
    """Convert an image to a parameter's type: floats are 0 to 1, channels are first or last as in the type,
    and four dimensions have a batch of one."""
    if not isinstance(type, TensorType):
        return image
    if isinstance(type.dtype, AnyFloat):
        image = (image / np.float32(255)).astype(numpy_dtype(type.dtype))
    if type.shape is None or len(type.shape) < 3:
        return image
    channels_first, channels_last = type.shape[-3], type.shape[-1]
    image = image[:, :, None] if image.ndim == 2 else image
    count = image.shape[2]
    is_last = channels_last is not None and channels_last.value == count
    if not is_last and channels_first is not None and channels_first.value == count:
        image = np.ascontiguousarray(image.transpose(2, 0, 1))
    return image[None] if len(type.shape) == 4 else image

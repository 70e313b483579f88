"""Pictures from files, and annotated pictures into files."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from recognise import Words

from relax_dialect import RelaxError

try:
    from PIL import Image, ImageDraw, ImageFont, ImageOps  # pyright: ignore
except ModuleNotFoundError:
    raise SystemExit(
        "error: expected the package Pillow, which reads pictures, found none; `make ocr` installs it, "
        "or: pip install -e '.[ocr]'"
    ) from None

Image.MAX_IMAGE_PIXELS = MOST_PIXELS = 50_000_000
"""Pillow warns of pictures with more before it decodes them; here that is an error."""
LINE = (30, 160, 70)
PAPER, INK = (255, 255, 255), (30, 34, 42)


def read(path: Path) -> np.ndarray:
    """Read a picture as `[h, w, 3]` of RGB from 0 to 255, rotated by its EXIF tag; white where it is
    transparent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as opened:
                image = ImageOps.exif_transpose(opened)
            if image.mode.startswith(("I", "F")):  # grey of 16 bits and more
                values = np.asarray(image, np.float64)
                grey = values / (257 if values.max(initial=0) > 255 else 1)
                image = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
            with_alpha = image.convert("RGBA")
            white = Image.new("RGBA", with_alpha.size, (255, 255, 255, 255))
            return np.asarray(Image.alpha_composite(white, with_alpha).convert("RGB"))
    except OSError as error:
        found = error.strerror or "one that is damaged or of another kind"
        raise RelaxError(f"{path}: expected a picture, found {found}") from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise RelaxError(
            f"{path}: expected a picture of at most {MOST_PIXELS // 10**6} million pixels, found a larger "
            "one; make it smaller, or cut out the text"
        ) from None
    except (SyntaxError, ValueError) as error:
        raise RelaxError(f"{path}: expected a whole picture, found another: {error}") from None


def drawn(picture: np.ndarray, boxes: Sequence[np.ndarray], words: Sequence[Words]) -> Image.Image:
    """Draw the picture with boxes around its lines, and beside it the words at their positions."""
    height, width = picture.shape[:2]
    image = Image.new("RGB", (2 * width, height), PAPER)
    image.paste(Image.fromarray(picture))
    draw = ImageDraw.Draw(image)
    thick = max(2, round(min(height, width) / 300))
    for box, (text, _) in zip(boxes, words):
        outline = [tuple(point) for point in np.vstack([box, box[:1]]).tolist()]
        draw.line(outline, LINE, thick, joint="curve")
        (left, top), (right, bottom) = box.min(axis=0), box.max(axis=0)
        high = np.linalg.norm(box[3] - box[0])
        long = max(np.linalg.norm(box[1] - box[0]), 1)
        size = 0.75 * min(high, long)
        size = max(size * min(1, long / ImageFont.load_default(size).getlength(text or " ")), 6)
        draw.text(
            (width + (left + right) / 2, (top + bottom) / 2),
            text,
            INK,
            ImageFont.load_default(size),
            anchor="mm",
        )
    return image


def write(image: Image.Image, path: Path) -> None:
    """Write a picture to a file, in the format of its suffix."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(path)
    except (OSError, ValueError) as error:
        raise RelaxError(f"{path}: expected a file to write a picture to (.png): {error}") from None

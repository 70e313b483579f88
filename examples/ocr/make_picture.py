"""Draws sign.png, the picture that run.py reads, in Pillow's own font (Aileron, public domain).

    python examples/ocr/make_picture.py

Lines of several sizes, one rotated, one upside down, one light on dark and one in perspective.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from geometry import perspective
from PIL import Image, ImageDraw, ImageFont  # pyright: ignore

WIDTH, HEIGHT = 960, 640
PAPER, INK, BLUE, RED = (246, 243, 235), (34, 38, 46), (34, 78, 122), (168, 50, 40)
WHITE = (250, 250, 245)


def written(
    text: str, size: int, ink: tuple[int, int, int], ground: tuple[int, ...] = (0, 0, 0, 0)
) -> Image.Image:
    """Draw a line of text with some margin; spaces are wide, since the recogniser misses narrow ones."""
    text = text.replace(" ", "  ")
    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(text)
    room = size // 3
    image = Image.new("RGBA", (int(right - left) + 2 * room, int(bottom - top) + 2 * room), ground)
    ImageDraw.Draw(image).text((room - left, room - top), text, fill=ink, font=font)
    return image


def tilted(image: Image.Image, corners: list[tuple[int, int]]) -> Image.Image:
    """Return an image in perspective, its corners at these points of the picture."""
    w, h = image.size
    matrix = perspective(np.array(corners), np.array([[0, 0], [w, 0], [w, h], [0, h]]))
    return image.transform(
        (WIDTH, HEIGHT),
        Image.Transform.PERSPECTIVE,
        list(matrix.flatten()[:8]),
        Image.Resampling.BICUBIC,
    )


def picture() -> Image.Image:
    """Draw the picture."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)

    def paste(part: Image.Image, x: int, y: int) -> None:
        image.paste(part, (x, y), part)

    paste(written("Harbour Museum", 70, BLUE), 40, 24)
    paste(written("Open daily from 9:30 to 17:45", 32, INK), 50, 134)
    paste(written("Adults 12.50", 40, INK), 50, 214)
    paste(written("Children free", 40, INK), 420, 214)
    paste(written("UPPER FLOOR", 34, WHITE, (*BLUE, 255)), 56, 300)
    turned = written("Ships of three centuries", 40, RED)
    paste(turned.rotate(12, Image.Resampling.BICUBIC, expand=True), 50, 366)
    paste(written("Upside down", 40, INK).rotate(180), 60, 530)
    board = written("CAFETERIA", 54, WHITE, (*RED, 255))
    paste(tilted(board, [(600, 340), (900, 392), (896, 470), (604, 460)]), 0, 0)
    paste(written("Printed on recycled paper", 20, INK), 640, 590)
    return image


if __name__ == "__main__":
    picture().save(Path(__file__).with_name("sign.png"), optimize=True)

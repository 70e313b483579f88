"""From a picture to its words, by three networks that are compiled to C once for all sizes.

    python examples/ocr/run.py [photo.jpg ...] [-o words.png]

Without a picture it reads sign.png, and fails if a word of it is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from detect import detect
from geometry import crop
from picture import drawn, read, write
from reader import Reader, compiled, peer
from recognise import Words, recognise, upright

from lowering.tools.common import run_example
from relax_dialect import RelaxError

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "ocr"
SURE = 0.5
"""Lines that are read with less confidence are left out: there was no text."""
SIGN = (
    "Harbour", "Museum", "Open daily from 9:30 to 17:45", "Adults 12.50", "Children free", "UPPER FLOOR",
    "CAFETERIA", "Ships of three centuries", "Upside down", "Printed on recycled paper",
)  # fmt: skip
"""The text of sign.png. The recogniser may miss spaces."""


def read_words(reader: Reader, picture: np.ndarray) -> tuple[list[np.ndarray], list[Words]]:
    """Return the boxes of all lines in a picture, `[4, 2]` each, and their words."""
    boxes = detect(reader.detector, picture)
    if not boxes:
        return [], []
    lines = upright(reader.classifier, [crop(picture, box) for box in boxes])
    words = recognise(reader.recogniser, reader.characters, lines)
    kept = [i for i, each in enumerate(words) if each.confidence >= SURE and each.text.strip()]
    return [boxes[i] for i in kept], [words[i] for i in kept]


def timings(reader: Reader, picture: np.ndarray, turns: int = 3) -> str:
    """Time each network on a picture, and the remaining work: the best of some rounds."""
    best: dict[str, float] = {}
    for _ in range(turns):
        seconds: dict[str, float] = {}
        start = time.perf_counter()
        read_words(reader.timed(seconds), picture)
        seconds["the rest"] = time.perf_counter() - start - sum(seconds.values())
        best = {name: min(taken, best.get(name, taken)) for name, taken in seconds.items()}
    return ", ".join(f"{name} {taken * 1e3:.0f} ms" for name, taken in best.items())


def show(reader: Reader, path: Path, output: Path, compare: bool) -> list[Words]:
    """Read a picture, print its words and draw them."""
    picture = read(path)
    boxes, words = read_words(reader, picture)
    height, width = picture.shape[:2]
    print(f"{path.name}: {width} x {height} pixels, {len(words) or 'no'} lines of text")
    for text, confidence in words:
        print(f"  {confidence:4.0%}  {text}")
    write(drawn(picture, boxes, words), output)
    print(f"drawn in {os.path.relpath(output)}")
    if compare:
        print(f"time:         {timings(reader, picture)}")
        if (other := peer()) is not None:
            print(f"ONNX Runtime: {timings(other, picture)}")
    return words


def missing(words: Sequence[Words]) -> list[str]:
    """Return the lines of the sign that are not among the words, spaces left out."""
    found = {each.text.replace(" ", "") for each in words}
    return [line for line in SIGN if line.replace(" ", "") not in found]


def run(pictures: Sequence[Path], output: Path | None, folder: Path, compare: bool) -> list[str]:
    """Compile, read and print; returns the failures."""
    reader = compiled(folder)
    print(f"the C: {os.path.relpath(folder)}, a file for each network and sizes of all kinds\n")
    wrong = []
    for path in pictures or [HERE / "sign.png"]:
        try:
            words = show(reader, path, output or folder / f"{path.stem}_words.png", compare)
        except RelaxError as error:
            wrong.append(str(error))
            continue
        if not pictures and (lost := missing(words)):
            wrong.append(f"sign.png: expected the lines {SIGN}, found all but {lost}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Reads the words in pictures.")
    parser.add_argument("pictures", nargs="*", type=Path, help="files (default: sign.png)")
    parser.add_argument("-o", "--output", type=Path, help="where the picture with boxes goes")
    parser.add_argument("--folder", type=Path, default=BUILD, help="where the C goes")
    parser.add_argument("--compare", action="store_true", help="tell times, and ONNX Runtime's")
    arguments = parser.parse_args()
    if arguments.output and len(arguments.pictures) > 1:
        parser.error("--output is for one picture; leave it out, and each gets a file of its own")
    asked = arguments.pictures, arguments.output, arguments.folder, arguments.compare
    return run_example(lambda: run(*asked), arguments.folder, "--folder")


if __name__ == "__main__":
    sys.exit(main())

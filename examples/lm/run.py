"""Train a small language model of characters by compiled C, and let it go on with a text.

    python examples/lm/run.py [--steps 600] [--text alice.txt] [--output build/lm]
    python examples/lm/run.py --sample "Alice was" [--temperature 0.8] [--best 20] [--characters 400]

The first trains, and writes the program and its weights; the second reads them again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from model import LENGTH, Model, train

from relax_dialect import RelaxError

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "digits"))

from curve import in_svg, in_terminal  # noqa: E402

BUILD = HERE.parents[1] / "build" / "lm"
HELD_OUT = 0.1
"""The end of the text, which training does not see."""
MEAN = 10
"""The curve shows means of so many steps."""


def above_zero(text: str) -> float:
    """A number of the command line that is above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return number


def at_least(least: int) -> Callable[[str], int]:
    """Reads a whole number of the command line that is not below another."""

    def number(text: str) -> int:
        if (found := int(text)) < least:
            raise argparse.ArgumentTypeError(f"expected {least} or more, found {text}")
        return found

    return number


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains a small language model of characters.")
    add = parser.add_argument
    add("--text", type=Path, default=HERE / "alice.txt", help="what to train on")
    add("--steps", type=at_least(1), default=600, help="of training")
    add("--sample", metavar="TEXT", help="go on with a text, by the model that was trained before")
    add("--characters", type=at_least(1), default=400, help="how many to draw")
    add("--temperature", type=above_zero, default=0.8, help="below 1: likely ones more often")
    add("--best", type=at_least(1), default=20, help="draw from so many of the likeliest alone")
    add("--seed", type=at_least(0), default=0, help="of all that is random")
    add("--output", type=Path, default=BUILD, help="where program and weights go")
    return parser.parse_args()


def read(path: Path) -> tuple[str, int]:
    """A text to train on, and where the part that is held out begins."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise RelaxError(f"{path}: expected a text in UTF-8, found another file: {error}") from None
    end = int(len(text) * (1 - HELD_OUT))
    if len(text) - end <= LENGTH:
        raise RelaxError(
            f"{path}: expected {(LENGTH + 1) / HELD_OUT:.0f} characters or more, a tenth of which is held "
            f"out, found {len(text)}; take a longer text"
        )
    return text, end


def trained(options: argparse.Namespace) -> Model:
    """Train a model on a text but for its end, tell its losses, and write it."""
    text, end = read(options.text)
    model, losses = train(text, end, options.steps, options.output, options.seed)
    width = min(MEAN, len(losses))
    smooth = np.convolve(losses, np.full(width, 1 / width), "valid")
    curves = {f"mean of {width} steps": smooth.tolist()}
    print("\n".join(in_terminal(curves, "step")))
    title = f"Loss of {model.size:,} weights while they learn {options.text.name}"
    (options.output / "loss.svg").write_text(in_svg(title, curves, "step"), "utf-8")
    print(f"loss {np.mean(losses[-width:]):.3f} in the last {width} steps")
    numbers = model.alphabet.numbers(text)
    print(f"loss {model.loss(numbers[end:]):.3f} of the {len(text) - end:,} characters held out")
    model.save(options.output)
    return model


def main() -> int:
    options = arguments()
    try:
        model = trained(options) if options.sample is None else Model.load(options.output)
        start = options.sample or "Alice"
        asked = options.characters, options.temperature, options.best, options.seed
        for number, part in enumerate(model.sample(start, *asked)):
            print(part if number else f"\n{start}{part}", end="", flush=True)
        print()
    except (RelaxError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Train a small language model of characters by compiled C, and let it go on with a text.

    python examples/lm/run.py [--steps 600] [--text alice.txt] [--output build/lm]
    python examples/lm/run.py --sample "Alice was" [--temperature 0.8] [--best 20] [--characters 400]

The first trains, and writes the program and its weights; the second reads them again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from model import LENGTH, Model, train

from lowering.tools.common import run_example
from lowering.tools.option_values import at_least, number
from relax_dialect import RelaxError

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "digits"))

from curve import in_svg, in_terminal  # noqa: E402

BUILD = HERE.parents[1] / "build" / "lm"
HELD_OUT = 0.1
"""The end of the text, which training does not see."""
START = "Alice"
"""The text to continue after training, if it occurs in the training text."""
MEAN = 10
"""The curve shows means of so many steps."""


def some(text: str) -> str:
    """Parse a text of the command line with at least one character."""
    if not text:
        raise argparse.ArgumentTypeError("expected a text to go on with, found an empty one")
    return text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains a small language model of characters.")
    add = parser.add_argument
    add("--text", type=Path, default=HERE / "alice.txt", help="what to train on")
    add("--steps", type=at_least(1), default=600, help="of training")
    add("--sample", type=some, metavar="TEXT", help="go on with it, by the model trained before")
    add("--characters", type=at_least(1), default=400, help="how many to draw")
    add(
        "--temperature", type=number(1e-6, 1e6), default=0.8, help="below 1: likely ones more often"
    )
    add("--best", type=at_least(1), default=20, help="draw from so many of the likeliest alone")
    add("--seed", type=at_least(0), default=0, help="of all that is random")
    add("--output", type=Path, default=BUILD, help="where program and weights go")
    return parser.parse_args()


def read(path: Path) -> tuple[str, int]:
    """Read a training text; returns it and the start of the held-out part."""
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


def trained(options: argparse.Namespace) -> tuple[Model, str]:
    """Train a model on a text but for its end, report its losses, and write it; returns it and a text to
    continue."""
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
    return model, START if START in text else text[:1]


def run(options: argparse.Namespace) -> None:
    """Train a model, or read the last trained one; and sample a text from it."""
    if options.sample is None:
        model, start = trained(options)
    else:
        model, start = Model.load(options.output), options.sample
    asked = options.characters, options.temperature, options.best, options.seed
    for count, part in enumerate(model.sample(start, *asked)):
        print(part if count else f"\n{start}{part}", end="", flush=True)
    print()


def main() -> int:
    options = arguments()
    return run_example(lambda: run(options), options.output if options.sample is None else None)


if __name__ == "__main__":
    sys.exit(main())

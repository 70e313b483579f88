"""Chat with a language model of Hugging Face's form, compiled to C.

    python examples/llm/run.py MODEL                              # a conversation
    python examples/llm/run.py MODEL --prompt "Once upon a time"  # one answer

MODEL is a folder with config.json, model.safetensors and tokenizer.json, of a family that `nn.families`
knows. It is compiled once. In a conversation /reset forgets everything, and /quit or the end of the input
ends it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from session import Sampling, Session, compiled
from vocabulary import FORMS, Vocabulary

from lowering.tools.common import run_example
from lowering.tools.option_values import at_least, number
from relax_dialect import RelaxError
from relax_dialect.nn.quantization import SCHEMES

BUILD = Path(__file__).resolve().parents[2] / "build" / "llm"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add = parser.add_argument
    add("model", type=Path, help="the folder of a model")
    add("--prompt", metavar="TEXT", help="answer it, and end")
    add("--tokens", type=at_least(1), default=200, help="the most that an answer has")
    add("--temperature", type=number(0, 1e6), default=0.8, help="0 takes the most likely token")
    add("--top-k", type=at_least(0), default=40, help="draw from so many likely tokens, 0 from all")
    add(
        "--top-p",
        type=number(0, 1),
        default=0.95,
        help="draw from likely tokens of this probability",
    )
    add("--seed", type=at_least(0), default=0, help="of the random numbers")
    most = "the most tokens of a conversation (default: the model's, 4096 at most)"
    add("--capacity", type=at_least(1), help=most)
    add("--form", choices=sorted(FORMS), help="of a conversation (default: as the tokenizer says)")
    add("--quantize", choices=SCHEMES, help="store weights in fewer bits")
    add("--integers", action="store_true", help="multiply such weights by rows of 8-bit integers")
    add("--threads", type=at_least(1), default=1)
    add("--output", type=Path, default=BUILD, help="where the program goes")
    return parser.parse_args()


class Chat:
    """A conversation in a terminal."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.vocabulary = Vocabulary(options.model)
        program, decoder = compiled(
            options.model, options.output, options.quantize, in_integers=options.integers
        )
        program.threads = options.threads
        capacity = options.capacity or min(decoder.positions, 4096)
        self.session = Session(program, decoder, capacity, options.seed)
        self.sampling = Sampling(options.temperature, options.top_k, options.top_p)
        self.form = FORMS[options.form or self.vocabulary.form]

    def answer(self, text: str) -> None:
        """Print the answer to a text while it is drawn, and the speed."""
        tokens = self.vocabulary.tokens(self.form.turn.format(text=text), self.session.past == 0)
        ends, times = self.vocabulary.ends(self.form), [time.perf_counter()]

        def drawn():
            found = self.session.stream(tokens, self.options.tokens, ends, self.sampling)
            for token in found:
                times.append(time.perf_counter())
                yield token

        for part in self.vocabulary.texts(drawn()):
            print(part, end="", flush=True)
        print()
        print(speeds(len(tokens), times), file=sys.stderr)

    def converse(self) -> None:
        """Answer lines of the standard input until its end."""
        while True:
            try:
                line = input("> ")
            except EOFError:
                return
            if line.strip() == "/quit":
                return
            if line.strip() == "/reset":
                self.session.reset()
            elif line.strip():
                try:
                    self.answer(line)
                except RelaxError as error:
                    print(error, file=sys.stderr)


def speeds(read: int, times: list[float]) -> str:
    """Return the number of tokens read and drawn, and how many a second."""
    if len(times) < 2:
        return f"{read} tokens read, none drawn"
    first, rest = times[1] - times[0], times[-1] - times[1]
    drawn = f", {(len(times) - 2) / rest:.1f} a second" if rest else ""
    return f"{read} tokens read, {read / first:.0f} a second; {len(times) - 1} drawn{drawn}"


def run(options: argparse.Namespace) -> None:
    """Answer one text, or hold a conversation."""
    if not options.model.is_dir():
        raise RelaxError(
            f"{options.model}: expected the folder of a model, found none; pass one with config.json, "
            "model.safetensors and tokenizer.json"
        )
    chat = Chat(options)
    if options.prompt is None:
        chat.converse()
    else:
        chat.answer(options.prompt)


def main() -> int:
    options = arguments()
    return run_example(lambda: run(options), options.output)


if __name__ == "__main__":
    sys.exit(main())

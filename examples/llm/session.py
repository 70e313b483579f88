"""A model of Hugging Face's form as compiled C: built once for a folder, loaded at once after that."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.support.progress import report
from lowering.tools.progress_bar import progress_bar
from relax_dialect import RelaxError, nn
from relax_dialect.nn.checkpoint import CONFIG, read_json
from relax_dialect.nn.families import Decoder, from_config
from relax_dialect.rewrites.quantization.quantize_activations import quantize_activations

NAME = "llm"
KEY = "made_of.json"
CHUNK = 256
"""The most tokens of a prompt that one call reads."""


@dataclass(frozen=True)
class Sampling:
    """The choice of the next token: see `nn.sample`."""

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95

    def arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the arguments of `@draw`."""
        real, number = np.float32, np.int64
        return (
            np.array(self.temperature, real), np.array(self.top_k, number), np.array(self.top_p, real),
        )  # fmt: skip


@dataclass
class Session:
    """A conversation: the caches of all tokens that were read, in the caller's arrays."""

    program: CompiledModule
    decoder: Decoder
    capacity: int
    seed: int = 0
    past: int = 0
    arrays: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.arrays = self.decoder.cache().empty(self.capacity)
        self.key = np.array(self.seed)

    def reset(self) -> None:
        """Forget all tokens."""
        self.past = 0

    def read(self, tokens: np.ndarray, sampling: Sampling) -> int:
        """Read tokens, and return the one that is drawn after them. Raises `RelaxError` if there is no
        room, before anything is read."""
        if self.past + len(tokens) > self.capacity:
            raise RelaxError(
                f"the conversation: expected at most {self.capacity} tokens, found {self.past} and "
                f"{len(tokens)} more; start anew with /reset, or pass a larger --capacity"
            )
        drawn = self.key
        for start in range(0, len(tokens), CHUNK):
            part = np.asarray(tokens[None, start : start + CHUNK], np.int64)
            drawn, key, *_ = self.program.draw(
                part, self.past, *self.arrays, self.key, *sampling.arguments()
            )
            self.past += part.shape[1]
        self.key = np.array(key)
        return int(drawn[0])

    def stream(
        self, tokens: np.ndarray, count: int, ends: frozenset[int], sampling: Sampling
    ) -> Iterator[int]:
        """Yield up to `count` tokens that follow others, until one of `ends` or the end of the room."""
        token = self.read(tokens, sampling)
        for number in range(count):
            if token in ends:
                return
            yield token
            if number == count - 1 or self.past == self.capacity:
                return
            token = self.read(np.array([token]), sampling)


def compiled(
    folder: Path, output: Path, scheme: str | None = None, *, in_integers: bool = False
) -> tuple[CompiledModule, Decoder]:
    """Return the program of a model's folder and the decoder that describes it: compiled, or loaded if
    `output` has what the same files were compiled to. `scheme` makes its weights narrow: see
    `nn.quantize`; `in_integers` multiplies them by rows of 8-bit integers: see `quantize_activations`."""
    decoder = from_config(read_json(folder, CONFIG))
    made_of = _made_of(folder, scheme, in_integers)
    if (program := _kept(output, made_of)) is not None:
        return program, decoder
    start = time.perf_counter()
    with progress_bar(start):
        report("reading the weights", 0, 1)
        model = nn.load(folder)
        assert isinstance(model, Decoder)
        if scheme is not None:
            nn.quantize(model, scheme)
        module = nn.export(model, model.spec("draw"))
        if in_integers:
            quantize_activations(module)
        (output / KEY).unlink(missing_ok=True)
        program = lowering.compile(module, NAME, directory=output)
    (output / KEY).write_text(made_of, "utf-8")
    print(f"compiled in {time.perf_counter() - start:.0f} s")
    return program, decoder


def _kept(output: Path, made_of: str) -> CompiledModule | None:
    """Return the program in a folder if it was made of these files, and this CPU can run it."""
    with suppress(OSError, RelaxError):
        if (output / KEY).read_text("utf-8") == made_of:
            return lowering.load(output / NAME)
    return None


def _made_of(folder: Path, scheme: str | None, in_integers: bool) -> str:
    """Return what a program is made of: the files of a folder, and the form of weights and rows."""
    files = [folder / CONFIG, *sorted(folder.glob("*.safetensors"))]
    states = {each.name: (each.stat().st_size, each.stat().st_mtime_ns) for each in files}
    found = {"folder": str(folder.resolve()), "files": states, "scheme": scheme}
    found["in_integers"] = in_integers
    return json.dumps(found, indent=2)

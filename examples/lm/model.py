"""A compiled model with its weights: training, writing, reading, and sampling."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import hugging_face
import numpy as np
from characters import Alphabet, batches
from network import Config, build

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.support.progress import report
from lowering.tools.inputs.array_files import read_arrays
from lowering.tools.progress_bar import progress_bar
from relax_dialect import RelaxError, training
from relax_dialect.interpret.tensor_files import write_tensors

BATCH, LENGTH = 16, 128
"""The number of pieces of the text that a step reads, and of their characters."""
RATE, WARM_UP = 4e-3, 50
AT_ONCE = 8
"""The number of characters that one call draws, before they are shown."""
WEIGHTS, FOLDER = "weights.safetensors", "hugging_face"


@dataclass
class Model:
    """A compiled model with its weights."""

    program: CompiledModule
    config: Config
    alphabet: Alphabet
    weights: tuple[np.ndarray, ...]

    @property
    def size(self) -> int:
        """The number of weights."""
        return sum(array.size for array in self.weights)

    def save(self, folder: Path) -> None:
        """Write the weights, and the alphabet with them, next to the program."""
        arrays = dict(zip(self.config.shapes(), self.weights))
        points = np.array([ord(character) for character in self.alphabet.characters])
        sizes = np.array(astuple(self.config))
        write_tensors(folder / WEIGHTS, {**arrays, "alphabet": points, "config": sizes})
        characters = self.alphabet.characters
        hugging_face.save(folder / FOLDER, self.config, self.weights, characters)

    @classmethod
    def load(cls, folder: Path) -> Model:
        """Load the model trained in a folder."""
        file = folder / WEIGHTS
        if not file.exists():
            raise RelaxError(
                f"{file}: expected the weights of a model, found none; train one first"
            )
        arrays = dict(read_arrays(str(file)))
        if not {"alphabet", "config"} <= set(arrays):
            raise RelaxError(
                f"{file}: expected the weights of a model, its alphabet and its sizes, found "
                f"{', '.join(arrays) or 'nothing'}; train one first"
            )
        alphabet = Alphabet([chr(point) for point in arrays.pop("alphabet")])
        config = Config(*arrays.pop("config").tolist())
        return cls(lowering.load(folder / "lm"), config, alphabet, tuple(arrays.values()))

    def loss(self, numbers: np.ndarray) -> float:
        """Return the mean cross entropy of a text, piece by piece."""
        count = (len(numbers) - 1) // LENGTH
        pieces = np.stack([numbers[i * LENGTH : (i + 1) * LENGTH + 1] for i in range(count)])
        text, following = (np.ascontiguousarray(pieces[:, i : i + LENGTH]) for i in (0, 1))
        return float(self.program.loss(*self.weights, text, following))

    def sample(
        self, start: str, characters: int, temperature: float, best: int, seed: int
    ) -> Iterator[str]:
        """Yield the continuation of a text, a few characters each."""
        key, caches = np.array(seed), self.config.no_caches()
        read = self.alphabet.numbers(start)
        left, asked = characters, (np.array(temperature, np.float32), np.array(best))
        while left > 0:
            count = min(AT_ONCE, left)
            read, key, *caches = self.program.sample(
                *self.weights, read, *caches, np.array(count), key, *asked
            )
            left -= count
            yield self.alphabet.text(read)
            read = read[-1:]


def train(text: str, end: int, steps: int, folder: Path, seed: int) -> tuple[Model, list[float]]:
    """Train a model on the beginning of a text; returns it with the loss of every step."""
    alphabet = Alphabet.of(text)
    config = Config(len(alphabet.characters))
    rate = training.linear_warmup(WARM_UP, training.cosine(RATE, steps, RATE / 20))
    optimizer = training.AdamW(rate, betas=(0.9, 0.99), weight_decay=0.1)
    start = time.perf_counter()
    with progress_bar(start):
        program = lowering.compile(build(config, optimizer), "lm", directory=folder)
    print(f"compiled in {time.perf_counter() - start:.0f} s")
    weights = tuple(config.start(seed).values())
    state, losses = optimizer.init(weights), list[float]()
    numbers = alphabet.numbers(text)[:end]
    start = time.perf_counter()
    with progress_bar(start):
        for step, batch in zip(range(1, steps + 1), batches(numbers, BATCH, LENGTH, seed)):
            weights, state, loss = program.loss_step(weights, state, *batch)
            losses.append(float(loss))
            report(f"loss {loss:.3f}", step, steps)
    seconds = time.perf_counter() - start
    print(
        f"{steps} steps in {seconds:.0f} s, {BATCH * LENGTH * steps / seconds:,.0f} characters a second"
    )
    return Model(program, config, alphabet, weights), losses

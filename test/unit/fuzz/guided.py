"""Files of strangers, guided by coverage: each is read, or refused by one clear error, in little time and memory.

Inputs start from the tests' own, change by the mutators of their kind, and are kept to be changed further where
they reach lines that none before has reached. `corpus/` holds the smallest input of each fault that was found.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from relax_dialect import RelaxError, parse
from relax_dialect.frontends import tvmscript

from . import artifacts, texts
from .cases import is_read, limited_memory
from .coverage import Coverage, coverage

SECONDS = 10
"""How long the processor may be busy with one input, traced as it is: a second without."""
MEGABYTES = 1024
"""How much more memory than before an input may take."""
LONGEST = 5000
"""The most characters of an error."""
MOST_KEPT = 4000
CORPUS = Path(__file__).parent / "corpus"

WORDS = (
    *("None", "-1", "0", "2**63", "2**200", "1e400", "-0.0", "T.float16(1e5)", "T.int8(300)", "T.bool(1)"),
    *('"x"', "()", "[]", "x", "R", "T", "cls", "n", '"n"', "True", "...", "b'a'", "1j", "f'{x}'", "-n"),
    *("R.Tensor", "R.add", "R.tuple()", "R.null_value()", "n//0", "R.prim_value(n)", "R.shape([-1])"),
    *("R.const(1)", "R.const([0]*9**9, 'int8')", "R.dataflow()", "R.output()", "x[0]", "metadata['a'][0]"),
    *("T.float32('nan')", "R.str('a')", "R.full((9**9,), R.const(0, 'int8'), 'int8')", "R.func_attr({})"),
)  # fmt: skip
NUMBERS = (
    *(
        "0",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "1e400",
        "100000000",
    ),
    *(
        "340282366920938463463374607431768211456",
        "0x7FC00001",
        "-0.0",
        "5e-324",
        "65536",
        "nan",
        "true",
        "?",
    ),
)
"""Beside those of `texts`."""


@dataclass
class Target:
    """A kind of files: where inputs begin, how they change, and what reads them."""

    seeds: Callable[[], Iterable[bytes]]
    change: Callable[[bytes, list[bytes], random.Random], bytes]
    read: Callable[[bytes], object]
    coverage: Coverage = field(default_factory=coverage)
    kept: list[bytes] = field(default_factory=list)
    most: int | None = None
    """How many seeds are taken."""

    def start(self, name: str) -> None:
        """Read the inputs to begin with, once."""
        if not self.kept:
            self.kept = [
                *islice(self.seeds(), self.most),
                *(file.read_bytes() for file in corpus(name)),
            ]
            for data in self.kept:
                self.tried(data)

    def tried(self, data: bytes) -> bool:
        """Read an input; whether it is no mistake. Raises `Fault`."""

        def read() -> None:
            with self.coverage.watching():
                self.read(data)

        return is_read(read, data, SECONDS, LONGEST)

    def case(self, rng: random.Random) -> bool:
        """Change an input that was kept, read it, and keep it if it reaches something new. Raises `Fault`."""
        data = self.change(rng.choice(self.kept), self.kept, rng)
        before = self.coverage.reached
        good = self.tried(data)
        if self.coverage.reached > before and len(self.kept) < MOST_KEPT:
            self.kept.append(data)
        return good


def batch(name: str, rng: random.Random, count: int) -> int:
    """Try so many inputs of a target; how many are no mistakes. Raises `Fault`."""
    with limited_memory(MEGABYTES):
        TARGETS[name].start(name)
        return sum(TARGETS[name].case(rng) for _ in range(count))


def corpus(name: str) -> list[Path]:
    """The inputs of a target that were faults once."""
    return sorted((CORPUS / name).iterdir()) if (CORPUS / name).is_dir() else []


# Programs ----------------------------------------------------------------------------------------------


def change_text(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    text = data.decode(errors="replace")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = texts.mutate(text, [rng.choice(others).decode(errors="replace")], rng, NUMBERS)
    return text.encode(errors="replace")


def program_seeds() -> list[bytes]:
    return [text.encode() for text in texts.PROGRAMS[::2] + texts.REFUSED[::4]]


def read_program(data: bytes) -> None:
    texts.printed(data.decode())


# Scripts of TVM ----------------------------------------------------------------------------------------


def script_seeds() -> Iterator[bytes]:
    """The scripts of the tests, and the operators' programs as scripts."""
    from frontends.tvmscript.test_prim_funcs import SOFTMAX
    from frontends.tvmscript.test_read_script import PRINTED

    yield PRINTED.encode()
    yield f"@T.prim_func{SOFTMAX}".encode()
    for text in texts.programs("ops")[::6]:
        try:
            yield tvmscript.dump(parse(text)).encode()
        except RelaxError:  # which TVM has not
            continue


def change_script(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    pieces = texts.TOKEN.findall(data.decode(errors="replace"))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(pieces) or 1)
        other = texts.TOKEN.findall(rng.choice(others).decode(errors="replace"))
        new = rng.choice(
            (rng.choice(WORDS), rng.choice(WORDS), "", rng.choice(other), rng.choice(pieces))
        )
        pieces[at : at + 1] = [new, pieces[at]] if rng.random() < 0.1 else [new]
    return "".join(pieces).encode(errors="replace")


def read_script(data: bytes) -> None:
    tvmscript.loads(data.decode(), "f.py")


# Manifests ---------------------------------------------------------------------------------------------


def manifest_seeds() -> list[bytes]:
    return [(artifacts.built() / "own" / "net.json").read_bytes()]


def change_manifest(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """A change of the text, or of a value, with the digest restated or not."""
    if rng.random() < 0.3:
        return change_text(data, others, rng)
    try:
        told: Any = json.loads(data)
        paths = list(artifacts.paths(told))
        value = KeyError if rng.random() < 0.1 else rng.choice(artifacts.VALUES)
        artifacts.at_path(rng.choice(paths), value, restate=rng.random() < 0.5)(Path(), told)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError):
        return change_text(data, others, rng)
    return json.dumps(told).encode()


def read_manifest(data: bytes) -> None:
    folder = _copy()
    (folder / "net.json").write_bytes(data)
    if artifacts.outcome(folder) != "right":
        raise RelaxError("refused")


@cache
def _copy() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="relax-manifests-", dir=artifacts.built()))
    return Path(shutil.copytree(artifacts.built() / "own", folder, dirs_exist_ok=True))


# ONNX models -------------------------------------------------------------------------------------------


def model_seeds() -> list[bytes]:
    from .models import originals

    return list(originals(4))


def change_model(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    from .models import damaged

    try:
        return damaged(data, rng)
    except Exception:  # bytes that are no message
        return damaged(rng.choice(model_seeds()), rng)


def read_model(data: bytes) -> None:
    from relax_dialect.frontends.onnx import load

    path = _copy() / "model.onnx"
    path.write_bytes(data)
    str(load(path))


TARGETS = {
    "mlir": Target(program_seeds, change_text, read_program),
    "tvmscript": Target(script_seeds, change_script, read_script),
    "manifests": Target(manifest_seeds, change_manifest, read_manifest),
    "models": Target(model_seeds, change_model, read_model),
}
KINDS = {f"guided-{name}": (partial(batch, name), 1000) for name in TARGETS}

"""Prints what the compiler makes of many programs, a line for each, for `test_reproducible.py`.

python reproducible.py SEED FILE...: the hashes of ops, values and blocks, which are their addresses, are
mixed with the seed, so that each run iterates over a set of them in an order of its own. With an odd seed the C is that of a copy.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult

from lowering import lower, to_c
from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.rewrites import GRAPH_PASSES

PRIME = 0x9E3779B97F4A7C15


def scramble(seed: int) -> None:
    """From now on the hash of an op, value or block is its address, mixed with a seed."""

    def mixed(self: object) -> int:
        return ((id(self) >> 4) + seed) * PRIME >> 17 & 0xFFFFFFFF

    for kind in (Operation, OpResult, BlockArgument, Block):
        kind.__hash__ = mixed


def programs(files: list[str]) -> Iterator[tuple[Path, str, ModuleOp]]:
    """The programs of the files that can be read, with their names."""
    for file in map(Path, files):
        for number, text in enumerate(file.read_text().split("// -----")):
            try:
                yield file, f"{file.parent.name}/{file.stem}.{number}", parse(text)
            except RelaxError:
                continue  # a file of mistakes


def emitted(module: ModuleOp) -> str:
    """The files of a program in C, or the error that it gets."""
    try:
        source = to_c(module)
    except RelaxError as error:
        return str(error)
    return f"{source.h}{source.c}{hashlib.sha256(source.weights or b'').hexdigest()}"


def rewritten(module: ModuleOp, name: str) -> str:
    """A program after a pass, or the error that it gets."""
    try:
        return str(lower(module.clone(), [name]))
    except RelaxError as error:
        return str(error)


def copied(module: ModuleOp) -> ModuleOp:
    """A clone's clone as its text says it, where that can be read."""
    copy = module.clone().clone()
    try:
        return parse(str(copy))
    except RelaxError:
        return copy


def main(seed: str, *files: str) -> None:
    scramble(int(seed))
    for file, name, module in programs(list(files)):
        made = {"C": emitted(copied(module) if int(seed) % 2 else module)}
        own_pass = f"relax-{file.parent.name.replace('_', '-')}"
        if own_pass in GRAPH_PASSES:
            made[own_pass] = rewritten(module, own_pass)
        for what, text in made.items():
            print(name, what, hashlib.sha256(text.encode()).hexdigest()[:16], sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])

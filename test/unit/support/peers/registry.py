"""The table: operator -> how arguments are drawn, and what another library makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from xdsl.ir import Block, Operation, Region

from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleOp

from .drawing import Draw, UnsuitableError

Build = Callable[..., Operation]
Meaning = Callable[..., Any]
Draws = Callable[[Draw], tuple[Build, Meaning]]

Zeros = Literal["", "C", "peer"]

RELATIVE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "float64": 1e-12}
"""The error allowed in elements of floats, compared with their size."""
ABSOLUTE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "float64": 1e-12}
"""The error allowed where results are about 0 since larger numbers cancel out."""


@dataclass(frozen=True)
class Peer:
    """How an operator is compared with another library's."""

    operator: str
    draw: Draws
    cancels: float = 1.0
    """How much of `ABSOLUTE` is allowed: 0 where nothing cancels out."""
    zeros: Zeros = "peer"
    """Whether signs of zeros are compared, unless terms cancel out: of C and interpreter, and of the peer."""
    digits: float = 1.0
    """How much of `RELATIVE` is allowed: 0 where all bits are equal."""

    def allowed(self, dtype: np.dtype[Any]) -> tuple[float, float]:
        return self.digits * RELATIVE.get(dtype.name, 0), self.cancels * ABSOLUTE.get(dtype.name, 0)

    def trial(self, build: str, run: str, draws: type[Draw] = Draw) -> Trial | None:
        """A trial of two seeds; None for one without a meaning."""
        d = draws(self.operator, random.Random(build), random.Random(run))
        try:
            made, meaning = self.draw(d)
        except UnsuitableError:
            return None
        meaning = meaning if d.has_meaning else refused
        return Trial(self, made, meaning, d.types, d.arguments, (build, run))


def refused(*_: Any) -> Any:
    """The meaning of arguments for which a peer is not asked."""
    raise UnsuitableError


@dataclass(frozen=True)
class Trial:
    """An operator, arguments, and what they are to mean."""

    peer: Peer
    build: Build
    meaning: Meaning
    types: list[TensorType | ShapeType]
    arguments: list[Any]
    seeds: tuple[str, str] = field(default=("", ""))

    def function(self, name: str) -> FuncOp:
        """A function that returns the operator's results."""
        block = Block(arg_types=self.types)
        op = self.build(*block.args)
        made = [o.owner for o in op.operands if isinstance(o.owner, Operation)]
        block.add_ops([*dict.fromkeys(each for each in made if each.parent is None), op])
        result = op.results[0]
        if len(op.results) > 1:
            block.add_op(packed := TupleOp(*op.results))
            result = packed.results[0]
        block.add_op(ReturnOp(result))
        return FuncOp(name, list(self.types), result.type, Region(block))

    def __str__(self) -> str:
        shown = ", ".join(
            f"{a.dtype}{list(a.shape)}" if isinstance(a, np.ndarray) else str(a)
            for a in self.arguments
        )
        return f"{self.peer.operator}({shown})"


PEERS: dict[str, list[Peer]] = {}
"""The peers of each operator."""


def peer(
    *operators: str, cancels: float = 1.0, zeros: Zeros = "peer", digits: float = 1.0
) -> Callable[[Draws], Draws]:
    """Enters a function that draws into the table."""

    def enter(draw: Draws) -> Draws:
        for operator in operators:
            PEERS.setdefault(operator, []).append(Peer(operator, draw, cancels, zeros, digits))
        return draw

    return enter


exact = {"cancels": 0.0, "digits": 0.0}
"""For operators that move elements, or compute exactly."""


def all_peers() -> Iterator[Peer]:
    for peers in PEERS.values():
        yield from peers

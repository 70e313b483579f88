"""Results of proofs, and the reasons why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Outside(Exception):
    """A part of a program that proofs do not cover: its text names the part."""


class Over(Enum):
    """The numbers that a proof is about."""

    FLOATS = "floats"
    REALS = "reals"


class VerdictKind(Enum):
    """The kinds of a verdict."""

    PROVED = "proved"
    EQUAL_OVER_REALS = "equal over the reals"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    OUTSIDE = "outside of the fragment"


@dataclass(frozen=True)
class Verdict:
    """The verdict on a rewrite of a function."""

    function: str
    kind: VerdictKind
    detail: str = ""
    """The reason of any but a proof: of `EQUAL_OVER_REALS` why it is no proof for floats."""
    counterexample: str = ""
    """A program that computes both results on constants for which they differ."""

    def __str__(self) -> str:
        return f"@{self.function}: {self.kind.value}{f': {self.detail}' if self.detail else ''}"


@dataclass(frozen=True)
class Limits:
    """The time limit of z3 for a query."""

    milliseconds: int = 3000

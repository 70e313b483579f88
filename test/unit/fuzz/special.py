"""Operators over special values at sizes about multiples of the lanes, for CPUs of every width of vectors.

A case is one call of compiled C; the peer and the interpreter are asked once for the calls of all CPUs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from peers import checking, table
from peers.registry import Peer, Trial, all_peers
from peers.special import SpecialDraw

from lowering.support.target import CPUS, NATIVE, X86_64_V3, native

from .cases import Fault

CALLS = 120
"""How often each function is called on each CPU, with other sizes and elements."""
VECTORS = frozenset(X86_64_V3) <= native().features
CPU_NAMES = ("generic", *(name for name in CPUS if name == "x86-64-v3" and VECTORS), NATIVE)


def drawn(peers: Sequence[Peer], rng: random.Random, count: int, calls: int) -> list[Trial]:
    """So many trials of random operators, of each function some calls."""
    trials: list[Trial] = []
    while len(trials) < count:
        peer, seed = rng.choice(peers), f"{rng.getrandbits(48)}"
        some = (peer.trial(seed, f"{seed} {turn}", SpecialDraw) for turn in range(calls))
        trials += [trial for trial in some if trial is not None]
    return trials[:count]


def batch(rng: random.Random, count: int) -> int:
    """Try some operators, all in one C module for each CPU; in how many calls the peer has a result."""
    peers = sorted(all_peers(), key=lambda peer: (peer.operator, peer.draw.__name__))
    assert table.FAMILIES, "importing them fills the table"
    trials = drawn(peers, rng, count // len(CPU_NAMES), CALLS)
    accepted, differences = checking.check(trials, rng.choice((0, 1)), CPU_NAMES)
    if differences:
        first, *more = differences
        others = "".join(f"\n{str(each).splitlines()[0]}" for each in more)
        raise Fault(f"{first}{others}", first.program)
    return accepted * len(CPU_NAMES)

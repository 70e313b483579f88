"""Operators over random attributes, sizes, element types and values: peer, interpreter and C agree."""

from __future__ import annotations

import random

from peers import table
from peers.checking import check
from peers.registry import Trial, all_peers

from .cases import Fault

CALLS = 3
"""How often each function is called, with other sizes and elements."""


def batch(rng: random.Random, count: int) -> int:
    """Try some operators, all in one C module; for how many trials the peer has a result. Raises `Fault`."""
    peers = sorted(all_peers(), key=lambda peer: (peer.operator, peer.draw.__name__))
    assert table.FAMILIES, "importing them fills the table"
    trials: list[Trial] = []
    while len(trials) < count:
        peer, seed = rng.choice(peers), f"{rng.getrandbits(48)}"
        drawn = (peer.trial(seed, f"{seed} {turn}") for turn in range(CALLS))
        trials += [trial for trial in drawn if trial is not None]
    accepted, differences = check(trials[:count], rng.choice((0, 0, 1)))
    if differences:
        first, *more = differences
        others = "".join(f"\n{str(each).splitlines()[0]}" for each in more)
        raise Fault(f"{first}{others}", first.program)
    return accepted

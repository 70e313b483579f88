"""Operators agree with those of PyTorch, ONNX Runtime and numpy, interpreted and compiled: a few random trials of
each. `python test/unit/fuzz --kinds operators` searches on."""

from __future__ import annotations

import dataclasses
import os
from types import ModuleType

import numpy as np
import pytest
from operators import entries
from optional import UNOPTIMISED
from peers import checking
from peers.checking import check, trials
from peers.registry import PEERS, Peer, Trial, all_peers
from peers.table import FAMILIES, NO_PEER

SEED = os.environ.get("RELAX_FUZZ_SEED", "0")
FUNCTIONS, CALLS = 1, 3


def of(family: ModuleType) -> list[Peer]:
    return [peer for peer in all_peers() if peer.draw.__module__ == family.__name__]


def drawn(peer: Peer, calls: int = CALLS) -> list[Trial]:
    return list(trials(peer, f"{peer.operator} {SEED}", FUNCTIONS, calls))


@pytest.mark.filterwarnings("ignore")  # PyTorch's, on sizes of 0 and 1
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.split(".")[-1])
def test_operators_agree_with_their_peers(family: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checking, "FLAGS", UNOPTIMISED)
    given = [trial for peer in of(family) for trial in drawn(peer)]
    accepted, differences = check(given)
    assert not differences, "\n".join(map(str, differences))
    assert accepted > len(given) / 2


def test_every_operator_has_a_peer_or_a_reason():
    names = {entry.name for entry in entries()}
    assert set(PEERS) | set(NO_PEER) == names
    assert not set(PEERS) & set(NO_PEER)


@pytest.mark.filterwarnings("ignore")
def test_every_peer_has_results():
    """Programs that a peer refuses are no trials: a mistake in the table must not make these all."""
    for peer in all_peers():
        found = (checking.meant(t) for n in range(20) for t in trials(peer, f"{n}", 1, 1))
        assert any(each is not None for each in found), f"{peer.operator}: {peer.draw.__name__}"


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch):
    """A peer, the interpreter and the C that are wrong are told apart."""
    (add,) = drawn(PEERS["add"][0], 1)[:1]
    wrong = dataclasses.replace(add, meaning=lambda x, y: (x + y + np.ones((), x.dtype),))
    assert [begin(d) for d in check([wrong])[1]] == ["the interpreter differs from the peer"]
    one_more = lambda trial: tuple(r + np.ones((), r.dtype) for r in found(trial))  # noqa: E731
    found = checking.interpreted
    monkeypatch.setattr(checking, "interpreted", one_more)
    assert [begin(d) for d in check([add])[1]] == [
        "the interpreter differs from the peer",
        "the C for native differs from the interpreter",
    ]


def begin(difference: checking.Difference) -> str:
    return difference.what.split(":")[0]

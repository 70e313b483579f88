"""Special values at sizes about multiples of the lanes agree with peers on every CPU: a share of
`python test/unit/fuzz --kinds special`."""

from __future__ import annotations

import dataclasses
import os
import random

import numpy as np
import pytest
from fuzz.special import CPU_NAMES, drawn
from optional import amount
from peers.checking import check
from peers.registry import PEERS, all_peers
from peers.table import FAMILIES

SEED = os.environ.get("RELAX_FUZZ_SEED", "0")
ARGUMENTS_OF_EXTREMES = ("argmax", "argmin")


@pytest.mark.shortened
@pytest.mark.filterwarnings("ignore")  # PyTorch's, on sizes of 1
def test_operators_agree_with_their_peers():
    assert FAMILIES, "importing them fills the table"
    peers = sorted(all_peers(), key=lambda peer: (peer.operator, peer.draw.__name__))
    trials = drawn(peers, random.Random(SEED), amount(160, 60), 6)
    accepted, differences = check(trials, 1, CPU_NAMES)
    assert not differences, "\n".join(map(str, differences))
    assert accepted > len(trials) / 3


@pytest.mark.shortened
def test_places_of_extremes_agree_with_their_peers():
    peers = [peer for name in ARGUMENTS_OF_EXTREMES for peer in PEERS[name]]
    trials = drawn(peers, random.Random(SEED), amount(130, 100), 10)
    accepted, differences = check(trials, 1, CPU_NAMES)
    assert not differences, "\n".join(map(str, differences))
    assert accepted > len(trials) / 2


def test_a_zero_of_the_other_sign_is_found():
    (trial,) = drawn(PEERS["sin"], random.Random(SEED), 1, 1)
    zeros = dataclasses.replace(trial, arguments=[np.zeros_like(trial.arguments[0])])
    assert not check([zeros], cpus=())[1]
    wrong = dataclasses.replace(zeros, meaning=lambda x: (-x,))
    (difference,) = check([wrong], cpus=())[1]
    assert "0.0 instead of -0.0" in difference.what

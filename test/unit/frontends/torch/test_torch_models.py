"""Whole models against PyTorch, at three sizes from one compiled function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package

import lowering
from relax_dialect.frontends import torch as frontend

torch = package("torch")

from torch_models import MODELS, made  # noqa: E402


def leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    return [leaf.detach().numpy() for leaf in torch.utils._pytree.tree_leaves(value)]


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str):
    example = made(name)
    program = frontend.load_program(example.exported(), name=name)
    model = lowering.compile(program.module, name, extra_flags=UNOPTIMISED)
    for inputs in example.inputs:
        with torch.no_grad():
            expected = leaves(example.model(*inputs))
        found = model.main(*program.flatten(*inputs))
        found = found if isinstance(found, tuple) else (found,)
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert one.shape == other.shape and one.dtype == other.dtype
            largest = np.abs(other).max(initial=0)
            assert not other.size or largest > 1e-3
            assert np.abs(one - other).max(initial=0) <= 1e-5 * largest

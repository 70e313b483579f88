"""Exported programs of the expressions of `torch_cases`, run eagerly, interpreted and compiled."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from optional import package
from torch_cases import pool

from relax_dialect.frontends import torch as frontend

torch = package("torch")
package("torch.ao.quantization.fx._decomposed")  # declares the operators
F, A, Q = torch.nn.functional, torch.ops.aten, torch.ops.quantized_decomposed

FIXED = frozenset(
    [
        "w",
        "v",
        "s",
        "rows",
        "table",
        "bias",
        "k1",
        "k2",
        "g2",
        "k3",
        "t1",
        "t2",
        "t3",
        "c",
        "c3",
        "c8",
        "w4",
        "pos4",
    ]
)
"""The inputs whose sizes are numbers."""

TOLERANCES = {"float16": 2e-2, "bfloat16": 2e-2, "float64": 1e-6}


def mutated(x: Any, y: Any) -> Any:
    """Writes to parts of a tensor."""
    x[:, 0] = 1
    x[:, 2:4] += y[:, :2]
    x.mul_(2)
    return x


def mutated_rows(x: Any, rows: Any) -> Any:
    x[:, rows] = 1.5
    return x


def late_view(x: Any) -> Any:
    """A write before a view of the result, and one to a result among several."""
    y = torch.cat([x.exp().relu_(), x], 1)
    rows = y.add_(1).flatten()
    values, _ = y.topk(2, 1)
    values /= 2
    products = torch.einsum("ij,kj->ik", x, x)
    products *= 2
    return rows.sum() + values, products


class Expressions(torch.nn.Module):
    """A model that returns the values of expressions over a dictionary of inputs."""

    def __init__(self, texts: Sequence[str]):
        super().__init__()
        self.codes = [compile(text, text, "eval") for text in texts]

    def forward(self, inputs: Any) -> Any:
        scope = {**globals(), **inputs, "n": inputs["x"].shape[0]}
        return [eval(code, scope) for code in self.codes]


def names_in(texts: Sequence[str]) -> list[str]:
    """The inputs that expressions have; x is always one, whose size is n."""
    words = {word for text in texts for word in re.findall(r"\b[a-z]\w*", text)} | {"x"}
    return [name for name in pool(3) if name in words]


def exported(texts: Sequence[str]) -> Any:
    """The program of expressions, for all sizes n from 3 on."""
    names = names_in(texts)
    inputs = {k: torch.from_numpy(v) for k, v in pool(5).items() if k in names}
    n = torch.export.Dim("n", min=3, max=1000)
    shapes = {k: ({} if k in FIXED else {0: n}) for k in inputs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(Expressions(texts).eval(), (inputs,), dynamic_shapes=(shapes,))


def loaded(texts: Sequence[str]) -> Any:
    return frontend.load_program(exported(texts))


def array(tensor: Any) -> np.ndarray[Any, Any]:
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).detach().numpy()


def is_close(expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> bool:
    """Whether arrays agree, relative to the largest number that is expected."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return False
    if expected.dtype.kind != "f":
        return bool((expected == found).all())
    tolerance = TOLERANCES.get(expected.dtype.name, 1e-4)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1e-2)
    return bool(np.allclose(found, expected, tolerance, tolerance * largest, equal_nan=True))


def differences(
    texts: Sequence[str], results: Sequence[str], run: Callable[..., Any], n: int
) -> list[str]:
    """The expressions for which a function returns other results than PyTorch."""
    inputs = {k: v for k, v in pool(n, 1).items() if k in names_in(texts)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = Expressions(texts)({k: torch.from_numpy(v.copy()) for k, v in inputs.items()})
    leaves = [array(leaf) for leaf in torch.utils._pytree.tree_leaves(wanted)]
    found = run(*inputs.values())
    found = found if isinstance(found, tuple | list) else (found,)
    assert len(leaves) == len(found) == len(results)
    wrong = [
        int(name.partition(".")[0])
        for name, expected, value in zip(results, leaves, found)
        if not is_close(expected, np.asarray(value))
    ]
    return [f"{texts[i]} for n = {n}" for i in dict.fromkeys(wrong)]

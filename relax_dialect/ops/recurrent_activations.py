"""The functions of a recurrent network's gates as text: `"sigmoid leaky_relu(0.1) tanh"`.

They and their default parameters are those of ONNX's recurrent operators.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

PARAMETERS: Mapping[str, tuple[float, ...]] = {
    "tanh": (),
    "sigmoid": (),
    "relu": (),
    "softsign": (),
    "softplus": (),
    "affine": (1.0, 0.0),
    "scaled_tanh": (1.0, 1.0),
    "leaky_relu": (0.01,),
    "thresholded_relu": (1.0,),
    "hard_sigmoid": (0.2, 0.5),
    "elu": (1.0,),
}
"""The functions, and the default parameters of each."""

_WORD = re.compile(r"(\w+)(?:\(([^()]*)\))?")


@dataclass(frozen=True)
class Activation:
    """A function of a gate."""

    name: str
    parameters: tuple[float, ...] = ()

    def __str__(self) -> str:
        if self.parameters == PARAMETERS[self.name]:
            return self.name
        return f"{self.name}({','.join(map(str, self.parameters))})"


def parse(text: str) -> list[Activation]:
    """Return the functions of a text; `ValueError` with the first word that is none."""
    found = {word: _activation(word) for word in text.split()}
    for word, activation in found.items():
        if activation is None:
            raise ValueError(word)
    return [activation for word in text.split() if (activation := found[word])]


def _activation(word: str) -> Activation | None:
    """Return the function that a word names."""
    found = _WORD.fullmatch(word)
    usual = PARAMETERS.get(found[1]) if found else None
    if found is None or usual is None:
        return None
    given = found[2].split(",") if found[2] is not None else usual
    try:
        parameters = tuple(map(float, given))
    except ValueError:
        return None
    return Activation(found[1], parameters) if len(parameters) == len(usual) else None

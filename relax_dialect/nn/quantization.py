"""Narrow weights: those of linear maps and embeddings as integers with scales, or as narrow floats.

Schemes are named as TVM's: q, the bits of a weight, the type that is computed with, and 1 where groups of
weights have scales of their own.

| scheme | a weight is | bytes of a weight |
|---|---|---|
| `q0f16`, `q0bf16` | an f16, a bf16 | 2 |
| `q8f32` | an i8, with a scale for each output | 1 |
| `q8f32_1` | an i8, with a scale for each 32 inputs of an output | 1.125 |
| `q4f32_1` | an i8 from -8 to 7, which is packed when it is compiled, with scales as before | .625 |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.module import Module, Parameter


@dataclass(frozen=True)
class Scheme:
    """A form in which weights are stored."""

    dtype: str
    largest: int = 0
    """The largest integer; 0 for floats."""
    group: int = 0
    """The inputs that share a scale; 0 if all do."""


SCHEMES: Mapping[str, Scheme] = {
    "q0f16": Scheme("f16"),
    "q0bf16": Scheme("bf16"),
    "q8f32": Scheme("i8", 127),
    "q8f32_1": Scheme("i8", 127, 32),
    "q4f32_1": Scheme("i8", 7, 32),
}


class StoredWeight(Module):
    """A weight [outputs, inputs] that is stored narrow; its value is of f32."""

    def __init__(self, array: np.ndarray, scheme: Scheme):
        self.scheme = scheme
        codes, scale = _encoded(np.asarray(array, np.float32), scheme)
        self.codes = Parameter(codes.shape, scheme.dtype)
        self.codes.load("codes", codes)
        self.scale = None
        if scale is not None:
            self.scale = Parameter(scale.shape)
            self.scale.load("scale", scale)

    def forward(self) -> Any:
        if self.scale is None:
            return op.astype(self.codes, "f32")
        zero, group = np.int8(0), self.scheme.group
        return op.dequantize(self.codes, self.scale, zero, axis=1 if group else 0, block_size=group)


def quantize(model: Module, scheme: str) -> None:
    """Make the loaded weights of all linear maps and embeddings of a model narrow, in place; one that
    several share stays shared. Norms and biases stay as they are.

    Raises `ModuleError` for a scheme that is not known, and for weights that are not loaded.
    """
    if scheme not in SCHEMES:
        raise ModuleError(
            f"quantize: expected a scheme of {', '.join(SCHEMES)}, found {scheme!r}; pass one of them"
        )
    made: dict[int, StoredWeight] = {}
    for name, module in model.named_modules():
        weight = vars(module).get("weight")
        if not isinstance(weight, Parameter) or len(weight.sizes) != 2:
            continue
        if weight.data is None:
            raise ModuleError(
                f"quantize: expected loaded weights, found none for {name}.weight; load them first"
            )
        if id(weight) not in made:
            made[id(weight)] = StoredWeight(weight.data, SCHEMES[scheme])
        module.weight = made[id(weight)]  # pyright: ignore[reportAttributeAccessIssue]


def _encoded(array: np.ndarray, scheme: Scheme) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the stored numbers of a weight [outputs, inputs], and their scales."""
    if not scheme.largest:
        return array, None
    outputs, inputs = array.shape
    group = scheme.group or max(inputs, 1)
    count = -(-inputs // group)
    padded = np.pad(array, ((0, 0), (0, count * group - inputs))).reshape(outputs, count, group)
    scale = np.abs(padded).max(2) / scheme.largest
    steps = padded / np.where(scale > 0, scale, 1)[:, :, None]
    codes = np.rint(steps).astype(np.int8).reshape(outputs, -1)[:, :inputs]
    return np.ascontiguousarray(codes), scale if scheme.group else scale[:, 0]

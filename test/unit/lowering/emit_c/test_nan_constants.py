"""NaN constants keep sign, payload and quiet bit: in text, folded, interpreted, in C and in an artifact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from optional import LIGHTLY

import lowering
from relax_dialect import interpret, parse

EXPONENT_AND_FRACTION = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}

ALONE = slice(3, 7, 2)
"""The patterns that are constants of their own too."""


def patterns(dtype: str) -> np.ndarray:
    """Quiet and signaling NaNs of both signs."""
    exponent, fraction = EXPONENT_AND_FRACTION[dtype]
    quiet, ones = 1 << (fraction - 1), ((1 << exponent) - 1) << fraction
    sign = 1 << (exponent + fraction)
    payloads = (quiet, quiet | 1, 1, 3, quiet | quiet - 1)
    bits = [s | ones | payload for payload in payloads for s in (0, sign)]
    return np.array(bits, f"u{(exponent + fraction + 1) // 8}")


def program(dtype: str) -> str:
    bits = patterns(dtype)
    all_of, shape = f'dense<"0x{bits.tobytes().hex()}">', f"{len(bits)}x{dtype}"
    text = f"""
    relax.func @all_{dtype}() -> !relax.tensor<[{len(bits)}], {dtype}> {{
      %s = relax.shape [{len(bits)}]
      %0 = relax.constant {all_of} : tensor<{shape}>
      %1 = relax.reshape %0, %s : (!relax.tensor<[{len(bits)}], {dtype}>, !relax.shape<[{len(bits)}]>) -> !relax.tensor<[{len(bits)}], {dtype}>
      relax.return %1 : !relax.tensor<[{len(bits)}], {dtype}>
    }}"""
    for number, each in enumerate(bits[ALONE]):
        text += f"""
    relax.func @one_{dtype}_{number}(%c: !relax.tensor<[n], i1>, %x: !relax.tensor<[n], {dtype}>) -> !relax.tensor<[n], {dtype}> {{
      %0 = relax.constant dense<{each:#x}> : tensor<{dtype}>
      %1 = relax.where %c, %0, %x : (!relax.tensor<[n], i1>, !relax.tensor<[], {dtype}>, !relax.tensor<[n], {dtype}>) -> !relax.tensor<[n], {dtype}>
      relax.return %1 : !relax.tensor<[n], {dtype}>
    }}"""
    return text


@pytest.fixture(scope="module", name="texts")
def texts_fixture() -> list[str]:
    text = "\n".join(map(program, EXPONENT_AND_FRACTION))
    folded = str(lowering.lower(parse(text), ["relax-fold-constant"]))
    return [text, folded, str(parse(folded))]


@pytest.mark.slow
def test_bits_are_kept(texts: list[str], tmp_path: Path):
    modules = [parse(text) for text in texts]
    compiled = lowering.compile(modules[0], extra_flags=LIGHTLY)
    lowering.compile(modules[1], "kept", directory=tmp_path, sidecar_threshold=1)
    loaded = lowering.load(tmp_path / "kept.so")
    calls = [lambda f, *a, m=m: interpret.run(m, f, *a) for m in modules]
    calls += [lambda f, *a: compiled[f](*a), lambda f, *a: loaded[f](*a)]
    for dtype in EXPONENT_AND_FRACTION:
        bits = patterns(dtype)
        for call in calls:
            found = call(f"all_{dtype}")
            np.testing.assert_array_equal(found.view(bits.dtype), bits)
            for number, each in enumerate(bits[ALONE]):
                where = np.arange(19) % 2 == 0
                chosen = call(f"one_{dtype}_{number}", where, np.zeros(19, found.dtype))
                np.testing.assert_array_equal(chosen.view(bits.dtype), np.where(where, each, 0))

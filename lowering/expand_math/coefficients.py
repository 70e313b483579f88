"""The polynomials and rational functions, and what else depends on the precision.

`docs/derive_math_coefficients.py` derives those of f32; the series of f64 are Taylor's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

EXP = (0.49999994, 0.166665152, 0.041668456, 0.00836941879, 0.00138131448)
"""q with exp(r) = 1 + r + r * r * q(r) for |r| <= ln(2) / 2; relative error 3.3e-9."""

LOG = (
    0.333332151,
    -0.249997959,
    0.200104728,
    -0.166805774,
    0.140046269,
    -0.121828482,
    0.139911518,
    -0.128985211,
)
"""q with log(1 + f) = f - f * f / 2 + f * f * f * q(f) for |f| <= 1/3; relative error 4.7e-9."""

TANH = (
    (1.0, 0.133826867, 0.0034974576, 2.063582e-05, 1.33842883e-08),
    (1.0, 0.467160076, 0.0258843601, 0.000328851718, 7.79024845e-07),
)
"""P and Q with tanh(x) = x * P(x * x) / Q(x * x) for |x| <= 9.02; relative error 2.2e-8."""

ERF = (
    (1.12837923, 0.189879686, 0.0526793338, 0.00374284619, 0.000284339389, 2.05388415e-06),
    (1.0, 0.501609445, 0.113891453, 0.0149240205, 0.00115693349, 3.81022874e-05),
)
"""P and Q with erf(x) = x * P(x * x) / Q(x * x) for |x| <= 3.92; relative error 1.9e-8."""

ATAN = (
    (1.0, 1.13102257, 0.287400216, 0.0089688329),
    (1.0, 1.46435583, 0.575521111, 0.0507740676),
)
"""P and Q with atan(x) = x * P(x * x) / Q(x * x) for |x| <= 1; relative error 9.7e-10."""

ASIN = (
    (1.0, -0.822355866, 0.0880720764),
    (1.0, -0.989022195, 0.177898034),
)
"""P and Q with asin(x) = x * P(x * x) / Q(x * x) for |x| <= 1/2; relative error 2.9e-9."""


class Precision(NamedTuple):
    """f32 or f64: the layout of its bits, constants in two parts, and where functions end."""

    digits: int
    """The bits of the mantissa that are stored."""
    bias: int
    least: float
    """The least normal number."""
    two_thirds: int
    """The bits of 2/3."""
    ln2: tuple[float, float]
    """ln(2), whose high part times an exponent is exact."""
    log10_2: tuple[float, float]
    exp: Sequence[float]
    """q with exp(r) = 1 + r + r * r * q(r) for |r| <= ln(2) / 2."""
    exp_ends: tuple[float, float]
    """Where exp has become 0 and infinite."""
    exp2_ends: tuple[float, float]
    expm1_ends: tuple[float, float]
    """Where expm1 has become -1, and sinh infinite."""
    tiny: float
    """Up to here expm1(x) is x."""

    @property
    def rounder(self) -> float:
        """Adding it rounds to an integer, which then stands in the low bits."""
        return 1.5 * 2.0**self.digits

    @property
    def rounder_bits(self) -> int:
        """The bits of `rounder`."""
        return (self.bias + self.digits << self.digits) + (1 << self.digits - 1)


SINGLE = Precision(
    digits=23,
    bias=127,
    least=2.0**-126,
    two_thirds=0x3F2AAAAB,
    ln2=(0.693359375, -2.12194442e-4),
    log10_2=(0.301025391, 4.60503907e-06),
    exp=EXP,
    exp_ends=(-104.0, 89.0),
    exp2_ends=(-151.0, 129.0),
    expm1_ends=(-18.0, 89.5),
    tiny=1e-8,
)
DOUBLE = Precision(
    digits=52,
    bias=1023,
    least=2.0**-1022,
    two_thirds=0x3FE5555555555555,
    ln2=(0.6931471803691238, 1.9082149292705877e-10),
    log10_2=(0.3010299955494702, 1.1451100898021838e-10),
    exp=tuple(1 / math.factorial(k + 2) for k in range(12)),
    exp_ends=(-746.0, 710.0),
    exp2_ends=(-1076.0, 1025.0),
    expm1_ends=(-40.0, 710.5),
    tiny=1e-17,
)

LOG_DOUBLE = tuple(2 / (2 * k + 3) for k in range(12))
"""P with log(1 + f) = 2 s + s * z * P(z), s = f / (2 + f) and z = s * s, for |f| <= 1/3."""

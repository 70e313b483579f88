"""The polynomials and rational functions, and other constants that depend on the precision.

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

ERFCX = (
    (1.0, 1.23645449, 0.729452372, 0.22815074, 0.0325544998),
    (1.0, 2.36483407, 2.39787412, 1.32133281, 0.404413581, 0.057700634),
)
"""P and Q with erfc(x) = exp(-x * x) * P(x) / Q(x) for 0 <= x <= 10.1; relative error 6e-9."""

HALF_EXP = (1.0, -0.499999851, 0.124997854, -0.0208345558, 0.00261867815, -0.00025906699)
"""p with exp(-r / 2) = p(r) for |r| <= ln(2); relative error 9.3e-8."""

NORMAL_TAIL = (
    (0.5, 0.361494482, 0.119215086, 0.0169553868),
    (1.0, 1.52086031, 0.952027738, 0.298625082, 0.0425058268),
)
"""P and Q with P(X <= -a) = exp(-a * a / 2) * P(a) / Q(a) for a normal X and 0 <= a <= 14.3; relative error
4.2e-7."""

TWO_LN2 = (1.38671875, -0.00042438507080078125)
"""2 ln(2), whose high part times an exponent is exact; the sum is an f32."""

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

ATANH = (0.3333333313660639, 0.20000156822341536, 0.14266272501740782, 0.11875670882940172)
"""p with atanh(s) = s + s * z * p(z), z = s * s, for |s| <= 1/5; relative error 2e-9 of p."""

ATANH_DOUBLE = (
    0.19999999999999998,
    0.14285714285717882,
    0.11111111109230033,
    0.09090909465123065,
    0.07692271204401065,
    0.06668592682071038,
    0.058263672543326504,
    0.06098178784891515,
)
"""p with atanh(s) = s + s * z / 3 + s * z * z * p(z), z = s * s, for |s| <= 1/5; error 1e-15 of p."""

EXP2 = (
    0.6931471880352003,
    0.24022650760645808,
    0.05550357071152507,
    0.009618082519990467,
    0.0013390886332106697,
    0.0001545318282995974,
)
"""p with 2**r = 1 + r * p(r) for |r| <= 1/2; relative error 4e-9."""

TAN = ((1.0, -0.111358359, 0.00107493903), (1.0, -0.444691688, 0.0159721505))
"""P and Q with tan(r) = r * P(r * r) / Q(r * r) for |r| <= pi / 4; relative error 2.7e-11."""

SIN = (-0.16666664584748453, 0.008332733291296983, -0.00019584675131209184)
"""p with sin(r) = r + r * u * p(u), u = r * r, for |r| <= pi / 4; relative error 1.3e-8."""

COS = (
    -0.4999999996751496,
    0.04166665002464829,
    -0.001388755588392321,
    2.4459501644422573e-05,
)
"""p with cos(r) = 1 + u * p(u), u = r * r, for |r| <= pi / 4; relative error 3e-10."""

SIN_DOUBLE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
COS_DOUBLE = tuple((-1) ** k / math.factorial(2 * k) for k in range(1, 9))
"""The same by Taylor's series; relative errors 9e-20 and 3e-18."""

HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
"""pi / 2 in three parts of f64, with an error of 6e-50."""

LARGE = 2.0**30
"""Arguments of sine, cosine and tangent that are less are reduced by `HALF_PI`."""

FOLDS = (
    (7.25959386186925e25, -1.9466590442353616e-16),
    (9014667963203.594, -2.401795782703331e-16),
)
"""Numbers of f64 that exceed a multiple of 2 pi by hardly anything, and that excess."""


class FloatLayout(NamedTuple):
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
    half_pi: tuple[float, float]
    """pi / 2 rounded, and its remainder."""
    two_over_ln2: tuple[float, float]
    exp: Sequence[float]
    """q with exp(r) = 1 + r + r * r * q(r) for |r| <= ln(2) / 2."""
    exp_ends: tuple[float, float]
    """The arguments at which exp becomes 0 and infinite."""
    exp2_ends: tuple[float, float]
    power_ends: tuple[float, float]
    """Exponents of 2 for which everything is 0 or infinite."""
    expm1_ends: tuple[float, float]
    """The arguments at which expm1 becomes -1, and sinh infinite."""
    cube_root_guess: int
    """Less a third of the bits of a number, the bits of a guess of its reciprocal cube root."""
    tiny: float
    """The greatest x for which expm1(x) is x."""

    @property
    def rounder(self) -> float:
        """Adding it rounds to an integer, which then is in the low bits: those of `rounder` are 0."""
        return 1.5 * 2.0**self.digits


SINGLE = FloatLayout(
    digits=23,
    bias=127,
    least=2.0**-126,
    two_thirds=0x3F2AAAAB,
    ln2=(0.693359375, -2.12194442e-4),
    log10_2=(0.301025391, 4.60503907e-06),
    half_pi=(1.57079637, -4.37113883e-08),
    two_over_ln2=(2.885390043258667, 3.851925982253235e-08),
    exp=EXP,
    exp_ends=(-104.0, 89.0),
    exp2_ends=(-151.0, 129.0),
    power_ends=(-160.0, 160.0),
    expm1_ends=(-18.0, 89.5),
    cube_root_guess=0x54A1F671,
    tiny=1e-8,
)
HALF = SINGLE._replace(
    exp=(0.500053227, 0.167552561, 0.0412701331),
    exp_ends=(-18.0, 12.0),
    exp2_ends=(-26.0, 17.0),
    power_ends=(-26.0, 17.0),
)
"""f32 for arguments and results of f16; the relative error of exp(r) is 5.6e-06."""

LOG_HALF = (0.332491368, -0.249013916, 0.224201694, -0.190408632)
"""As LOG; relative error 9.3e-06."""

DOUBLE = FloatLayout(
    digits=52,
    bias=1023,
    least=2.0**-1022,
    two_thirds=0x3FE5555555555555,
    ln2=(0.6931471803691238, 1.9082149292705877e-10),
    log10_2=(0.3010299955494702, 1.1451100898021838e-10),
    half_pi=(1.5707963267948966, 6.123233995736766e-17),
    two_over_ln2=(2.8853900817779268, 4.0710547481862066e-17),
    exp=tuple(1 / math.factorial(k + 2) for k in range(12)),
    exp_ends=(-746.0, 710.0),
    exp2_ends=(-1076.0, 1025.0),
    power_ends=(-1100.0, 1100.0),
    expm1_ends=(-40.0, 710.5),
    cube_root_guess=0x553EE978D4FDF000,
    tiny=1e-17,
)

LOG_DOUBLE = (
    0.6666666666666666,
    0.3999999999999991,
    0.2857142857148925,
    0.22222222206682107,
    0.1818182017275879,
    0.153844723884678,
    0.13339346334595528,
    0.11618297031888691,
    0.12417905987914865,
)
"""p with log(1 + f) = 2 s + s * z * p(z), s = f / (2 + f) and z = s * s, for |f| <= 1/3; error 1e-18."""

LOG1P = (0.6666664033669923, 0.40007560644911205, 0.2823661980531048, 0.2685149802283715)
LOG1P_DOUBLE = (
    0.6666666666666666,
    0.40000000000014585,
    0.2857142856710876,
    0.22222222717427864,
    0.18181789436132859,
    0.15385570064958623,
    0.13314144209654935,
    0.12001072809590713,
    0.08800738486144674,
    0.1616404561194353,
)
"""The same for f from 0 to 1; errors 2e-8 and 1e-17."""

ATAN_DOUBLE = (
    -0.3333333333333333,
    0.19999999999999804,
    -0.14285714285659779,
    0.11111111105150588,
    -0.09090908753259112,
    0.07692296368042296,
    -0.0666642476020052,
    0.05878927554473807,
    -0.05230443640686948,
    0.045515447340221615,
    -0.03456931506332609,
    0.016284375050043393,
)
"""p with atan(x) = x + x * u * p(u), u = x * x, for |x| <= tan(pi / 8); error 1.2e-18."""

ASIN_DOUBLE = (
    0.16666666666666666,
    0.07500000000000118,
    0.044642857142551895,
    0.03038194447553234,
    0.02237215744350722,
    0.017352816540325496,
    0.01396378001220357,
    0.011566459612121669,
    0.009621842970100282,
    0.009319560794767446,
    0.003044879909455677,
    0.01955451333612338,
    -0.01924167174674304,
    0.02961201126495512,
)
"""p with asin(x) = x + x * u * p(u), u = x * x, for |x| <= 1/2; error 2e-18."""

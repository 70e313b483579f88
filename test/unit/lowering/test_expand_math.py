"""The polynomials of relax-expand-math against libm in f64, over the bit patterns of f32."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import Oracle, lower_and_load, parse
from optional import LONG, MLIR, WIDE_FLOAT, needs
from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp

from lowering.ir.arith_emitter import ArithEmitter, Bool, Float
from lowering.ir.constants import ConstantPool
from lowering.loops.expand_math import (
    coefficients,
    expand_math,
    exponentials,
    logarithms,
    powers,
)
from lowering.loops.expand_math.coefficients import (
    ASIN,
    ATAN,
    ERF,
    ERFCX,
    EXP,
    HALF_EXP,
    LOG,
    NORMAL_TAIL,
    TAN,
    TANH,
)
from lowering.loops.expand_math.guarded import IS_UNUSUAL
from lowering.loops.linalg_to_loops import lower_linalg_to_loops

UNARY = """
func.func @f_{1}(%n: index {{relax.symbol = "n"}}, %x: memref<?x{0}> {{relax.dims = ["n"]}},
    %y: memref<?x{0}> {{relax.dims = ["n"], relax.result}}) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                   iterator_types = ["parallel"]}}
      ins(%x : memref<?x{0}>) outs(%y : memref<?x{0}>) {{
  ^bb0(%a: {0}, %b: {0}):
    %r = math.{1} %a : {0}
    linalg.yield %r : {0}
  }}
  func.return
}}
"""
ULPS = {
    "exp": 1.1, "exp2": 1.2, "expm1": 2.0, "sinh": 3.0, "cosh": 2.0, "tanh": 7.0, "erf": 7.0,
    "log": 1.2, "log2": 2.5, "log10": 3.0, "log1p": 2.0, "asinh": 4.0, "acosh": 4.0, "atanh": 4.0,
    "asin": 5.0, "acos": 3.0, "atan": 4.0, "rsqrt": 1.5, "sin": 1.5, "cos": 1.5, "tan": 3.5,
    "cbrt": 0.55, "erfc": 8.0,
}  # fmt: skip
"""The bounds that the docstring of the pass states."""
FUNCTIONS = list(ULPS)
ONLY_F32 = ("erf", "erfc", "rsqrt")
TWO = ("powf", "atan2")
"""The functions of two arguments."""
LOGARITHMS = ("log", "log2", "log10")
SMALL_ANGLES = ("sin", "cos", "tan")
"""The functions that are expanded in loops whose arguments are small."""
CRITICAL = {
    "exp": [0.0, 0.5 * math.log(2), 88.72, 87.33, 103.28, 103.97, 89, 104],
    "exp2": [0.0, 0.5, 1.0, 126, 127.9, 128, 129, 149, 150, 151],
    "expm1": [0.0, 0.5 * math.log(2), 1.0, 17.3, 18, 88.72, 89],
    "sinh": [0.0, 0.5 * math.log(2), 1.0, 9.0, 88.72, 89.4, 90],
    "cosh": [0.0, 0.5 * math.log(2), 1.0, 9.0, 88.72, 89.4, 90],
    "tanh": [0.0, 0.5, 1.0, 9.0, 9.02, 9.4],
    "erf": [0.0, 0.5, 1.0, 3.9, 3.92, 4.1],
    "erfc": [0.0, 0.5, 1.0, 4.0, 9.19, 10.05, 10.2],
    "log": [0.0, 2 / 3, 1.0, 4 / 3, 2.0, 1.2e-38, 3.4e38],
    "log2": [0.0, 2 / 3, 1.0, 4 / 3, 2.0, 1.2e-38, 3.4e38],
    "log10": [0.0, 2 / 3, 1.0, 4 / 3, 2.0, 10.0, 1.2e-38, 3.4e38],
    "log1p": [0.0, 1.0, 1 / 3, 6e-8, 1.2e-7, 1e-4, 3.4e38],
    "asinh": [0.0, 1.0, 1e-4, 4096.0, 1e9, 1.8e19, 3.4e38],
    "acosh": [0.0, 1.0, 1.0001, 4096.0, 1e9, 1.8e19, 3.4e38],
    "atanh": [0.0, 0.5, 1.0, 1e-4],
    "asin": [0.0, 0.5, 1.0],
    "acos": [0.0, 0.5, 1.0],
    "atan": [0.0, 0.5, 1.0, 2.0, 1e30],
    "rsqrt": [0.0, 1.0, 2.0, 4.0, 1e-38, 3e38],
    "sin": [0.0, math.pi / 4, math.pi / 2, math.pi, 1e5, 2.0**43, 2.0**86, 3.4e38],
    "cos": [0.0, math.pi / 4, math.pi / 2, math.pi, 1e5, 2.0**43, 2.0**86, 3.4e38],
    "tan": [0.0, math.pi / 4, math.pi / 2, math.pi, 1e5, 2.0**43, 2.0**86, 3.4e38],
    "cbrt": [0.0, 1.0, 2.0, 8.0, 2.0**-63, 1.2e-38, 3.4e38],
}


Kernel = Callable[[Sequence[float], Sequence[np.ndarray]], object]
"""A function of a loaded module: it takes the values of symbols, and arrays."""


@cache
def expanded(contract: bool, type_: str) -> Oracle:
    """The expansions of all functions as loops, compiled together."""
    names = [name for name in FUNCTIONS if type_ == "f32" or name not in ONLY_F32]
    module = parse("".join(UNARY.format(type_, name) for name in names))
    for function, name in zip(list(module.ops), names, strict=True):
        lower_linalg_to_loops(function)
        expand_math(function)
        left = {op.name for op in function.walk() if op.name.startswith("math.")}
        large = {f"math.{name}"} if type_ == "f64" and name in SMALL_ANGLES else set()
        assert left == large | left & {
            "math.sqrt", "math.absf", "math.copysign", "math.fma", "math.floor"
        }  # fmt: skip
    module.verify()
    return lower_and_load(module, contract)


def compiled(name: str, contract: bool, type_: str = "f32") -> Kernel:
    """The expansion of a function."""
    return partial(expanded(contract, type_).call, f"f_{name}")


@cache
def computed(name: str, type_: str, function: Callable[..., Float | Bool]) -> Kernel:
    """A kernel that computes a function in place of an op, of the same arguments; truth values are 0 and 1."""
    module = parse((BINARY if name in TWO else UNARY).format(type_, name))
    for region in module.ops:
        lower_linalg_to_loops(region)
        (op,) = (op for op in region.walk() if op.name == f"math.{name}")
        emitter = ArithEmitter(op, ConstantPool(region), None, op.operands[0].type)
        result = function(*(Float(emitter, value) for value in op.operands)).ssa
        if result.type != op.operands[0].type:
            result = emitter.emit(arith.UIToFPOp(result, op.operands[0].type))
        op.results[0].replace_all_uses_with(result)
        op.detach()
        op.erase()
    return partial(lower_and_load(module).call, f"f_{name}")


def is_unusual(name: str, *arguments: np.ndarray) -> np.ndarray:
    """Whether the arguments of an op bring a loop to the arithmetic that serves all of them."""
    (question,) = (IS_UNUSUAL[op] for op in IS_UNUSUAL if op.name == f"math.{name}")
    flags = np.full_like(arguments[0], np.nan)
    computed(name, f"f{8 * flags.itemsize}", question)([flags.size], [*arguments, flags])
    assert np.all((flags == 0) | (flags == 1))
    return flags == 1


def with_usual(name: str, *arguments: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Arguments of an op, and the usual ones among them, which a loop has its own arithmetic for."""
    yield arguments
    if name in (*LOGARITHMS, "powf"):
        usual = ~is_unusual(name, *arguments)
        if usual.any():
            yield tuple(argument[usual] for argument in arguments)


@cache
def library() -> Oracle:
    """The functions themselves in f64, without any of our passes."""
    return lower_and_load("".join(UNARY.format("f64", name) for name in FUNCTIONS))


def libm(name: str) -> Kernel:
    return partial(library().call, f"f_{name}")


def apply(kernel: Kernel, x: np.ndarray) -> np.ndarray:
    y = np.zeros_like(x)
    kernel([len(x)], [x, y])
    return y


def ulp_error(y: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The distance of y from the exact value, in units of the last place of that."""
    with np.errstate(over="ignore", invalid="ignore"):
        spacing = np.spacing(np.abs(exact).astype("f4"))
        error = np.abs(y.astype("f8") - exact) / spacing.astype("f8")
        overflow = np.abs(exact) > np.finfo("f4").max
    same = overflow & np.isinf(y) & (np.sign(y) == np.sign(exact))
    same |= np.isnan(y) & np.isnan(exact)
    return np.where(same, 0.0, error)


def patterns(step: int) -> Iterator[np.ndarray]:
    """Every `step`-th f32 bit pattern, NaNs included."""
    chunk = 1 << 22
    for start in range(0, 1 << 32, step * chunk):
        stop = min(start + step * chunk, 1 << 32)
        yield np.arange(start, stop, step, dtype=np.int64).astype("u4").view("f4")


def around(centres: list[float], count: int = 20000) -> np.ndarray:
    """The f32 values next to some points, of both signs."""
    bits = np.array([*centres, *(-c for c in centres)], "f4").view("i4").astype("i8")
    near = bits[:, None] + np.arange(-count, count)
    return np.ascontiguousarray((near.ravel() % (1 << 32)).astype("u4").view("f4"))


def reference(name: str, x: np.ndarray) -> np.ndarray:
    """The function in f64; MLIR makes `exp(x) - 1` of expm1, and the like of log1p."""
    with np.errstate(all="ignore"):
        if name in ("expm1", "log1p"):
            return getattr(np, name)(x.astype("f8"))
        return apply(libm(name), x.astype("f8"))


@needs(MLIR)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_bound(name: str, contract: bool):
    for chunk in [*patterns(16411), around(CRITICAL[name])]:
        for (x,) in with_usual(name, chunk):
            error = ulp_error(apply(compiled(name, contract), x), reference(name, x))
            assert not np.isnan(error).any()
            worst = int(np.argmax(error))
            assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}): {error[worst]} ulp"


@needs(MLIR)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "rsqrt"])
def test_libm_reference_agrees_with_python(name: str):
    ends = {"log": (1e-3, 40), "acosh": (1, 40), "log1p": (-0.99, 40), "a": (-0.99, 0.99)}
    start, stop = ends.get(name, ends.get(name.rstrip("210"), ends.get(name[0], (-20, 20))))
    x = np.linspace(start, stop, 4001)
    expected = [getattr(math, name)(value) for value in x]
    np.testing.assert_allclose(apply(libm(name), x), expected, rtol=1e-14)


INF, NAN = math.inf, math.nan
SPECIAL = [
    ("exp", [-INF, INF, NAN, 0.0, -0.0, 88.8, -104.5, 1e38], [0, INF, NAN, 1, 1, INF, 0, INF]),
    ("tanh", [-INF, INF, NAN, 0.0, -0.0, 9.4, 1e30, -50], [-1, 1, NAN, 0.0, -0.0, 1, 1, -1]),
    ("erf", [-INF, INF, NAN, 0.0, -0.0, 4.1, 1e30, -50], [-1, 1, NAN, 0.0, -0.0, 1, 1, -1]),
    ("erfc", [-INF, INF, NAN, 0.0, -0.0, 1e-40, 10.2, 1e30, -50], [2, 0, NAN, 1, 1, 1, 0, 0, 2]),
    ("exp2", [-INF, INF, NAN, 0.0, -0.0, 10, -149, 128], [0, INF, NAN, 1, 1, 1024, 2**-149, INF]),
    (
        "expm1",
        [-INF, INF, NAN, 0.0, -0.0, 1e-40, -30, 100],
        [-1, INF, NAN, 0, -0.0, 1e-40, -1, INF],
    ),
    ("sinh", [-INF, INF, NAN, 0.0, -0.0, 1e-40, -100], [-INF, INF, NAN, 0, -0.0, 1e-40, -INF]),
    ("cosh", [-INF, INF, NAN, 0.0, -0.0, 1e-40, -100], [INF, INF, NAN, 1, 1, 1, INF]),
    ("log", [-INF, INF, NAN, 0.0, -0.0, 1, -1e-40], [NAN, INF, NAN, -INF, -INF, 0, NAN]),
    ("log2", [-INF, INF, NAN, 0.0, -0.0, 2**-149, 8], [NAN, INF, NAN, -INF, -INF, -149, 3]),
    ("log10", [-INF, INF, NAN, 0.0, -0.0, 1, -1], [NAN, INF, NAN, -INF, -INF, 0, NAN]),
    (
        "log1p",
        [-INF, INF, NAN, 0.0, -0.0, -1, 1e-40, -2],
        [NAN, INF, NAN, 0, -0.0, -INF, 1e-40, NAN],
    ),
    ("asinh", [-INF, INF, NAN, 0.0, -0.0, 1e-40], [-INF, INF, NAN, 0, -0.0, 1e-40]),
    ("acosh", [-INF, INF, NAN, 1, 0.5, -1], [NAN, INF, NAN, 0, NAN, NAN]),
    ("atanh", [-1, 1, NAN, 0.0, -0.0, 1e-40, 1.5, INF], [-INF, INF, NAN, 0, -0.0, 1e-40, NAN, NAN]),
    ("asin", [2, -INF, NAN, 0.0, -0.0, 1e-40], [NAN, NAN, NAN, 0, -0.0, 1e-40]),
    ("acos", [2, -INF, NAN, 1, -1], [NAN, NAN, NAN, 0, np.float32(math.pi)]),
    ("atan", [INF, -INF, NAN, 0.0, -0.0, 1e-40], [math.pi / 2, -math.pi / 2, NAN, 0, -0.0, 1e-40]),
    ("sin", [INF, -INF, NAN, 0.0, -0.0, 1e-40, -1e-40], [NAN, NAN, NAN, 0.0, -0.0, 1e-40, -1e-40]),
    ("cos", [INF, -INF, NAN, 0.0, -0.0, 1e-40], [NAN, NAN, NAN, 1, 1, 1]),
    ("tan", [INF, -INF, NAN, 0.0, -0.0, 1e-40, -1e-40], [NAN, NAN, NAN, 0.0, -0.0, 1e-40, -1e-40]),
    ("cbrt", [INF, -INF, NAN, 0.0, -0.0, 2**-147, -27], [INF, -INF, NAN, 0, -0.0, 2**-49, -3]),
    ("rsqrt", [INF, 0.0, -0.0, NAN, -1.0, 4.0], [0, INF, -INF, NAN, NAN, 0.5]),
]


@needs(MLIR)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name, inputs, expected", SPECIAL, ids=[case[0] for case in SPECIAL])
def test_special_values(name: str, inputs: list, expected: list, contract: bool):
    y = apply(compiled(name, contract), np.array(inputs, "f4"))
    expected = np.array(expected, "f4")
    np.testing.assert_array_equal(y, expected)
    signs = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(y[signs]), np.signbit(expected[signs]))


@needs(MLIR)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
def test_exp_rounds_denormal_results(contract: bool):
    x = np.linspace(-103.9, -87.4, 100001).astype("f4")
    y = apply(compiled("exp", contract), x)
    exact = np.exp(x.astype("f8"))
    assert np.all(np.abs(y - exact) <= 2.0**-149)
    assert np.all(y[x > -103.2] > 0)


sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
try:
    import derive_math_coefficients as derivation
finally:
    del sys.path[0]


def hard_angles(digits: int = 24, exponents: range = range(-20, 105)) -> list[float]:
    """For every exponent the number of so many digits (those of f32) that is nearest to a multiple of
    pi / 2."""
    quarter, found = derivation.pi(1400) / 2, list[float]()
    for e in exponents:
        best = max(
            (c for c in islice(derivation.convergents(Fraction(2) ** e / quarter), 40)
             if c.denominator < 2**digits), key=lambda c: c.denominator
        )  # fmt: skip
        found.append(best.denominator * 2.0**e)
    return found


@needs(MLIR)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_arguments_next_to_multiples_of_half_pi(name: str, contract: bool):
    x = np.array(hard_angles(), "f4")
    turn = 2 * derivation.pi(1400)
    rest = [Fraction(float(value)) % turn for value in x]
    quarters = [round(4 * r / turn) for r in rest]
    near = np.array([float(r - q * turn / 4) for r, q in zip(rest, quarters)])
    turned = {"sin": (np.sin, np.cos), "cos": (np.cos, np.sin)}
    signs = {"sin": (1, 1, -1, -1), "cos": (1, -1, -1, 1)}

    def exact(function: str) -> np.ndarray:
        odd = np.array(quarters) % 2
        values = np.where(odd, turned[function][1](near), turned[function][0](near))
        return values * np.array(signs[function])[np.array(quarters) % 4]

    expected = exact("sin") / exact("cos") if name == "tan" else exact(name)
    error = ulp_error(apply(compiled(name, contract), x), expected)
    worst = int(np.argmax(error))
    assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}): {error[worst]} ulp"


def small_angles(dtype: str) -> Iterator[np.ndarray]:
    """Numbers less than `LARGE`, multiples of pi / 4 and their neighbours among them."""
    random = np.random.default_rng(0)
    sizes = np.exp(random.uniform(-700 if dtype == "f8" else -80, math.log(2.0**30), 400_000))
    yield (sizes * random.choice([-1, 1], sizes.size)).astype(dtype)
    yield random.uniform(-4, 4, 400_000).astype(dtype)
    near = random.integers(-(2**31), 2**31, 40_000) * (math.pi / 4)
    near = np.concatenate([near, np.arange(-2000, 2000) * (math.pi / 4), hard_angles()])
    near = np.concatenate([near, hard_angles(53, range(-70, -23))])
    near = near[np.abs(near) < 2.0**30 - 64].astype(dtype)
    yield near
    for to in (-math.inf, math.inf):
        yield np.nextafter(near, near.dtype.type(to))
    yield np.array([0.0, -0.0, 5e-324, math.nan, np.nextafter(2.0**30, 0)], dtype)


@needs(MLIR, WIDE_FLOAT)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("name", SMALL_ANGLES)
def test_loops_of_small_angles(name: str, type_: str, contract: bool):
    for x in small_angles({"f32": "f4", "f64": "f8"}[type_]):
        y = apply(compiled(name, contract, type_), x)
        with np.errstate(all="ignore"):
            exact = getattr(np, name)(x.astype(np.longdouble))
            rounded = exact.astype(x.dtype)
            error = np.abs((y - exact) / np.spacing(np.abs(rounded)))
        error = np.where((y == rounded) | (np.isnan(y) & np.isnan(rounded)), 0, error)
        worst = int(np.argmax(error))
        assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}): {error[worst]} ulp"
        zero = rounded == 0
        np.testing.assert_array_equal(np.signbit(y[zero]), np.signbit(rounded[zero]))


@needs(MLIR)
@pytest.mark.parametrize("name", SMALL_ANGLES)
def test_one_large_angle_is_enough_for_the_loop_as_it_was(name: str):
    """In f64 that is the library's function, whose results everything then is."""
    for large in (2.0**30, -(2.0**30), 1e300, math.inf, -math.inf):
        x = np.append(np.random.default_rng(0).uniform(-9, 9, 1000), large)
        np.testing.assert_array_equal(apply(compiled(name, False, "f64"), x), apply(libm(name), x))


@needs(LONG)
def test_coefficients_are_the_derived_ones():
    fits = derivation.derive()
    bounds = {
        "exp": 3.3e-9,
        "tanh": 2.2e-8,
        "log": 4.7e-9,
        "erf": 2e-8,
        "atan": 9.7e-10,
        "asin": 2.9e-9,
        "tan": 2.8e-11,
        "erfcx": 6.1e-9,
        "half_exp": 9.3e-8,
        "normal_tail": 4.2e-7,
    }
    assert all(fits[name].error < bound for name, bound in bounds.items())
    np.testing.assert_allclose(EXP, fits["exp"].numerator, rtol=1e-5)
    np.testing.assert_allclose(LOG, fits["log"].numerator, rtol=1e-4)
    np.testing.assert_allclose(HALF_EXP, fits["half_exp"].numerator, rtol=1e-5)
    rational = {"tanh": TANH, "erf": ERF, "atan": ATAN, "asin": ASIN, "tan": TAN, "erfcx": ERFCX}
    for name, mine in {**rational, "normal_tail": NORMAL_TAIL}.items():
        fit = fits[name]
        np.testing.assert_allclose(mine[0], fit.numerator, rtol=1e-3)
        np.testing.assert_allclose(mine[1], fit.denominator, rtol=1e-3)


def test_series_and_constants_are_the_derived_ones():
    for name, series in derivation.economised().items():
        np.testing.assert_allclose(getattr(coefficients, name.upper()), series, rtol=1e-12)
    assert (derivation.fold(86), derivation.fold(44)) == coefficients.FOLDS
    lacking = derivation.pi(1400) / 2 - sum(map(Fraction, coefficients.HALF_PI))
    assert abs(lacking) < 6e-50
    for precision in (coefficients.SINGLE, coefficients.DOUBLE):
        guess = derivation.cube_root_guess(precision.bias, precision.digits)
        assert precision.cube_root_guess == guess
        assert np.isclose(sum(precision.half_pi), math.pi / 2, rtol=1e-14)
        high, low = precision.two_over_ln2
        assert abs(Fraction(high) + Fraction(low) - 2 / derivation.LN2) < 2 ** (
            -2 * precision.digits
        )
    assert np.float32(coefficients.SINGLE.two_over_ln2[0]) == coefficients.SINGLE.two_over_ln2[0]
    assert Fraction(1, 3) - Fraction(1 / 3) == Fraction(powers.THIRD_DROPPED).limit_denominator(
        3 << 54
    )


def double_arguments() -> Iterator[np.ndarray]:
    """f64 of every size and sign, and those next to where something changes."""
    random = np.random.default_rng(0)
    yield random.uniform(-750, 750, 100_000)
    yield random.uniform(-3, 3, 100_000)
    yield random.integers(0, 2**64 - 1, 200_000, np.uint64).view(np.float64)
    yield np.exp(random.uniform(-40, 0, 100_000)) * random.choice([-1, 1], 100_000)
    edges = [
        0.0,
        1.0,
        INF,
        NAN,
        5e-324,
        2.3e-308,
        709.78,
        745.1,
        710.47,
        710.48,
        1024,
        1075,
        22,
        1e9,
    ]
    near = (np.array(edges).view(np.int64)[:, None] + np.arange(-50, 50)).ravel().view(np.float64)
    yield np.concatenate([near, -near])


LONG = {
    f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
}
IN_F64 = [name for name in FUNCTIONS if name not in (*ONLY_F32, *SMALL_ANGLES)]


@needs(MLIR, WIDE_FLOAT)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name", IN_F64)
def test_error_bound_of_f64(name: str, contract: bool):
    function = LONG.get(name) or getattr(np, name)
    for (x,) in (some for chunk in double_arguments() for some in with_usual(name, chunk)):
        y = apply(compiled(name, contract, "f64"), x)
        with np.errstate(all="ignore"):
            exact = function(x.astype(np.longdouble))
            rounded = exact.astype(np.float64)
            error = np.abs((y - exact) / np.spacing(np.abs(rounded)))
        same = (y == rounded) | (np.isnan(y) & np.isnan(rounded))
        error = np.where(same, 0, error)
        worst = int(np.argmax(error))
        assert not np.isnan(error).any()
        assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}): {error[worst]} ulp"
        zero = rounded == 0
        np.testing.assert_array_equal(np.signbit(y[zero]), np.signbit(rounded[zero]))


BINARY = """
func.func @f_{1}(%n: index, %x: memref<?x{0}>, %y: memref<?x{0}>, %z: memref<?x{0}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %a = memref.load %x[%i] : memref<?x{0}>
    %b = memref.load %y[%i] : memref<?x{0}>
    %r = math.{1} %a, %b : {0}
    memref.store %r, %z[%i] : memref<?x{0}>
  }}
  func.return
}}
"""
PAIRS = {
    # name, type: numpy's function, a wider type, the bound in ulp
    ("powf", "f32"): (np.power, np.float64, 2.0),
    ("powf", "f64"): (np.power, np.longdouble, 2.0),
    ("atan2", "f32"): (np.arctan2, np.float64, 4.0),
    ("atan2", "f64"): (np.arctan2, np.longdouble, 4.0),
}


def pairs(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Special values with each other, pairs of all bit patterns, and positive numbers of moderate size
    with others."""
    random = np.random.default_rng(0)
    corners = [0, 0.5, 1, 1.5, 2, 3, 16777216, 1e9, 3e38, 1e-40, INF, NAN]
    corners = np.array([*corners, *(-c for c in corners)], dtype)
    bits = random.integers(0, 2 ** (8 * dtype.itemsize), 400_000, f"u{dtype.itemsize}")
    scattered = bits.view(dtype)
    x = [np.repeat(corners, corners.size), scattered, random.uniform(0, 9, 400_000)]
    y = [np.tile(corners, corners.size), random.permutation(scattered)]
    y = [*y, random.uniform(-40, 40, 400_000)]
    with np.errstate(all="ignore"):
        return np.concatenate(x).astype(dtype), np.concatenate(y).astype(dtype)


DTYPES = {"f32": np.dtype("f4"), "f64": np.dtype("f8")}


@needs(MLIR, WIDE_FLOAT)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name, type_", PAIRS, ids=[f"{n}_{t}" for n, t in PAIRS])
def test_functions_of_two(name: str, type_: str, contract: bool):
    function, wide, bound = PAIRS[name, type_]
    module = parse(BINARY.format(type_, name))
    for op in module.ops:
        expand_math(op)
    assert f"math.{name}" not in str(module)
    oracle = lower_and_load(module, contract)
    for x, y in with_usual(name, *pairs(DTYPES[type_])):
        z = np.zeros_like(x)
        oracle.call(f"f_{name}", [x.size], [x, y, z])
        with np.errstate(all="ignore"):
            exact = function(x.astype(wide), y.astype(wide))
            rounded = exact.astype(x.dtype)
            error = np.abs((z - exact) / np.spacing(np.abs(rounded)))
        same = (z == rounded) | (np.isnan(z) & np.isnan(rounded))
        error = np.where(same, 0, error)
        worst = int(np.argmax(error))
        assert error[worst] <= bound, (x[worst], y[worst], z[worst], exact[worst])
        kept = ~np.isnan(rounded)
        np.testing.assert_array_equal(np.isnan(z), ~kept)
        np.testing.assert_array_equal(np.signbit(z[kept]), np.signbit(rounded[kept]))


def is_normal(x: np.ndarray) -> np.ndarray:
    """Whether numbers are neither zero nor denormal, infinite or NaN."""
    return (np.abs(x) >= np.finfo(x.dtype).tiny) & np.isfinite(x)


@needs(MLIR, WIDE_FLOAT)
@pytest.mark.parametrize("type_", DTYPES)
def test_usual_powers_are_normal_ones(type_: str):
    x, y = pairs(DTYPES[type_])
    near = np.exp2(
        np.random.default_rng(0).uniform(-1, 1, 400_000) * np.log2(np.finfo(x.dtype).max)
    )
    x, y = np.append(x, near.astype(x.dtype)), np.append(y, y[-400_000:] / 20)
    usual = ~is_unusual("powf", x, y)
    with np.errstate(all="ignore"):
        power = np.power(x.astype(np.longdouble), y).astype(x.dtype)
        size = np.maximum(np.abs(y), 1) * np.abs(np.log2(np.abs(x)))
    normal = (x > 0) & is_normal(x) & is_normal(power)
    assert np.all(normal[usual])
    assert np.all(usual[normal & (size < np.finfo(x.dtype).maxexp - 12) & (np.abs(y) < 40)])


@needs(MLIR)
@pytest.mark.parametrize("name", LOGARITHMS)
def test_usual_arguments_of_logarithms_are_normal(name: str):
    ends = around([2.0**-126, 0.0, INF], 100)
    for x in (ends, *patterns(99991), *double_arguments()):
        np.testing.assert_array_equal(~is_unusual(name, x), (x > 0) & is_normal(x))


@needs(MLIR)
@pytest.mark.parametrize("type_", DTYPES)
def test_log1p_up_to_one(type_: str):
    random = np.random.default_rng(0)
    small = np.exp(random.uniform(-90 if type_ == "f32" else -740, 0, 400_000))
    x = [random.uniform(0, 1, 400_000), small, [0, 1, NAN]]
    x = np.concatenate(x).astype(DTYPES[type_])
    y = apply(computed("log1p", type_, logarithms.log1p_up_to_one), x)
    exact = np.log1p(x.astype(np.longdouble))
    error = np.abs((y - exact) / np.spacing(exact.astype(x.dtype)))[:-1]
    worst = int(np.argmax(error))
    assert error[worst] <= ULPS["log1p"], f"{x[worst]!r}: {error[worst]} ulp"
    assert np.isnan(y[-1]) and not np.signbit(y[-3])


@needs(MLIR)
@pytest.mark.parametrize("type_", DTYPES)
def test_exp_up_to_one_has_the_bits_of_exp(type_: str):
    random = np.random.default_rng(0)
    least = -110 if type_ == "f32" else -750
    ends = [0.0, -0.0, -1e-30, 10 * least, -INF, NAN]
    x = np.concatenate([random.uniform(least, 0, 400_000), random.uniform(-1, 0, 1000), ends])
    x = x.astype(DTYPES[type_])
    found = apply(computed("exp", type_, exponentials.exp_up_to_one), x)
    np.testing.assert_array_equal(found, apply(computed("exp", type_, exponentials.exp), x))


BOUNDED = """
func.func @f(%x : {0}) -> {0} {{
  %bound = arith.constant {1} : {0}
  %m = arith.minimumf %x, %bound : {0}
  %y = math.exp %m : {0}
  func.return %y : {0}
}}
"""


@pytest.mark.parametrize(
    "type_, bound, known",
    [
        ("f32", "0.0", True),
        ("f64", "-1.0", True),
        ("vector<16xf32>", "dense<0.0>", True),
        ("f32", "1.0", False),
        ("f32", "0x7FC00000", False),
        ("vector<2xf32>", "dense<[0.0, 1.0]>", False),
    ],
)
def test_exp_of_what_is_not_above_zero_is_found(type_: str, bound: str, known: bool):
    module = parse(BOUNDED.format(type_, bound))
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    expand_math(function)
    text = str(module)
    assert ("arith.shrsi" not in text) == known and "math.exp" not in text


GELU = """
func.func @gelu(%x: {0}) -> {0} {{
  %root = arith.constant {1} : {0}
  %half = arith.constant {2} : {0}
  %z = arith.mulf %x, %root : {0}
  %c = math.erfc %z {3} : {0}
  %p = arith.mulf %half, %c : {0}
  %y = arith.mulf %{4}, %p : {0}
  func.return %y : {0}
}}
"""


@pytest.mark.parametrize(
    "type_, root, half, flags, factor, known",
    [
        ("f32", "-0.70710678", "0.5", "fastmath<contract>", "x", True),
        ("f32", "-0.70710678", "0.5", "fastmath<fast>", "x", True),
        ("f32", "-0.70710678", "0.5", "", "x", False),
        ("f32", "-0.70710678", "0.5", "fastmath<contract>", "half", False),
        ("f32", "-0.70710678", "0.25", "fastmath<contract>", "x", False),
        ("f32", "0.70710678", "0.5", "fastmath<contract>", "x", False),
        ("f64", "-0.70710678", "0.5", "fastmath<contract>", "x", False),
        (
            "vector<8xf32>", "dense<-0.70710678>", "dense<0.5>", "fastmath<contract>", "x", True
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("has_fma", [False, True])
def test_gelu_is_computed_as_a_whole(
    type_: str, root: str, half: str, flags: str, factor: str, known: bool, has_fma: bool
):
    module = parse(GELU.format(type_, root, half, flags, factor))
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    expand_math(function, has_fma=has_fma)
    module.verify()
    text = str(module)
    assert ("arith.select" in text) == (not known and type_ != "f64")
    assert ("arith.minui" in text) == (known and has_fma)
    assert ("math.fma" in text) == (known and has_fma)
    assert ("math.erfc" in text) == (type_ == "f64")


def test_other_functions_and_types_stay():
    for type_, name in (("f64", "erf"), ("f64", "sin"), ("f16", "exp")):
        module = parse(UNARY.format(type_, name))
        before = str(module)
        for function in module.ops:
            expand_math(function)
        assert str(module) == before

"""The common part of the operators' tests: a family's cases in one module, compiled once, interpreted,
and compared with numpy."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import census
import numpy as np
import pytest
from inner_loops import innermost_divisions
from optional import FULL, UNOPTIMISED
from sampling import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region

from lowering.emit_c import emit
from lowering.pipeline import lower
from lowering.runtime import calling
from lowering.runtime import loading as runtime
from lowering.runtime.compiled_function import CompiledFunction
from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleOp
from relax_dialect.parsing import verify

Sizes = Mapping[str, int]

SIZES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 0, "m": 3, "k": 2, "b": 3},
    {"n": 2, "m": 0, "k": 9, "b": 1},
    {"n": 3, "m": 17, "k": 0, "b": 0},
)
"""Odd sizes, one and zero for the symbolic variables."""

FEW: Sequence[Sizes] = (SIZES[0], SIZES[2])
"""For further element types of a case that runs with all sizes."""

STATIC: Sequence[Sizes] = ({},)
"""For cases whose shapes name no variable."""

TOLERANCE = {"e": 2e-3, "f": 1e-5, "d": 1e-12}
"""The error allowed in elements of f16, f32 and f64, relative and absolute; others are exact."""


def tensor(*dims: object, dtype: str = "f32") -> TensorType:
    """`tensor("n", 3)` is `!relax.tensor<[n, 3], f32>`."""
    return TensorType(dims, dtype)  # pyright: ignore[reportArgumentType]


def shape(*dims: object) -> ShapeType:
    """`shape("n", 3)` is `!relax.shape<[n, 3]>`."""
    return ShapeType(dims)  # pyright: ignore[reportArgumentType]


def keep(x: np.ndarray) -> np.ndarray:
    return x


def special(x: np.ndarray) -> np.ndarray:
    """NaN, infinities, zeros of both signs and large numbers among others; integers stay."""
    if x.dtype.kind in "iub":
        return x
    flat = x.reshape(-1)
    for step, value in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4)):
        flat[step::9] = value
    return x


def large(x: np.ndarray) -> np.ndarray:
    return x * np.asarray(1000, x.dtype)


Values = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Case:
    """An operator on parameters of some types, and numpy's word for it.

    Numpy's function takes one array for every tensor and a tuple of ints for every shape, and gives an
    array, or a tuple of them for an operator of several results. `values` changes the random
    arguments: one function for all of them, or one for each. `tolerance` replaces that of the element
    type.
    """

    operator: Callable[..., Operation]
    types: Sequence[TensorType | ShapeType]
    meaning: Callable[..., Any]
    sizes: Sequence[Sizes] = SIZES
    values: Values | Sequence[Values] = keep
    tolerance: float | None = None

    def function(self, name: str) -> FuncOp:
        """A function that returns the operator's result, a tuple if it has several."""
        block = Block(arg_types=self.types)
        op = self.operator(*block.args)
        block.add_ops(_made_for(op))
        result = op.results[0]
        if len(op.results) > 1:
            block.add_op(packed := TupleOp(*op.results))
            result = packed.results[0]
        block.add_op(ReturnOp(result))
        return FuncOp(name, list(self.types), result.type, Region(block))

    @property
    def tested(self) -> type[Operation]:
        """The operator of the case."""
        return type(self.operator(*Block(arg_types=self.types).args))

    def arguments(self, sizes: Sizes, seed: int) -> Iterator[Any]:
        """Random arrays and shapes of the parameters' types."""
        random = np.random.default_rng(seed)
        for position, type in enumerate(self.types):
            assert type.shape is not None
            actual = tuple(d.evaluate(sizes) for d in type.shape if d is not None)
            if isinstance(type, ShapeType):
                yield actual
            else:
                assert type.dtype is not None
                values = self.values if callable(self.values) else self.values[position]
                yield values(random_array(random, actual, type.dtype))

    def expected(self, arguments: Sequence[Any]) -> list[np.ndarray]:
        """numpy's result for the arguments."""
        with np.errstate(all="ignore"):
            results = self.meaning(*arguments)
        return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]

    def compare(self, results: Any, expected: Sequence[np.ndarray], who: str) -> None:
        """Results have the shapes, element types and elements that are expected."""
        found = results if isinstance(results, tuple) else (results,)
        assert len(found) == len(expected), who
        for result, wanted in zip(found, expected):
            assert result.shape == wanted.shape, who
            assert result.dtype == wanted.dtype, who
            tolerance = self.tolerance or TOLERANCE.get(wanted.dtype.char, 0)
            np.testing.assert_allclose(result, wanted, tolerance, tolerance, err_msg=who)


def _made_for(op: Operation) -> list[Operation]:
    """The op after the ops of its operands, such as the `relax.shape` it made itself."""
    made = [o.owner for o in op.operands if isinstance(o.owner, Operation) and not o.owner.parent]
    return [*dict.fromkeys(made), op]


def random_array(
    random: np.random.Generator, shape: tuple[int, ...], dtype: Attribute
) -> np.ndarray:
    wanted = numpy_dtype(dtype)
    if wanted.kind == "f":
        return np.asarray(random.standard_normal(shape)).astype(wanted)
    low, high = {"b": (0, 2), "u": (0, 100)}.get(wanted.kind, (-50, 50))
    return np.asarray(random.integers(low, high, shape)).astype(wanted)


def compile_cases(cases: Mapping[str, Case], flags: Sequence[str] = ()) -> CompiledModule:
    """The functions of all cases of a family, in one C file and one run of the C compiler.

    In full, the first case of every operator is compiled as a user's model is, or with flags, the others, mostly of
    further element types, with none: the C compiler takes more time than all else.
    """
    chosen = sampled(cases)
    if len(chosen) < len(cases):
        return SampledModule(cases, chosen)
    first = {case.tested: name for name, case in reversed(list(cases.items()))}
    shipped = {name: cases[name] for name in first.values()} if FULL else cases
    model, needs = _compiled(shipped, *flags)
    if others := {name: case for name, case in cases.items() if name not in shipped}:
        more, found = _compiled(others, *UNOPTIMISED)
        model.functions.update(more.functions)
        vars(model).update(more.functions)
        for part, operators in found.items():
            needs[part] |= operators
    census.check(needs, cases)
    return model


class SampledModule(CompiledModule):
    """The functions of some cases; others are compiled when they are asked for."""

    def __init__(self, cases: Mapping[str, Case], chosen: Sequence[str]):
        self.cases = cases
        self.functions = dict[str, CompiledFunction]()
        self._add(chosen)

    def __getitem__(self, name: str) -> CompiledFunction:
        if name not in self.functions:
            self._add([name])
        return super().__getitem__(name)

    def __getattr__(self, name: str) -> CompiledFunction:
        return self[name]

    def __repr__(self) -> str:
        return f"<{len(self.functions)} functions of {len(self.cases)}>"

    def _add(self, names: Collection[str]) -> None:
        cases = {name: case for name, case in self.cases.items() if name in names}
        if cases:
            self.functions.update(_compiled(cases)[0].functions)


def compile_some(cases: Mapping[str, Case]) -> CompiledModule:
    """The functions of some cases, which say nothing of all that their operators need."""
    return _compiled(cases, *(UNOPTIMISED if len(cases) > 1 else ()))[0]


def _compiled(cases: Mapping[str, Case], *flags: str) -> tuple[CompiledModule, census.Fired]:
    """Cases as a library, and what their operators need of the passes on loops. What is seen on the way: no
    index is divided in an innermost loop."""
    module = ModuleOp([case.function(name) for name, case in cases.items()])
    verify(module)
    signatures = calling.signatures(module)
    with census.watched() as fired:
        lower(module)
    assert not [f"{function}: {op}" for function, op in innermost_divisions(module)]
    flags = ("-Wall", "-Wextra", "-Werror", *flags)
    model = runtime.build(emit(module, "model"), extra_flags=flags, signatures=signatures)
    return model, census.of_operators(fired, module, cases)


def call(model: CompiledModule, name: str, *arguments: Any) -> Any:
    """Call the C with arrays, and shapes as tuples."""
    return model[name](*arguments)


def check(
    model: CompiledModule, cases: Mapping[str, Case], name: str, sizes: Sequence[Sizes]
) -> None:
    """The C, the interpreter and numpy agree on a case: shapes, element types, every element."""
    module = ModuleOp([cases[name].function(name)])
    for each in sizes:
        _check(model, cases[name], module, name, each)


def check_interpreted(
    case: Case, module: ModuleOp, name: str, sizes: Sizes
) -> tuple[list[Any], list[np.ndarray]]:
    """The interpreter, given the function of a case in a module, and numpy agree on it; its arguments and the
    results."""
    arguments = list(case.arguments(sizes, zlib.crc32(name.encode())))
    expected = case.expected([np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments])
    before = [np.copy(a) for a in arguments]
    found = run(module, name, *arguments, check_types=True)
    case.compare(found, expected, f"the interpreter of {name} for {dict(sizes)}")
    for argument, copy in zip(arguments, before):
        np.testing.assert_array_equal(argument, copy, "an argument was written to")
    return arguments, expected


def _check(model: CompiledModule, case: Case, module: ModuleOp, name: str, sizes: Sizes) -> None:
    of = f" of {name} for {dict(sizes)}"
    arguments, expected = check_interpreted(case, module, name, sizes)
    before = [np.copy(a) for a in arguments]
    case.compare(call(model, name, *arguments), expected, f"the C{of}")
    for argument, copy in zip(arguments, before):
        np.testing.assert_array_equal(argument, copy, f"an argument{of} was written to")


def each_case(cases: Mapping[str, Case]) -> pytest.MarkDecorator:
    """Run a test with `name` and all the `sizes` of every case."""
    runs = [(name, case.sizes) for name, case in cases.items()]
    return pytest.mark.parametrize(("name", "sizes"), runs, ids=cases)

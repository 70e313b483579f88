"""The arguments that `relax-run` calls a function with: arrays from files first, then random ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, TupleType
from xdsl.ir import Attribute

from lowering.tools.inputs.array_files import IMAGES, read_arrays
from lowering.tools.inputs.images import as_tensor
from lowering.tools.option_values import parse_sizes, split_assignments
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.interpret.stored_values import of_codes
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import Dims, PrimType, ShapeType, TensorType
from relax_dialect.ops.core import FuncOp


@dataclass(frozen=True)
class RandomRange:
    """The values of a random argument: from `low` up to, and without, `high`."""

    text: str
    low: float
    high: float

    def draw(
        self, random: np.random.Generator, shape: tuple[int, ...], wanted: np.dtype
    ) -> np.ndarray:
        """Draw uniformly distributed numbers of an element type."""
        if wanted.kind not in "iub":
            return np.asarray(random.uniform(self.low, self.high, shape)).astype(wanted)
        low, high = int(self.low), int(self.high)
        limits = np.iinfo(wanted) if wanted.kind in "iu" else None
        least, most = (limits.min, limits.max) if limits else (0, 1)
        if (low, high) != (self.low, self.high) or low < least or high > most + 1:
            raise RelaxError(
                f"--random {self.text}: expected integers from {least} to {most + 1} for {wanted}, found "
                "others; pass another interval"
            )
        drawn = np.uint64 if low >= 0 else np.int64
        return np.asarray(random.integers(low, high, shape, drawn)).astype(wanted)


def split_intervals(assignments: Sequence[str]) -> tuple[list[str], dict[str, RandomRange]]:
    """Split `["n=7", "ids=0:100"]` into sizes, still text, and the intervals of values by parameter."""
    sizes: list[str] = []
    intervals: dict[str, RandomRange] = {}
    number = r"(-?\d+(?:\.\d*)?)"
    for text in split_assignments(assignments):
        match = re.fullmatch(rf"(.+)={number}:{number}", text)
        if match is None:
            sizes.append(text)
            continue
        low, high = (float(bound) for bound in match.group(2, 3))
        if not low < high:
            raise RelaxError(
                f"--random {text}: expected an interval whose first number is the smaller one, as in "
                f"{match[1]}=0:10, found another; pass another interval"
            )
        intervals[match[1]] = RandomRange(text, low, high)
    return sizes, intervals


def array_leaves(names: Sequence[str], types: Sequence[Attribute]) -> dict[str, Attribute]:
    """Return the leaves of the parameters that take one array each, by name: all but sizes. A field of a
    tuple is called `t.0`."""
    found: dict[str, Attribute] = {}
    work = list(reversed(list(zip(names, types))))
    while work:
        name, type = work.pop()
        if isinstance(type, TupleType):
            work.extend(reversed([(f"{name}.{i}", t) for i, t in enumerate(type.types)]))
        elif not isinstance(type, ShapeType | PrimType):
            found[name] = type
    return found


def given_arrays(
    where: str, leaves: Mapping[str, Attribute], files: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the arrays of files by the parameters that take them: by name, the others in order."""
    named: dict[str, np.ndarray] = {}
    others: list[tuple[str, np.ndarray]] = []
    for word in files:
        name, path = _named(word, leaves)
        found = read_arrays(path)
        for own, array in found.items():
            own = "" if len(found) == 1 and own not in leaves else own
            parameter = name if name is not None else own
            if Path(path).suffix.lower() in IMAGES:
                array = _fitted(array, leaves, parameter, len(others))
            if name is None and (own == "" or _is_numbered(own)):
                others.append((path, array))
            elif parameter not in leaves:
                raise RelaxError(
                    f"{path}: expected arrays called as parameters of {where} are "
                    f"({', '.join(leaves)}), found '{parameter}'; rename it, or name "
                    "the parameter as in --input x=FILE"
                )
            elif parameter in named:
                raise RelaxError(f"--input {word}: '{parameter}' occurs twice; leave one out")
            else:
                named[parameter] = array
    free = [name for name in leaves if name not in named]
    if len(others) > len(free):
        raise RelaxError(
            f"{where}: expected {len(leaves)} input arrays, found {len(named) + len(others)}; leave out "
            "the others"
        )
    return named | {name: array for name, (_, array) in zip(free, others)}


def _named(word: str, leaves: Mapping[str, Attribute]) -> tuple[str | None, str]:
    """Parse `x=FILE` as a parameter and a file; a file may have `=` in its name."""
    name, equals, path = word.partition("=")
    is_known = name in leaves
    if equals and not Path(word).exists() and (is_known or re.fullmatch(r"[\w.]+", name)):
        if not is_known:
            raise RelaxError(
                f"--input {word}: expected one of the parameters {', '.join(leaves)}, found '{name}'; "
                "correct the name"
            )
        return name, path
    return None, word


def _is_numbered(name: str) -> bool:
    """Returns whether numpy.savez generates such names."""
    return re.fullmatch(r"arr_\d+", name) is not None


def _fitted(
    image: np.ndarray, leaves: Mapping[str, Attribute], parameter: str, before: int
) -> np.ndarray:
    """Convert an image to the type of its parameter."""
    types = list(leaves.values())
    type = leaves.get(parameter) or (types[before] if before < len(types) else None)
    return image if type is None else as_tensor(image, type)


def known_sizes(
    leaves: Mapping[str, Attribute], arrays: Mapping[str, np.ndarray]
) -> dict[str, int]:
    """Bind the variables that the types of some arrays define."""
    told = [
        pair
        for name, array in arrays.items()
        if isinstance(type := leaves[name], TensorType)
        for pair in zip(type.shape or (), array.shape)
    ]
    return symbolic.solved_sizes([dim for dim, _ in told], [size for _, size in told])


class ArgumentMaker:
    """Makes arguments one after the other; `random` is None if every array must be passed."""

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray],
        sizes: dict[str, int],
        random: np.random.Generator | None,
        intervals: Mapping[str, RandomRange],
    ):
        self.arrays = arrays
        self.sizes = sizes
        self.random = random
        self.intervals = intervals

    def make(self, name: str, type: Attribute) -> Any:
        """Return an argument of a type; tuples take one array per tensor in them."""
        if isinstance(type, TupleType):
            return tuple(self.make(f"{name}.{i}", t) for i, t in enumerate(type.types))
        if isinstance(type, ShapeType | PrimType):
            mend = "name the sizes in the program"
            sizes = self._shape(name, type, type.shape, mend)
            return sizes[0] if isinstance(type, PrimType) else sizes
        array = self.arrays.get(name)
        if array is None:
            return self._random(name, type)
        if isinstance(type, TensorType):
            return of_codes(array, type.dtype)  # files of numpy's have no storage types
        scalar = array[()]
        return int(scalar) if isinstance(type, IndexType) and is_integer(scalar) else scalar

    def _shape(self, name: str, type: Attribute, dims: Dims | None, mend: str) -> tuple[int, ...]:
        """Return the sizes of a type's dimensions; `mend` is the advice for unnamed ones."""
        if dims is None or None in dims:
            raise RelaxError(
                f"argument '{name}': expected sizes that --random can set, found {type}; {mend}"
            )
        missing = [
            v for d in dims if d is not None for v in d.free_variables if v not in self.sizes
        ]
        if missing:
            raise RelaxError(
                f"argument '{name}': expected a size for '{missing[0]}' in {type}, found none; "
                f"pass it as in --random {missing[0]}=7"
            )
        shape = tuple(d.evaluate(self.sizes) for d in dims if d is not None)
        if any(size < 0 for size in shape):
            raise RelaxError(
                f"argument '{name}': expected sizes of 0 or more, found {list(shape)} for {type}; "
                "correct the sizes of --random"
            )
        return shape

    def _random(self, name: str, type: Attribute) -> Any:
        """Draw a random array or number."""
        if self.random is None:
            raise RelaxError(
                f"argument '{name}': expected an array for {type}, found no --input left; pass one, or "
                "let --random make it"
            )
        if isinstance(type, TensorType):
            if type.dtype is None:
                raise RelaxError(
                    f"argument '{name}': expected a known element type to make a random one, found "
                    f"{type}; pass it with --input"
                )
            return self._numbers(
                name, type.dtype, self._shape(name, type, type.shape, "pass it with --input")
            )
        number = self._numbers(name, type, ())[()]
        return int(number) if isinstance(type, IndexType) else number

    def _numbers(self, name: str, dtype: Attribute, shape: tuple[int, ...]) -> np.ndarray:
        assert self.random is not None
        if not isinstance(dtype, AnyFloat | IntegerType | IndexType):
            raise RelaxError(
                f"argument '{name}': expected a type that --random can make (tensors, shapes, numbers "
                f"and tuples of them), found {dtype}; call the function from Python"
            )
        wanted = numpy_dtype(dtype)
        try:
            if (interval := self.intervals.get(name)) is not None:
                return interval.draw(self.random, shape, wanted)
            if isinstance(dtype, AnyFloat):
                return np.asarray(self.random.standard_normal(shape)).astype(wanted)
            high = 2 if wanted == np.bool_ else 10
            return np.asarray(self.random.integers(0, high, shape)).astype(wanted)
        except (MemoryError, ValueError):
            raise RelaxError(
                f"argument '{name}': expected sizes whose array fits into memory, found {list(shape)}; "
                "pass smaller ones to --random"
            ) from None


def is_integer(value: object) -> bool:
    return isinstance(value, np.integer)


def printed_names(function: FuncOp | func.FuncOp) -> list[str]:
    """Return the names of the parameters, made unique as by the printer: `%x_1` and `%x_2` are x and
    x_1."""
    names: list[str] = []
    for argument in function.body.blocks[0].args:
        name = base = argument.name_hint or f"arg{argument.index}"
        number = 0
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names


def make_arguments(
    where: str,
    names: Sequence[str],
    types: Sequence[Attribute],
    files: Sequence[str],
    random: Sequence[str] | None,
    seed: int,
) -> list[Any]:
    """Return the arguments of a function whose parameters have these names and types, from files and, with
    `random`, its sizes and a seed."""
    assignments, intervals = split_intervals(random or ())
    given = parse_sizes(assignments)
    variables = list(dict.fromkeys(v for t in types for v in free_variables(t)))
    for name in given:
        if name not in variables:
            raise RelaxError(
                f"--random {name}={given[name]}: expected a variable of the parameters of {where} "
                f"({', '.join(variables) or 'it has none'}), found '{name}'; correct the name"
            )
    leaves = array_leaves(names, types)
    arrays = given_arrays(where, leaves, files)
    _check_intervals(where, intervals, [name for name in leaves if name not in arrays])
    generator = None if random is None else np.random.default_rng(seed)
    maker = ArgumentMaker(arrays, known_sizes(leaves, arrays) | given, generator, intervals)
    return [maker.make(name, type) for name, type in zip(names, types)]


def _check_intervals(
    where: str, intervals: Mapping[str, RandomRange], random: Sequence[str]
) -> None:
    """Refuse intervals of arguments that are not random."""
    for name, interval in intervals.items():
        if name not in random:
            raise RelaxError(
                f"--random {interval.text}: expected a random argument of {where} "
                f"({', '.join(random) or 'it has none'}), found '{name}'; correct the name"
            )

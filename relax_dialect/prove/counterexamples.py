"""Counterexamples: values from z3 as arrays, tried in the interpreter, and written as a program.

```mlir
// relax-run -O0 FILE --entry f_before  // -0.0
// relax-run -O0 FILE --entry f_after   // 0.0
relax.func @f_before() -> ... {
  %x = relax.constant dense<-0.0> : tensor<f32>
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.call_graph import rename_references
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import symbol_name
from relax_dialect.ops.core import FuncOp
from relax_dialect.prove.scalars.scalar_types import array_of, scalar_type
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.value_terms import Index
from relax_dialect.prove.verdicts import Outside
from relax_dialect.rewrites.params.bind_params import bind_params

SIZES = (2, 3, 1)
"""The sizes that symbolic variables are tried with."""

DRAWS = 8
SPECIAL = (0.0, -0.0, 0.1, -0.7, 1.0, 2.5, -3.0, 1e-30, 3e30, np.inf, np.nan)
WHOLE = (0, 1, -1, 2, 3, -5, 100, -128)

Array = np.ndarray[Any, Any]
Attempt: TypeAlias = Callable[[], Sequence[Array]]
Comparison: TypeAlias = Callable[[Any, Any], str | None]


class Found(NamedTuple):
    """A difference, and the program that shows it."""

    difference: str
    program: str


@dataclass(frozen=True)
class Candidate:
    """Values of elements for which two functions may differ."""

    model: Any
    terms: Terms
    index: Index
    shape: Index
    parameters: Mapping[int, int]
    """The number of a parameter by its key."""

    def values(self) -> Iterator[tuple[int, Index, Any]]:
        """Yield the elements of parameters: which one, at which index, and its term."""
        for (key, index), symbol in self.terms.leaves.items():
            if key in self.parameters:
                term = self.model.eval(symbol, model_completion=True)
                yield self.parameters[key], index, term


def confirmed(
    before: FuncOp, after: FuncOp, candidate: Candidate | None, near: float = 0.0
) -> Found | None:
    """Return values from z3, or else random ones, on which the interpreter's results differ by more than
    `near`; None if none are found."""
    attempts: list[Attempt] = []
    if candidate is not None:
        attempts += [partial(_arrays, before, candidate, n, n != SIZES[0]) for n in SIZES]
    attempts += [partial(_drawn, before, seed) for seed in range(DRAWS)]
    return _first_difference(before, after, attempts, lambda a, b: _difference(a, b, near))


def moderate_difference(before: FuncOp, after: FuncOp, near: float) -> Found | None:
    """Return random numbers near 1 on which the interpreter's results are finite and differ by more than
    `near`; None if none are found."""
    attempts = [partial(_moderate, before, seed) for seed in range(DRAWS)]
    return _first_difference(before, after, attempts, lambda a, b: _finite_difference(a, b, near))


def _first_difference(
    before: FuncOp, after: FuncOp, attempts: Sequence[Attempt], compare: Comparison
) -> Found | None:
    for attempt in attempts:
        try:
            arrays = attempt()
            results = [_run(function, arrays) for function in (before, after)]
        except (RelaxError, Outside):
            continue
        if (difference := compare(results[0], results[1])) is not None:
            return Found(difference, _program(before, after, arrays, results))
    return None


def _types(function: FuncOp) -> Sequence[Any]:
    """Return the types of the parameters, which are tensors of known rank."""
    types = [arg.type for arg in function.body.block.args]
    if not all(isinstance(type, TensorType) and type.shape is not None for type in types):
        raise Outside("parameters that are no tensors of known rank")
    return types


def _variables(types: Sequence[Any]) -> list[str]:
    return sorted({v for t in types for d in t.shape if d is not None for v in d.free_variables})


def _drawn(function: FuncOp, seed: int) -> Sequence[Array]:
    """Random numbers; sizes differ, so that no axis is taken for another."""
    random, types = np.random.default_rng(seed), _types(function)
    known = {name: 2 + number for number, name in enumerate(_variables(types))}
    arrays = [_filled(type, known) for type in types]
    for array in arrays:
        special = random.choice(WHOLE if array.dtype.kind in "iub" else SPECIAL, array.shape)
        with np.errstate(all="ignore"):
            others = random.normal(0, 10, array.shape)
            array[...] = np.where(random.random(array.shape) < 0.5, special, others)
    return arrays


def _moderate(function: FuncOp, seed: int) -> Sequence[Array]:
    """Random numbers near 1, whose sums and powers are finite."""
    random = np.random.default_rng(seed)
    arrays = _drawn(function, seed)
    for array in arrays:
        if array.dtype.kind not in "iub":
            array[...] = random.normal(0, 1.5, array.shape)
    return arrays


def _arrays(function: FuncOp, candidate: Candidate, size: int, at_end: bool) -> list[Array]:
    """Return an array for each parameter, which has the values of the model everywhere but where an
    element is another one."""
    types = _types(function)
    known = dict.fromkeys(_variables(types), size)
    for i, whole in zip(candidate.index, candidate.shape):
        known[str(i)] = whole.evaluate(known) - 1 if at_end else 0
    arrays = [_filled(type, known) for type in types]
    seen: set[int] = set()
    for number, index, term in candidate.values():
        value = array_of(term, scalar_type(types[number].dtype))
        if number not in seen:
            arrays[number][...] = value
        elif all(name in known for i in index for name in i.free_variables):
            arrays[number][tuple(i.evaluate(known) for i in index)] = value
        seen.add(number)
    return arrays


def _filled(type: Any, known: Mapping[str, int]) -> Array:
    shape = tuple(2 if size is None else size.evaluate(known) for size in type.shape)
    return np.ones(shape, scalar_type(type.dtype).dtype)


def _run(function: FuncOp, arrays: Sequence[Array]) -> Any:
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    with np.errstate(all="ignore"):
        return run(module, function.sym_name.data, *(array.copy() for array in arrays))


def _difference(before: Any, after: Any, near: float = 0.0) -> str | None:
    """Return the first element that differs by more than the bits of a NaN, and by more than `near`."""
    if isinstance(before, tuple):
        found = (_difference(a, b, near) for a, b in zip(before, after))
        return next((text for text in found if text is not None), None)
    before, after = np.asarray(before), np.asarray(after)
    if before.shape != after.shape or before.dtype != after.dtype:
        return f"{before.dtype}{list(before.shape)} before, {after.dtype}{list(after.shape)} after"
    for index in np.ndindex(before.shape):
        a, b = before[index], after[index]
        if a.tobytes() != b.tobytes() and not (a != a and b != b) and not _is_near(a, b, near):
            return f"{f'element {list(index)}: ' if index else ''}{a} before, {b} after"
    return None


def _finite_difference(before: Any, after: Any, near: float) -> str | None:
    """Return the first element that differs, of integers at all, of finite floats by more than `near`."""
    if isinstance(before, tuple):
        found = (_finite_difference(a, b, near) for a, b in zip(before, after))
        return next((text for text in found if text is not None), None)
    a, b = np.asarray(before), np.asarray(after)
    if a.dtype.kind in "iub":
        return _difference(a, b)
    finite = all(np.isfinite(each.astype(np.float64)).all() for each in (a, b))
    return _difference(a, b, near) if finite else None


def _is_near(a: Any, b: Any, near: float) -> bool:
    """Return whether two numbers differ by no more than a part of the greater one, or of 1."""
    x, y = float(a), float(b)
    return near > 0 and abs(x - y) <= near * max(abs(x), abs(y), 1.0)


def _program(before: FuncOp, after: FuncOp, arrays: Sequence[Array], results: Sequence[Any]) -> str:
    """Both functions of constants, in one module."""
    module, lines = ModuleOp([]), []
    for function, suffix, result in zip((before, after), ("before", "after"), results):
        name = function.sym_name.data
        lines.append(f"// relax-run -O0 FILE --entry {name}_{suffix}  // {_one_line(result)}")
        for op in _bound(function, arrays, suffix):
            module.body.block.add_op(op)
    return "\n".join([*lines, str(module)])


def _bound(function: FuncOp, arrays: Sequence[Array], suffix: str) -> Iterator[Any]:
    """Yield the ops of a function's module, with constants for its parameters and a suffix to all names."""
    around = function.parent_op()
    assert isinstance(around, ModuleOp)
    module, name = around.clone(), function.sym_name.data
    own = next(op for op in module.ops if symbol_name(op) == name)
    assert isinstance(own, FuncOp)
    for number, arg in enumerate(own.body.block.args):
        arg.name_hint = arg.name_hint or f"arg{number}"
    hints = [arg.name_hint for arg in own.body.block.args]
    with suppress(RelaxError):  # of bf16 the parameters stay
        bind_params(module, dict(zip(hints, arrays)), name)  # pyright: ignore
    names = {old: f"{old}_{suffix}" for op in module.ops if (old := symbol_name(op))}
    for op in list(module.ops):
        if (old := symbol_name(op)) in names:
            op.properties["sym_name"] = StringAttr(names[old])
        rename_references(op, names)
        op.detach()
        yield op


def _one_line(result: Any) -> str:
    return (
        " ".join(np.array2string(np.asarray(result), threshold=8).split())
        if not isinstance(result, tuple)
        else ", ".join(map(_one_line, result))
    )

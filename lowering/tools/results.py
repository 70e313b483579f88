"""The results of `relax-run`: their names, printing and saving, and the time of calls."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from lowering.runtime.compiled_function import CompiledFunction
from lowering.tools.common import write_output
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.stored_values import as_codes


def named_results(result: Any, name: str = "output") -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of a result with the names they are saved under: output, or output_0, ..."""
    if isinstance(result, tuple):
        for index, part in enumerate(result):
            yield from named_results(part, f"{name}_{index}")
    elif result is not None:
        yield name, np.asarray(result)


def labelled(
    results: Mapping[str, np.ndarray], call: object, stated: Sequence[str]
) -> dict[str, np.ndarray]:
    """Results under the names of the C function's results, or those that the program states."""
    if isinstance(call, CompiledFunction):
        stated = [r.name for i, r in enumerate(call.entry.results) if r.name != f"out{i}"]
    names = stated if len(set(stated)) == len(results) else results
    return dict(zip(names, results.values()))


def check_saved(path: str, results: dict[str, np.ndarray]) -> None:
    """Refuse to save anything but arrays."""
    for name, array in results.items():
        if array.dtype == object:
            raise RelaxError(
                f"--output {path}: expected results that are arrays, found {name}: {array.item()!r}; "
                "call the function from Python"
            )


def save(path: str, results: dict[str, np.ndarray]) -> bool:
    """Save the results under their names; returns whether in a file."""
    file = io.BytesIO()
    arrays = {name: as_codes(array) for name, array in results.items()}
    np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    return write_output(path, file.getbuffer()) is not None


def time_text(times: Sequence[float]) -> str:
    """Describe the time of calls."""
    best = f"{1000 * min(times):.3f} ms"
    if len(times) == 1:
        return f"time: {best}"
    return (
        f"time: {best} at best, {1000 * median(times):.3f} ms in the middle of {len(times)} calls"
    )


def dims_text_of(array: np.ndarray) -> str:
    """Return the shape of an array in the syntax of types."""
    return f"[{', '.join(map(str, array.shape))}]"

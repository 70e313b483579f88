"""Arguments by name, and results written to the caller's arrays: shared by everything that runs
functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.foreign import is_foreign, to_numpy
from relax_dialect.interpret.type_matching import kind_of
from relax_dialect.text.wording import nearest

BY_POSITION = ("out", "check_types", "watch")
"""Names that have a meaning of their own in calls: a parameter of such a name is passed by position."""


def in_order(
    where: str, names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
) -> Sequence[Any]:
    """Return all arguments in the order of the parameters: first those by position, then those by name."""
    if not named:
        return args
    known = ", ".join(f"'{name}'" for name in names) or "none"
    for name in named:
        if name not in names:
            meant = nearest(name, names)
            mend = f"is '{meant}' meant?" if meant else "correct the name"
            raise ExecutionError(f"{where}: expected the arguments {known}, found '{name}'; {mend}")
        if name in names[: len(args)]:
            raise ExecutionError(
                f"{where}: argument '{name}': expected it once, found it by position and by name; leave "
                "one out"
            )
    rest = names[len(args) :]
    for name in rest:
        if name not in named:
            mend = "pass it by position" if name in BY_POSITION else f"pass it, as in {name}=..."
            raise ExecutionError(
                f"{where}: argument '{name}': expected a value, found none; {mend}"
            )
    return (*args, *(named[name] for name in rest))


def written(where: str, result: Any, out: Any) -> Any:
    """Return `out` with the result in it, or the result if `out` is None; nothing is written after an
    error."""
    pairs = list(_pairs(f"{where}: out", result, out))
    for value, place in pairs:
        np.copyto(place, value, casting="no")
    return _put_together(result, out)


def over_arguments(where: str, indices: Sequence[int], args: Sequence[Any], out: Any) -> Any:
    """Return the destinations of the results of a function that overwrites some arguments, if no other
    argument overlaps these: `out` for the other results."""
    given = out if isinstance(out, tuple | list) and len(indices) > 1 else (out,) * len(indices)
    if len(given) != len(indices) or (out is not None and len(indices) > 1 and given[0] is out):
        found = f"{len(out)}" if isinstance(out, tuple | list) else kind_of(out)
        raise ExecutionError(
            f"{where}: out: expected a tuple of {len(indices)} buffers, one for each result, found "
            f"{found}; pass None for a result that is to be new"
        )
    for number, (index, place) in enumerate(zip(indices, given)):
        if index >= 0 and place is not None:
            raise ExecutionError(
                f"{where}: out, field {number}: expected None for a result that is written over an "
                f"argument, found {kind_of(place)}; pass None"
            )
    places = tuple(args[i] if i >= 0 else place for i, place in zip(indices, given))
    return places if len(indices) > 1 else places[0]


def refuse_unwritable(
    where: str, names: Sequence[str], indices: Sequence[int], args: Sequence[Any]
) -> None:
    """Refuse an argument that is written over, and cannot be or shares memory with another."""
    found = [
        (i, part, value)
        for i, (name, arg) in enumerate(zip(names, args))
        for part, value in parts_in(f"argument '{name}'", arg)
    ]
    for i, part, value in found:
        if i in indices and (wrong := unwritable(value)) is not None:
            raise ExecutionError(f"{where}: {part}: {wrong}")
    arrays = [entry for entry in found if isinstance(entry[2], np.ndarray)]
    for i, part, array in arrays:
        for _, other, array_2 in arrays if i in indices else ():
            if other != part and np.may_share_memory(array, array_2):
                raise ExecutionError(
                    f"{where}: {part}: expected memory of its own, since it is written over, found some "
                    f"that {other} has too; pass a copy"
                )


def unwritable(value: Any) -> str | None:
    """Return the error in a value that is to be overwritten, or None."""
    expected = "expected a contiguous, writeable numpy array, since it is written over, found"
    if not isinstance(value, np.ndarray):
        return f"{expected} {kind_of(value)}; make one with numpy.asarray"
    flags = value.flags
    if flags.c_contiguous and flags.aligned and flags.writeable:
        return None
    found = "not contiguous" if not flags.c_contiguous else "read-only"
    found = found if flags.aligned else "not aligned"
    return f"{expected} one that is {found}; pass a copy, and read that afterwards"


def copied(value: Any) -> Any:
    """Return the same tuples of copies of the arrays."""
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def parts_in(what: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested tuples, each with its path."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from parts_in(f"{what}, field {i}", part)
    else:
        yield what, value


def _pairs(where: str, result: Any, out: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the arrays of a result with their destinations."""
    if out is None:
        return
    if isinstance(result, tuple):
        if not isinstance(out, tuple | list) or len(out) != len(result):
            found = f"{len(out)}" if isinstance(out, tuple | list) else kind_of(out)
            raise ExecutionError(
                f"{where}: expected a tuple of {len(result)} buffers, one for each result, found {found}; "
                "pass None for a result that is to be new"
            )
        for i, (part, place) in enumerate(zip(result, out)):
            yield from _pairs(f"{where}, field {i}", part, place)
        return
    if not isinstance(result, np.ndarray):
        raise ExecutionError(
            f"{where}: expected None for a result that is no array, found {kind_of(out)}; pass None"
        )
    place = to_numpy(out, where) if is_foreign(out) and not isinstance(out, np.generic) else out
    if isinstance(place, np.ndarray):
        kind = (place.dtype, place.shape, place.flags.writeable)
        if kind == (result.dtype, result.shape, True):
            yield result, place
            return
    read_only = isinstance(place, np.ndarray) and not place.flags.writeable
    found = f"{kind_of(place)}{' that is read-only' if read_only else ''}"
    raise ExecutionError(
        f"{where}: expected {kind_of(result)} to write to, found {found}; pass such a one"
    )


def _put_together(result: Any, out: Any) -> Any:
    if isinstance(out, tuple | list):
        return tuple(_put_together(part, place) for part, place in zip(result, out))
    return result if out is None else out

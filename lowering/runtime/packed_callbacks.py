"""Python functions for compiled code: functions of `register_packed`, called from C with numpy arrays.

An exception never crosses C: the callback keeps it for the thread, C frees its objects and returns an
error, and the compiled function raises it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lowering.emit_c.syntax.c_source import PackedCall
from lowering.runtime.c_values import (
    PENDING,
    Passed,
    as_array,
    failed,
    flat_values,
    flush,
    forget,
    is_handle,
    reference,
)
from lowering.runtime.dlpack import TensorPointer, describe
from lowering.runtime.objects import ObjectApi
from relax_dialect.errors import RelaxError

_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(TensorPointer), ctypes.c_int, TensorPointer
)


def _call(call: PackedCall, api: ObjectApi | None, args: Any, results: Any) -> None:
    """Look the function up, call it and hand its results over."""
    where = f"packed function '{call.form.name}'"
    passed = Passed(api, args, [i for i in call.form.inplace if i >= 0])
    lives: list[Any] = []
    for slot, array, named in list(_results(call, passed, results, where)):
        if array is not None:
            lives.append(describe(array, results[slot]))
            continue
        assert api is not None
        ctypes.c_void_p.from_address(results[slot].data).value = reference(api, *named)
    PENDING.results = lives
    passed.finish(where)


def _results(
    call: PackedCall, passed: Passed, results: Any, where: str
) -> Iterator[tuple[int, np.ndarray | None, Any]]:
    """Yield the results of the function: the number of each, and an array that shares no memory with C's,
    or an object with its name in errors and its kind."""
    from relax_dialect.interpret.calls import lookup_packed  # takes longer than loading a model

    form = call.form
    function = lookup_packed(form.name)
    value = function(*passed.values(form.args), *passed.places(results, form.dps))
    flush()
    given, kinds = [value], [] if form.gives is None else [form.gives]
    slots = range(len(call.dtypes))
    if form.inplace:
        given = _fresh(form.inplace, value, passed, where)
        kinds = form.gives or ()
        slots = [i for i, place in enumerate(form.inplace) if place < 0]
    parts = flat_values(f"{where}: result", kinds, given)  # pyright: ignore[reportArgumentType]
    for slot, (what, kind, part), dtype in zip(slots, parts, call.dtypes):
        if is_handle(kind):
            yield slot, None, (what, kind, part)
        else:
            array = as_array(what, kind, dtype, part)
            yield slot, array.copy() if passed.shares(array) else array, None


def _fresh(inplace: Sequence[int], value: Any, passed: Passed, where: str) -> list[Any]:
    """Return the results of a call in place, without the written arguments."""
    if value is None and -1 not in inplace:
        return []
    outputs = value if len(inplace) > 1 else (value,)
    if not isinstance(outputs, tuple) or len(outputs) != len(inplace):
        raise RelaxError(
            f"{where}: expected {len(inplace)} results, as a tuple, found a Python {type(value).__name__}"
        )
    for number, (place, output) in enumerate(zip(inplace, outputs)):
        if place >= 0 and output is not None and not passed.is_argument(output, place):
            raise RelaxError(
                f"{where}: expected argument {place}, which it writes, as result {number}, found another "
                "value; write to the argument, and return it or None"
            )
    return [output for place, output in zip(inplace, outputs) if place < 0]


def _callback(call: PackedCall, api: ObjectApi | None) -> Any:
    def run(context: Any, args: Any, count: int, results: Any) -> int:
        try:
            _call(call, api, args, results)
        except BaseException as error:
            return failed(f"packed function '{call.form.name}'", error)
        return 0

    return _Callback(run)


def register(
    library: ctypes.CDLL, model: str, calls: Sequence[PackedCall], api: ObjectApi | None = None
) -> None:
    """Register callbacks of a loaded model; they live as long as the library object."""
    if not calls:
        return
    function = getattr(library, f"{model}_register")
    function.argtypes = [ctypes.c_char_p, _Callback, ctypes.c_void_p]
    callbacks = [_callback(call, api) for call in calls]
    for call, callback in zip(calls, callbacks):
        status = function(f"@{call.symbol}".encode(), callback, None)
        assert status == 0, "the model knows its own functions"
    library.packed_callbacks = callbacks  # pyright: ignore[reportAttributeAccessIssue]


def begin() -> None:
    """Before a call that may come back to Python."""
    forget()
    flush()

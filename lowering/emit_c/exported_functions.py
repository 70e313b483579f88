"""The C functions that every model has beside its entry points."""

from __future__ import annotations

from lowering.emit_c.cpu_check import cpu_functions
from lowering.emit_c.helpers import arena
from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.syntax.c_source import MOST_THREADS
from lowering.support.target import Cpu

API = (
    "load", "use_weights", "unload", "release", "trim", "arena_size", "use_arena", "set_threads",
    "threads", "last_error", "abi_version", "interface", "built_for", "check_cpu",
)  # fmt: skip
"""Names that a model may have in addition to its entry points, after `model_`: reserved in all of them."""


NO_NAMES = "closure_names_of_none"
"""The variant of `closure_names` for models that make no function values."""


RANKS = ("rank", "ranks", "fail")
"""The names of the functions of models that communicate, after `model_`."""


def is_own(name: str) -> bool:
    """Return whether a name, after `model_`, is one of a function that models have themselves."""
    return name in (*API, *RANKS) or name in object_names()


def object_names() -> set[str]:
    """Return the names of the functions of models with objects, after `model_`."""
    return {*helpers_of("object_api.c")} - {NO_NAMES}


def object_functions(model: str, *, makes_functions: bool) -> list[str]:
    """Return the functions to create and hold objects, for models some of whose objects may be
    functions."""
    other = NO_NAMES if makes_functions else "closure_names"
    return [text for name, text in _filled("object_api.c", model).items() if name != other]


def error_functions(model: str, cpu: Cpu, interface: str) -> list[str]:
    """Return the functions that report errors and the model's target."""
    own = _filled("api.c", model, INTERFACE=interface)
    return [own["last_error"], own["abi_version"], own["interface"], cpu_functions(model, cpu)]


def thread_functions(model: str) -> list[str]:
    """Return the functions that set and return the number of threads."""
    own = _filled("threads_api.c", model, MOST_THREADS=str(MOST_THREADS))
    return [own["set_threads"], own["threads"]]


def rank_functions(model: str) -> list[str]:
    """Return the functions of models that communicate with other ranks."""
    return [*_filled("mpi_api.c", model).values()]


def memory_functions(model: str, *, has_arena: bool, keeps_memory: bool) -> list[str]:
    """Return the functions that release memory, or take it from the caller if `has_arena`."""
    if has_arena:
        return [*_filled("caller_arena_api.c", model).values()]
    return [_filled("api.c", model)["release"], arena.trim(model, keeps_memory)]


def _filled(file: str, model: str, **values: str) -> dict[str, str]:
    """Return the functions of a C file for a model, by the names of their helpers."""
    values["NAME"] = model
    return {name: fill(helper.text, values) for name, helper in helpers_of(file).items()}

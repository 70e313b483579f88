"""The C functions that every model has beside its entry points."""

from __future__ import annotations

from lowering.emit_c.cpu_check import cpu_functions
from lowering.emit_c.helpers import arena, caller_arena
from lowering.emit_c.helpers.object_helpers import API_OBJECTS, NAMES_OF_NONE, NAMES_OF_OWN
from lowering.support.target import Cpu

API = (
    "load", "use_weights", "unload", "release", "trim", "arena_size", "use_arena", "threads",
    "last_error", "abi_version", "interface", "built_for", "check_cpu",
)  # fmt: skip
"""Names that a model may have in addition to its entry points, after `model_`: reserved in all of them."""

LAST_ERROR = """const char *@NAME@_last_error(void)
{
    return last_error;
}
"""

ABI_VERSION = """int @NAME@_abi_version(void)
{
    return RELAX_ABI_VERSION;
}
"""

INTERFACE = """const char *@NAME@_interface(void)
{
    return "@INTERFACE@";
}
"""

RELEASE = """void @NAME@_release(DLTensor *tensor)
{
    if (tensor == NULL || tensor->data == NULL)
        return;
    deallocate(tensor->data);
    deallocate(tensor->shape);
    tensor->data = NULL;
    tensor->shape = NULL;
}
"""


def is_own(name: str) -> bool:
    """Return whether a name, after `model_`, is one of a function that models have themselves."""
    return name in API or name in API_OBJECTS


def object_functions(model: str, *, makes_functions: bool) -> list[str]:
    """Return the functions to create and hold objects, for models some of whose objects may be
    functions."""
    names = NAMES_OF_OWN if makes_functions else NAMES_OF_NONE
    return [
        text.replace("@NAMES@", names).replace("@NAME@", model) for text in API_OBJECTS.values()
    ]


def error_functions(model: str, cpu: Cpu, interface: str) -> list[str]:
    """Return the functions that report errors and the model's target."""
    own = [text.replace("@NAME@", model) for text in (LAST_ERROR, ABI_VERSION, INTERFACE)]
    return [*(text.replace("@INTERFACE@", interface) for text in own), cpu_functions(model, cpu)]


def memory_functions(model: str, *, has_arena: bool, keeps_memory: bool) -> list[str]:
    """Return the functions that release memory, or take it from the caller if `has_arena`."""
    if has_arena:
        return [text.replace("@NAME@", model) for text in (caller_arena.RELEASE, caller_arena.USE)]
    return [RELEASE.replace("@NAME@", model), arena.trim(model, keeps_memory)]

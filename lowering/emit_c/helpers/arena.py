"""The C functions of call frames: one piece of memory for each thread, kept between calls."""

from __future__ import annotations

NAMES = frozenset(["arena", "arenas", "arenas_busy", "arenas_have_key", "arenas_key"])
"""The variables, which the parts of a file share: so none of them has an initial value."""

EMPTY_ALL = """#if RELAX_ARENA
    lock_arenas();
    for (struct arena *a = arenas; a != NULL; a = a->next)
        empty_arena(a);
    unlock_arenas();
#endif
"""


def trim(model: str, keeps_memory: bool) -> str:
    """`model_trim`."""
    own = "#if RELAX_ARENA\n    return empty_arena(&arena);\n#else\n    return 0;\n#endif\n"
    body = own if keeps_memory else "    return 0;\n"
    return f"size_t {model}_trim(void)\n{{\n{body}}}\n"


def unload(model: str, has_weights: bool, keeps_memory: bool) -> str:
    """`model_unload`."""
    weights = "    release_weights();\n" if has_weights else ""
    return f"void {model}_unload(void)\n{{\n{weights}{EMPTY_ALL if keeps_memory else ''}}}\n"

"""The public header of an emitted module."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.helpers.caller_arena import size_parameters
from lowering.emit_c.syntax.c_source import ABI_VERSION, MOST_THREADS


def header(
    name: str,
    prototypes: Sequence[str],
    *,
    has_api: bool,
    has_weights: bool,
    has_objects: bool,
    has_frames: bool,
    has_threads: bool = False,
    has_ranks: bool = False,
    arena: Sequence[str] | None = None,
    arena_bytes: int | None = None,
) -> str:
    """Return the text of `name.h`; `arena` are the symbolic variables if the caller provides the memory."""
    values = {"NAME": name, "UPPER": name.upper(), "ABI_NUMBER": str(ABI_VERSION)}
    values["MOST_THREADS"] = str(MOST_THREADS)
    values |= {"SIZES": size_parameters(arena or ()), "ARENA_SIZE": str(arena_bytes)}
    kept = ["the weights"] * has_weights + ["what calls of all threads keep in memory"] * has_frames
    values["WHAT"] = ", and ".join(kept)
    own = {
        "last_error": has_api,
        "own_memory": has_api and arena is None,
        "arena": has_api and arena is not None,
        "arena_bytes": has_api and arena_bytes is not None,
        "origin": has_api,
        "threads": has_threads,
        "rank_functions": has_ranks,
        "object_functions": has_objects,
        "load": has_weights and arena is None,
        "use_weights": has_weights and arena is not None,
        "unload": bool(kept) and arena is None,
    }
    title = "title_with_arena" if arena is not None else "title_with_functions"
    parts = {part: fill(each.text, values) for part, each in helpers_of("model.h").items()}
    texts = [
        parts[title if has_api else "title"] + parts["types"],
        *([parts["objects"]] if has_objects else []),
        parts["begin"],
        *(parts[part] for part, is_declared in own.items() if is_declared),
        *(f"{each}\n" for each in prototypes),
        parts["end"],
    ]
    return "\n".join(texts)

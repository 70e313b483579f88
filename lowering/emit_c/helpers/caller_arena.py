"""The C of models whose callers provide the memory (`--arena`): frames from its start, the rest from its
end.

size_t bytes = NAME_arena_size(7);
NAME_use_arena(memory, bytes);           /* for the calls of this thread */
NAME_main(&x, &y);                       /* allocates nothing */
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lowering.emit_c.helpers.arena import DROP
from lowering.emit_c.helpers.memory_helpers import COUNT_BYTES
from lowering.emit_c.helpers.packed_helpers import PACKED_HELPERS
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import size
from lowering.emit_c.syntax.layout import wrap
from lowering.memory.in_place.memref_size_exprs import MOST_BYTES, magnitude
from lowering.memory.plan.call_memory import CallMemory
from relax_dialect import symbolic

SLACK = 63
"""The bytes before the first aligned one, wherever memory begins."""

MEMORY = """/* The memory that the caller has given to the calls of this thread. Frames are a stack from its
   start; what else is allocated lies at its end, until the next call. */
struct arena {
    char *data;   /* aligned to 64 bytes */
    size_t size;  /* of data */
    size_t given; /* with what stands before it */
    size_t top;   /* where the next frame starts */
    size_t most;  /* that a frame has ended at in this call */
    size_t end;   /* where the values at the end start */
    bool outside; /* whether a call of this thread waits for a function from outside */
};
static _Thread_local struct arena arena;
"""

BEGIN = """/* Gives the arena to a call that needs so many bytes. */
static int begin_call(const char *what, size_t bytes)
{
    if (arena.outside) {
        set_error("%s: expected no call from within a function that a call of this thread waits for, whose "
            "arena it would write over, found one; call it after that", what);
        return -1;
    }
    arena.top = arena.most = 0;
    arena.end = arena.size / 64 * 64;
    if (bytes <= arena.size)
        return 0;
    const size_t needed = bytes > SIZE_MAX - @SLACK@ ? bytes : bytes + @SLACK@;
    set_error("%s: expected an arena of %llu bytes, found %llu; pass as many as @NAME@_arena_size says "
        "to @NAME@_use_arena", what, (unsigned long long)needed, (unsigned long long)arena.given);
    return -1;
}

/* Whether a tensor lies where calls do not write. */
static int check_outside(const char *what, const DLTensor *t)
{
    if (t->data == NULL || (uintptr_t)t->data - (uintptr_t)arena.data >= arena.size)
        return 0;
    set_error("%s: expected data outside of the arena, found what another call has left there, which this "
        "one writes over; copy it first", what);
    return -1;
}
"""

ALLOCATE = (
    "/* Memory at the end of the arena, aligned to 64 bytes, or NULL with an error set. */\n"
    + COUNT_BYTES
    + """    const size_t taken = 64 + (empty ? 64 : ((size_t)bytes + 63) / 64 * 64);
    if (arena.most > arena.end || taken > arena.end - arena.most) {
        set_error("%s: the arena has no room for %lld bytes", what, (long long)bytes);
        return NULL;
    }
    arena.end -= taken;
    char *data = arena.data + arena.end + 64;
    attach(live, data);
    return data;
}
"""
)

FRAMES = """/* Memory for the values of a function, or NULL where the arena has no room for it. */
static char *enter_frame(int64_t bytes)
{
    const size_t size = 64 + (size_t)bytes, start = arena.top;
    if (start > arena.end || size > arena.end - start)
        return NULL;
    char *const data = arena.data + start;
    *(size_t *)(void *)data = start;
    arena.top = start + size;
    arena.most = arena.top > arena.most ? arena.top : arena.most;
    return data + 64;
}

static void leave_frame(char *data)
{
    if (data != NULL)
        arena.top = *(size_t *)(void *)(data - 64);
}

"""

CALL_AT = """/* The next frame starts there in this one. */
static inline void call_at(const char *frame, int64_t offset)
{
    if (frame != NULL)
        arena.top = *(const size_t *)(const void *)(frame - 64) + 64 + (size_t)offset;
}
"""

DEALLOCATE = """/* What is not needed any more stays in the arena until the next call. */
static inline void deallocate(void *data)
{
    if (data != NULL)
        detach(data);
}
"""

needs, text = PACKED_HELPERS["call_packed"]
CALL_PACKED = (
    (*needs, "given_arena"),
    text.replace(
        "    const int code = function(context, args, count, result);\n",
        "    arena.outside = true;\n"
        "    const int code = function(context, args, count, result);\n"
        "    arena.outside = false;\n",
    ),
)

HELPERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "given_arena": ((), MEMORY),
    "deallocate": (("detach",), DEALLOCATE),
    "allocate": (("set_error", "attach", "given_arena"), ALLOCATE),
    "enter_frame": (("deallocate", "given_arena"), FRAMES + DROP),
    "call_at": (("enter_frame",), CALL_AT),
    "call_packed": CALL_PACKED,
    "begin_call": (("set_error", "given_arena"), BEGIN.replace("@SLACK@", str(SLACK))),
}
"""Helpers as in `emit_c.memory_helpers`; they replace the allocating helpers."""

ADDED = ("check_outside", "begin_call", "given_arena")
"""Names that other models do not have."""

USE = """void @NAME@_use_arena(void *data, size_t bytes)
{
    const size_t before = data == NULL ? 0 : (64 - (uintptr_t)data % 64) % 64;
    arena.given = data == NULL ? 0 : bytes;
    arena.size = arena.given > before ? arena.given - before : 0;
    arena.data = arena.size == 0 ? NULL : (char *)data + before;
}
"""

RELEASE = """void @NAME@_release(DLTensor *tensor)
{
    if (tensor == NULL)
        return;
    tensor->data = NULL;
    tensor->shape = NULL;
}
"""


def bytes_function(name: str, taken: CallMemory, symbols: Sequence[str]) -> str:
    """Return the C function that computes the bytes of a call from the values of symbolic variables."""
    names = CNames(local=True)
    spelled = {symbol: names.fresh(symbol) for symbol in symbols}
    frames, values = names.fresh("frames"), names.fresh("values")
    lines = [f"(void){spelled[s]};" for s in symbols if s not in taken.variables()]
    for part in (*taken.frames, taken.values):
        most = magnitude([part])
        if most.value is None:
            bound = symbolic.to_c(most, lambda symbol: f"(double){spelled[symbol]}")
            lines += [f"if (!({bound} <= 0x1p50))", "    return SIZE_MAX;"]
        elif most.value > MOST_BYTES:
            lines += ["return SIZE_MAX;"]
    first, *others = [size(str(part), spelled.__getitem__).text for part in taken.frames]
    lines += [f"{'' if others else 'const '}int64_t {frames} = {first};"]
    for other in others:
        lines += [f"if ({frames} < {other})", f"    {frames} = {other};"]
    lines += [f"const int64_t {values} = {size(str(taken.values), spelled.__getitem__).text};"]
    lines += [f"return (size_t)({frames} + {values});"]
    params = ", ".join(f"int64_t {each}" for each in spelled.values()) or "void"
    body = "".join(wrap(f"    {line}") + "\n" for line in lines)
    return f"static size_t {name}({params})\n{{\n{body}}}\n"


def size_head(model: str, variables: Sequence[str]) -> str:
    """Return the declaration of `NAME_arena_size`."""
    names = CNames(local=True)
    params = ", ".join(f"int64_t {names.fresh(v)}" for v in variables)
    return f"size_t {model}_arena_size({params or 'void'})"


def size_function(model: str, variables: Sequence[str], calls: Mapping[str, Sequence[str]]) -> str:
    """`NAME_arena_size`: the maximum of the results of some functions, each of which takes variables."""
    names = CNames(local=True)
    spelled = {v: names.fresh(v) for v in variables}
    lines = ["size_t most = 0;"]
    if spelled:
        lines += [f"if ({' || '.join(f'{name} < 0' for name in spelled.values())})"]
        lines += ["    return SIZE_MAX;"]
    for function, taken in calls.items():
        call = f"{function}({', '.join(spelled[v] for v in taken)})"
        lines += [f"most = {call} > most ? {call} : most;"]
    lines += [f"return most > SIZE_MAX - {SLACK} ? SIZE_MAX : most + {SLACK};"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"{size_head(model, variables)}\n{{\n{body}}}\n"

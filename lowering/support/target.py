"""The CPU that code is compiled for: all that depends on the machine.

    relax-compile model.mlir -o build --cpu x86-64-v3

A schedule takes its tile sizes from here, the C compiler its flags. `find(name)` returns one of `CPUS`, or
`native`, the machine that the compiler runs on.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from zlib import crc32

from lowering.support.c_compiler import find_compiler, machine
from relax_dialect.errors import RelaxError
from relax_dialect.text.wording import found_text, nearest

NATIVE = "native"

ALIGNMENT = 64
"""The alignment of buffers in bytes on every CPU: a cache line, and the widest of all vectors. The helpers
of emitted C contain it literally, and so does the file of weights, whose format it is part of."""

CRITICAL_STRIDE = 4096
"""The distance in bytes at which addresses share a set of the nearest cache: such lines evict each
other."""

LANE_BYTES = 16
"""The bytes of a lane: permutations of elements within lanes of a vector, and of whole lanes, are cheap on
every CPU."""

MARCH = "-march="
BASELINES: Mapping[str, str] = {"x86_64": "x86_64", "aarch64": "generic"}
"""What zig calls the CPU of an architecture that can do least."""

X86_64_V2 = ("popcnt", "sse3", "ssse3", "sse4.1", "sse4.2")
X86_64_V3 = (*X86_64_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
X86_64_V4 = (*X86_64_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
BEYOND = (
    *("avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vnni", "avx512bitalg", "avx512vpopcntdq"),
    *("avx512bf16", "avx512fp16", "avxvnni", "gfni", "fma4", "xop", "amx-tile", "amx-int8"),
)
FEATURES = (*X86_64_V4, *BEYOND)
"""The instruction sets of x86-64 that a C compiler may choose on its own, or that kernels here name: as gcc
and clang spell them after `-m`. `macro` returns the macro that they define for one."""


def macro(feature: str) -> str:
    """Return the macro that gcc and clang define if a feature may be used: `sse4.2` -> `__SSE4_2__`."""
    return f"__{re.sub('[-.]', '_', feature.upper())}__"


@dataclass(frozen=True)
class Cpu:
    """A kind of CPU."""

    name: str
    architecture: str | None
    """As Linux calls it; None for any."""
    vector_bytes: int
    registers: int
    """The number of vector registers."""
    l1: int
    """Bytes of the nearest cache for data, of one core."""
    l2: int
    features: frozenset[str] = frozenset()
    """Its instruction sets beyond the architecture's, on x86-64 elements of `FEATURES`."""
    flags: tuple[str, ...] = ()
    """The options of the C compiler, gcc or clang."""

    def lanes(self, bits: int) -> int:
        """Return the number of elements of `bits` bits in a vector."""
        return 8 * self.vector_bytes // bits

    @property
    def has_fma(self) -> bool:
        """Whether a multiplication and an addition are one instruction."""
        return "fma" in self.features

    @property
    def has_vnni(self) -> bool:
        """Whether it adds up four products of 8-bit integers in one instruction (`vpdpbusd`)."""
        return not self.features.isdisjoint({"avx512vnni", "avxvnni"})

    @property
    def has_amx(self) -> bool:
        """Whether it multiplies tiles of 8-bit integers."""
        return {"amx-tile", "amx-int8"} <= self.features

    @property
    def identity(self) -> str:
        """Its name, as an identifier; that of a machine says what schedules depend on."""
        name = self.name
        if name == NATIVE:
            features = " ".join(sorted(self.features))
            named = f"{self.level} {self.l1 // KB} {self.l2 // KB}"
            name = f"{named} {crc32(features.encode()):08x}"
        return re.sub(r"\W", "_", name)

    @property
    def level(self) -> str:
        """The highest level of x86-64 whose instruction sets it has, as compilers name it; else `generic`.
        Other compilers take it safely: the name of a processor implies features that a virtual machine may
        lack."""
        levels = ("x86-64-v4", "x86-64-v3")
        return next((name for name in levels if CPUS[name].features <= self.features), "generic")


WIDE = "-mprefer-vector-width=512"
"""Compilers prefer half a vector of AVX-512 by themselves."""

KB = 1024

CPUS: Mapping[str, Cpu] = {
    cpu.name: cpu
    for cpu in (
        # the caches are the smallest that such CPUs have
        Cpu(
            "x86-64-v3", "x86_64", vector_bytes=32, registers=16, l1=32 * KB, l2=256 * KB,
            features=frozenset(X86_64_V3), flags=("-march=x86-64-v3",),
        ),
        Cpu(
            "x86-64-v4", "x86_64", vector_bytes=64, registers=32, l1=32 * KB, l2=1024 * KB,
            features=frozenset(X86_64_V4), flags=("-march=x86-64-v4", WIDE),
        ),
        Cpu(
            "aarch64", "aarch64", vector_bytes=16, registers=32, l1=32 * KB, l2=256 * KB,
            features=frozenset({"fma"}), flags=("-march=armv8-a",),
        ),
        Cpu("generic", None, vector_bytes=16, registers=16, l1=32 * KB, l2=256 * KB),
    )
}  # fmt: skip
"""The kinds of CPU that `--cpu` names; `native` is the one at hand."""


@dataclass(frozen=True)
class Instruction:
    """The C code of an operation on vectors for machines with an instruction for it."""

    vector_bytes: int
    condition: str
    """The condition that the C preprocessor checks."""
    lines: tuple[str, ...]
    """The statements, in terms of the operation's parameters."""


@dataclass(frozen=True)
class CpuIntrinsic:
    """An operation on vectors that some machines have an instruction for."""

    parameters: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    """The first one of the right width whose condition holds is taken."""


def _dot4(text: str, kind: str) -> tuple[str, ...]:
    """Sums of products in place; the intrinsics of compilers spill (gcc 12)."""
    return (f'__asm__("{text}" : "+{kind}"(sums) : "{kind}"(a), "{kind}"(b));', "return sums;")


def _dot4_by_pairs(vector_bytes: int, madd: str, kind: str) -> tuple[str, ...]:
    """Return the bytes at even and at odd indices as i16, whose products are added in pairs."""
    madd = f'__asm__("{madd}" : "+{kind}"({{0}}) : "{kind}"({{1}}));'
    return (
        f"typedef int16_t half __attribute__((vector_size({vector_bytes})));",
        f"typedef uint16_t bits __attribute__((vector_size({vector_bytes})));",
        f"typedef uint32_t wide __attribute__((vector_size({vector_bytes})));",
        "half even = (half)((bits)a & 255), odd = (half)((bits)a >> 8);",
        "const half b0 = (half)((bits)b << 8) >> 8, b1 = (half)b >> 8;",
        madd.format("even", "b0"),
        madd.format("odd", "b1"),
        "return (__typeof__(sums))((wide)sums + (wide)even + (wide)odd);",
    )


def _dot4_of_7_bits(vector_bytes: int, kind: str) -> tuple[str, ...]:
    """Return the sums of pairs of products in i16, which hold them since a has 7 bits, then of these."""
    return (
        f"typedef int16_t half __attribute__((vector_size({vector_bytes})));",
        "const half ones = (half){0} + 1;",
        "half pairs;",
        f'__asm__("vpmaddubsw %2, %1, %0" : "={kind}"(pairs) : "{kind}"(a), "{kind}"(b));',
        f'__asm__("vpmaddwd %1, %0, %0" : "+{kind}"(pairs) : "{kind}"(ones));',
        "return sums + (__typeof__(sums))pairs;",
    )


_VNNI: Sequence[Instruction] = (
    Instruction(64, "defined(__AVX512VNNI__)", _dot4("vpdpbusd %2, %1, %0", "v")),
    Instruction(
        32, "defined(__AVX512VNNI__) && defined(__AVX512VL__)", _dot4("vpdpbusd %2, %1, %0", "v")
    ),
    Instruction(32, "defined(__AVXVNNI__)", _dot4("%{vex%} vpdpbusd %2, %1, %0", "x")),
    Instruction(
        16, "defined(__ARM_FEATURE_MATMUL_INT8)", _dot4("usdot %0.4s, %1.16b, %2.16b", "w")
    ),
)
"""Four products of bytes and their sum as one instruction."""

INTRINSICS: Mapping[str, CpuIntrinsic] = {
    # to every i32 of the sums the four products of the bytes of a, unsigned, and b, signed
    "dot4_u8i8": CpuIntrinsic(
        ("sums", "a", "b"),
        (
            *_VNNI,
            Instruction(
                64, "defined(__AVX512BW__)", _dot4_by_pairs(64, "vpmaddwd %1, %0, %0", "v")
            ),
            Instruction(32, "defined(__AVX2__)", _dot4_by_pairs(32, "vpmaddwd %1, %0, %0", "x")),
            Instruction(
                16,
                "defined(__SSE2__) && !defined(__AVX__)",
                _dot4_by_pairs(16, "pmaddwd %1, %0", "x"),
            ),
        ),
    ),
    # the same, where no byte of a is above 127
    "dot4_u7i8": CpuIntrinsic(
        ("sums", "a", "b"),
        (
            *_VNNI,
            Instruction(64, "defined(__AVX512BW__)", _dot4_of_7_bits(64, "v")),
            Instruction(32, "defined(__AVX2__)", _dot4_of_7_bits(32, "x")),
            Instruction(
                16,
                "defined(__SSE2__) && !defined(__AVX__)",
                _dot4_by_pairs(16, "pmaddwd %1, %0", "x"),
            ),
        ),
    ),
}
"""The functions of the lowered program that may be marked `relax.intrinsic`: the body of one defines its
result on any machine, and is replaced by an instruction if there is one."""


IN_REGISTER: Sequence[Instruction] = (
    Instruction(64, "defined(__AVX512F__)", ('__asm__("" : "+v"(a));', "return a;")),
    *(
        Instruction(size, condition, (f'__asm__("" : "+{kind}"(a));', "return a;"))
        for size, condition, kind in (
            (32, "defined(__AVX512VL__)", "v"),
            (32, "defined(__AVX__)", "x"),
            (16, "defined(__AVX512VL__)", "v"),
            (16, "defined(__SSE2__)", "x"),
            (16, "defined(__aarch64__)", "w"),
        )
    ),
)
"""No instruction at all, but a vector that the C compiler has to keep in a register."""


def extreme(kind: str, bits: int, *, is_number: bool = False) -> Sequence[Instruction]:
    """Return the instructions for the greater or less of two floats, a and b: `maximumf`, which propagates
    NaN, `maxnumf`, which does not, `minimumf` and `minnumf`. The instruction returns its second operand if
    one is NaN, so the other has to be kept, unless b is known to be a number; compiled C takes twice as
    many instructions."""
    kept, other, tested = ("b", "a", "%0") if kind.endswith("imumf") else ("a", "b", "%1")
    t = "ps" if bits == 32 else "pd"
    name, mask = f"v{kind[:3]}{t}", "%{%%k1%}"
    if is_number:
        order = "%1, %2" if kind.endswith("imumf") else "%2, %1"
        alone = f'__asm__("{name} {order}, %0" : "={{0}}"(found) : "{{0}}"(a), "{{0}}"(b));'
        wide, short = (("__typeof__(a) found;", alone.format(r), "return found;") for r in "vx")
        first, second = "ba" if kind.endswith("imumf") else "ab"
        old = (
            f"__typeof__(a) found = {first};",
            f'__asm__("{kind[:3]}{t} %1, %0" : "+x"(found) : "x"({second}));',
            "return found;",
        )
        return (
            Instruction(64, "defined(__AVX512F__)", wide),
            *(Instruction(size, "defined(__AVX__)", short) for size in (32, 16)),
            Instruction(16, "defined(__SSE2__)", old),
        )
    masked = f"vcmpord{t} {tested}, {tested}, %%k1\\n\\t{name} %1, %0, %0 {mask}"
    unordered = tested.replace("%1", "%3").replace("%0", "%2")
    blended = (
        f"vcmpunord{t} {unordered}, {unordered}, %1\\n\\t{name} %3, %2, %0\\n\\t"
        f"vblendv{t} %1, %2, %0, %0"
    )
    by_mask = (
        f'__asm__("{masked}" : "+v"({kept}) : "v"({other}) : "k1");',
        f"return {kept};",
    )
    by_blend = (
        "__typeof__(a) found, nan;",
        f'__asm__("{blended}" : "=&x"(found), "=&x"(nan) : "x"({kept}), "x"({other}));',
        "return found;",
    )
    return (
        Instruction(64, "defined(__AVX512F__)", by_mask),
        *(Instruction(size, "defined(__AVX512VL__)", by_mask) for size in (32, 16)),
        *(Instruction(size, "defined(__AVX__)", by_blend) for size in (32, 16)),
    )


def widening(source: int, target: int, vector_bytes: int, *, signed: bool) -> Sequence[Instruction]:
    """Return the instructions that widen integers, a, where gcc does not find them: it takes vectors apart
    into halves, or single lanes. `vector_bytes` is the size of the wide vector."""
    letters = {8: "b", 16: "w", 32: "d", 64: "q"}
    name = f"vpmov{'s' if signed else 'z'}x{letters[source]}{letters[target]}"
    needed = {64: "AVX512BW" if target == 16 else "AVX512F", 32: "AVX2", 16: "AVX"}
    if vector_bytes not in needed:
        return ()
    kind = "v" if vector_bytes == 64 else "x"
    return (
        Instruction(
            vector_bytes,
            f"defined(__{needed[vector_bytes]}__) && !defined(__clang__)",
            (f'__asm__("{name} %1, %0" : "={kind}"(wide) : "{kind}"(a));', "return wide;"),
        ),
    )


def find(name: str = NATIVE) -> Cpu:
    """Return the CPU of a name. Raises `RelaxError` for a name that is unknown."""
    if name == NATIVE:
        return native()
    if isinstance(name, str) and name in CPUS:
        return CPUS[name]
    known = (NATIVE, *CPUS)
    meant = nearest(name.lower().replace("_", "-"), known) if isinstance(name, str) else None
    raise RelaxError(
        f"cpu {found_text(name)}: expected one of {', '.join(known)}; "
        + (f"is {meant} meant?" if meant else "pass one of them")
    )


def flags_for(compiler: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Return the flags of a CPU as a compiler spells them.

    zig, which has clang's, takes the CPU at hand unless one is named, calls x86-64-v3 x86_64_v3, and checks
    for undefined behaviour in code that is not optimised.
    """
    if Path(compiler[0]).stem != "zig":
        return list(flags)
    named = [flag.removeprefix(MARCH).replace("-", "_") for flag in flags if flag.startswith(MARCH)]
    cpu = (
        named[0]
        if named and not named[0].startswith("arm")
        else BASELINES.get(machine(), "baseline")
    )
    march = [] if "-target" in compiler else [f"{MARCH}{cpu}"]
    kept = [flag for flag in flags if not flag.startswith(MARCH)]
    return [*march, *kept, "-fno-sanitize=undefined"]


def check_machine(name: str) -> None:
    """Refuse a CPU of another architecture than that of this machine, which is to run the code."""
    architecture = find(name).architecture
    if architecture not in (None, machine()):
        raise RelaxError(
            f"cpu {name!r}: expected one that this machine, {machine()}, can run, found one of "
            f"{architecture}; build for it with relax-compile --cpu {name}"
        )


@cache
def native() -> Cpu:
    """This machine as its C compiler sees it, under an emulator too; the minimum of its architecture if no
    compiler is found."""
    architecture = machine()
    base = CPUS.get(architecture, CPUS["generic"])
    caches = {"l1": _cache(1) or base.l1, "l2": _cache(2) or base.l2}
    march = "-march=native"
    defined = _defined(march)
    if defined is None:
        return replace(base, name=NATIVE, architecture=architecture, **caches)
    if architecture != "x86_64":
        flags = (*(f for f in base.flags if not f.startswith("-march")), march)
        return replace(base, name=NATIVE, architecture=architecture, flags=flags, **caches)
    features = frozenset(f for f in FEATURES if macro(f) in defined)
    widest = "x86-64-v4" if "avx512f" in features else "x86-64-v3" if "avx" in features else None
    width = CPUS[widest or "generic"]
    return Cpu(
        NATIVE, architecture, width.vector_bytes, width.registers, **caches, features=features,
        flags=(march, WIDE) if "avx512f" in features else (march,),
    )  # fmt: skip


CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""The folder in which Linux describes the caches of the first core."""


def _cache(level: int) -> int | None:
    """Return the size of the data cache of a level; None if the system does not report it."""
    for folder in CACHES.glob("index*"):
        try:
            found = [(folder / name).read_text().strip() for name in ("level", "type", "size")]
        except OSError:
            continue
        size = re.fullmatch(r"(\d+)K", found[2])
        if found[0] == str(level) and found[1] in ("Data", "Unified") and size is not None:
            return int(size[1]) * KB
    return None


def _defined(*flags: str) -> frozenset[str] | None:
    """Return the macros that the C compiler defines under some flags; None if it takes none of them."""
    try:
        command = [*find_compiler(), *flags, "-dM", "-E", "-x", "c", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except (RelaxError, OSError):
        return None
    if done.returncode != 0:
        return None
    return frozenset(line.split()[1] for line in done.stdout.splitlines() if line)

"""The C that names the CPU a file is compiled for, and checks whether the machine has its features.

The check must not use the features it checks for: it is compiled like the rest, but only tests bits, and
calls nothing unless a feature is missing.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from lowering.emit_c.helpers.c_files import fill, helpers_of
from lowering.emit_c.operations.control import c_string
from lowering.support.target import FEATURES, NATIVE, Cpu, macro

IMPLIED = {
    "bmi2": {"popcnt", "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "bmi", "f16c", "lzcnt", "movbe"}
}
"""The features that every CPU with the key feature has too, so that they need no check."""

EAX, EBX, ECX, EDX = range(4)
YMM, ZMM, TILES = 0x6, 0xE6, 0x60000
"""The bits of XCR0 for the registers of AVX, of AVX-512 and of AMX."""

LEAVES: Mapping[tuple[int, int, int], Mapping[str, int]] = {
    (1, 0, ECX): {
        "sse3": 0, "ssse3": 9, "fma": 12, "sse4.1": 19, "sse4.2": 20, "movbe": 22, "popcnt": 23,
        "avx": 28, "f16c": 29,
    },
    (7, 0, EBX): {
        "bmi": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17, "avx512ifma": 21,
        "avx512cd": 28, "avx512bw": 30, "avx512vl": 31,
    },
    (7, 0, ECX): {
        "avx512vbmi": 1, "avx512vbmi2": 6, "gfni": 8, "avx512vnni": 11, "avx512bitalg": 12,
        "avx512vpopcntdq": 14,
    },
    (7, 0, EDX): {"avx512fp16": 23, "amx-tile": 24, "amx-int8": 25},
    (7, 1, EAX): {"avxvnni": 4, "avx512bf16": 5},
    (0x80000001, 0, ECX): {"lzcnt": 5, "xop": 11, "fma4": 16},
}  # fmt: skip
"""The bit of each feature in a register that cpuid returns for a leaf and a part of it: Intel 64 and IA-32
Architectures Software Developer's Manual, volume 2A, CPUID; AMD64 Architecture Programmer's Manual, volume
3, appendix D."""

UNKEPT = {"sse3", "ssse3", "sse4.1", "sse4.2", "movbe", "popcnt", "bmi", "bmi2", "lzcnt", "gfni"}
"""The features that use only registers which every system keeps."""


NO_CHECK = "int NAME_check_cpu(void)\n{\n    return 0;\n}\n"


def checked(cpu: Cpu) -> list[str]:
    """Return the features that are checked before a machine runs code for a CPU."""
    if cpu.architecture != "x86_64":
        return []  # the loader refuses other architectures, and no code uses more than these have
    implied = {f for feature in cpu.features for f in IMPLIED.get(feature, ())}
    return [f for f in FEATURES if f in cpu.features and f not in implied]


def cpu_functions(name: str, cpu: Cpu) -> str:
    """`NAME_built_for` and `NAME_check_cpu` of a model."""
    features = checked(cpu)
    built_for = [cpu.name]
    if cpu.name == NATIVE and features:  # which machine that was
        built_for = textwrap.wrap(f"{NATIVE}: {' '.join(features)}", 80, drop_whitespace=False)
    message = (
        f"{name}: expected a CPU with %s, since this was built for {cpu.name}, ",
        "found one without; build it with --cpu native on this machine, or --cpu generic for any",
    )
    values = {
        "NAME": name,
        "BUILT_FOR": "\n        ".join(map(c_string, built_for)),
        "MESSAGE": "\n            ".join(map(c_string, message)),
        "ASKED": "\n        ".join(map(_row, features)),
        "MACRO": macro(features[0]) if features else "",
    }
    own = {each: helper.text for each, helper in helpers_of("cpu.c").items()}
    if not features:
        own = {"built_for": own["built_for"], "check_cpu": NO_CHECK}
    return "\n".join(fill(text, values) for text in own.values())


def _row(feature: str) -> str:
    """Return where cpuid has a feature, and the registers that the system has to keep for it."""
    leaf, part, place = next(key for key, bits in LEAVES.items() if feature in bits)
    is_wide, is_tile = feature.startswith("avx512"), feature.startswith("amx")
    registers = 0 if feature in UNKEPT else ZMM if is_wide else TILES if is_tile else YMM
    bit = LEAVES[leaf, part, place][feature]
    return f'{{"{feature}", {leaf:#x}, {part}, {place}, {bit}, {registers:#x}}},'

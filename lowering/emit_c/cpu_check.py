"""The C that names the CPU a file is compiled for, and checks whether the machine has its features.

The check must not use the features it checks for: it is compiled like the rest, but only tests bits, and
calls nothing unless a feature is missing.
"""

from __future__ import annotations

import textwrap

from lowering.emit_c.operations.control import c_string
from lowering.support.target import FEATURES, NATIVE, Cpu, macro

IMPLIED = {
    "bmi2": {"popcnt", "sse3", "ssse3", "sse4.1", "sse4.2", "avx", "bmi", "f16c", "lzcnt", "movbe"}
}
"""The features that every CPU with the key feature has too, so that they need no check."""

RECENT = {"f16c", "lzcnt", "movbe", "avx512fp16", "avxvnni", "amx-tile", "amx-int8"}
"""The features that clang before 19 cannot check."""

TEXT = """const char *@NAME@_built_for(void)
{
    return @BUILT_FOR@;
}

int @NAME@_check_cpu(void)
{
@CHECK@    return 0;
}
"""

CHECK = """#if defined(__GNUC__) && defined(@MACRO@)
#define WITHOUT(feature) !__builtin_cpu_supports(feature) ? feature :
    const char *missing = NULL;
@ASKED@    if (missing != NULL) {
        set_error(
            @MESSAGE@, missing);
        return -1;
    }
#endif
"""

RECENT_ONLY = """#if !defined(__clang__) || __clang_major__ >= 19
@ASKED@#endif
"""


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
    old = _asked([f for f in features if f not in RECENT])
    new = _asked([f for f in features if f in RECENT])
    check = CHECK.replace("@MESSAGE@", "\n            ".join(map(c_string, message)))
    check = check.replace("@ASKED@", (new and RECENT_ONLY.replace("@ASKED@", new)) + old)
    return (
        TEXT.replace("@CHECK@", check.replace("@MACRO@", macro(features[0])) if features else "")
        .replace("@BUILT_FOR@", "\n        ".join(map(c_string, built_for)))
        .replace("@NAME@", name)
    )


def _asked(features: list[str]) -> str:
    """Lines that set `missing` to the first of some features that the machine lacks, if it lacks one."""
    rows = [features[i : i + 3] for i in reversed(range(0, len(features), 3))]
    asked = ["".join(f'WITHOUT("{f}") ' for f in row) for row in rows]
    return "".join(f"    missing = {row}missing;\n" for row in asked)

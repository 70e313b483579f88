"""Small C functions that emitted code calls; a file holds only the ones it uses."""

from __future__ import annotations

from lowering.emit_c.syntax.c_types import CType

_BY_ONE = "if (b == 0 || b == -1)\n        return b == 0 ? 0 : ({T})(0 - ({U})a);\n    "
_BY_ONE_REST = "if (b == 0 || b == -1)\n        return 0;\n    "

SCALAR_HELPERS: dict[str, tuple[str, str, str]] = {
    # name: (parameters, what it does, body); {T} is the type, {U} its unsigned twin, {B} its bits
    "add": ("ab", "Wraps on overflow.", "return ({T})(({U})a + ({U})b);"),
    "sub": ("ab", "Wraps on overflow.", "return ({T})(({U})a - ({U})b);"),
    "mul": ("ab", "Wraps on overflow.", "return ({T})(({U})a * ({U})b);"),
    "floordiv": (
        "ab",
        "Rounds towards minus infinity.",
        "return ({T})(a / b - (a % b != 0 && (a < 0) != (b < 0)));",
    ),
    "ceildiv": (
        "ab",
        "Rounds towards plus infinity.",
        "return ({T})(a / b + (a % b != 0 && (a < 0) == (b < 0)));",
    ),
    "ceildivu": ("ab", "Rounds up.", "return ({T})(a / b + (a % b != 0));"),
    **{
        f"safe_{kind}": ("ab", f"{what}; 0 for b = 0.", body)
        for kind, what, body in (
            ("div", "Wraps on overflow", f"{_BY_ONE}return ({{T}})(a / b);"),
            ("rem", "Has the sign of a", f"{_BY_ONE_REST}return ({{T}})(a % b);"),
            (
                "floordiv",
                "Rounds towards minus infinity",
                f"{_BY_ONE}return ({{T}})(a / b - (a % b != 0 && (a < 0) != (b < 0)));",
            ),
            (
                "ceildiv",
                "Rounds towards plus infinity",
                f"{_BY_ONE}return ({{T}})(a / b + (a % b != 0 && (a < 0) == (b < 0)));",
            ),
            ("divu", "Divides", "return ({T})(b == 0 ? 0 : a / b);"),
            ("remu", "The rest of a division", "return ({T})(b == 0 ? 0 : a % b);"),
            ("ceildivu", "Rounds up", "return ({T})(b == 0 ? 0 : a / b + (a % b != 0));"),
        )
    },
    "safe_shl": ("ab", "0 for b out of range.", "return ({T})(({U})b < {B} ? ({U})a << b : 0);"),
    "safe_shru": ("ab", "0 for b out of range.", "return ({T})(b < {B} ? a >> b : 0);"),
    "safe_shr": (
        "ab",
        "The sign for b out of range.",
        "return ({T})(a >> (({U})b < {B} ? b : {B} - 1));",
    ),
    "popcount": ("a", "The number of ones.", "return ({T})__builtin_popcountll(({U})a);"),
    "clz": (
        "a",
        "The number of leading zeros.",
        "return ({T})(a == 0 ? {B} : __builtin_clzll(({U})a) - (64 - {B}));",
    ),
    "ctz": (
        "a",
        "The number of trailing zeros.",
        "return ({T})(a == 0 ? {B} : __builtin_ctzll(({U})a));",
    ),
    "max": ("ab", "", "return a > b ? a : b;"),
    "min": ("ab", "", "return a < b ? a : b;"),
    "maximum": (
        "ab",
        "NaN if either is.",
        "{T} const larger = a < b ? b : a;\n    return b != b ? b : larger;",
    ),
    "minimum": (
        "ab",
        "NaN if either is.",
        "{T} const smaller = a > b ? b : a;\n    return b != b ? b : smaller;",
    ),
    "maxnum": ("ab", "The other if one is NaN.", "return a > b || b != b ? a : b;"),
    "minnum": ("ab", "The other if one is NaN.", "return a < b || b != b ? a : b;"),
    "abs": ("a", "Wraps on overflow.", "return a < 0 ? ({T})(0 - ({U})a) : a;"),
    "ipow": (
        "ab",
        "By squaring; wraps on overflow.",
        """if (b < 0)
        return a == 1 ? 1 : a == -1 ? ({T})(b % 2 == 0 ? 1 : -1) : 0;
    {U} result = 1;
    for ({U} base = ({U})a; b > 0; b = ({T})(b / 2), base = ({U})(base * base))
        if (b % 2 == 1)
            result = ({U})(result * base);
    return ({T})result;""",
    ),
}


def scalar_helper(kind: str, t: CType) -> tuple[str, str]:
    """Return the name and the text of the helper `kind` for type `t`."""
    params, what, body = SCALAR_HELPERS[kind]
    name = f"{kind}_{t.suffix}"
    comment = f"/* {what} */\n" if what else ""
    signature = ", ".join(f"{t.name} {p}" for p in params)
    filled = body.replace("{T}", t.name).replace("{U}", t.unsigned).replace("{B}", str(t.bits))
    return name, f"{comment}static inline {t.name} {name}({signature})\n{{\n    {filled}\n}}\n"


def bitcast_helper(source: CType, target: CType) -> tuple[str, str]:
    """Return the name and the text of the helper that reads the bits of one type as another."""
    name = f"{source.suffix}_bits_as_{target.suffix}"
    return name, (
        f"static inline {target.name} {name}({source.name} a)\n{{\n"
        f"    {target.name} b;\n    memcpy(&b, &a, sizeof b);\n    return b;\n}}\n"
    )

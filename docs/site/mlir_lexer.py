"""MLIR's text in colours, for Pygments, which has no lexer of it."""

from __future__ import annotations

from typing import ClassVar

from pygments import lexers, token
from pygments.lexer import RegexLexer


class MlirLexer(RegexLexer):
    """Ops, values, symbols, types, numbers, strings and comments."""

    name = "MLIR"
    aliases: ClassVar = ["mlir"]
    filenames: ClassVar = ["*.mlir"]
    tokens: ClassVar = {
        "root": [
            (r"//.*?$", token.Comment.Single),
            (r'"(\\.|[^"\\\n])*"', token.String.Double),
            (r"%[\w$.#-]+", token.Name.Variable),
            (r"@([\w$.-]+|\"[^\"]*\")", token.Name.Function),
            (r"\^\w+", token.Name.Label),
            (r"#[\w.]+", token.Name.Attribute),
            (r"![\w.]+", token.Keyword.Type),
            (
                r"\b(tensor|memref|vector|tuple|index|none|bf16|[us]?i\d+|f\d+)\b",
                token.Keyword.Type,
            ),
            (
                r"\b(affine_map|affine_set|dense|unit|true|false|attributes|private)\b",
                token.Keyword,
            ),
            (r"\b(ceildiv|floordiv|mod|min|max|broadcast)\b", token.Operator.Word),
            (r"\b[a-z_]\w*(\.\w+)+", token.Name.Builtin),
            (r"(?<![\w.])-?\d+(\.\d+)?([eE][+-]?\d+)?\b|\b0x[\dA-Fa-f]+", token.Number),
            (r"->|[=:,?*+/-]", token.Operator),
            (r"[{}()\[\]<>]", token.Punctuation),
            (r"\s+|\w+|.", token.Text),
        ]
    }


def register() -> None:
    """Register it by its name with Pygments."""
    entry = (__name__, MlirLexer.name, tuple(MlirLexer.aliases), tuple(MlirLexer.filenames), ())
    lexers.LEXERS["MlirLexer"] = entry
    lexers._lexer_cache[MlirLexer.name] = MlirLexer

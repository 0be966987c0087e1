# Colours MLIR with Sluice's dialects `dfg` and `rdir`, for Pygments.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

__all__ = ["MlirLexer"]

# Words of the dialects' operations between their operands.
EDGES = (
    "reads", "writes", "discards", "reduces", "continues", "after", "over",
    "initial", "final", "inside", "outside",
)
WORDS = (
    "by", "of", "disjoint", "aliased", "complete", "incomplete", "blocks",
    "halo", "image", "preimage", "field", "difference", "union",
    "intersection", "in", "out", "inout", "stream", "temporary", "target",
    "attributes", "if", "unless", "else", "while", "for", "to", "step",
    "private", "public", "nested", "loc", "dense", "affine_map", "affine_set",
)


class MlirLexer(RegexLexer):
    """Text of MLIR; operations of `dfg` and `rdir` stand out from others."""

    name = "MLIR with Sluice's dialects"
    aliases = ["mlir", "dfg", "rdir"]
    filenames = ["*.mlir"]

    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//.*?$", Comment.Single),
            (r'"(?:\\.|[^"\\\n])*"', String.Double),
            # values, symbols, blocks, types and attributes of a dialect
            (r"%[\w$.-]+(?:#\d+)?", Name.Variable),
            (r'@(?:[\w$.-]+|"(?:\\.|[^"\\])*")', Name.Function),
            (r"\^\w+", Name.Label),
            (r"([!#])(dfg|rdir)(\.)(\w+)",
             bygroups(Punctuation, Name.Namespace, Punctuation, Name.Class)),
            (r"[!#][\w$.-]+", Name.Class),
            (r"\b(dfg|rdir)(\.)(\w+)",
             bygroups(Name.Namespace, Punctuation, Keyword)),
            (r"\b[a-z_]\w*(?:\.[\w.]+)+", Name.Builtin),
            (r"\bmodule\b", Keyword),
            (r"\b(?:[su]?i\d+|bf16|f8\w+|f16|f32|f64|f80|f128|index|none|tensor"
             r"|memref|vector|tuple|complex)\b", Keyword.Type),
            (words(EDGES, prefix=r"\b", suffix=r"\b"), Keyword.Reserved),
            (words(WORDS, prefix=r"\b", suffix=r"\b"), Keyword.Pseudo),
            (r"\b(?:true|false|unit)\b", Keyword.Constant),
            (r"0x[0-9a-fA-F]+\b", Number.Hex),
            (r"\d+\.\d*(?:[eE][-+]?\d+)?", Number.Float),
            (r"\d+x(?=[\d?a-z])", Number.Integer),  # as in 4x8xf32
            (r"\d+", Number.Integer),
            (r"->|::|==|\.\.\.|[-+*/=?|&]", Operator),
            (r"[\[\](){}<>,:;.]", Punctuation),
            (r"\w+", Name),
        ]
    }

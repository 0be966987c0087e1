# MkDocs settings beyond its file: Sluice's lexer and the anchors of headings.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys

from pygments.lexers import LEXERS

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "lexer")]

import links  # noqa: E402
from sluice_pygments import MlirLexer  # noqa: E402


def on_config(config):
    LEXERS["SluiceMlirLexer"] = (
        MlirLexer.__module__,
        MlirLexer.name,
        tuple(MlirLexer.aliases),
        tuple(MlirLexer.filenames),
        (),
    )
    config["mdx_configs"]["toc"]["slugify"] = links.heading_id
    return config

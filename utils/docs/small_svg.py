#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes Graphviz's pictures small: what they show stays.

  small_svg.py FILE.svg...

Each box and arrow stands in a line of its own; the font that most texts have is
named once; comments and the document type are left out.
"""

import collections
import pathlib
import re
import sys

FONT = re.compile(r' font-family="[^"]*"')


def small(text):
    text = re.sub(r"<!--.*?-->|<!DOCTYPE[^>]*>", "", text, flags=re.DOTALL)
    # White space between elements, and in the tag of the root.
    text = re.sub(r">\s+<", "><", re.sub(r"\n +", " ", text)).strip()
    fonts = collections.Counter(FONT.findall(text))
    if fonts and 'xmlns="http://www.w3.org/2000/svg" font-family' not in text:
        font = fonts.most_common(1)[0][0]
        text = text.replace(font, "").replace("<svg ", f"<svg{font} ", 1)
    return re.sub(r"(?<=>)(<g id=|</g></svg>)", r"\n\1", text) + "\n"


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.write_text(small(path.read_text(encoding="utf-8")),
                        encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes pictures of Graphviz and Matplotlib small: what they show stays.

  small_svg.py FILE.svg...

Each box and arrow, or plot, stands in a line of its own; the font that most
texts have is named once; comments and the document type are left out.
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


def small_plot(text):
    """Matplotlib's: numbers have one digit behind the point, and equal looks
    are named once; groups and names that nobody refers to are left out."""
    def short(tag):
        tag = re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}"
                     .removesuffix(".0"), tag[0])
        # Shortens paths: "M 1 2 L 3 4 z" becomes M1 2L3 4z.
        return re.sub(r" ?\b([MLQCz]) ?(?=[-\d\"MLQCz])", r"\1", tag)
    text = re.sub(r"<\w[^>]*>", short, re.sub(r"\s+", " ", text))
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = small(re.sub(r'<g id="(?!axes)[^"]*"', "<g", text))
    while text != (text := re.sub(r"<g/>|<g>((?:(?!</?g\b).)*)</g>", r"\1",
                                  text)):
        pass
    for index, look in enumerate(dict.fromkeys(
            re.findall(r' style="([^"]*)"', text))):
        text = text.replace(f' style="{look}"', f' class="s{index}"')
        text = text.replace("</style>", f".s{index}{{{look}}}</style>")
    return text


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.write_text(small(path.read_text(encoding="utf-8")),
                        encoding="utf-8")


if __name__ == "__main__":
    main()

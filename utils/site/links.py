# Links of Markdown pages: their positions and their targets.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re

# Code: a fenced block, or words in backticks.
CODE = re.compile(r"^([ ]*)```.*?^[ ]*```[ ]*$|``.+?``|`[^`]*`", re.M | re.S)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:")


def outside_code(text, change):
    """The text, with what `change` makes of each piece that is no code. A link
    whose text has code in it is a piece."""
    hidden = []

    def hide(match):
        hidden.append(match[0])
        return f"\0{len(hidden) - 1}\0"

    text = change(CODE.sub(hide, text))
    return re.sub(r"\0(\d+)\0", lambda match: hidden[int(match[1])], text)


def rewrite(text, source, target, place):
    """The page `source` of the repository as the page `target` of the site.

    `place(path, heading)` says where a file or folder of the repository is on
    the site, with the heading if there is one.
    """

    def change(match):
        link = match[2]
        if ADDRESS.match(link):
            return match[0]
        file, _, heading = link.partition("#")
        path = source
        if file:
            path = os.path.normpath(os.path.join(os.path.dirname(source), file))
        page, heading = place(path, heading)
        if page == target and heading:
            return f"{match[1]}#{heading}{match[3]}"
        page = os.path.relpath(page, os.path.dirname(target) or ".")
        return match[1] + page + (f"#{heading}" if heading else "") + match[3]

    return outside_code(
        text, lambda prose: LINK.sub(change, for_mkdocs(prose))
    )


def for_mkdocs(prose):
    """The text with an empty line before each list and a word in what folds
    away, which MkDocs needs and code hosts do not."""
    prose = prose.replace("<details>", '<details markdown="1">')
    return re.sub(r"^(?![*-] |[ |\n#])(.*\S.*)\n(?=[*-] )", r"\1\n\n", prose,
                  flags=re.M)


def heading_id(text, separator="-"):
    """The anchor of a heading, as code hosts make it."""
    text = re.sub(r"<[^>]*>", "", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", separator)

# A page for each label that messages end with.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Labels with a number are headings of docs/hpvm-rules.md and
# docs/rdir-rules.md. lib/Diagnostics/RulePages.def, which the compiler reads
# as well, states where the other labels are explained.

import pathlib
import re
import typing

import links

NUMBERED = ("docs/hpvm-rules.md", "docs/rdir-rules.md")
TABLE = "lib/Diagnostics/RulePages.def"
ENTRY = re.compile(r'^SLUICE_RULE\("([a-z-]+)",\s*"([\w.-]+)#([\w-]+)"\)', re.M)
NUMBER = re.compile(r'^### <a id="(\w+)"></a>\[(\w+)\] (.*)$')
HEADING = re.compile(r"^(#+) +(.*)$")


class Rule(typing.NamedTuple):
    label: str
    title: str
    source: str  # the page that explains it
    heading: str  # and where there
    text: str

    @property
    def page(self):
        return f"rules/{self.label.lower()}.md"


def sections(text):
    """Pairs of a heading's line and what stands below it, up to the next heading
    that is not below it."""
    lines = text.splitlines()
    fenced = False
    heads = []
    for number, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and HEADING.match(line):
            heads.append((number, len(HEADING.match(line)[1])))
    for index, (number, level) in enumerate(heads):
        end = next(
            (other for other, depth in heads[index + 1 :] if depth <= level),
            len(lines),
        )
        yield lines[number], "\n".join(lines[number + 1 : end]).strip()


def numbered(source, text):
    shared = ""
    if "Examples share these\ndeclarations" in text:
        block = re.search(r"^```mlir\n.*?^```$", text, re.M | re.S)[0]
        shared = f"\n\n## What the examples share\n\n{block}"
    for line, body in sections(text):
        match = NUMBER.match(line)
        if match:
            anchor, label, title = match.groups()
            yield Rule(label, title, source, anchor, body + shared)


def named(root):
    for label, file, heading in ENTRY.findall((root / TABLE).read_text()):
        source = f"docs/{file}"
        text = (root / source).read_text()
        for line, body in sections(text):
            title = HEADING.match(line)[2]
            if links.heading_id(title) == heading:
                yield Rule(label, title, source, heading,
                           row_of(label, body) + body)
                break
        else:
            raise SystemExit(f"{TABLE}: no heading '{heading}' in {source}")


def row_of(label, body):
    """What a table of labels says of this one, as a paragraph."""
    row = re.search(rf"^\| `{label}` \| (.*) \|$", body, re.M)
    return f"**{row[1][0].upper() + row[1][1:]}.**\n\n" if row else ""


def find(root):
    found = []
    for source in NUMBERED:
        found += numbered(source, (root / source).read_text())
    return found + list(named(root))


def staged(rules, root, place):
    """The pages of the rules, and one with all of them, by name."""
    pages = {}
    for rule in rules:
        title = pathlib.PurePath(rule.source).name
        whole = (root / rule.source).read_text().splitlines()[0].lstrip("# ")
        text = (
            f"# {rule.label}: {rule.title}\n\n"
            + links.rewrite(rule.text, rule.source, rule.page, place)
            + f"\n\n---\n\nThis is a part of [{whole}](../{title}#{rule.heading});"
            " [all labels](index.md).\n"
        )
        pages[rule.page] = text
    rows = [
        f"| [`{rule.label}`]({rule.page.removeprefix('rules/')})"
        f" | {rule.title} | [{rule.source.removeprefix('docs/')}]"
        f"(../{rule.source.removeprefix('docs/')}#{rule.heading}) |"
        for rule in rules
    ]
    pages["rules/index.md"] = (
        "# Labels of messages\n\nA message ends with the label of the rule that a"
        " program breaks, in brackets. Each label has a page, to which [reports"
        " of messages](../diagnostics.md) and editors lead.\n\n"
        "| label | about | part of |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    )
    return pages

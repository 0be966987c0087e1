#!/usr/bin/env python3
# Makes the site of the documentation: pages from docs and from the other Markdown
# files, a page for each label of messages, and one for each file and folder that
# a page names.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   make_site.py --dialects FOLDER --reference FOLDER --work FOLDER SITE
#
# SITE gets a folder with the name of this version, `versions.json`, which the
# theme's menu of versions reads, and a page that leads to the newest one. Other
# versions that are there stay.

import argparse
import json
import os
import pathlib
import re
import shutil
import sys

import check_site
import links
import python_reference
import rules

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "utils/lint"))

from tree import Tree  # noqa: E402

# Pages with a separate place; all other files outside of docs are below
# 'source'.
PLACES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "docs/README.md": "all-pages.md",
}
LANGUAGES = {
    ".c": "c", ".cpp": "cpp", ".h": "cpp", ".td": "cpp", ".def": "cpp",
    ".mlir": "mlir", ".py": "python", ".pyi": "python", ".f90": "fortran",
    ".cmake": "cmake", ".ll": "llvm", ".sh": "bash", ".json": "json",
}
PICTURES = (".svg", ".png")
MOST_SHOWN = 60_000  # characters of a file


def place_of(path, folders):
    """The page of the site, or its picture, that shows what is at `path`."""
    if path in PLACES:
        return PLACES[path]
    if path.startswith("docs/"):
        path = path.removeprefix("docs/")
    else:
        path = f"source/{path}"
    if path.removeprefix("source/") in folders:
        return f"{path}/index.md"
    if path.endswith("README.md"):
        return path.removesuffix("README.md") + "index.md"
    if path.endswith((".md",) + PICTURES):
        return path
    return path + ".md"


class Site:
    def __init__(self, out):
        self.out = out
        self.files = set(Tree(ROOT).files)
        self.folders = {
            str(folder)
            for path in self.files
            for folder in pathlib.PurePath(path).parents
        } - {"."}
        self.rules = rules.find(ROOT)
        self.rule_pages = {
            (rule.source, rule.heading): rule.page
            for rule in self.rules if rule.source in rules.NUMBERED
            and re.fullmatch(r"\w\d+", rule.heading)
        }
        self.wanted = []  # files and folders whose pages are not made yet
        self.made = set()

    def place(self, path, heading):
        """Where a link to the path and heading leads, which is made then."""
        if (path, heading) in self.rule_pages:
            return self.rule_pages[path, heading], ""
        if path not in self.files and path not in self.folders:
            raise SystemExit(f"make_site.py: a page names '{path}', which is not there")
        if path in self.folders and f"{path}/README.md" in self.files:
            path += "/README.md"
        self.wanted.append(path)
        return place_of(path, self.folders), heading

    def write(self, page, text):
        file = self.out / page
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def make(self, path):
        page = place_of(path, self.folders)
        if path in self.folders:
            self.write(page, f"# {path}\n\n" + self.listed(path, page))
        elif path.endswith(".md"):
            text = links.rewrite((ROOT / path).read_text(), path, page, self.place)
            if path.endswith("/README.md") and path.startswith("examples/"):
                text += "\n\n## Files\n\n" + self.listed(
                    os.path.dirname(path), page)
            self.write(page, text)
        elif path.endswith(PICTURES):
            (self.out / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.out / page)
        else:
            self.write(page, self.shown(path))

    def listed(self, folder, page):
        """What a folder has, as a list. Of folders in it, those of examples have
        pages as well."""
        entries = sorted(
            {path[len(folder) + 1 :].split("/")[0] for path in self.files
             if path.startswith(folder + "/")} - {"README.md"}
        )
        lines = "".join(
            f"* [{name}]({name})\n"
            if folder.startswith("examples") or f"{folder}/{name}" in self.files
            else f"* `{name}`\n"
            for name in entries if not name.startswith(".")
        )
        return links.rewrite(lines, f"{folder}/README.md", page, self.place)

    def shown(self, path):
        try:
            text = (ROOT / path).read_text()
        except UnicodeDecodeError:
            return f"# {path}\n\nA file that is no text.\n"
        if len(text) > MOST_SHOWN:
            return (f"# {path}\n\n{text.count(chr(10))} lines of"
                    " data, too many to show here.\n")
        language = LANGUAGES.get(pathlib.PurePath(path).suffix, "text")
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) + [""]))
        return (f"# {path}\n\n{fence}{language}\n"
                f"{text.rstrip()}\n{fence}\n")

    def stage(self):
        self.wanted += [path for path in sorted(self.files)
                        if path.startswith("docs/") and
                        path.endswith((".md",) + PICTURES)]
        self.wanted += list(PLACES)
        for page, text in rules.staged(self.rules, ROOT, self.place).items():
            self.write(page, text)
        while self.wanted:
            path = self.wanted.pop()
            if path not in self.made:
                self.made.add(path)
                self.make(path)


REFERENCE = """# Reference

* <a href="reference/index.html">C, C++ and Fortran</a>: everything in the headers
  that are installed, by file and by name.
* [Python](python-reference.md): the package `sluice`.
* The dialects [dfg](dialects/dfg.md) and [rdir](dialects/rdir.md) of MLIR.
* [Commands](commands/index.md) and [settings of the runtime](runtime.md).
"""

# Two programs side by side, if the window is wide enough.
BESIDE = """@media (min-width: 60em) {
  .beside { display: grid; grid-template-columns: 1fr 1fr; column-gap: 1em; }
  .beside > * { grid-column: 2; min-width: 0; margin: 0; }
  .beside > :nth-child(-n + 2) { grid-column: 1; }
  .beside > :nth-child(3) { grid-row: 1; }
  .beside > :nth-child(2) { grid-row: 2 / span 9; }
}
"""


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(Sluice VERSION (\d+\.\d+)", text)[1]


def search_pages_only(target):
    """Leaves the pages that show files of the repository out of the search, but
    for those of the examples as a whole."""
    file = target / "search/search_index.json"
    index = json.loads(file.read_text())
    index["docs"] = [
        entry for entry in index["docs"]
        if not entry["location"].startswith("source/")
        or re.match(r"source/examples/(\w+/)?index\.html", entry["location"])
    ]
    file.write_text(json.dumps(index))


def list_versions(site):
    """Writes what the menu of versions reads, and the page that leads to the
    newest version."""
    def number(name):
        return [int(part) for part in name.split(".")]

    names = sorted((folder.name for folder in site.iterdir() if folder.is_dir()
                    and re.fullmatch(r"\d+(\.\d+)*", folder.name)),
                   key=number, reverse=True)
    entries = [{"version": name, "title": name, "aliases": []} for name in names]
    entries[0]["aliases"] = ["latest"]
    (site / "versions.json").write_text(json.dumps(entries, indent=2) + "\n")
    (site / "index.html").write_text(
        "<!doctype html>\n<title>Sluice</title>\n"
        f'<meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
        f'<a href="{names[0]}/index.html">Sluice {names[0]}</a>\n')


def pages_in(navigation):
    if isinstance(navigation, str):
        yield navigation
    else:
        parts = (navigation.values() if isinstance(navigation, dict)
                 else navigation)
        for part in parts:
            yield from pages_in(part)


def pages_without_place(pages, navigation):
    """Lines that tell of pages for readers that the navigation does not name."""
    named = set(pages_in(navigation))
    found = [path.relative_to(pages).as_posix()
             for folder in (".", "commands", "tutorial")
             for path in sorted((pages / folder).glob("*.md"))]
    return [f"{page}: no place in the navigation" for page in found
            if page not in named]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dialects", type=pathlib.Path, required=True,
                        help="folder with the pages of the dialects")
    parser.add_argument("--reference", type=pathlib.Path, required=True,
                        help="folder with the reference of the interfaces")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="folder for the pages")
    parser.add_argument("site", type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    site = Site(options.work)
    site.stage()
    for page in sorted(options.dialects.glob("*.md")):
        site.write(f"dialects/{page.name}",
                   links.outside_code(page.read_text(), links.for_mkdocs))
    site.write("reference.md", REFERENCE)
    site.write("beside.css", BESIDE)
    site.write("python-reference.md", python_reference.page(
        ROOT / "lib/PythonModule/sluice"))
    target = options.site / version()
    target.mkdir(parents=True, exist_ok=True)

    from mkdocs.commands import build
    from mkdocs.config import load_config

    config = load_config(str(HERE / "mkdocs.yml"), strict=True,
                         docs_dir=str(options.work.resolve()),
                         site_dir=str(target.resolve()))
    build.build(config)
    search_pages_only(target)
    shutil.copytree(options.reference, target / "reference")
    list_versions(options.site)
    broken = [*check_site.broken_links(target),
              *pages_without_place(options.work, config["nav"])]
    for line in broken:
        print(line)
    pages = sum(1 for _ in options.work.rglob("*.md"))
    print(f"{target}: {pages} pages, {len(site.rules)} of them labels of messages")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

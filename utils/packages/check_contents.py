#!/usr/bin/env python3
# What the components of an installation have, of which packages are made.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   check_contents.py [--install BUILD] FOLDER
#
# FOLDER/NAME has the component NAME, where --install copies it from a build folder
# first.

import argparse
import os
import pathlib
import re
import subprocess
import sys

# By component: the components on whose files it may rely, since its package
# depends on their packages.
NEEDS = {
    "runtime": [],
    "development": ["runtime"],
    "compiler": ["development", "runtime"],
    "python": ["compiler", "development", "runtime"],
    "mpi-openmpi": ["runtime"],
    "mpi-mpich": ["runtime"],
    "mpi-smpi": ["runtime"],
    "documentation": [],
}
# Pages for readers who have the sources link to these.
SOURCES = ("CONTRIBUTING.md", "LICENSE", "bench/", "docs/measured", "include/",
           "lib/")


def files_of(component):
    return sorted(str(path.relative_to(component))
                  for path in component.rglob("*")
                  if path.is_symlink() or not path.is_dir())


def one_place(files):
    """Two packages cannot have one file."""
    seen = {}
    for component, names in files.items():
        for name in names:
            if name in seen:
                yield f"'{name}' is in '{seen[name]}' and in '{component}'"
            seen[name] = component


def kinds(files):
    """Where headers, tools and libraries belong."""
    for component, names in files.items():
        for name in names:
            # dpkg allows the packages of several architectures to contain the
            # same path only if the files are equal.
            if component == "runtime" and not name.endswith(".so.0"):
                yield f"the component 'runtime' has '{name}'"
            if name.startswith("include/") and component != "development":
                yield f"'{component}' has the header '{name}'"
            tool = re.fullmatch("bin/(.+)", name)
            if tool and f"share/man/man1/{tool[1]}.1" not in names:
                yield f"'{component}' has '{name}' without its manual page"


def links(folder, files):
    """What links of libraries lead to is there."""
    for component, names in files.items():
        there = {name for other in [component, *NEEDS[component]]
                 for name in files[other]}
        for name in names:
            path = folder / component / name
            if path.is_symlink():
                target = os.path.normpath(
                    os.path.join(os.path.dirname(name), os.readlink(path)))
                if target not in there:
                    yield f"'{name}' of '{component}' leads nowhere: '{target}'"
            if name.endswith(".pc"):
                for library in re.findall(r" -l(Sluice\w+)", path.read_text()):
                    if f"lib/lib{library}.so" not in there:
                        yield f"'{name}' of '{component}' links '{library}'"


def both_mpis(files):
    """The packages for MPIs have the same."""
    one, other = ([name.replace(mpi, "MPI") for name in files[f"mpi-{mpi}"]]
                  for mpi in ("openmpi", "mpich"))
    for name in sorted(set(one) ^ set(other)):
        yield f"one MPI only has '{name}'"


def pages(folder, files):
    """Pages lead to what is installed with them."""
    there = set(files["documentation"])
    doc = next(os.path.dirname(name) for name in there
               if re.fullmatch("share/doc/[^/]+/README.md", name))
    folders = {parent for name in there
               for parent in map(str, pathlib.Path(name).parents)}
    for name in sorted(there):
        if not name.endswith(".md"):
            continue
        text = (folder / "documentation" / name).read_text()
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            target = os.path.normpath(os.path.join(os.path.dirname(name), link))
            if target in there or target in folders:
                continue
            if not os.path.relpath(target, doc).startswith(SOURCES):
                yield f"'{name}' leads to '{link}', which is not installed"


def problems(folder):
    found = {path.name for path in folder.iterdir()}
    for name in sorted(found ^ set(NEEDS)):
        yield f"the component '{name}' is here or in this script only"
    if found != set(NEEDS):
        return
    files = {name: files_of(folder / name) for name in NEEDS}
    for name, there in files.items():
        if not there:
            yield f"the component '{name}' is empty"
    yield from one_place(files)
    yield from kinds(files)
    yield from links(folder, files)
    yield from both_mpis(files)
    yield from pages(folder, files)


def main():
    parser = argparse.ArgumentParser(description="checks components")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--install", type=pathlib.Path)
    options = parser.parse_args()
    if options.install:
        for name in NEEDS:
            subprocess.run(
                ["cmake", "--install", options.install, "--component", name,
                 "--prefix", options.folder / name], check=True,
                stdout=subprocess.DEVNULL)
    found = list(problems(options.folder))
    for problem in found:
        print(f"error: {problem}")
    if not found:
        print("each component has what it should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Writes the reference of the interfaces by Doxygen, and names what has no comment
# there, or no docstring in the Python package.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   reference.py [--root SOURCE] OUT
#
# Ends with 1 if there is something, or if Doxygen finds a comment wrong.

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import python_reference

HERE = pathlib.Path(__file__).resolve().parent
WARNING = re.compile(r"^(.*?):(\d+): warning: (.*)$")


def run_doxygen(root, out):
    """Doxygen's warnings as (file, line, text), each once."""
    generated = out.parent / "fortran"
    generated.mkdir(parents=True, exist_ok=True)
    with open(generated / "pack_procedures.f90", "w") as file:
        subprocess.run([sys.executable, "lib/Pack/Fortran/generate.py"],
                       cwd=root, stdout=file, check=True)
    shutil.rmtree(out, ignore_errors=True)
    settings = (HERE / "Doxyfile").read_text() + (
        f"INPUT += {generated}\n"
        f"STRIP_FROM_PATH += {generated.parent}\n"
        f"OUTPUT_DIRECTORY = {out.parent}\n"
        f"HTML_OUTPUT = {out.name}\n"
        f'INPUT_FILTER = "sed -f {HERE}/banner.sed"\n'
    )
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          check=True)
    found = set()
    for line in done.stderr.splitlines():
        match = WARNING.match(line)
        if match:
            path = pathlib.Path(match[1])
            if path.is_relative_to(root):
                path = path.relative_to(root)
            found.add((str(path), int(match[2]), match[3]))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[1],
                        help="the source tree")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    warnings = run_doxygen(root, options.out.resolve())
    for path, line, text in warnings:
        print(f"{path}:{line}: {text}")
    package = root / "lib/PythonModule/sluice"
    names = list(python_reference.undocumented(package))
    for name in names:
        print(f"lib/PythonModule/sluice: {name} has no docstring")
    bare = [text for _, _, text in warnings if "is not documented" in text]
    print(f"{options.out}: {len(bare) + len(names)} entities without a comment")
    return 1 if warnings or names else 0


if __name__ == "__main__":
    sys.exit(main())

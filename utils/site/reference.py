#!/usr/bin/env python3
# Writes the reference of the interfaces by Doxygen, and counts what has no
# comment there.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   reference.py [--list] OUT
#
# Ends with 1 if more entities than MOST are without a comment, or if Doxygen
# finds a comment wrong.

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST = 891
WARNING = re.compile(r"^(.*?):(\d+): warning: (.*)$")


def run_doxygen(out):
    """Doxygen's warnings as (file, line, text), each once."""
    generated = out.parent / "fortran"
    generated.mkdir(parents=True, exist_ok=True)
    with open(generated / "pack_procedures.f90", "w") as file:
        subprocess.run([sys.executable, "lib/Pack/Fortran/generate.py"],
                       cwd=ROOT, stdout=file, check=True)
    shutil.rmtree(out, ignore_errors=True)
    settings = (HERE / "Doxyfile").read_text() + (
        f"INPUT += {generated}\n"
        f"STRIP_FROM_PATH += {generated.parent}\n"
        f"OUTPUT_DIRECTORY = {out.parent}\n"
        f"HTML_OUTPUT = {out.name}\n"
    )
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          check=True)
    found = set()
    for line in done.stderr.splitlines():
        match = WARNING.match(line)
        if match:
            path = pathlib.Path(match[1])
            if path.is_relative_to(ROOT):
                path = path.relative_to(ROOT)
            found.add((str(path), int(match[2]), match[3]))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true",
                        help="name everything without a comment")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    warnings = run_doxygen(options.out.resolve())
    bare = [entry for entry in warnings if "is not documented" in entry[2]]
    wrong = [entry for entry in warnings if entry not in bare]
    for path, line, text in wrong + (bare if options.list else []):
        print(f"{path}:{line}: {text}")
    print(f"{options.out}: {len(bare)} entities without a comment")
    if bare and not options.list:
        files = collections.Counter(path for path, _, _ in bare)
        for path, count in files.most_common():
            print(f"  {count:4} {path}")
    return 1 if len(bare) > MOST or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

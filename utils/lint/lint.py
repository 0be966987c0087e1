#!/usr/bin/env python3
# The lint: every rule about Sluice's files that a machine can check.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `./dev lint` runs it over the repository. Each check is a function that takes
# the tree and yields findings; a finding is an error unless it says 'warning'.
# test/Lint shows for each check a bad sample that it finds.

import argparse
import sys
import time

import cycles
import files
import format
import heads
import layers
import links
import measured
import names
import namespaces
import text
import twins
from tree import Tree

CHECKS = {
    "format": format.check,
    "layers": layers.check,
    "cycles": cycles.check,
    "names": names.check,
    "namespaces": namespaces.check,
    "twins": twins.check,
    "wording": text.check_wording,
    "licence": text.check_licence,
    "heads": heads.check,
    "paths": text.check_machine_paths,
    "markers": text.check_markers,
    "whitespace": text.check_whitespace,
    "modes": files.check_modes,
    "scripts": files.check_scripts,
    "length": files.check_length,
    "folders": files.check_folders,
    "npm": files.check_npm,
    "links": links.check,
    "named-paths": links.check_paths,
    "measured": measured.check,
}


def main():
    parser = argparse.ArgumentParser(description="checks of the repository")
    parser.add_argument("--root", default=".", help="the tree to check")
    parser.add_argument(
        "--only",
        action="append",
        choices=sorted(CHECKS),
        help="run this check only (may be repeated)",
    )
    options = parser.parse_args()

    tree = Tree(options.root)
    start = time.monotonic()
    errors = warnings = 0
    names = options.only or list(CHECKS)
    for name in names:
        for finding in CHECKS[name](tree):
            print(f"{finding} [{name}]")
            if finding.is_warning:
                warnings += 1
            else:
                errors += 1
    print(
        f"lint: {len(names)} checks over {len(tree.files)} files, "
        f"{errors} errors, {warnings} warnings, "
        f"{time.monotonic() - start:.1f} s"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

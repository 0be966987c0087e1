#!/usr/bin/env python3
# Writes the reference of Sluice's dialects from their .td files.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import pathlib
import subprocess
import sys

# dialect -> its last definition file, which includes the others
DIALECTS = {
    "dfg": "include/sluice/DFG/DFGOps.td",
    "rdir": "include/sluice/RDIR/RDIROps.td",
}
MLIR_INCLUDE = "/usr/lib/llvm-22/include"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tblgen", help="path of mlir-tblgen")
    parser.add_argument("out", type=pathlib.Path, help="folder to write to")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for dialect, source in DIALECTS.items():
        page = options.out / f"{dialect}.md"
        subprocess.run(
            [
                options.tblgen,
                "-gen-dialect-doc",
                f"-dialect={dialect}",
                f"-I{MLIR_INCLUDE}",
                "-Iinclude",
                source,
                "-o",
                str(page),
            ],
            check=True,
        )
        ops = page.read_text().count("\n### `")
        print(f"{page}: the dialect '{dialect}', {ops} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())

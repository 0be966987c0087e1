# Formatting: clang-format 14 and the .clang-format of the repository.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import C_LIKE, Finding

CLANG_FORMAT = "clang-format-14"
BATCH = 16


def check(tree):
    paths = list(tree.own(*C_LIKE))
    batches = [paths[i : i + BATCH] for i in range(0, len(paths), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda b: _check_batch(tree, b), batches):
            yield from findings


def _check_batch(tree, paths):
    command = [CLANG_FORMAT, "--dry-run", "--style=file:.clang-format"]
    if not os.path.exists(tree.full(".clang-format")):
        command[-1] = "--style=LLVM"
    result = subprocess.run(
        command + paths, cwd=tree.root, capture_output=True, text=True
    )
    seen = set()
    pattern = r"^(.*?):(\d+):\d+: (?:warning|error): code should be clang-f"
    for path, line in re.findall(pattern, result.stderr, re.MULTILINE):
        if path not in seen:
            seen.add(path)
            yield Finding(
                path, int(line), f"not formatted; run '{CLANG_FORMAT} -i {path}'"
            )
    if result.returncode and not seen:
        yield Finding(paths[0], 1, f"{CLANG_FORMAT}: {result.stderr.strip()}")

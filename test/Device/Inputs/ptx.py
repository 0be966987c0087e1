"""Looks at PTX, and has NVIDIA's assembler do so where there is one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import shutil
import subprocess

# What every module has, and what none has: functions that nothing defines, and
# instructions that compute something else than the host does.
PARTS = [r"^\.version [0-9]", r"^\.target sm_", r"^\.address_size 64$",
         r"^\.visible \.entry \w+\("]
NEVER = [r"\.extern \.func", r"\.approx", r"\.ftz"]


def find_ptxas():
    path = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    return path if os.access(path, os.X_OK) else None


def problems(path, architecture):
    """What is wrong with the PTX of a file, in words."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for pattern in PARTS:
        if not re.search(pattern, text, re.MULTILINE):
            yield f"{path} has no '{pattern}'"
    for pattern in NEVER:
        if found := re.search(".*" + pattern + ".*", text):
            yield f"{path} has '{found[0].strip()}'"
    if text.count("{") != text.count("}"):
        yield f"{path} has {text.count('{')} '{{' and {text.count('}')} '}}'"
    if ptxas := find_ptxas():
        done = subprocess.run([ptxas, "-arch=" + architecture, path, "-o",
                               path + ".cubin"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            yield f"ptxas: {done.stdout}"

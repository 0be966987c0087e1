# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks programs and the rdir text that `--print=rdir` writes for them: both
must be refused, or with -DFIXED accepted."""
import subprocess
import sys

sluice, folder, output, names = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]


def check(name, flags):
    text = subprocess.run(
        [sluice, "build", *flags, f"{folder}/{name}.c", "--print=rdir"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    path = f"{output}.{name}{''.join(flags)}.mlir"
    with open(path, "w") as file:
        file.write(text)
    result = subprocess.run([sluice, "check", path], capture_output=True,
                            text=True)
    if "rdir.graph" not in text:
        sys.exit(f"{name}: no graph was printed")
    if result.returncode == 1 and not any(
            f"[{rule}]" in result.stderr for rule in ("D2", "L1", "T2")):
        sys.exit(f"{name}: {result.stderr}")
    return result.returncode


for name in names:
    for flags, expected in (([], 1), (["-DFIXED"], 0)):
        if (found := check(name, flags)) != expected:
            sys.exit(f"{name} {flags}: exit code {found}, not {expected}")
print(f"{len(names)} racy programs refused, {len(names)} fixed ones accepted")

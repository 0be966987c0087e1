# Cuts files, and changes bytes of them; what sluice says of each must be an
# orderly answer: no problems, or errors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import random
import subprocess
import sys

GRAPH = """
dfg.dataset @A : f64 [3, 2]
dfg.kernel_source "broken%s"
dfg.task_graph @kernels { %%0 = dfg.task c "scale"(@A) }
"""


def check(sluice, ending, content, what):
    with open("broken" + ending, "wb") as file:
        file.write(content)
    with open("broken.mlir", "w") as file:
        file.write(GRAPH % ending)
    result = subprocess.run([sluice, "check", "broken.mlir"],
                            capture_output=True, timeout=600)
    isOrderly = (result.returncode == 0 and b"no problems" in result.stdout
                 or result.returncode == 1 and b"error: " in result.stderr)
    if not isOrderly:
        sys.exit(f"{what}: status {result.returncode}: {result.stderr}")


def main():
    sluice, files = sys.argv[1], sys.argv[2:]
    random.seed(1)
    for path in files:
        with open(path, "rb") as file:
            good = file.read()
        ending = path[path.rindex("."):]
        check(sluice, ending, good, path)
        for length in (0, 20, len(good) // 2):
            check(sluice, ending, good[:length], f"{path} cut at {length}")
        for trial in range(6):
            bad = bytearray(good)
            for _ in range(1 + trial * 20):
                bad[random.randrange(len(bad))] = random.randrange(256)
            check(sluice, ending, bytes(bad), f"{path} change {trial}")
    check(sluice, ".o", b"hello\n", "text")
    check(sluice, ".a", b"!<arch>\n", "empty archive")


main()

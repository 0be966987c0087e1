# Part of Sluice: a module with so many bodies, one in the other.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

depth = int(sys.argv[1])
print("rdir.graph @g {")
for _ in range(depth - 1):
    print("rdir.loop 1 {")
print("}\n" * depth)

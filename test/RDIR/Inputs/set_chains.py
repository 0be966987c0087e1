# Prints a program whose partitions have the one before on both sides.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

count = int(sys.argv[1])
print('rdir.root @r [100] {a : i64}')
print('rdir.partition @c0 of @r [4] disjoint incomplete by field("a")')
for i in range(1, count):
    print(f"rdir.partition @c{i} of @r [4] aliased incomplete "
          f"by union(@c{i - 1}, @c{i - 1})")
print("rdir.graph @main repeats 2 {")
print(f"  rdir.task @f over [4] reads(@c{count - 1})")
print("  rdir.task @g writes(@r)")
print("}")

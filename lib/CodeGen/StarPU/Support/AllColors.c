//===- AllColors.c - Partitions used as a whole ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A partition that an argument names without a color is the union of all.
//
//===----------------------------------------------------------------------===//

/* One color: all elements of another partition's colors. */
static void sluiceCreateAllColors(SluicePartition *partition,
                                  const SluicePartition *of) {
  const int64_t one = 1;
  sluiceSetColors(partition, of->root, 1, &one);
  for (int64_t c = 0; c < of->numColors; ++c)
    sluiceAddSet(&partition->sets[0], &of->sets[c]);
  sluiceFinishPartition(partition);
}

//===- ByField.c - Partitions by field ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element says which color it has.
//
//===----------------------------------------------------------------------===//

/* Element e of `parent` has color field[e]; other values: no color. */
static void sluiceCreateByField(SluicePartition *partition,
                                const SluicePartition *parent,
                                int64_t parentColor, int field, int rank,
                                const int64_t *colors) {
  const SluiceRoot *root = parent->root;
  const SluiceSet *inside = &parent->sets[parentColor];
  sluiceSetColors(partition, parent->root, rank, colors);
  for (int64_t r = 0; r < inside->numRuns; ++r)
    for (int64_t p = inside->runs[r].begin; p < inside->runs[r].end; ++p) {
      int64_t color = sluiceValueOf(root, field, p);
      if (color >= 0 && color < partition->numColors)
        sluiceAddRun(&partition->sets[color], p, p + 1);
    }
  sluiceFinishPartition(partition);
}

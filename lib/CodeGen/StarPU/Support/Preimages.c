//===- Preimages.c - Partitions by preimage -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names an element of a color.
//
//===----------------------------------------------------------------------===//

/* Adds element p of `root` to the colors of `target` that it names. */
static void sluiceAddToColors(SluicePartition *partition, int64_t p,
                              int64_t named, const SluicePartition *target) {
  for (int64_t c = 0; c < target->numColors; ++c) {
    const SluiceSet *set = &target->sets[c];
    int64_t low = 0, high = set->numRuns;
    while (low < high) { /* the first run that ends behind `named` */
      int64_t middle = (low + high) / 2;
      if (set->runs[middle].end <= named)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < set->numRuns && set->runs[low].begin <= named)
      sluiceAddRun(&partition->sets[c], p, p + 1);
  }
}

/* Color c: the elements of `parent` whose `field` names an element in color c
   of `target`. */
static void sluiceCreatePreimage(SluicePartition *partition,
                                 const SluicePartition *parent,
                                 int64_t parentColor, int field,
                                 const SluicePartition *target) {
  const SluiceRoot *root = parent->root;
  const SluiceSet *inside = &parent->sets[parentColor];
  int64_t perElement = sluiceValuesPerElement(root, field);
  sluiceSetColors(partition, parent->root, target->rank, target->colors);
  for (int64_t r = 0; r < inside->numRuns; ++r)
    for (int64_t p = inside->runs[r].begin; p < inside->runs[r].end; ++p)
      for (int64_t i = 0; i < perElement; ++i)
        sluiceAddToColors(partition, p,
                          sluiceValueOf(root, field, p * perElement + i),
                          target);
  sluiceFinishPartition(partition);
}

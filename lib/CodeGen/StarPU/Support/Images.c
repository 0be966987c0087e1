//===- Images.c - Partitions by image -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the elements of a color name.
//
//===----------------------------------------------------------------------===//

/* Color c: the elements of `root` that `field` of the elements in color c of
   `source` names. */
static void sluiceCreateImage(SluicePartition *partition, SluiceRoot *root,
                              const SluicePartition *source, int field) {
  int64_t perElement = sluiceValuesPerElement(source->root, field);
  sluiceSetColors(partition, root, source->rank, source->colors);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    const SluiceSet *set = &source->sets[c];
    for (int64_t r = 0; r < set->numRuns; ++r)
      for (int64_t i = set->runs[r].begin * perElement;
           i < set->runs[r].end * perElement; ++i) {
        int64_t named = sluiceValueOf(source->root, field, i);
        if (named < 0 || named >= root->count)
          sluiceDie(
              "image '%s' of '%s': an element of '%s' names element %lld, "
              "but '%s' has %lld",
              partition->name, root->name, source->root->name, (long long)named,
              root->name, (long long)root->count);
        sluiceAddRun(&partition->sets[c], named, named + 1);
      }
  }
  sluiceFinishPartition(partition);
}

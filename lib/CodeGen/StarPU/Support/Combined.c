//===- Combined.c - Unions, intersections, differences --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets are combined color by color.
//
//===----------------------------------------------------------------------===//

enum SluiceSetOperation {
  SLUICE_UNION,
  SLUICE_INTERSECTION,
  SLUICE_DIFFERENCE
};

/* Color by color. */
static void sluiceCreateCombined(SluicePartition *partition,
                                 enum SluiceSetOperation operation,
                                 const SluicePartition *left,
                                 const SluicePartition *right) {
  if (left->numColors != right->numColors)
    sluiceDie("partition '%s' combines '%s' of %" PRId64 " colors and '%s' of "
              "%" PRId64,
              partition->name, left->name, left->numColors, right->name,
              right->numColors);
  sluiceSetColors(partition, left->root, left->rank, left->colors);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    if (operation == SLUICE_UNION) {
      sluiceAddSet(&partition->sets[c], &left->sets[c]);
      sluiceAddSet(&partition->sets[c], &right->sets[c]);
    } else {
      partition->sets[c] = sluiceMeet(&left->sets[c], &right->sets[c],
                                      operation == SLUICE_INTERSECTION);
    }
  }
  sluiceFinishPartition(partition);
}

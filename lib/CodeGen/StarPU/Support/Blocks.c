//===- Blocks.c - Partitions by blocks ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal boxes of a box, as sluiceAddBlocks makes them.
//
//===----------------------------------------------------------------------===//

/* Equal blocks of the box of `parent`: color c has the elements
   c * n / colors .. (c + 1) * n / colors of each dimension. */
static void sluiceCreateBlocks(SluicePartition *partition,
                               const SluicePartition *parent,
                               int64_t parentColor, int rank,
                               const int64_t *colors) {
  const SluiceDomain *box = &parent->domains[parentColor];
  if (rank != parent->root->rank)
    sluiceDie("partition '%s' by blocks has %d dimensions, but '%s' has %d",
              partition->name, rank, parent->root->name, parent->root->rank);
  sluiceSetColors(partition, parent->root, rank, colors);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    int64_t at[SLUICE_MAX_RANK], lower[SLUICE_MAX_RANK], upper[SLUICE_MAX_RANK];
    sluiceUnfold(partition, c, at);
    for (int d = 0; d < rank; ++d) {
      int64_t n = box->upper[d] - box->lower[d];
      lower[d] = box->lower[d] + at[d] * n / colors[d];
      upper[d] = box->lower[d] + (at[d] + 1) * n / colors[d];
    }
    sluiceAddBox(&partition->sets[c], parent->root, lower, upper);
    if (box->runs) {
      sluiceFinishSet(&partition->sets[c]);
      SluiceSet inside =
          sluiceMeet(&partition->sets[c], &parent->sets[parentColor], 1);
      free(partition->sets[c].runs);
      partition->sets[c] = inside;
    }
  }
  sluiceFinishPartition(partition);
}

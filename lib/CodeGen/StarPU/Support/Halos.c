//===- Halos.c - Partitions by halos --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The colors of another partition, widened.
//
//===----------------------------------------------------------------------===//

/* Adds the elements of `from`, moved by -width .. width along dimension d. */
static void sluiceWiden(SluiceSet *into, const SluiceRoot *root,
                        const SluiceSet *from, int d, int64_t width) {
  int64_t step = sluiceStride(root, d), line = step * root->extents[d];
  for (int64_t r = 0; r < from->numRuns; ++r)
    for (int64_t at = from->runs[r].begin; at < from->runs[r].end;) {
      /* The part of the run that has one coordinate in every dimension
         before d, and for other dimensions than the last also in d. */
      int64_t start = at / line * line;
      int64_t limit = step == 1 ? start + line : at / step * step + step;
      int64_t end = limit < from->runs[r].end ? limit : from->runs[r].end;
      if (step == 1) {
        int64_t low = at - width, high = end + width;
        sluiceAddRun(into, low > start ? low : start,
                     high < limit ? high : limit);
      }
      for (int64_t k = -width; step > 1 && k <= width; ++k)
        if (at + k * step >= start && at + k * step < start + line)
          sluiceAddRun(into, at + k * step, end + k * step);
      at = end;
    }
  sluiceFinishSet(into);
}

/* Each color of `of` with `width[d]` more elements on both sides of each
   dimension, as far as the root reaches; without corners only along the
   axes. */
static void sluiceCreateHalos(SluicePartition *partition,
                              const SluicePartition *of, const int64_t *width,
                              int hasCorners) {
  const SluiceRoot *root = of->root;
  sluiceSetColors(partition, of->root, of->rank, of->colors);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    SluiceSet *set = &partition->sets[c];
    sluiceAddSet(set, &of->sets[c]);
    for (int d = 0; d < root->rank; ++d) {
      SluiceSet wider = {0};
      sluiceWiden(&wider, root, hasCorners ? set : &of->sets[c], d, width[d]);
      sluiceAddSet(set, &wider);
      sluiceFinishSet(set);
      free(wider.runs);
    }
  }
  sluiceFinishPartition(partition);
}

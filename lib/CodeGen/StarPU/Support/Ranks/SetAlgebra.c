//===- SetAlgebra.c - Intersections of sets -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intersection of two sets, and their difference.
//
//===----------------------------------------------------------------------===//

/* Adds what is in both. */
static void sluiceIntersect(SluiceSet *into, const SluiceSet *a,
                            const SluiceSet *b) {
  for (int64_t i = 0, j = 0; i < a->numRuns && j < b->numRuns;) {
    SluiceRun x = a->runs[i], y = b->runs[j];
    sluiceAddRun(into, x.begin > y.begin ? x.begin : y.begin,
                 x.end < y.end ? x.end : y.end);
    if (x.end < y.end)
      ++i;
    else
      ++j;
  }
}

/* Adds what is in the first set only. */
static void sluiceSubtract(SluiceSet *into, const SluiceSet *a,
                           const SluiceSet *b) {
  int64_t j = 0;
  for (int64_t i = 0; i < a->numRuns; ++i) {
    int64_t begin = a->runs[i].begin, end = a->runs[i].end;
    while (j < b->numRuns && b->runs[j].end <= begin)
      ++j;
    for (int64_t k = j; k < b->numRuns && b->runs[k].begin < end; ++k) {
      sluiceAddRun(into, begin, b->runs[k].begin);
      if (b->runs[k].end > begin)
        begin = b->runs[k].end;
    }
    sluiceAddRun(into, begin, end);
  }
}

static void sluiceFreeSet(SluiceSet *set) {
  free(set->runs);
  *set = (SluiceSet){0};
}

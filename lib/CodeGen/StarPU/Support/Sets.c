//===- Sets.c - Elements of colors ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of linear positions as sorted runs.
//
//===----------------------------------------------------------------------===//

/* Linear positions as ascending runs that are apart. */
typedef struct SluiceSet {
  SluiceRun *runs;
  int64_t numRuns, capacity, count;
} SluiceSet;

/* Adds begin <= p < end in any order; finishSet puts them in order. */
static void sluiceAddRun(SluiceSet *set, int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  if (set->numRuns && set->runs[set->numRuns - 1].end == begin) {
    set->runs[set->numRuns - 1].end = end;
    return;
  }
  set->runs =
      sluiceGrow(set->runs, set->numRuns, &set->capacity, sizeof(SluiceRun));
  set->runs[set->numRuns++] = (SluiceRun){begin, end};
}

static int sluiceCompareRuns(const void *a, const void *b) {
  int64_t x = ((const SluiceRun *)a)->begin, y = ((const SluiceRun *)b)->begin;
  return (x > y) - (x < y);
}

static int sluiceIsSorted(const SluiceSet *set) {
  for (int64_t i = 1; i < set->numRuns; ++i)
    if (set->runs[i].begin < set->runs[i - 1].begin)
      return 0;
  return 1;
}

/* Sorts and joins the runs, and counts the elements. */
static void sluiceFinishSet(SluiceSet *set) {
  int64_t numRuns = 0;
  if (set->numRuns && !sluiceIsSorted(set))
    qsort(set->runs, (size_t)set->numRuns, sizeof(SluiceRun),
          sluiceCompareRuns);
  set->count = 0;
  for (int64_t i = 0; i < set->numRuns; ++i) {
    SluiceRun run = set->runs[i];
    if (numRuns && run.begin <= set->runs[numRuns - 1].end) {
      if (run.end > set->runs[numRuns - 1].end)
        set->runs[numRuns - 1].end = run.end;
    } else {
      set->runs[numRuns++] = run;
    }
  }
  set->numRuns = numRuns;
  for (int64_t i = 0; i < numRuns; ++i)
    set->count += set->runs[i].end - set->runs[i].begin;
}

static void sluiceAddSet(SluiceSet *into, const SluiceSet *from) {
  for (int64_t i = 0; i < from->numRuns; ++i)
    sluiceAddRun(into, from->runs[i].begin, from->runs[i].end);
}

static int sluiceIsSameSet(const SluiceSet *a, const SluiceSet *b) {
  return a->numRuns == b->numRuns &&
         memcmp(a->runs, b->runs, (size_t)a->numRuns * sizeof(SluiceRun)) == 0;
}

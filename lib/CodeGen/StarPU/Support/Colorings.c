//===- Colorings.c - Partitions by coloring -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's function names the elements of each color.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceCollector {
  SluiceColoring interface; /* first: what the coloring function is given */
  const SluicePartition *partition;
  int64_t color;
} SluiceCollector;

static void sluiceCollect(SluiceColoring *self, int64_t begin, int64_t end) {
  SluiceCollector *collector = (SluiceCollector *)self;
  const SluicePartition *partition = collector->partition;
  if (begin < 0 || end > partition->root->count)
    sluiceDie("color %" PRId64 " of partition '%s' is given elements %" PRId64
              " to %" PRId64 ", but '%s' has %" PRId64,
              collector->color, partition->name, begin, end,
              partition->root->name, partition->root->count);
  sluiceAddRun(&partition->sets[collector->color], begin, end);
}

/* The elements that `coloring` names, called once per color. */
static void
sluiceCreateColoring(SluicePartition *partition, const SluicePartition *parent,
                     int64_t parentColor, int rank, const int64_t *colors,
                     void (*coloring)(const int64_t *, SluiceColoring *)) {
  sluiceSetColors(partition, parent->root, rank, colors);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    SluiceCollector collector = {{sluiceCollect}, partition, c};
    int64_t at[SLUICE_MAX_RANK] = {0, 0, 0};
    sluiceUnfold(partition, c, at);
    coloring(at, &collector.interface);
    sluiceFinishSet(&partition->sets[c]);
    SluiceSet outside =
        sluiceMeet(&partition->sets[c], &parent->sets[parentColor], 0);
    if (outside.count)
      sluiceDie("color %" PRId64 " of partition '%s' is given element %" PRId64
                ", which is not in its parent",
                c, partition->name, outside.runs[0].begin);
  }
  sluiceFinishPartition(partition);
}

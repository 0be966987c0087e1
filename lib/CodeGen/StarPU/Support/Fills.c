//===- Fills.c - Fills ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task of a fill.
//
//===----------------------------------------------------------------------===//

/* Sets all elements of the fields to the launch's value. */
static void sluiceRunFill(void *buffers[], void *argument) {
  const SluicePoint *point = argument;
  const SluiceRegionAccess *access = &point->launch->accesses[0];
  const SluiceRoot *root = access->partition->root;
  const SluiceSet *set = &access->partition->sets[point->colors[0]];
  (void)buffers;
  for (int f = 0; f < root->numFields; ++f) {
    if (!(access->fields >> f & 1))
      continue;
    size_t size = sluiceValueSize(&root->fields[f]);
    int64_t perElement = root->fields[f].count;
    for (int64_t r = 0; r < set->numRuns; ++r) {
      char *at = root->memory[f] + set->runs[r].begin * perElement * size;
      char *end = root->memory[f] + set->runs[r].end * perElement * size;
      for (; at < end; at += size)
        memcpy(at, point->launch->value, size);
    }
  }
}

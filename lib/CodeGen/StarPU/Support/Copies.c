//===- Copies.c - Copies --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task of a copy.
//
//===----------------------------------------------------------------------===//

/* The next field of a mask at or after `field`. */
static int sluiceNextField(uint64_t fields, int field) {
  while (field < 64 && !(fields >> field & 1))
    ++field;
  return field;
}

/* Copies the fields of the first access to those of the second, in order. */
static void sluiceRunCopy(void *buffers[], void *argument) {
  const SluicePoint *point = argument;
  const SluiceRegionAccess *from = &point->launch->accesses[0];
  const SluiceRegionAccess *to = &point->launch->accesses[1];
  const SluiceRoot *source = from->partition->root,
                   *target = to->partition->root;
  const SluiceSet *set = &from->partition->sets[point->colors[0]];
  int f = sluiceNextField(from->fields, 0), g = sluiceNextField(to->fields, 0);
  (void)buffers;
  if (!sluiceIsSameSet(set, &to->partition->sets[point->colors[1]]))
    sluiceDie("'%s' copies color %" PRId64 " of '%s' to color %" PRId64
              " of '%s', "
              "which has other elements",
              point->launch->name, point->colors[0], from->partition->name,
              point->colors[1], to->partition->name);
  for (; f < 64 && g < 64; f = sluiceNextField(from->fields, f + 1),
                           g = sluiceNextField(to->fields, g + 1)) {
    size_t size = sluiceElementSize(&source->fields[f]);
    for (int64_t r = 0; r < set->numRuns; ++r)
      memcpy(target->memory[g] + (size_t)set->runs[r].begin * size,
             source->memory[f] + (size_t)set->runs[r].begin * size,
             (size_t)(set->runs[r].end - set->runs[r].begin) * size);
  }
}

//===- Atoms.c - What the arguments of a graph share ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of different partitions overlap. Atoms are the largest parts that no
// argument divides, so two tasks conflict if and only if they share an atom.
//
//===----------------------------------------------------------------------===//

/* Where a set begins or ends to have elements. */
typedef struct SluiceEvent {
  int64_t position;
  int32_t set;
  int32_t isBegin;
} SluiceEvent;

static int sluiceCompareEvents(const void *a, const void *b) {
  const SluiceEvent *x = a, *y = b;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  return (x->set > y->set) - (x->set < y->set);
}

/* The atoms found so far, each with the sets that have it, by their hash. */
typedef struct SluiceAtomTable {
  int32_t *members; /* those of all atoms */
  int64_t numMembers, memberCapacity;
  struct SluiceAtomEntry {
    uint64_t hash;
    int64_t begin, count;
  } * entries;
  int64_t numEntries, entryCapacity;
  int64_t *slots; /* atom + 1, or 0; their number is a power of two */
  int64_t numSlots;
} SluiceAtomTable;

static uint64_t sluiceMix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void sluicePlaceAtom(SluiceAtomTable *table, int64_t atom) {
  uint64_t at = table->entries[atom].hash;
  while (table->slots[at & (uint64_t)(table->numSlots - 1)])
    ++at;
  table->slots[at & (uint64_t)(table->numSlots - 1)] = atom + 1;
}

static void sluiceGrowSlots(SluiceAtomTable *table) {
  if (2 * table->numEntries < table->numSlots)
    return;
  free(table->slots);
  table->numSlots = table->numSlots ? 4 * table->numSlots : 256;
  table->slots = sluiceAllocate("atoms", table->numSlots, sizeof(int64_t));
  for (int64_t atom = 0; atom < table->numEntries; ++atom)
    sluicePlaceAtom(table, atom);
}

/* The atom of exactly these sets, or -1. */
static int64_t sluiceFindAtom(const SluiceAtomTable *table, uint64_t hash,
                              const int32_t *sets, int64_t count) {
  for (uint64_t at = hash;; ++at) {
    int64_t atom = table->slots[at & (uint64_t)(table->numSlots - 1)] - 1;
    if (atom < 0)
      return -1;
    const struct SluiceAtomEntry *entry = &table->entries[atom];
    if (entry->hash == hash && entry->count == count &&
        memcmp(table->members + entry->begin, sets,
               (size_t)count * sizeof(int32_t)) == 0)
      return atom;
  }
}

static void sluiceAddAtom(SluiceAtomTable *table, uint64_t hash,
                          const int32_t *sets, int64_t count,
                          SluiceAtomList **lists) {
  int64_t atom = table->numEntries;
  table->entries = sluiceGrow(table->entries, atom, &table->entryCapacity,
                              sizeof(struct SluiceAtomEntry));
  table->entries[table->numEntries++] =
      (struct SluiceAtomEntry){hash, table->numMembers, count};
  for (int64_t i = 0; i < count; ++i) {
    SluiceAtomList *list = lists[sets[i]];
    table->members = sluiceGrow(table->members, table->numMembers,
                                &table->memberCapacity, sizeof(int32_t));
    table->members[table->numMembers++] = sets[i];
    list->atoms =
        sluiceGrow(list->atoms, list->count, &list->capacity, sizeof(int64_t));
    list->atoms[list->count++] = atom;
  }
  sluiceGrowSlots(table);
  sluicePlaceAtom(table, atom);
}

/* Adds to or removes from the ascending list of sets. */
static int64_t sluiceToggle(int32_t *sets, int64_t count, int32_t set,
                            int isBegin) {
  int64_t at = 0;
  while (at < count && sets[at] < set)
    ++at;
  size_t rest = (size_t)(count - at) * sizeof(int32_t);
  if (isBegin) {
    memmove(sets + at + 1, sets + at, rest);
    sets[at] = set;
    return count + 1;
  }
  memmove(sets + at, sets + at + 1, rest - sizeof(int32_t));
  return count - 1;
}

/* Walks over the events and makes an atom of every combination of sets. The
   elements of each go to `elements`, unless that is null. */
static int64_t sluiceSweep(const SluiceEvent *events, int64_t numEvents,
                           SluiceAtomList **lists, int64_t numSets,
                           SluiceSet **elements) {
  SluiceAtomTable table = {0};
  int32_t *open = sluiceAllocate("atoms", numSets, sizeof(int32_t));
  int64_t numOpen = 0, capacity = 0;
  uint64_t hash = 0;
  sluiceGrowSlots(&table);
  for (int64_t e = 0; e < numEvents; ++e) {
    numOpen = sluiceToggle(open, numOpen, events[e].set, events[e].isBegin);
    hash ^= sluiceMix((uint64_t)events[e].set + 1);
    if (e + 1 == numEvents || events[e + 1].position == events[e].position ||
        numOpen == 0)
      continue;
    int64_t atom = sluiceFindAtom(&table, hash, open, numOpen);
    if (atom < 0) {
      atom = table.numEntries;
      sluiceAddAtom(&table, hash, open, numOpen, lists);
      if (elements) {
        *elements = sluiceGrow(*elements, atom, &capacity, sizeof(SluiceSet));
        (*elements)[atom] = (SluiceSet){0};
      }
    }
    if (elements)
      sluiceAddRun(&(*elements)[atom], events[e].position,
                   events[e + 1].position);
  }
  int64_t numAtoms = table.numEntries;
  free(table.members);
  free(table.entries);
  free(table.slots);
  free(open);
  return numAtoms;
}

/* Finds the atoms of a root for the partitions that the graph uses, and the
   elements of each unless `elements` is null. */
static void sluiceFindAtoms(SluiceRoot *root,
                            SluicePartition *const *partitions,
                            int numPartitions, SluiceSet **elements) {
  SluiceEvent *events = NULL;
  SluiceAtomList **lists = NULL;
  int64_t numEvents = 0, eventCapacity = 0, numSets = 0, setCapacity = 0;
  for (int i = 0; i < numPartitions; ++i) {
    SluicePartition *partition = partitions[i];
    if (partition->root != root)
      continue;
    for (int64_t c = 0; c < partition->numColors; ++c) {
      partition->atoms[c].count = 0;
      lists =
          sluiceGrow(lists, numSets, &setCapacity, sizeof(SluiceAtomList *));
      lists[numSets++] = &partition->atoms[c];
      for (int64_t r = 0; r < 2 * partition->sets[c].numRuns; ++r) {
        SluiceRun run = partition->sets[c].runs[r / 2];
        events =
            sluiceGrow(events, numEvents, &eventCapacity, sizeof(SluiceEvent));
        events[numEvents++] = (SluiceEvent){r % 2 ? run.end : run.begin,
                                            (int32_t)numSets - 1, r % 2 == 0};
      }
    }
  }
  if (numEvents)
    qsort(events, (size_t)numEvents, sizeof(SluiceEvent), sluiceCompareEvents);
  root->numAtoms = sluiceSweep(events, numEvents, lists, numSets, elements);
  free(events);
  free(lists);
}

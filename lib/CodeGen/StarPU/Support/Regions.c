//===- Regions.c - Roots and partitions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sluice's runtime makes roots and partitions and checks their declared
// properties. This part adds what StarPU needs: sets of elements, and handles.
//
//===----------------------------------------------------------------------===//

/* Who owns roots and partitions. */
static SluiceProgram *sluiceRegions;

/* Atoms are the parts of a root that no set of the present graph divides. */
typedef struct SluiceAtomList {
  int64_t *atoms, count, capacity;
} SluiceAtomList;

/* Who used a field of an atom last: numbers of tasks, 0 for none. */
typedef struct SluiceHistory {
  uint64_t writer, *readers;
  int64_t numReaders, capacity;
} SluiceHistory;

typedef struct SluiceRoot SluiceRoot;

/* Colors and their elements; a root itself has one color, and so have all
   colors of a partition together. */
typedef struct SluicePartition {
  const char *name;
  SluiceRoot *root;
  uint32_t number; /* of the runtime */
  int isAll;       /* one color, of all elements of that partition */
  int rank;
  int64_t colors[SLUICE_MAX_RANK], numColors;
  SluiceSet *sets;
  const SluiceDomain **domains;
  /* A handle per color and field, registered when a graph first uses it; on
     several ranks none, but the rank of each color. */
  starpu_data_handle_t *handles;
  uint32_t *ranks;
  /* Atoms of each color in the present graph, where that uses the partition. */
  SluiceAtomList *atoms;
} SluicePartition;

struct SluiceRoot {
  const char *name;
  int rank;
  int numFields;
  const SluiceField *fields;
  /* Set by createRoot. */
  uint32_t number; /* of the runtime */
  int64_t extents[SLUICE_MAX_RANK], count;
  char *memory[64];
  SluicePartition whole;
  int64_t numAtoms;
  SluiceHistory *histories;  /* histories[field * numAtoms + atom] */
  struct SluiceHomes *homes; /* on several ranks: who has what */
  SluiceRoot *next;
};

/* Adds the elements of a box. */
static void sluiceAddBox(SluiceSet *set, const SluiceRoot *root,
                         const int64_t *lower, const int64_t *upper) {
  int64_t low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, extents[3] = {1, 1, 1};
  for (int d = 0; d < root->rank; ++d) { /* the last dimension is the last */
    int to = d + SLUICE_MAX_RANK - root->rank;
    low[to] = lower[d];
    high[to] = upper[d];
    extents[to] = root->extents[d];
  }
  int64_t columns = extents[2], rows = extents[1];
  if (high[2] - low[2] == columns) { /* whole rows are one run */
    columns *= rows;
    low[2] = low[1] * extents[2];
    high[2] = high[1] * extents[2];
    low[1] = 0;
    high[1] = rows = 1;
    if (high[2] - low[2] == columns) { /* and whole planes */
      low[2] = low[0] * columns;
      high[2] = high[0] * columns;
      low[0] = 0;
      high[0] = 1;
    }
  }
  for (int64_t i = low[0]; i < high[0]; ++i)
    for (int64_t j = low[1]; j < high[1]; ++j) {
      int64_t row = (i * rows + j) * columns;
      sluiceAddRun(set, row + low[2], row + high[2]);
    }
}

static void sluiceSetElements(SluicePartition *partition, int64_t color,
                              const SluiceDomain *domain) {
  SluiceSet *set = &partition->sets[color];
  partition->domains[color] = domain;
  for (int64_t r = 0; r < domain->numRuns; ++r)
    sluiceAddRun(set, domain->runs[r].begin, domain->runs[r].end);
  if (!domain->runs && domain->count)
    sluiceAddBox(set, partition->root, domain->lower, domain->upper);
  sluiceFinishSet(set);
}

static void sluiceAllocateColors(SluicePartition *partition, SluiceRoot *root) {
  int64_t numColors = partition->numColors;
  const char *name = partition->name;
  partition->root = root;
  partition->sets = sluiceAllocate(name, numColors, sizeof(SluiceSet));
  partition->domains = sluiceAllocate(name, numColors, sizeof(SluiceDomain *));
  partition->atoms = sluiceAllocate(name, numColors, sizeof(SluiceAtomList));
}

/* One color: the root (no number), or all elements of a partition's colors. */
static void sluiceTakeAll(SluicePartition *partition, SluiceRoot *root,
                          uint32_t number) {
  SluiceRegionPart part = {root->number, number, -1};
  partition->number = number;
  partition->isAll = 1;
  partition->rank = 1;
  partition->colors[0] = partition->numColors = 1;
  sluiceAllocateColors(partition, root);
  sluiceSetElements(partition, 0, sluiceElementsOf(sluiceRegions, part));
}

/* A partition that the runtime made. */
static void sluiceTakePartition(SluicePartition *partition, SluiceRoot *root,
                                uint32_t number) {
  partition->number = number;
  partition->numColors = sluiceColorsOf(sluiceRegions, number, &partition->rank,
                                        partition->colors);
  sluiceAllocateColors(partition, root);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    SluiceRegionPart part = {root->number, number, c};
    sluiceSetElements(partition, c, sluiceElementsOf(sluiceRegions, part));
  }
}

static SluiceRoot *sluiceRoots;

/* `extents` have the root's rank. */
static void sluiceCreateRoot(SluiceRoot *root, const int64_t *extents) {
  root->number = sluiceAddRoot(sluiceRegions, root->name, root->rank, extents,
                               (uint32_t)root->numFields, root->fields);
  root->count = 1;
  for (int d = 0; d < root->rank; ++d) {
    root->extents[d] = extents[d];
    root->count *= extents[d];
  }
  for (int f = 0; f < root->numFields; ++f)
    root->memory[f] = sluiceRootField(sluiceRegions, root->number, (uint32_t)f);
  root->next = sluiceRoots;
  sluiceRoots = root;
  root->whole.name = root->name;
  sluiceTakeAll(&root->whole, root, SLUICE_NO_PARTITION);
}

static void sluiceDestroyPartition(SluicePartition *partition) {
  int64_t numHandles = partition->numColors * partition->root->numFields;
  for (int64_t i = 0; partition->handles && i < numHandles; ++i)
    if (partition->handles[i])
      starpu_data_unregister(partition->handles[i]);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    free(partition->sets[c].runs);
    free(partition->atoms[c].atoms);
  }
  free(partition->handles);
  free(partition->ranks);
  free(partition->sets);
  free(partition->atoms);
  free(partition->domains);
}

//===- Regions.c - Roots and partitions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A root is an array per field; the colors of its partitions are sets of its
// elements and share its memory.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceField {
  const char *name;
  size_t size;   /* bytes of an element */
  int valueSize; /* bytes of one value of it */
} SluiceField;

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

/* Colors and their elements; a root itself has one color. */
typedef struct SluicePartition {
  const char *name;
  SluiceRoot *root;
  int rank;
  int64_t colors[SLUICE_MAX_RANK], numColors;
  SluiceSet *sets;
  SluiceDomain *domains;
  /* A handle per color and field, registered when a graph first uses it. */
  starpu_data_handle_t *handles;
  /* Atoms of each color in the present graph, where that uses the partition. */
  SluiceAtomList *atoms;
} SluicePartition;

struct SluiceRoot {
  const char *name;
  int rank;
  int64_t extents[SLUICE_MAX_RANK];
  int numFields;
  const SluiceField *fields;
  /* Set by createRoot. */
  char *memory[64];
  int64_t count;
  SluicePartition whole;
  int64_t numAtoms;
  SluiceHistory *histories; /* histories[field * numAtoms + atom] */
  SluiceRoot *next;
};

static int64_t sluiceStride(const SluiceRoot *root, int dimension) {
  int64_t result = 1;
  for (int d = dimension + 1; d < root->rank; ++d)
    result *= root->extents[d];
  return result;
}

/* The bounds of a set in one dimension. */
static void sluiceFindBounds(const SluiceRoot *root, const SluiceSet *set,
                             int d, SluiceDomain *domain) {
  int64_t step = sluiceStride(root, d), extent = root->extents[d];
  int64_t lower = extent, upper = 0;
  for (int64_t i = 0; i < set->numRuns; ++i) {
    int64_t first = set->runs[i].begin / step;
    int64_t last = (set->runs[i].end - 1) / step;
    int64_t low = first % extent, high = last % extent;
    if (first / extent != last / extent) {
      low = 0;
      high = extent - 1;
    }
    lower = low < lower ? low : lower;
    upper = high >= upper ? high + 1 : upper;
  }
  domain->lower[d] = set->numRuns ? lower : 0;
  domain->upper[d] = upper;
}

static SluiceDomain sluiceDomainOf(const SluiceRoot *root,
                                   const SluiceSet *set) {
  SluiceDomain domain = {.rank = root->rank, .count = set->count};
  int64_t volume = 1;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    domain.upper[d] = 1;
    if (d >= root->rank)
      continue;
    domain.stride[d] = sluiceStride(root, d);
    sluiceFindBounds(root, set, d, &domain);
    volume *= domain.upper[d] - domain.lower[d];
  }
  if (volume != set->count) {
    domain.runs = set->runs;
    domain.numRuns = set->numRuns;
  }
  return domain;
}

/* Gives a partition its colors, without elements so far. */
static void sluiceSetColors(SluicePartition *partition, SluiceRoot *root,
                            int rank, const int64_t *colors) {
  partition->root = root;
  partition->rank = rank;
  partition->numColors = 1;
  for (int d = 0; d < rank; ++d) {
    if (colors[d] < 1)
      sluiceDie("partition '%s' has %" PRId64 " colors; expected at least 1",
                partition->name, colors[d]);
    partition->colors[d] = colors[d];
    partition->numColors *= colors[d];
  }
  partition->sets =
      sluiceAllocate(partition->name, partition->numColors, sizeof(SluiceSet));
}

/* Once all colors have their elements. */
static void sluiceFinishPartition(SluicePartition *partition) {
  int64_t numColors = partition->numColors;
  partition->domains =
      sluiceAllocate(partition->name, numColors, sizeof(SluiceDomain));
  partition->handles =
      sluiceAllocate(partition->name, numColors * partition->root->numFields,
                     sizeof(starpu_data_handle_t));
  partition->atoms =
      sluiceAllocate(partition->name, numColors, sizeof(SluiceAtomList));
  for (int64_t c = 0; c < numColors; ++c) {
    sluiceFinishSet(&partition->sets[c]);
    partition->domains[c] =
        sluiceDomainOf(partition->root, &partition->sets[c]);
  }
}

static SluiceRoot *sluiceRoots;

/* `extents` have the root's rank. */
static void sluiceCreateRoot(SluiceRoot *root, const int64_t *extents) {
  const int64_t one = 1;
  root->count = 1;
  for (int d = 0; d < root->rank; ++d) {
    root->extents[d] = extents[d];
    if (extents[d] < 0 ||
        __builtin_mul_overflow(root->count, extents[d], &root->count))
      sluiceDie("extent %d of root '%s' is %" PRId64
                "; expected at least 1, and a "
                "number of elements below 2^63",
                d, root->name, extents[d]);
  }
  for (int f = 0; f < root->numFields; ++f)
    root->memory[f] =
        sluiceAllocate(root->fields[f].name, root->count, root->fields[f].size);
  root->next = sluiceRoots;
  sluiceRoots = root;
  root->whole.name = root->name;
  sluiceSetColors(&root->whole, root, 1, &one);
  sluiceAddRun(&root->whole.sets[0], 0, root->count);
  sluiceFinishPartition(&root->whole);
}

static void sluiceDestroyPartition(SluicePartition *partition) {
  int64_t numHandles = partition->numColors * partition->root->numFields;
  for (int64_t i = 0; i < numHandles; ++i)
    if (partition->handles[i])
      starpu_data_unregister(partition->handles[i]);
  for (int64_t c = 0; c < partition->numColors; ++c) {
    free(partition->sets[c].runs);
    free(partition->atoms[c].atoms);
  }
  free(partition->handles);
  free(partition->sets);
  free(partition->atoms);
  free(partition->domains);
}

static void sluiceDestroyRoot(SluiceRoot *root) {
  sluiceDestroyPartition(&root->whole);
  for (int f = 0; f < root->numFields; ++f)
    free(root->memory[f]);
}

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
  for (int64_t i = low[0]; i < high[0]; ++i)
    for (int64_t j = low[1]; j < high[1]; ++j) {
      int64_t row = (i * extents[1] + j) * extents[2];
      sluiceAddRun(set, row + low[2], row + high[2]);
    }
}

/* Linear color to coordinates. */
static void sluiceUnfold(const SluicePartition *partition, int64_t color,
                         int64_t *at) {
  for (int d = partition->rank - 1; d >= 0; --d) {
    at[d] = color % partition->colors[d];
    color /= partition->colors[d];
  }
}

/* Marks the elements of a color, or of all if it is -1, with `mark`; those
   that `wanted` says of are counted, and the last one is left in `element`. */
static int64_t sluiceMark(const SluicePartition *partition, int64_t color,
                          char *marks, char mark, char wanted,
                          int64_t *element) {
  int64_t count = 0;
  for (int64_t c = 0; c < partition->numColors; ++c)
    for (int64_t r = 0;
         (color < 0 || c == color) && r < partition->sets[c].numRuns; ++r)
      for (int64_t p = partition->sets[c].runs[r].begin;
           p < partition->sets[c].runs[r].end; ++p) {
        if (marks[p] == wanted) {
          ++count;
          *element = p;
        }
        if (mark)
          marks[p] = mark;
      }
  return count;
}

/* Checks that two parts share no element, or that the one lies in the other. */
static void sluiceCheckConstraint(int isDisjoint, const SluicePartition *first,
                                  int64_t firstColor,
                                  const SluicePartition *second,
                                  int64_t secondColor) {
  int64_t element = 0;
  char *marks = sluiceAllocate(first->name, first->root->count, 1);
  sluiceMark(second, secondColor, marks, 1, 2, &element);
  if (sluiceMark(first, firstColor, marks, 0, isDisjoint ? 1 : 0, &element))
    sluiceDie("'%s' and '%s' of '%s' are declared to %s, but element %" PRId64
              " is in %s",
              first->name, second->name, first->root->name,
              isDisjoint ? "be disjoint" : "lie in each other", element,
              isDisjoint ? "both" : "the first only");
  free(marks);
}

/* Checks what was promised of a partition on the elements it has. */
static void sluiceCheckPromise(const SluicePartition *partition,
                               const SluiceSet *parent, int isDisjoint,
                               int isComplete) {
  const SluiceRoot *root = partition->root;
  int64_t *owner =
      sluiceAllocate(partition->name, root->count, sizeof(int64_t));
  for (int64_t c = 0; c < partition->numColors; ++c)
    for (int64_t r = 0; r < partition->sets[c].numRuns; ++r) {
      SluiceRun run = partition->sets[c].runs[r];
      for (int64_t p = run.begin; p < run.end; ++p) {
        if (isDisjoint && owner[p])
          sluiceDie(
              "partition '%s' of '%s' is declared disjoint, but its colors "
              "%" PRId64 " and %" PRId64 " both have element %" PRId64,
              partition->name, root->name, owner[p] - 1, c, p);
        owner[p] = c + 1;
      }
    }
  for (int64_t r = 0; isComplete && r < parent->numRuns; ++r)
    for (int64_t p = parent->runs[r].begin; p < parent->runs[r].end; ++p)
      if (!owner[p])
        sluiceDie(
            "partition '%s' of '%s' is declared complete, but no color has "
            "element %" PRId64,
            partition->name, root->name, p);
  free(owner);
}

//===- Contributions.c - Contributions ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions in the order of Sluice's own runtime: groups of points fold into
// copies. The copies are sent to the owners of the elements and folded there,
// one group after another.
//
//===----------------------------------------------------------------------===//

/* Folds the elements of a set of some parts into another part, one part after
   the other. */
typedef struct SluiceFold {
  const SluiceOperator *operation;
  const SluiceSet *set;
  size_t size; /* bytes of an element */
  int rank;    /* who does that */
  SluicePart *target, **sources;
  int64_t numSources, capacity;
} SluiceFold;

/* How the points of a launch reduce to a field, or to a scalar. */
typedef struct SluiceContribution {
  SluiceRoot *root; /* or null */
  int field;
  SluiceScalar *scalar; /* or null */
  const SluiceOperator *operation;
  size_t size; /* bytes of an element */
  int numReducers, *accesses;
  uint8_t *isShared; /* isShared[reducer * numPoints + point] */
  int64_t numGroups;
  /* Each group is one point, and its copy is one part with all elements. */
  int isTiny;
  SluiceSet all; /* of tiny ones: the elements of each copy */
  /* Parts of group g: firstPart[g] to firstPart[g + 1]; their atoms ascend. */
  SluicePart *parts;
  int64_t *atoms, *firstPart, numParts;
  char **blocks; /* the memory of a group's copy, or null */
  SluiceFold *folds;
  int64_t numFolds, foldCapacity;
} SluiceContribution;

//===-- What there is to fold ---------------------------------------------===//

static int64_t sluiceGroupOf(const SluiceContribution *made,
                             const SluiceLaunch *launch, int64_t point) {
  return point * made->numGroups / launch->numPoints;
}

static void sluiceAddPart(SluiceContribution *made, int64_t *capacity,
                          SluicePart part, int64_t atom) {
  int64_t capacityOfAtoms = *capacity;
  made->parts =
      sluiceGrow(made->parts, made->numParts, capacity, sizeof(SluicePart));
  made->atoms = sluiceGrow(made->atoms, made->numParts, &capacityOfAtoms,
                           sizeof(int64_t));
  part.operation = made->operation;
  part.size = made->size;
  part.tag = sluiceNumTags++;
  made->atoms[made->numParts] = atom;
  made->parts[made->numParts++] = part;
}

typedef struct SluiceFirst {
  int64_t atom, point;
} SluiceFirst;

static int sluiceCompareFirsts(const void *a, const void *b) {
  const SluiceFirst *x = a, *y = b;
  return (x->atom > y->atom) - (x->atom < y->atom);
}

/* The parts of a group's copy: the atoms of what its points share, each where
   the first point runs that folds into it. */
static void sluiceMakeGroup(SluiceContribution *made,
                            const SluiceLaunch *launch, int64_t *next,
                            int64_t *marks, int64_t *capacity) {
  int64_t group = sluiceGroupOf(made, launch, *next);
  SluiceFirst *firsts = NULL;
  int64_t numFirsts = 0, firstCapacity = 0, p = *next;
  for (; p < launch->numPoints && sluiceGroupOf(made, launch, p) == group; ++p)
    for (int i = 0; i < made->numReducers; ++i) {
      const SluiceRegionAccess *access = &launch->accesses[made->accesses[i]];
      const SluiceAtomList *list =
          &access->partition
               ->atoms[launch->points[p].colors[made->accesses[i]]];
      if (!made->isShared[i * launch->numPoints + p])
        continue;
      for (int64_t k = 0; k < list->count; ++k) {
        if (marks[list->atoms[k]] == group + 1)
          continue;
        marks[list->atoms[k]] = group + 1;
        firsts =
            sluiceGrow(firsts, numFirsts, &firstCapacity, sizeof(SluiceFirst));
        firsts[numFirsts++] = (SluiceFirst){list->atoms[k], p};
      }
    }
  *next = p;
  if (numFirsts)
    qsort(firsts, (size_t)numFirsts, sizeof(SluiceFirst), sluiceCompareFirsts);
  for (int64_t i = 0; i < numFirsts; ++i)
    sluiceAddPart(
        made, capacity,
        (SluicePart){.set = &made->root->homes->elements[firsts[i].atom],
                     .firstPoint = firsts[i].point,
                     .owner = launch->points[firsts[i].point].rank},
        firsts[i].atom);
  free(firsts);
}

static void sluiceMakeParts(SluiceContribution *made,
                            const SluiceLaunch *launch) {
  int64_t capacity = 0, next = 0;
  int64_t *marks = NULL;
  if (!made->isTiny)
    marks = sluiceAllocate(launch->name, made->root->numAtoms, sizeof(int64_t));
  made->firstPart =
      sluiceAllocate(launch->name, made->numGroups + 1, sizeof(int64_t));
  made->blocks = sluiceAllocate(launch->name, made->numGroups, sizeof(char *));
  for (int64_t g = 0; g < made->numGroups; ++g) {
    if (made->isTiny)
      sluiceAddPart(made, &capacity,
                    (SluicePart){.set = &made->all,
                                 .firstPoint = g,
                                 .owner = launch->points[g].rank},
                    -1);
    else
      sluiceMakeGroup(made, launch, &next, marks, &capacity);
    made->firstPart[g + 1] = made->numParts;
  }
  free(marks);
}

//===-- Folds -------------------------------------------------------------===//

static SluiceFold *sluiceAddFold(SluiceContribution *made, const SluiceSet *set,
                                 SluicePart *target) {
  made->folds = sluiceGrow(made->folds, made->numFolds, &made->foldCapacity,
                           sizeof(SluiceFold));
  SluiceFold *fold = &made->folds[made->numFolds++];
  *fold = (SluiceFold){.operation = made->operation,
                       .set = set,
                       .size = made->size,
                       .rank = target->owner,
                       .target = target};
  return fold;
}

static void sluiceAddSource(SluiceFold *fold, SluicePart *source) {
  fold->sources = sluiceGrow(fold->sources, fold->numSources, &fold->capacity,
                             sizeof(SluicePart *));
  fold->sources[fold->numSources++] = source;
}

/* More tiny copies than a fold takes are folded among themselves first. Returns
   the distance of those that are left. */
static int64_t sluiceMakeTree(SluiceContribution *made) {
  int64_t stride = 1, count = made->numGroups;
  for (; count > stride * SLUICE_FOLD_WIDTH; stride *= SLUICE_FOLD_WIDTH)
    for (int64_t i = 0; i < count; i += stride * SLUICE_FOLD_WIDTH) {
      SluiceFold *fold = sluiceAddFold(made, &made->all, &made->parts[i]);
      for (int64_t k = 1; k < SLUICE_FOLD_WIDTH && i + k * stride < count; ++k)
        sluiceAddSource(fold, &made->parts[i + k * stride]);
    }
  return stride;
}

static void sluiceMakeTinyFolds(SluiceContribution *made,
                                const SluiceLaunch *launch) {
  int64_t stride = sluiceMakeTree(made), first = made->numFolds;
  if (made->scalar) {
    sluiceAddFold(made, &made->all, made->scalar->part);
  } else {
    /* The atoms that some color has. */
    int64_t *marks =
        sluiceAllocate(launch->name, made->root->numAtoms, sizeof(int64_t));
    for (int64_t p = 0; p < launch->numPoints; ++p)
      for (int i = 0; i < made->numReducers; ++i) {
        int a = made->accesses[i];
        const SluiceAtomList *list =
            &launch->accesses[a].partition->atoms[launch->points[p].colors[a]];
        for (int64_t k = 0; k < list->count; ++k)
          marks[list->atoms[k]] |= made->isShared[i * launch->numPoints + p];
      }
    for (int64_t atom = 0; atom < made->root->numAtoms; ++atom)
      if (marks[atom])
        sluiceAddFold(made, &made->root->homes->elements[atom],
                      &made->root->homes
                           ->parts[atom * made->root->numFields + made->field]);
    free(marks);
  }
  for (int64_t f = first; f < made->numFolds; ++f)
    for (int64_t g = 0; g < made->numGroups; g += stride)
      sluiceAddSource(&made->folds[f], &made->parts[g]);
}

static void sluiceMakeFolds(SluiceContribution *made,
                            const SluiceLaunch *launch) {
  if (made->isTiny) {
    sluiceMakeTinyFolds(made, launch);
    return;
  }
  const SluiceRoot *root = made->root;
  int64_t *foldOf =
      sluiceAllocate(launch->name, root->numAtoms, sizeof(int64_t)); /* and 1 */
  for (int64_t i = 0; i < made->numParts; ++i) {
    int64_t atom = made->atoms[i];
    if (!foldOf[atom]) {
      sluiceAddFold(made, made->parts[i].set,
                    &root->homes->parts[atom * root->numFields + made->field]);
      foldOf[atom] = made->numFolds;
    }
    sluiceAddSource(&made->folds[foldOf[atom] - 1], &made->parts[i]);
  }
  free(foldOf);
}

static void sluiceRunFold(void *buffers[], void *argument) {
  const SluiceFold *fold = argument;
  const size_t valueSize = sluiceTypeSize(fold->operation->type);
  char *target = sluiceAddress(buffers[0]);
  _Alignas(64) char values[4096]; /* folding changes what it folds */
  for (int64_t s = 0; s < fold->numSources; ++s) {
    const char *source = sluiceAddress(buffers[s + 1]);
    for (int64_t r = 0; r < fold->set->numRuns; ++r) {
      size_t at = (size_t)fold->set->runs[r].begin * fold->size;
      size_t end = (size_t)fold->set->runs[r].end * fold->size;
      for (size_t bytes; at < end; at += bytes) {
        bytes = end - at < sizeof(values) ? end - at : sizeof(values);
        memcpy(values, source + at, bytes);
        sluiceFold(fold->operation, target + at, values,
                   (int64_t)(bytes / valueSize));
      }
    }
  }
}

static struct starpu_codelet sluiceFoldCodelet = {
    .where = STARPU_CPU,
    .cpu_funcs = {sluiceRunFold},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .name = "fold",
};

//===-- Plans -------------------------------------------------------------===//

/* The accesses that reduce to the field with the operator of the first. */
static int sluiceListReducers(const SluiceLaunch *launch, int first, int field,
                              int *accesses) {
  const SluiceRegionAccess *a = &launch->accesses[first];
  int count = 0;
  for (int i = 0; i < launch->numAccesses; ++i) {
    const SluiceRegionAccess *b = &launch->accesses[i];
    if (b->mode == STARPU_REDUX && b->reduction == a->reduction &&
        b->partition->root == a->partition->root && b->fields >> field & 1)
      accesses[count++] = i;
  }
  return count;
}

/* Asks Sluice's runtime who has a copy. */
static void sluiceAskRuntime(SluiceContribution *made,
                             const SluiceLaunch *launch) {
  SluiceReducer *reducers =
      sluiceAllocate(launch->name, made->numReducers, sizeof(SluiceReducer));
  int64_t **colors =
      sluiceAllocate(launch->name, made->numReducers, sizeof(int64_t *));
  for (int i = 0; i < made->numReducers; ++i) {
    int a = made->accesses[i];
    const SluicePartition *partition = launch->accesses[a].partition;
    reducers[i].partition = partition->number;
    /* One color may be all colors of a partition together. */
    if (partition->isAll || partition->number == SLUICE_NO_PARTITION)
      continue;
    colors[i] =
        sluiceAllocate(launch->name, launch->numPoints, sizeof(int64_t));
    for (int64_t p = 0; p < launch->numPoints; ++p)
      colors[i][p] = launch->points[p].colors[a];
    reducers[i].colors = colors[i];
  }
  made->isShared =
      sluiceAllocate(launch->name, made->numReducers * launch->numPoints, 1);
  made->numGroups = sluicePlanReduction(
      sluiceRegions, made->root->number, (uint32_t)made->field,
      &made->operation->reduction, launch->numPoints,
      (uint32_t)made->numReducers, reducers, made->isShared, &made->isTiny);
  for (int i = 0; i < made->numReducers; ++i)
    free(colors[i]);
  free(colors);
  free(reducers);
}

/* All elements that some color shares. */
static void sluiceUniteShared(SluiceContribution *made,
                              const SluiceLaunch *launch) {
  for (int i = 0; i < made->numReducers; ++i)
    for (int64_t p = 0; p < launch->numPoints; ++p) {
      int a = made->accesses[i];
      if (made->isShared[i * launch->numPoints + p])
        sluiceAddSet(
            &made->all,
            &launch->accesses[a].partition->sets[launch->points[p].colors[a]]);
    }
  sluiceFinishSet(&made->all);
}

/* To a field, through an access and others like it. Nothing to do where all
   points fold in place. */
static void sluicePlanField(SluiceContribution *made,
                            const SluiceLaunch *launch, int access, int field) {
  made->root = launch->accesses[access].partition->root;
  made->field = field;
  made->operation = launch->accesses[access].reduction;
  made->size = sluiceElementSize(&made->root->fields[field]);
  made->accesses =
      sluiceAllocate(launch->name, launch->numAccesses, sizeof(int));
  made->numReducers = sluiceListReducers(launch, access, field, made->accesses);
  sluiceAskRuntime(made, launch);
  if (made->isTiny)
    sluiceUniteShared(made, launch);
}

static void sluicePlanScalar(SluiceContribution *made,
                             const SluiceLaunch *launch,
                             const SluiceScalarUse *use) {
  made->scalar = use->scalar;
  made->operation = launch->scalarReduction;
  made->size = use->scalar->size;
  made->numGroups = launch->numPoints;
  made->isTiny = 1;
  sluiceAddRun(&made->all, 0, 1);
  sluiceFinishSet(&made->all);
}

/* The copies that this rank has to do with get memory, which is the identity
   at first. */
static void sluicePrepareCopies(SluiceContribution *made) {
  const char *name = made->scalar ? made->scalar->name : made->root->name;
  for (int64_t g = 0; g < made->numGroups; ++g) {
    int64_t begin = INT64_MAX, end = 0;
    int isNeeded = 0;
    for (int64_t i = made->firstPart[g]; i < made->firstPart[g + 1]; ++i) {
      const SluicePart *part = &made->parts[i];
      isNeeded |= part->isUsed || part->owner == sluiceRank;
      if (part->set->numRuns == 0)
        continue;
      int64_t last = part->set->runs[part->set->numRuns - 1].end;
      begin =
          begin < part->set->runs[0].begin ? begin : part->set->runs[0].begin;
      end = end > last ? end : last;
    }
    if (!isNeeded || begin >= end)
      continue;
    made->blocks[g] = sluiceAllocate(name, end - begin, made->size);
    for (int64_t i = made->firstPart[g]; i < made->firstPart[g + 1]; ++i) {
      SluicePart *part = &made->parts[i];
      part->memory =
          (char *)((uintptr_t)made->blocks[g] - (uintptr_t)begin * made->size);
      if (!part->isUsed && part->owner != sluiceRank)
        continue;
      sluiceResetPart(part);
      sluiceRegisterPart(part, name, part->owner);
    }
  }
}

static void sluiceReleaseContribution(SluiceContribution *made) {
  for (int64_t i = 0; i < made->numParts; ++i)
    sluiceUnregisterPart(&made->parts[i]);
  for (int64_t g = 0; made->blocks && g < made->numGroups; ++g)
    free(made->blocks[g]);
  for (int64_t f = 0; f < made->numFolds; ++f)
    free(made->folds[f].sources);
  sluiceFreeSet(&made->all);
  free(made->folds);
  free(made->blocks);
  free(made->firstPart);
  free(made->atoms);
  free(made->parts);
  free(made->isShared);
  free(made->accesses);
}

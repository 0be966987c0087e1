//===- Reductions.c - Reductions to regions -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points that fold into the same elements at the same time use copies.
//
//===----------------------------------------------------------------------===//

/* Points that reduce where others do are put in groups, which depend on the
   launch alone. Each group folds into a copy of its own, point after point;
   then the copies are folded into the root, group after group. So results do
   not depend on who ran when. */
enum { SLUICE_MAX_GROUPS = 8 };

typedef struct SluiceCopy {
  const SluiceLaunch *launch;
  int access;
  int64_t firstPoint, endPoint;
  SluiceSet set;
  char *memory[64]; /* by field, of positions set.runs[0].begin and on */
  uint64_t lastTask;
} SluiceCopy;

static int64_t sluiceFirstPosition(const SluiceCopy *copy) {
  return copy->set.numRuns ? copy->set.runs[0].begin : 0;
}

/* The identity everywhere, or (`isFold`) after folding into the root. */
static void sluiceFoldCopy(const SluiceCopy *copy, int isFold) {
  const SluiceRegionAccess *access = &copy->launch->accesses[copy->access];
  const SluiceRoot *root = access->partition->root;
  for (int f = 0; f < root->numFields; ++f)
    for (int64_t r = 0; access->fields >> f & 1 && r < copy->set.numRuns; ++r) {
      SluiceRun run = copy->set.runs[r];
      int64_t size = (int64_t)sluiceElementSize(&root->fields[f]);
      int64_t values = (run.end - run.begin) * root->fields[f].count;
      char *from =
          copy->memory[f] + (run.begin - sluiceFirstPosition(copy)) * size;
      if (isFold)
        sluiceFold(access->reduction, root->memory[f] + run.begin * size, from,
                   values);
      else
        sluiceReset(access->reduction, from, values);
    }
}

static void sluiceRunFold(void *buffers[], void *argument) {
  (void)buffers;
  sluiceFoldCopy(argument, 1);
}

static struct starpu_codelet sluiceFoldCodelet = {
    .where = STARPU_CPU,
    .cpu_funcs = {sluiceRunFold},
    .nbuffers = 0,
    .name = "fold",
};

/* Marks the atoms of an access with its points; true if one is marked with
   another point. */
static int sluiceMarksMeet(const SluiceLaunch *launch, int index,
                           int64_t *marks) {
  const SluiceRegionAccess *access = &launch->accesses[index];
  const SluiceRoot *root = access->partition->root;
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    const SluiceAtomList *list =
        &access->partition->atoms[launch->points[p].colors[index]];
    for (int f = 0; f < root->numFields; ++f)
      for (int64_t i = 0; access->fields >> f & 1 && i < list->count; ++i) {
        int64_t *mark = &marks[f * root->numAtoms + list->atoms[i]];
        if (*mark && *mark != p + 1)
          return 1;
        *mark = p + 1;
      }
  }
  return 0;
}

/* True if points of this access reduce where others do, through this access
   or through an earlier one that has no copies. */
static int sluiceNeedsCopies(const SluiceLaunch *launch, int index) {
  const SluiceRoot *root = launch->accesses[index].partition->root;
  int64_t *marks = sluiceAllocate(
      launch->name, root->numAtoms * root->numFields, sizeof(int64_t));
  int meets = 0;
  for (int a = 0; a <= index && !meets; ++a) {
    const SluiceRegionAccess *other = &launch->accesses[a];
    if (other->mode == STARPU_REDUX && !other->numCopies &&
        other->partition->root == root)
      meets = sluiceMarksMeet(launch, a, marks);
  }
  free(marks);
  return meets;
}

static void sluiceCreateCopy(SluiceLaunch *launch, int index,
                             SluiceCopy *copy) {
  const SluiceRegionAccess *access = &launch->accesses[index];
  const SluiceRoot *root = access->partition->root;
  for (int64_t p = copy->firstPoint; p < copy->endPoint; ++p)
    sluiceAddSet(&copy->set,
                 &access->partition->sets[launch->points[p].colors[index]]);
  sluiceFinishSet(&copy->set);
  int64_t first = sluiceFirstPosition(copy);
  int64_t numRuns = copy->set.numRuns;
  int64_t count = numRuns ? copy->set.runs[numRuns - 1].end - first : 0;
  for (int f = 0; f < root->numFields; ++f)
    if (access->fields >> f & 1)
      copy->memory[f] = sluiceAllocate(root->fields[f].name, count,
                                       sluiceElementSize(&root->fields[f]));
  sluiceFoldCopy(copy, 0);
}

/* Lets a point's function fold into the copy of its group. */
static void sluiceRedirect(SluicePoint *point, int index,
                           const SluiceCopy *copy) {
  const SluiceLaunch *launch = point->launch;
  int at = 0;
  for (int a = 0; a <= index; ++a) {
    const SluiceRoot *root = launch->accesses[a].partition->root;
    for (int f = 0; f < root->numFields; ++f) {
      if (!(launch->accesses[a].fields >> f & 1))
        continue;
      if (a == index)
        point->fields[at] = (void *)((uintptr_t)copy->memory[f] -
                                     (uintptr_t)sluiceFirstPosition(copy) *
                                         sluiceElementSize(&root->fields[f]));
      ++at;
    }
  }
}

static int64_t sluiceNumGroups(const SluiceLaunch *launch,
                               const SluiceRegionAccess *access, int index) {
  int64_t elements = 0, points = launch->numPoints;
  for (int64_t p = 0; p < points; ++p)
    elements += access->partition->sets[launch->points[p].colors[index]].count;
  if (points <= SLUICE_MAX_GROUPS ||
      elements <= 2 * access->partition->root->count)
    return points; /* copies of all points cost no more than the root */
  return SLUICE_MAX_GROUPS;
}

static void sluicePrepareReductions(SluiceLaunch *launch) {
  for (int a = 0; a < launch->numAccesses; ++a) {
    SluiceRegionAccess *access = &launch->accesses[a];
    access->numCopies = 0;
    if (access->mode != STARPU_REDUX || !sluiceNeedsCopies(launch, a))
      continue;
    access->numCopies = sluiceNumGroups(launch, access, a);
    access->copies =
        sluiceAllocate(launch->name, access->numCopies, sizeof(SluiceCopy));
    for (int64_t g = 0; g < access->numCopies; ++g) {
      SluiceCopy *copy = &access->copies[g];
      copy->launch = launch;
      copy->access = a;
      copy->firstPoint = g * launch->numPoints / access->numCopies;
      copy->endPoint = (g + 1) * launch->numPoints / access->numCopies;
      sluiceCreateCopy(launch, a, copy);
      for (int64_t p = copy->firstPoint; p < copy->endPoint; ++p)
        sluiceRedirect(&launch->points[p], a, copy);
    }
  }
}

static void sluiceSubmitFold(SluiceCopy *copy) {
  const SluiceRegionAccess *access = &copy->launch->accesses[copy->access];
  struct starpu_task *task = sluiceBeginTask(&sluiceFoldCodelet, copy);
  sluiceDependOn(copy->lastTask);
  copy->lastTask = sluiceNumSubmitted + 1;
  for (int64_t p = copy->firstPoint; p < copy->endPoint; ++p)
    sluiceRecord(access->partition,
                 copy->launch->points[p].colors[copy->access], access->fields,
                 0);
  sluiceEndTask(task);
}

static void sluiceReleaseReductions(SluiceLaunch *launch) {
  for (int a = 0; a < launch->numAccesses; ++a) {
    SluiceRegionAccess *access = &launch->accesses[a];
    for (int64_t g = 0; g < access->numCopies; ++g) {
      for (int f = 0; f < 64; ++f)
        free(access->copies[g].memory[f]);
      free(access->copies[g].set.runs);
    }
    free(access->copies);
    access->copies = NULL;
    access->numCopies = 0;
  }
}

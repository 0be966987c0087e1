//===- Launches.c - Statements as tasks -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands a launch to its points, once, before its graph runs.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceScalar {
  const char *name;
  void *value;
  size_t size;
  starpu_data_handle_t handle;
  struct SluicePart *part; /* on several ranks, with its handle */
} SluiceScalar;

typedef struct SluiceScalarUse {
  SluiceScalar *scalar;
  enum starpu_data_access_mode mode;
} SluiceScalarUse;

/* A region argument. */
typedef struct SluiceRegionAccess {
  SluicePartition *partition;
  /* The linear color; -1: that of the point, or what `color` says. */
  int64_t fixedColor;
  int64_t (*project)(const SluiceTask *task);
  uint64_t fields; /* one bit each */
  enum starpu_data_access_mode mode;
  const SluiceOperator *reduction;
  int mustBeApart;           /* no two points may use one color */
  struct SluiceCopy *copies; /* reductions that overlap; see Reductions */
  int64_t numCopies;
} SluiceRegionAccess;

/* One task of a launch: what its function is given. */
typedef struct SluicePoint {
  SluiceTask task;
  struct SluiceLaunch *launch;
  int64_t *colors;              /* one per access */
  const SluiceDomain **domains; /* one per access */
  void **fields; /* those of the first access, of the second, and so on */
  unsigned numHandles;
  starpu_data_handle_t *handles; /* scalars first */
  enum starpu_data_access_mode *modes;
  /* On several ranks: the rank that runs the point, and the parts that must
     be the identity before. */
  int rank;
  int64_t numFirsts;
  struct SluicePart **firsts;
} SluicePoint;

/* A statement: one task, or one per point of its domain. */
typedef struct SluiceLaunch {
  const char *name;
  struct starpu_codelet codelet;
  int rank; /* 0: a single task */
  int64_t extents[SLUICE_MAX_RANK];
  int numScalars;
  SluiceScalarUse *scalars;
  int numAccesses;
  SluiceRegionAccess *accesses;
  const void *value; /* of fills */
  /* On several ranks: what the codelet calls; a host statement; how the
     function's result is folded into its scalar. */
  void (*function)(void *buffers[], void *argument);
  int isHost;
  const SluiceOperator *scalarReduction;
  /* While the launch's graph runs. */
  int64_t numPoints;
  SluicePoint *points;
  struct SluiceShare *share; /* on several ranks: what this one inserts */
} SluiceLaunch;

/* The linear color with the coordinates `at`. */
static int64_t sluiceLinearColor(const SluicePartition *partition,
                                 const int64_t *at) {
  int64_t color = 0;
  for (int d = 0; d < partition->rank; ++d) {
    if (at[d] < 0 || at[d] >= partition->colors[d])
      sluiceDie("a projection gives index %" PRId64
                " of partition '%s', which has 0 to %" PRId64,
                at[d], partition->name, partition->colors[d] - 1);
    color = color * partition->colors[d] + at[d];
  }
  return color;
}

static int64_t sluiceColorOf(const SluiceLaunch *launch,
                             const SluiceRegionAccess *access,
                             const SluiceTask *task) {
  const SluicePartition *partition = access->partition;
  int64_t color = access->fixedColor;
  if (color >= 0)
    return color;
  color = 0;
  if (access->project)
    color = access->project(task);
  for (int d = 0; !access->project && d < task->rank; ++d) {
    if (task->rank != partition->rank || task->point[d] >= partition->colors[d])
      sluiceDie("'%s' has point (%" PRId64 ", %" PRId64 ", %" PRId64
                "), which is no color of partition '%s'",
                launch->name, task->point[0], task->point[1], task->point[2],
                partition->name);
    color = color * partition->colors[d] + task->point[d];
  }
  if (color < 0 || color >= partition->numColors)
    sluiceDie("'%s' uses color %" PRId64 " of partition '%s' at point (%" PRId64
              ", %" PRId64 ", %" PRId64 "); expected 0 to %" PRId64,
              launch->name, color, partition->name, task->point[0],
              task->point[1], task->point[2], partition->numColors - 1);
  return color;
}

static void sluiceAddAccess(SluicePoint *point, int index, int *numFields) {
  const SluiceRegionAccess *access = &point->launch->accesses[index];
  SluicePartition *partition = access->partition;
  int64_t color = sluiceColorOf(point->launch, access, &point->task);
  point->colors[index] = color;
  point->domains[index] = partition->domains[color];
  for (int f = 0; f < partition->root->numFields; ++f)
    if (access->fields >> f & 1)
      point->fields[(*numFields)++] = partition->root->memory[f];
}

static int sluiceCountFields(const SluiceLaunch *launch) {
  int count = 0;
  for (int a = 0; a < launch->numAccesses; ++a)
    count += __builtin_popcountll(launch->accesses[a].fields);
  return count;
}

static void sluicePreparePoint(SluiceLaunch *launch, int64_t index) {
  SluicePoint *point = &launch->points[index];
  int used = 0;
  point->launch = launch;
  point->task.rank = launch->rank;
  for (int d = SLUICE_MAX_RANK - 1; d >= 0; --d) {
    int64_t extent = d < launch->rank ? launch->extents[d] : 1;
    point->task.extent[d] = extent;
    point->task.point[d] = index % extent;
    index /= extent;
  }
  point->colors =
      sluiceAllocate(launch->name, launch->numAccesses, sizeof(int64_t));
  point->domains =
      sluiceAllocate(launch->name, launch->numAccesses, sizeof(SluiceDomain *));
  point->fields =
      sluiceAllocate(launch->name, sluiceCountFields(launch), sizeof(void *));
  for (int a = 0; a < launch->numAccesses; ++a)
    sluiceAddAccess(point, a, &used);
}

/* True if two arguments may not meet in one color: both but read, or but reduce
   in one way, may. */
static int sluiceAreApart(const SluiceRegionAccess *a,
                          const SluiceRegionAccess *b) {
  if (a->mode != b->mode)
    return 1;
  return a->mode != STARPU_R &&
         (a->mode != STARPU_REDUX || a->reduction != b->reduction);
}

/* What could not be shown at compile time: no point changes a color that
   another one uses, nor one that it has as another argument. */
static void sluiceCheckApart(const SluiceLaunch *launch, int index) {
  const SluiceRegionAccess *checked = &launch->accesses[index];
  int64_t numColors = checked->partition->numColors;
  int64_t *points = sluiceAllocate(launch->name, numColors, sizeof(int64_t));
  int *users = sluiceAllocate(launch->name, numColors, sizeof(int));
  for (int64_t p = 0; p < launch->numPoints; ++p)
    for (int a = 0; a < launch->numAccesses; ++a) {
      const SluiceRegionAccess *access = &launch->accesses[a];
      int64_t color = launch->points[p].colors[a];
      const SluiceRegionAccess *other = &launch->accesses[users[color]];
      if (access->partition != checked->partition ||
          !(access->fields & checked->fields))
        continue;
      if (points[color] && sluiceAreApart(access, other)) {
        const char *how =
            (access->mode == STARPU_R ? other : access)->mode == STARPU_REDUX
                ? "reduces into"
                : "writes";
        if (points[color] == p + 1)
          sluiceDie("point %" PRId64 " of '%s' has color %" PRId64
                    " of partition '%s' as two arguments, and %s one of them",
                    p, launch->name, color, checked->partition->name, how);
        sluiceDie(
            "points %" PRId64 " and %" PRId64 " of '%s' use color %" PRId64
            " of partition '%s', which point %" PRId64 " %s",
            points[color] - 1, p, launch->name, color, checked->partition->name,
            access->mode == STARPU_R ? points[color] - 1 : p, how);
      }
      points[color] = p + 1;
      users[color] = a;
    }
  free(points);
  free(users);
}

static void sluicePrepareLaunch(SluiceLaunch *launch) {
  launch->numPoints = 1;
  for (int d = 0; d < launch->rank; ++d)
    launch->numPoints *= launch->extents[d] > 0 ? launch->extents[d] : 0;
  launch->points =
      sluiceAllocate(launch->name, launch->numPoints, sizeof(SluicePoint));
  for (int64_t p = 0; p < launch->numPoints; ++p)
    sluicePreparePoint(launch, p);
  for (int a = 0; a < launch->numAccesses; ++a)
    if (launch->accesses[a].mustBeApart)
      sluiceCheckApart(launch, a);
}

static void sluiceReleasePoint(SluicePoint *point) {
  free(point->colors);
  free(point->domains);
  free(point->fields);
  free(point->handles);
  free(point->modes);
  free(point->firsts);
  *point = (SluicePoint){.launch = point->launch};
}

static void sluiceReleaseLaunch(SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p)
    sluiceReleasePoint(&launch->points[p]);
  free(launch->points);
  launch->points = NULL;
}

static int sluiceCountAccesses(SluiceLaunch *const *launches, int numLaunches) {
  int count = 0;
  for (int i = 0; i < numLaunches; ++i)
    count += launches[i]->numAccesses;
  return count;
}

static int sluiceIsListed(SluicePartition *const *partitions, int count,
                          const SluicePartition *partition) {
  for (int i = 0; i < count; ++i)
    if (partitions[i] == partition)
      return 1;
  return 0;
}

/* The partitions that the launches of a graph use; the caller frees the list.
 */
static int sluiceListPartitions(SluiceLaunch *const *launches, int numLaunches,
                                SluicePartition ***list) {
  int count = 0;
  SluicePartition **partitions =
      sluiceAllocate("partitions", sluiceCountAccesses(launches, numLaunches),
                     sizeof(SluicePartition *));
  for (int i = 0; i < numLaunches; ++i)
    for (int a = 0; a < launches[i]->numAccesses; ++a) {
      SluicePartition *partition = launches[i]->accesses[a].partition;
      if (!sluiceIsListed(partitions, count, partition))
        partitions[count++] = partition;
    }
  *list = partitions;
  return count;
}

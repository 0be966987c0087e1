//===- Launches.c - Statements as tasks -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands a launch to points, once, before its graph runs.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceScalar {
  const char *name;
  void *value;
  size_t size;
  starpu_data_handle_t handle;
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
  /* While the launch's graph runs. */
  int64_t numPoints;
  SluicePoint *points;
} SluiceLaunch;

/* The handle of a field of one color: the box its elements span. Handles of
   one root share its memory, so their order is ours to say. */
static starpu_data_handle_t sluiceHandleOf(SluicePartition *partition,
                                           int64_t color, int field) {
  const SluiceRoot *root = partition->root;
  const SluiceDomain *box = partition->domains[color];
  starpu_data_handle_t *handle =
      &partition->handles[color * root->numFields + field];
  if (*handle)
    return *handle;
  int64_t n[3] = {1, 1, 1}, offset = 0;
  for (int d = 0; d < root->rank; ++d) {
    n[root->rank - 1 - d] = box->upper[d] - box->lower[d];
    offset += box->lower[d] * box->stride[d];
  }
  if (box->count == 0 || root->count > UINT32_MAX) {
    starpu_void_data_register(handle); /* StarPU's sizes have 32 bits */
  } else {
    size_t size = sluiceElementSize(&root->fields[field]);
    uint32_t line = root->rank > 1 ? box->stride[root->rank - 2] : n[0];
    uint32_t plane = root->rank > 2 ? box->stride[0] : line * n[1];
    starpu_block_data_register(
        handle, STARPU_MAIN_RAM,
        (uintptr_t)root->memory[field] + (size_t)offset * size, line, plane,
        (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], size);
  }
  starpu_data_set_sequential_consistency_flag(*handle, 0);
  return *handle;
}

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

/* Adds a handle, or widens the mode of one that is there. */
static void sluiceAddHandle(SluicePoint *point, starpu_data_handle_t handle,
                            enum starpu_data_access_mode mode) {
  for (unsigned i = 0; i < point->numHandles; ++i)
    if (point->handles[i] == handle) {
      point->modes[i] |= mode;
      return;
    }
  point->handles[point->numHandles] = handle;
  point->modes[point->numHandles++] = mode;
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

/* The handles of a point's regions, except where it folds into a copy. */
static void sluicePrepareHandles(SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p)
    for (int a = 0; a < launch->numAccesses; ++a) {
      const SluiceRegionAccess *access = &launch->accesses[a];
      enum starpu_data_access_mode mode =
          access->mode == STARPU_REDUX ? STARPU_RW : access->mode;
      for (int f = 0; f < access->partition->root->numFields; ++f)
        if (access->fields >> f & 1 && !access->numCopies)
          sluiceAddHandle(
              &launch->points[p],
              sluiceHandleOf(access->partition, launch->points[p].colors[a], f),
              mode);
    }
}

static int sluiceCountFields(const SluiceLaunch *launch) {
  int count = 0;
  for (int a = 0; a < launch->numAccesses; ++a)
    count += __builtin_popcountll(launch->accesses[a].fields);
  return count;
}

static void sluicePreparePoint(SluiceLaunch *launch, int64_t index) {
  SluicePoint *point = &launch->points[index];
  int numFields = sluiceCountFields(launch), used = 0;
  int numHandles = launch->numScalars + numFields;
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
  point->fields = sluiceAllocate(launch->name, numFields, sizeof(void *));
  point->handles =
      sluiceAllocate(launch->name, numHandles, sizeof(starpu_data_handle_t));
  point->modes = sluiceAllocate(launch->name, numHandles,
                                sizeof(enum starpu_data_access_mode));
  for (int s = 0; s < launch->numScalars; ++s)
    sluiceAddHandle(point, launch->scalars[s].scalar->handle,
                    launch->scalars[s].mode);
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
      if (points[color] && sluiceAreApart(access, other))
        sluiceDie(
            "points %" PRId64 " and %" PRId64 " of '%s' use color %" PRId64
            " of partition '%s', which point %" PRId64 " %s",
            points[color] - 1, p, launch->name, color, checked->partition->name,
            access->mode == STARPU_R ? points[color] - 1 : p,
            (access->mode == STARPU_R ? other : access)->mode == STARPU_REDUX
                ? "reduces into"
                : "writes");
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

static void sluiceReleaseLaunch(SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    free(launch->points[p].colors);
    free(launch->points[p].domains);
    free(launch->points[p].fields);
    free(launch->points[p].handles);
    free(launch->points[p].modes);
  }
  free(launch->points);
  launch->points = NULL;
}

/* Hands the handles to a task; StarPU frees lists that are longer than those
   it has room for. */
static void sluiceSetHandles(struct starpu_task *task,
                             const SluicePoint *point) {
  unsigned count = point->numHandles;
  starpu_data_handle_t *handles = task->handles;
  enum starpu_data_access_mode *modes = task->modes;
  if (count > STARPU_NMAXBUFS) {
    handles = task->dyn_handles = malloc(count * sizeof(*handles));
    modes = task->dyn_modes = malloc(count * sizeof(*modes));
    task->dyn_interfaces = malloc(count * sizeof(void *));
    if (!handles || !modes || !task->dyn_interfaces)
      sluiceDie("no memory for the handles of '%s'", point->launch->name);
  }
  memcpy(handles, point->handles, count * sizeof(*handles));
  memcpy(modes, point->modes, count * sizeof(*modes));
  task->nbuffers = (int)count;
}

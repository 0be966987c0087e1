/*===- one-sided.c - Put, get and accumulate of random types --------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* From and to gaps on this side, contiguous or gapped in the window, under   *|
|* fences, locks, flushes and groups. Windows and buffers must be those of    *|
|* the MPI library.                                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

static Arena from, to, shared;
static MPI_Win win;
static unsigned pattern;

/* Types of one element, for which MPI knows sums. */
static MPI_Datatype elementType(MPI_Datatype *element) {
  MPI_Datatype bases[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_INT64_T};
  *element = bases[below(4)];
  for (;;) {
    MPI_Datatype type, inner;
    switch (below(4)) {
    case 0:
      MPI_Type_vector(1 + below(40), 1 + below(3), 3 + below(4), *element,
                      &type);
      break;
    case 1:
      type = randomIndexed(*element, 0);
      break;
    case 2:
      type = randomIndexedBlock(*element, 0);
      break;
    default:
      MPI_Type_vector(1 + below(5), 1 + below(2), 2 + below(4), *element,
                      &inner);
      MPI_Type_create_hvector(1 + below(4), 1,
                              extentOf(inner) + 8 * below(20), inner, &type);
      MPI_Type_free(&inner);
    }
    if (isOrderly(type) && sizeOf(type) > 0) {
      MPI_Type_commit(&type);
      return type;
    }
    MPI_Type_free(&type);
  }
}

static void restart(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  ++pattern;
  fill(from, pattern * 16 + (unsigned)rank);
  fill(to, pattern * 16 + 4 + (unsigned)rank);
  fill(shared, pattern * 16 + 8 + (unsigned)rank);
  /* Numbers of any size that do not overflow: Open MPI adds short integers that
     stand together with saturation, and others without. */
  for (int i = 1; i < ARENA; i += 2) {
    from.memory[i] &= 0x1f;
    shared.memory[i] &= 0x1f;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void logBoth(const char *name) {
  MPI_Barrier(MPI_COMM_WORLD);
  /* What others wrote to a locked window is seen in an epoch of one's own. */
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  logArena(name, shared);
  MPI_Win_unlock(rank, win);
  logArena(name, to);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Two operations of each kind to two places; `flat`: without gaps there. */
static void operations(MPI_Datatype type, MPI_Datatype element, int count,
                       int target, int flat) {
  int numbers = count * sizeOf(type) / sizeOf(element);
  MPI_Datatype there = flat ? element : type;
  int thereCount = flat ? numbers : count;
  MPI_Aint step = ARENA / 8;
  CHECK(MPI_Put(middle(from), count, type, target, step, thereCount, there,
                win) == MPI_SUCCESS);
  CHECK(MPI_Put(middle(from) + 8192, count, type, target, 2 * step, thereCount,
                there, win) == MPI_SUCCESS);
  CHECK(MPI_Get(middle(to), count, type, target, 3 * step, thereCount, there,
                win) == MPI_SUCCESS);
  CHECK(MPI_Get(middle(to) + ARENA / 4, count, type, target, 4 * step,
                thereCount, there, win) == MPI_SUCCESS);
  CHECK(MPI_Accumulate(middle(from), count, type, target, 5 * step, thereCount,
                       there, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Accumulate(middle(from), count, type, target, 6 * step, thereCount,
                       there, MPI_REPLACE, win) == MPI_SUCCESS);
}

static void underFences(MPI_Datatype type, MPI_Datatype element, int count,
                        int flat) {
  restart();
  MPI_Win_fence(0, win);
  operations(type, element, count, (rank + 1) % ranks, flat);
  MPI_Win_fence(0, win);
  logBoth("fence");
}

static void underLocks(MPI_Datatype type, MPI_Datatype element, int count,
                       int flat) {
  int other = (rank + 1) % ranks;
  restart();
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  operations(type, element, count, other, flat);
  MPI_Win_unlock(other, win);
  logBoth("lock");
  restart();
  MPI_Win_lock_all(0, win);
  operations(type, element, count, other, flat);
  MPI_Win_flush(other, win);
  logArena("flush", to);
  fill(to, pattern);
  operations(type, element, count, other, flat);
  MPI_Win_flush_local(other, win);
  logArena("flush_local", to);
  fill(to, pattern);
  CHECK(MPI_Get(middle(to), count, type, other, ARENA / 16, count, type, win) ==
        MPI_SUCCESS);
  MPI_Win_flush_local_all(win);
  logArena("flush_local_all", to);
  fill(to, pattern);
  CHECK(MPI_Get(middle(to), count, type, rank, ARENA / 16, count, type, win) ==
        MPI_SUCCESS);
  MPI_Win_flush_all(win);
  logArena("flush_all", to);
  MPI_Win_unlock_all(win);
  logBoth("lock_all");
}

static void withGroups(MPI_Datatype type, MPI_Datatype element, int count,
                       int flat) {
  int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  MPI_Group all, targets, origins;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &targets);
  MPI_Group_incl(all, 1, &last, &origins);
  restart();
  MPI_Win_post(origins, 0, win);
  MPI_Win_start(targets, 0, win);
  operations(type, element, count, next, flat);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  logBoth("groups");
  MPI_Group_free(&all);
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  from = newArena();
  to = newArena();
  int numTypes = atoi(argv[1]);
  /* Open MPI cannot make windows of any memory on all networks. */
  int isOwn = !atoi(argv[2]), code = MPI_SUCCESS;
  if (isOwn) {
    shared = newArena();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Win_create(shared.memory, ARENA, 1, MPI_INFO_NULL,
                          MPI_COMM_WORLD, &win);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  if (!isOwn || code != MPI_SUCCESS)
    CHECK(MPI_Win_allocate(ARENA, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                           &shared.memory, &win) == MPI_SUCCESS);
  for (int i = 0; i != numTypes; ++i) {
    seed = (uint64_t)i + 1;
    MPI_Datatype element, type = elementType(&element);
    int count = 1 + below(9), flat = below(3) != 0;
    underFences(type, element, count, flat);
    underLocks(type, element, count, flat);
    withGroups(type, element, count, flat);
    MPI_Type_free(&type);
  }
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
  printLog();
  MPI_Finalize();
  return 0;
}

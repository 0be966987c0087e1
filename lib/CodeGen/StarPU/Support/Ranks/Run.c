//===- Run.c - Submission -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements of a graph call this, in the proven order.
//
//===----------------------------------------------------------------------===//

/* What StarPU is told of a task, behind the codelet. */
#define SLUICE_TASK_WORDS(insertion)                                           \
  STARPU_EXECUTE_ON_NODE, (insertion)->rank, STARPU_DATA_MODE_ARRAY,           \
      (insertion)->uses, (insertion)->count, STARPU_CL_ARGS_NFREE,             \
      (insertion)->argument, sizeof(void *), 0

/* How many tasks may be ahead, so that memory does not grow with iterations. */
enum { SLUICE_MAX_AHEAD = 2048 };

static void sluiceInsert(const SluiceInsertion *insertion) {
  if (starpu_mpi_task_insert(MPI_COMM_WORLD, insertion->codelet,
                             SLUICE_TASK_WORDS(insertion)) != 0)
    sluiceDie("StarPU does not take task '%s'", insertion->codelet->name);
}

/* Inserts the tasks of a launch, as far as this rank has to do with them. */
static void sluiceSubmit(SluiceLaunch *launch) {
  if (starpu_task_nsubmitted() > SLUICE_MAX_AHEAD)
    starpu_task_wait_for_n_submitted(SLUICE_MAX_AHEAD / 2);
  for (int64_t i = 0; i < launch->share->count; ++i)
    sluiceInsert(&launch->share->insertions[i]);
}

/* On the main thread of rank 0. */
static void sluiceRunOnThisThread(const SluiceInsertion *insertion) {
  void **buffers = sluiceAllocate(insertion->codelet->name, insertion->count,
                                  sizeof(void *));
  for (int i = 0; i < insertion->count; ++i) {
    starpu_data_acquire(insertion->uses[i].handle, insertion->uses[i].mode);
    buffers[i] = sluiceInterfaceOf(insertion->uses[i].handle);
  }
  sluiceRunPoint(buffers, insertion->argument);
  for (int i = 0; i < insertion->count; ++i)
    starpu_data_release(insertion->uses[i].handle);
  free(buffers);
}

/* Runs a host statement: its data comes and goes as that of a task would. */
static void sluiceRunHere(SluiceLaunch *launch) {
  for (int64_t i = 0; i < launch->share->count; ++i) {
    const SluiceInsertion *insertion = &launch->share->insertions[i];
    if (insertion->codelet != &launch->codelet) {
      sluiceInsert(insertion);
      continue;
    }
    struct starpu_task *task = starpu_mpi_task_build(
        MPI_COMM_WORLD, insertion->codelet, SLUICE_TASK_WORDS(insertion));
    if (task) {
      task->destroy = 0;
      starpu_task_destroy(task);
      sluiceRunOnThisThread(insertion);
    }
    starpu_mpi_task_post_build(MPI_COMM_WORLD, insertion->codelet,
                               SLUICE_TASK_WORDS(insertion));
  }
}

/* Gives every rank the value that the tasks before give a scalar. */
static void sluiceWaitForScalar(SluiceScalar *scalar) {
  starpu_data_handle_t handle = scalar->part->handle;
  starpu_mpi_get_data_on_all_nodes_detached(MPI_COMM_WORLD, handle);
  starpu_data_acquire(handle, STARPU_R);
  starpu_data_release(handle);
}

/* All ranks know all scalars, and rank 0 has them. */
static void sluiceCreateScalar(SluiceScalar *scalar) {
  static SluiceRun run = {0, 1};
  static const SluiceSet one = {.runs = &run, .numRuns = 1, .count = 1};
  scalar->part = sluiceAllocate(scalar->name, 1, sizeof(SluicePart));
  *scalar->part = (SluicePart){.memory = scalar->value,
                               .set = &one,
                               .size = scalar->size,
                               .tag = sluiceNumTags++};
  sluiceRegisterPart(scalar->part, scalar->name, 0);
}

static void sluiceDestroyScalar(SluiceScalar *scalar) {
  sluiceUnregisterPart(scalar->part);
  free(scalar->part);
}

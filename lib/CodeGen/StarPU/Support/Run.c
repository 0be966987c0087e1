//===- Run.c - Submission -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements of a graph call this, in the proven order.
//
//===----------------------------------------------------------------------===//

/* The copy that a point folds into; null: the root itself. */
static SluiceCopy *sluiceCopyOf(const SluiceLaunch *launch,
                                const SluiceRegionAccess *access, int64_t p) {
  if (!access->numCopies)
    return NULL;
  SluiceCopy *copy = &access->copies[p * access->numCopies / launch->numPoints];
  while (copy->endPoint <= p)
    ++copy;
  return copy;
}

static void sluiceRecordPoint(const SluiceLaunch *launch, int64_t p) {
  for (int a = 0; a < launch->numAccesses; ++a) {
    const SluiceRegionAccess *access = &launch->accesses[a];
    SluiceCopy *copy = sluiceCopyOf(launch, access, p);
    if (copy) {
      sluiceDependOn(copy->lastTask);
      copy->lastTask = sluiceNumSubmitted + 1;
      continue;
    }
    sluiceRecord(access->partition, launch->points[p].colors[a], access->fields,
                 access->mode == STARPU_R);
  }
}

/* Submits the tasks of a launch after all that they depend on. */
static void sluiceSubmit(SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    struct starpu_task *task =
        sluiceBeginTask(&launch->codelet, &launch->points[p]);
    sluiceSetHandles(task, &launch->points[p]);
    sluiceRecordPoint(launch, p);
    sluiceEndTask(task);
  }
  for (int a = 0; a < launch->numAccesses; ++a)
    for (int64_t g = 0; g < launch->accesses[a].numCopies; ++g)
      sluiceSubmitFold(&launch->accesses[a].copies[g]);
}

/* Runs a host statement on this thread, after all that it depends on. */
static void sluiceRunHere(SluiceLaunch *launch) {
  SluicePoint *point = &launch->points[0];
  void **buffers =
      sluiceAllocate(launch->name, launch->numScalars + 1, sizeof(void *));
  if (sluiceNumSubmitted - sluiceNumRetired == SLUICE_MAX_AHEAD)
    sluiceRetireOldest();
  sluiceNumDependences = 0;
  sluiceRecordPoint(launch, 0);
  for (unsigned i = 0; i < sluiceNumDependences; ++i)
    sluiceWaitFor(sluiceDependences[i]);
  for (int s = 0; s < launch->numScalars; ++s) {
    starpu_data_handle_t handle = launch->scalars[s].scalar->handle;
    enum starpu_data_access_mode mode = launch->scalars[s].mode;
    starpu_data_acquire(handle, mode == STARPU_REDUX ? STARPU_RW : mode);
    buffers[s] = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
  }
  launch->codelet.cpu_funcs[0](buffers, point);
  for (int s = 0; s < launch->numScalars; ++s)
    starpu_data_release(launch->scalars[s].scalar->handle);
  free(buffers);
  sluiceTasks[sluiceNumSubmitted++ % SLUICE_MAX_AHEAD] = NULL;
}

/* Waits until a scalar has the value that the tasks before give it. */
static void sluiceWaitForScalar(SluiceScalar *scalar) {
  starpu_data_acquire(scalar->handle, STARPU_R);
  starpu_data_release(scalar->handle);
}

static void sluiceCreateScalar(SluiceScalar *scalar) {
  starpu_variable_data_register(&scalar->handle, STARPU_MAIN_RAM,
                                (uintptr_t)scalar->value, scalar->size);
}

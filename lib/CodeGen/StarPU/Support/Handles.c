//===- Handles.c - Handles of colors --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle for each field of a color, made when a graph first uses it, and the
// handles of a task.
//
//===----------------------------------------------------------------------===//

/* The handle of a field of one color: the box its elements span. Handles of
   one root share its memory, so their order is ours to say. */
static starpu_data_handle_t sluiceHandleOf(SluicePartition *partition,
                                           int64_t color, int field) {
  const SluiceRoot *root = partition->root;
  const SluiceDomain *box = partition->domains[color];
  if (!partition->handles)
    partition->handles =
        sluiceAllocate(partition->name, partition->numColors * root->numFields,
                       sizeof(starpu_data_handle_t));
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

/* The handles of a point's scalars and regions, except where it folds into a
   copy. */
static void sluicePrepareHandles(SluiceLaunch *launch) {
  int numHandles = launch->numScalars + sluiceCountFields(launch);
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    SluicePoint *point = &launch->points[p];
    point->handles =
        sluiceAllocate(launch->name, numHandles, sizeof(starpu_data_handle_t));
    point->modes = sluiceAllocate(launch->name, numHandles,
                                  sizeof(enum starpu_data_access_mode));
    for (int s = 0; s < launch->numScalars; ++s)
      sluiceAddHandle(point, launch->scalars[s].scalar->handle,
                      launch->scalars[s].mode);
    for (int a = 0; a < launch->numAccesses; ++a) {
      const SluiceRegionAccess *access = &launch->accesses[a];
      enum starpu_data_access_mode mode =
          access->mode == STARPU_REDUX ? STARPU_RW : access->mode;
      for (int f = 0; f < access->partition->root->numFields; ++f)
        if (access->fields >> f & 1 && !access->numCopies)
          sluiceAddHandle(
              point, sluiceHandleOf(access->partition, point->colors[a], f),
              mode);
    }
  }
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

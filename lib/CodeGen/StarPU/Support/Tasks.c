//===- Tasks.c - Tasks and their dependences ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predecessors of a task are found when it is submitted, from the last
// users of its atoms.
//
//===----------------------------------------------------------------------===//

/* Tasks are numbered from 1 as they are submitted. At most SLUICE_MAX_AHEAD of
   them are kept; the main thread waits for the oldest before it submits more.
 */
enum { SLUICE_MAX_AHEAD = 2048 };
static struct starpu_task *sluiceTasks[SLUICE_MAX_AHEAD];
static uint64_t sluiceNumSubmitted, sluiceNumRetired;

/* What the task that is being made depends on, each task once. */
static struct starpu_task *sluiceDependences[SLUICE_MAX_AHEAD];
static uint64_t sluiceDependsFor[SLUICE_MAX_AHEAD];
static unsigned sluiceNumDependences;

static void sluiceWaitFor(struct starpu_task *task) {
  if (starpu_task_wait(task) != 0)
    sluiceDie("cannot wait for task '%s'", task->cl->name);
}

static void sluiceRetireOldest(void) {
  struct starpu_task *task = sluiceTasks[sluiceNumRetired++ % SLUICE_MAX_AHEAD];
  if (!task) /* a host statement: done when it was numbered */
    return;
  sluiceWaitFor(task);
  starpu_task_destroy(task);
}

static void sluiceWaitForAll(void) {
  while (sluiceNumRetired < sluiceNumSubmitted)
    sluiceRetireOldest();
}

/* Begins a task; its number is sluiceNumSubmitted + 1 until it is submitted. */
static struct starpu_task *sluiceBeginTask(struct starpu_codelet *codelet,
                                           void *argument) {
  if (sluiceNumSubmitted - sluiceNumRetired == SLUICE_MAX_AHEAD)
    sluiceRetireOldest();
  struct starpu_task *task = starpu_task_create();
  task->cl = codelet;
  task->cl_arg = argument;
  task->detach = 0;  /* the main thread waits for it */
  task->destroy = 0; /* later tasks may name it */
  sluiceNumDependences = 0;
  return task;
}

static void sluiceEndTask(struct starpu_task *task) {
  if (sluiceNumDependences)
    starpu_task_declare_deps_array(task, sluiceNumDependences,
                                   sluiceDependences);
  if (starpu_task_submit(task) != 0)
    sluiceDie("StarPU has no worker for task '%s'", task->cl->name);
  sluiceTasks[sluiceNumSubmitted++ % SLUICE_MAX_AHEAD] = task;
}

static void sluiceDependOn(uint64_t number) {
  uint64_t self = sluiceNumSubmitted + 1;
  if (number <= sluiceNumRetired || number == self)
    return;
  uint64_t slot = (number - 1) % SLUICE_MAX_AHEAD;
  if (!sluiceTasks[slot] || sluiceDependsFor[slot] == self)
    return;
  sluiceDependsFor[slot] = self;
  sluiceDependences[sluiceNumDependences++] = sluiceTasks[slot];
}

static void sluiceForgetRetired(SluiceHistory *history) {
  int64_t kept = 0;
  for (int64_t i = 0; i < history->numReaders; ++i)
    if (history->readers[i] > sluiceNumRetired)
      history->readers[kept++] = history->readers[i];
  history->numReaders = kept;
}

static void sluiceRecordRead(SluiceHistory *history) {
  uint64_t self = sluiceNumSubmitted + 1;
  sluiceDependOn(history->writer);
  if (history->numReaders && history->readers[history->numReaders - 1] == self)
    return;
  if (history->numReaders == history->capacity)
    sluiceForgetRetired(history);
  history->readers = sluiceGrow(history->readers, history->numReaders,
                                &history->capacity, sizeof(uint64_t));
  history->readers[history->numReaders++] = self;
}

static void sluiceRecordWrite(SluiceHistory *history) {
  sluiceDependOn(history->writer);
  for (int64_t i = 0; i < history->numReaders; ++i)
    sluiceDependOn(history->readers[i]);
  history->numReaders = 0;
  history->writer = sluiceNumSubmitted + 1;
}

/* Uses the elements of one color, of the fields whose bits are set. */
static void sluiceRecord(const SluicePartition *partition, int64_t color,
                         uint64_t fields, int isRead) {
  const SluiceRoot *root = partition->root;
  const SluiceAtomList *list = &partition->atoms[color];
  for (int f = 0; f < root->numFields; ++f) {
    SluiceHistory *histories = root->histories + f * root->numAtoms;
    for (int64_t i = 0; fields >> f & 1 && i < list->count; ++i)
      if (isRead)
        sluiceRecordRead(&histories[list->atoms[i]]);
      else
        sluiceRecordWrite(&histories[list->atoms[i]]);
  }
}

/* Nobody has used the atoms of a graph that begins. */
static void sluiceBeginHistories(SluiceRoot *root) {
  root->histories = sluiceAllocate("atoms", root->numAtoms * root->numFields,
                                   sizeof(SluiceHistory));
}

static void sluiceEndHistories(SluiceRoot *root) {
  for (int64_t i = 0; i < root->numAtoms * root->numFields; ++i)
    free(root->histories[i].readers);
  free(root->histories);
  root->histories = NULL;
  root->numAtoms = 0;
}

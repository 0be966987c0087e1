//===- Graphs.c - Graphs --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The actions before and after the statements of a graph.
//
//===----------------------------------------------------------------------===//

static int sluiceIsRootUsed(SluicePartition *const *partitions, int count,
                            const SluiceRoot *root) {
  for (int i = 0; i < count; ++i)
    if (partitions[i]->root == root)
      return 1;
  return 0;
}

/* Who has what of a root in this graph, in parts that no argument divides. */
static void sluicePrepareRoot(SluiceRoot *root, SluiceLaunch *const *launches,
                              int numLaunches,
                              SluicePartition *const *partitions, int count) {
  sluiceChooseHomes(root, launches, numLaunches);
  SluicePartition **all =
      sluiceAllocate(root->name, count + 2, sizeof(SluicePartition *));
  memcpy(all, partitions, (size_t)count * sizeof(SluicePartition *));
  all[count++] = &root->homes->now;
  if (root->homes->before.sets)
    all[count++] = &root->homes->before;
  sluiceFindAtoms(root, all, count, &root->homes->elements);
  sluiceMakeRootParts(root);
  free(all);
}

/* Expands the launches to points. Determines which rank runs each point, where
   each part is, and which tasks this rank inserts. */
static void sluiceBeginGraph(SluiceLaunch *const *launches, int numLaunches) {
  SluicePartition **partitions;
  int count = sluiceListPartitions(launches, numLaunches, &partitions);
  for (int i = 0; i < numLaunches; ++i) {
    sluicePrepareLaunch(launches[i]);
    sluicePlacePoints(launches[i]);
  }
  for (SluiceRoot *root = sluiceRoots; root; root = root->next)
    if (sluiceIsRootUsed(partitions, count, root))
      sluicePrepareRoot(root, launches, numLaunches, partitions, count);
  for (int i = 0; i < numLaunches; ++i)
    sluicePlanContributions(launches[i]);
  for (int i = 0; i < numLaunches; ++i)
    sluiceMarkLaunch(launches[i]);
  for (SluiceRoot *root = sluiceRoots; root; root = root->next)
    if (sluiceIsRootUsed(partitions, count, root))
      sluiceRegisterRootParts(root);
  for (int i = 0; i < numLaunches; ++i) {
    for (int64_t c = 0; c < launches[i]->share->numContributions; ++c)
      sluicePrepareCopies(&launches[i]->share->contributions[c]);
    sluiceMakeInsertions(launches[i]);
  }
  free(partitions);
}

/* Waits for all tasks and messages of this rank, and frees what the graph
   needed. */
static void sluiceEndGraph(SluiceLaunch *const *launches, int numLaunches) {
  starpu_task_wait_for_all();
  for (int i = 0; i < numLaunches; ++i)
    sluiceReleaseShare(launches[i]);
  for (SluiceRoot *root = sluiceRoots; root; root = root->next)
    if (root->homes && root->homes->parts)
      sluiceReleaseRootParts(root);
  for (int i = 0; i < numLaunches; ++i)
    sluiceReleaseLaunch(launches[i]);
}

/* Between graphs: every rank gets all of a field, for partitions by what it
   holds. */
static void sluiceShareField(SluiceRoot *root, int field) {
  const int64_t most = 1 << 30;
  SluiceHomes *homes = root->homes;
  size_t size = sluiceElementSize(&root->fields[field]);
  for (int r = 0; homes && r < sluiceNumRanks; ++r) {
    SluicePartInterface part = {STARPU_UNKNOWN_INTERFACE_ID, root->name,
                                root->memory[field], &homes->before.sets[r],
                                size};
    int64_t bytes = part.set->count * (int64_t)size;
    char *packed = sluiceAllocate(root->name, bytes, 1);
    if (r == sluiceRank)
      sluiceMoveElements(&part, packed, 1);
    for (int64_t at = 0; at < bytes; at += most)
      MPI_Bcast(packed + at, (int)(bytes - at < most ? bytes - at : most),
                MPI_BYTE, r, MPI_COMM_WORLD);
    if (r != sluiceRank)
      sluiceMoveElements(&part, packed, 0);
    free(packed);
  }
}

static void sluiceDestroyRoot(SluiceRoot *root) {
  if (root->homes)
    sluiceReleaseRankColors(&root->homes->before);
  free(root->homes);
  sluiceDestroyPartition(&root->whole);
}

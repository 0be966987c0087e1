//===- Graphs.c - Graphs --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done before and after the statements of a graph.
//
//===----------------------------------------------------------------------===//

static int sluiceIsListed(SluicePartition *const *partitions, int count,
                          const SluicePartition *partition) {
  for (int i = 0; i < count; ++i)
    if (partitions[i] == partition)
      return 1;
  return 0;
}

/* The partitions that the launches of a graph use. */
static int sluiceListPartitions(SluiceLaunch *const *launches, int numLaunches,
                                SluicePartition **partitions) {
  int count = 0;
  for (int i = 0; i < numLaunches; ++i)
    for (int a = 0; a < launches[i]->numAccesses; ++a) {
      SluicePartition *partition = launches[i]->accesses[a].partition;
      if (!sluiceIsListed(partitions, count, partition))
        partitions[count++] = partition;
    }
  return count;
}

static int sluiceCountAccesses(SluiceLaunch *const *launches, int numLaunches) {
  int count = 0;
  for (int i = 0; i < numLaunches; ++i)
    count += launches[i]->numAccesses;
  return count;
}

/* Expands the launches to points and finds what their arguments share. */
static void sluiceBeginGraph(SluiceLaunch *const *launches, int numLaunches) {
  SluicePartition **partitions =
      sluiceAllocate("partitions", sluiceCountAccesses(launches, numLaunches),
                     sizeof(SluicePartition *));
  int numPartitions = sluiceListPartitions(launches, numLaunches, partitions);
  for (int i = 0; i < numLaunches; ++i)
    sluicePrepareLaunch(launches[i]);
  for (SluiceRoot *root = sluiceRoots; root; root = root->next)
    sluiceFindAtoms(root, partitions, numPartitions);
  for (int i = 0; i < numLaunches; ++i) {
    sluicePrepareReductions(launches[i]);
    sluicePrepareHandles(launches[i]);
  }
  free(partitions);
}

/* Waits for all tasks, and frees what the graph needed. */
static void sluiceEndGraph(SluiceLaunch *const *launches, int numLaunches) {
  sluiceWaitForAll();
  for (int i = 0; i < numLaunches; ++i) {
    sluiceReleaseReductions(launches[i]);
    sluiceReleaseLaunch(launches[i]);
  }
  for (SluiceRoot *root = sluiceRoots; root; root = root->next)
    sluiceForgetAtoms(root);
}

//===- Graphs.c - Graphs --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The actions before and after the statements of a graph.
//
//===----------------------------------------------------------------------===//

/* Expands the launches to points and finds what their arguments share. */
static void sluiceBeginGraph(SluiceLaunch *const *launches, int numLaunches) {
  SluicePartition **partitions;
  int numPartitions = sluiceListPartitions(launches, numLaunches, &partitions);
  for (int i = 0; i < numLaunches; ++i)
    sluicePrepareLaunch(launches[i]);
  for (SluiceRoot *root = sluiceRoots; root; root = root->next) {
    sluiceFindAtoms(root, partitions, numPartitions, NULL);
    sluiceBeginHistories(root);
  }
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
    sluiceEndHistories(root);
}

//===- Ranks.c - Ranks ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI, with its processes as the ranks.
//
//===----------------------------------------------------------------------===//

static int sluiceRank, sluiceNumRanks;

/* StarPU's thread and this one call MPI. */
static void sluiceStartRanks(int *argc, char ***argv) {
  int level;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    sluiceDie("MPI does not start");
  if (level < MPI_THREAD_MULTIPLE)
    sluiceDie("this MPI cannot be called by several threads "
              "(MPI_THREAD_MULTIPLE)");
  MPI_Comm_rank(MPI_COMM_WORLD, &sluiceRank);
  MPI_Comm_size(MPI_COMM_WORLD, &sluiceNumRanks);
}

/* Counts the data that StarPU-MPI sends, and its bytes; rank 0 prints the sums
   of all ranks in the end. To be preloaded. Each has an envelope besides, of
   the tag before. */
#include <mpi.h>
#include <stdio.h>

enum { dataTag = 43 };
static long counted[2];

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag,
              MPI_Comm ranks, MPI_Request *request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (tag == dataTag) {
    ++counted[0];
    counted[1] += (long)size * count;
  }
  return PMPI_Isend(data, count, type, peer, tag, ranks, request);
}

int MPI_Finalize(void) {
  long all[2];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(counted, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld messages, %ld bytes\n", all[0], all[1]);
  return PMPI_Finalize();
}

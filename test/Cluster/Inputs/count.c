/* Counts the messages that a program sends, and their bytes, by MPI's
   profiling interface; rank 0 prints the sums of all ranks at the end. To be
   preloaded. With -DONLY_TAG=N, messages of tag N only. */
#include <mpi.h>
#include <stdio.h>

/* Beats of ranks that watch each other have the last tag, and are no messages
   of the program. */
static int isBeat(int tag) {
  int *last, isThere;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last, &isThere);
  return isThere && tag == *last;
}

enum { maxRequests = 1 << 16 };
static struct {
  MPI_Request request;
  long bytes;
} known[maxRequests];
static int numKnown;
static long counted[2];

int MPI_Send_init(const void *data, int count, MPI_Datatype type, int peer,
                  int tag, MPI_Comm ranks, MPI_Request *request) {
  int status = PMPI_Send_init(data, count, type, peer, tag, ranks, request);
  int size = 0;
  PMPI_Type_size(type, &size);
#ifdef ONLY_TAG
  if (tag != ONLY_TAG)
    return status;
#endif
  if (numKnown < maxRequests && !isBeat(tag)) {
    known[numKnown].request = *request;
    known[numKnown++].bytes = (long)size * count;
  }
  return status;
}

static void countStart(MPI_Request request) {
  /* The latest: a request may be at the place of one that was freed. */
  for (int i = numKnown - 1; i >= 0; --i)
    if (known[i].request == request) {
      ++counted[0];
      counted[1] += known[i].bytes;
      break;
    }
}

int MPI_Start(MPI_Request *request) {
  countStart(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request *requests) {
  for (int i = 0; i < count; ++i)
    countStart(requests[i]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request *request) {
  for (int i = 0; i < numKnown; ++i)
    if (known[i].request == *request) {
      known[i] = known[--numKnown];
      break;
    }
  return PMPI_Request_free(request);
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

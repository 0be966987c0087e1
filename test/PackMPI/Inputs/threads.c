/*===- threads.c - Many threads pack, send and free types -----------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Each thread exchanges messages of its own with itself and with the other   *|
|* rank, sharing one type and making others, under MPI_THREAD_MULTIPLE.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "testing.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200, N = 50 };
static MPI_Datatype shared;

static void exchange(MPI_Datatype type, int stride, int tag, double *from,
                     double *to) {
  MPI_Request requests[2];
  int flag = 0;
  for (int i = 0; i != 4 * N; ++i) {
    from[i] = tag * 1000 + i;
    to[i] = -1;
  }
  MPI_Irecv(to, 1, type, rank ^ 1, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, 1, type, rank ^ 1, tag, MPI_COMM_WORLD, &requests[1]);
  if (tag % 2)
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  while (tag % 2 == 0 && !flag)
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i != 4 * N; ++i) {
    int inside = i % stride == 0 && i < stride * N;
    CHECK(to[i] == (inside ? tag * 1000 + i : -1));
  }
}

static void *work(void *argument) {
  int thread = (int)(intptr_t)argument;
  double from[4 * N], to[4 * N], image[N];
  for (int i = 0; i != ROUNDS; ++i) {
    MPI_Datatype type;
    int stride = 2 + (i + thread) % 3, position = 0;
    MPI_Type_vector(N, 1, stride, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    exchange(shared, 3, 2 * thread, from, to);
    exchange(type, stride, 2 * thread + 1, from, to);
    MPI_Pack(from, 1, type, image, (int)sizeof image, &position,
             MPI_COMM_WORLD);
    CHECK(image[N - 1] == from[(N - 1) * stride]);
    MPI_Type_free(&type);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Type_vector(N, 1, 3, MPI_DOUBLE, &shared);
  MPI_Type_commit(&shared);
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i != THREADS; ++i)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i != THREADS; ++i)
    pthread_join(threads[i], NULL);
  MPI_Type_free(&shared);
  if (rank == 0)
    printf("threads agree\n");
  MPI_Finalize();
  return 0;
}

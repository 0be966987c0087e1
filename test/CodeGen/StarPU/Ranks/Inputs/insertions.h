/* Included before a generated program: each rank prints how many tasks it has
   inserted, and with how many handles. */
#define _GNU_SOURCE
#include <starpu_mpi.h>
#include <stdio.h>

static long insertions, handles;

#define starpu_mpi_task_insert(...)                                            \
  (++insertions, (starpu_mpi_task_insert)(__VA_ARGS__))
#undef starpu_mpi_data_register
#define starpu_mpi_data_register(handle, tag, rank)                            \
  (++handles, starpu_mpi_data_register_comm(handle, tag, rank, MPI_COMM_WORLD))

__attribute__((destructor)) static void show(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  printf("rank %s: %ld tasks, %ld handles\n", rank, insertions, handles);
}

//===- Start.c - Starting -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StarPU-MPI, with workers only on CPUs.
//
//===----------------------------------------------------------------------===//

/* Starts StarPU with its CPU workers alone: tasks are C functions, and data is
   where it is made. */
static void sluiceStartStarPU(void) {
  struct starpu_conf conf;
  setenv("STARPU_USE_NUMA", "0", 1);
  starpu_conf_init(&conf);
  conf.ncuda = 0;
  conf.nopencl = 0;
  int status = starpu_mpi_init_conf(NULL, NULL, /*initialize_mpi=*/0,
                                    MPI_COMM_WORLD, &conf);
  if (status != 0)
    sluiceDie("StarPU does not start: %s", strerror(-status));
  if (starpu_cpu_worker_get_count() == 0)
    sluiceDie("StarPU has no CPU worker; set STARPU_NCPU to at least 1");
  if (!starpu_mpi_cache_is_enabled())
    sluiceDie("STARPU_MPI_CACHE=0 is set, but messages are those of "
              "StarPU-MPI's cache");
}

/* All ranks end together. */
static void sluiceStop(void) {
  starpu_mpi_shutdown();
  MPI_Finalize();
}

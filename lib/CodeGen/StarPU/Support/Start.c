//===- Start.c - Starting -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StarPU, with workers only on CPUs.
//
//===----------------------------------------------------------------------===//

/* Starts StarPU with its CPU workers alone: tasks are C functions. */
static void sluiceStartStarPU(void) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncuda = 0;
  conf.nopencl = 0;
  int status = starpu_init(&conf);
  if (status != 0)
    sluiceDie("StarPU does not start: %s", strerror(-status));
  if (starpu_cpu_worker_get_count() == 0)
    sluiceDie("StarPU has no CPU worker; set STARPU_NCPU to at least 1");
}

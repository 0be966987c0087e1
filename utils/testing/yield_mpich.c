//===- yield_mpich.c - Ranks of MPICH that wait give their core away ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To be loaded before MPICH, whose ranks wait for messages in a loop that never
// leaves the core: where there are fewer free cores than ranks, the one that
// has to send waits for its turn at each message. Debian's MPICH waits through
// UCX, and this yields whenever UCX has nothing to do.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*next)(void *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned num_done = next(worker);
  if (num_done == 0)
    sched_yield();
  return num_done;
}

//===- roundtrip.c - How far apart the cores lie --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two pinned threads hand one cache line back and forth. A virtual machine
// may move its processors while a benchmark runs; the round-trip time, logged
// in every round, tells numbers of one placement from those of another.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { numTrips = 20000, lineSize = 64 };

static _Alignas(lineSize) atomic_long line;
static cpu_set_t allowed;

static void pinToAllowed(int ordinal) {
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || ordinal-- > 0)
      continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    return;
  }
}

static void *answer(void *unused) {
  (void)unused;
  pinToAllowed(1);
  for (long i = 0; i < numTrips; ++i) {
    while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i + 1)
      continue;
    atomic_store_explicit(&line, 2 * i + 2, memory_order_release);
  }
  return 0;
}

static double seconds;

static void trip(void) {
  pthread_t other;
  atomic_store(&line, 0);
  if (pthread_create(&other, 0, answer, 0) != 0)
    exit(1);
  pinToAllowed(0);
  double start = 0;
  for (long i = 0; i < numTrips; ++i) {
    if (i == numTrips / 10)
      start = benchSeconds();
    atomic_store_explicit(&line, 2 * i + 1, memory_order_release);
    while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i + 2)
      continue;
  }
  seconds = (benchSeconds() - start) / (numTrips - numTrips / 10);
  pthread_join(other, 0);
  pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);
}

int main(void) {
  char command[128];
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int hasTwo = CPU_COUNT(&allowed) > 1;
  while (fgets(command, sizeof(command), stdin)) {
    if (strncmp(command, "run", 3) != 0)
      break;
    if (hasTwo)
      trip();
    printf("time %.9e\n", seconds);
    fflush(stdout);
  }
  return 0;
}

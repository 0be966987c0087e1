// Variants of loops are compiled with the debugging information of the program,
// which is whole: the helper has nothing to say.
// RUN: rm -rf %t.cache %t.err && %sluice cc -O2 -g -fopenmp %s -o %t
// RUN: printf '#!/bin/sh\nexec "%%s-specialize" "$@" 2> "%%s"\n' %sluice %t.err > %t.helper
// RUN: chmod +x %t.helper
// RUN: env SLUICE_CACHE_DIR=%t.cache SLUICE_SPECIALIZE=1 SLUICE_HELPER=%t.helper %t "%t.cache/variants/*.so"
// RUN: %llvm/bin/llvm-dwarfdump --debug-info %t.cache/variants/*.so | FileCheck %s
// RUN: not grep . %t.err
// CHECK: DW_TAG_compile_unit
// CHECK: variants-debug.c
#include <glob.h>
#include <string.h>
#include <time.h>

static unsigned char values[20000];
static int bins[256];
static unsigned char *input = values;
static long length;

static void run(void) {
  const unsigned char *restrict value = input;
  int count[256] = {0};
#pragma omp parallel for reduction(+ : count)
  for (long i = 0; i < length; ++i)
    ++count[value[i]];
  memcpy(bins, count, sizeof count);
}

/// Runs a loop until the file that is asked for is there.
int main(int argc, char **argv) {
  glob_t found;
  struct timespec pause = {0, 1000000};
  length = 10000 * argc;
  while (glob(argv[1], 0, 0, &found) != 0) {
    run();
    nanosleep(&pause, 0);
  }
  globfree(&found);
  return bins[0] == length ? 0 : 1;
}

// Atomic updates whose old value is not used are collected: in registers, in
// copies of small arrays, and as elements that are appended. Every number of
// workers gives the same bits, also where two pointers of a launch are one
// array, where an index lies beyond the size that the launch states, and where
// arrays are larger than any copy.
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: %sluice run -O0 %s | FileCheck %s
// RUN: %sluice build %s -o %t && %t | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: 0 of 240 launches are wrong
// CHECK-NEXT: one array twice: 0 lost

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { instances = 5000, extra = 64 };

typedef struct __attribute__((__packed__)) {
  int *in;
  size_t bytesIn;
  int *bins;
  size_t bytesBins;
  long *results;
  size_t bytesResults;
  int *appended;
  size_t bytesAppended;
  int *tail;
  size_t bytesTail;
  size_t numBins;
  size_t limit;
  size_t count;
} Arguments;

void updateAll(int *in, size_t bytesIn, int *bins, size_t bytesBins,
               long *results, size_t bytesResults, int *appended,
               size_t bytesAppended, int *tail, size_t bytesTail,
               size_t numBins, size_t limit) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, in, bins, results, appended, tail, 4, bins, results,
                     appended, tail);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  int value = in[i];
  __hpvm__atomic_add(&bins[(unsigned)(value * 7 + 3) % numBins], value);
  if (i % 3 == 0)
    __hpvm__atomic_sub(&bins[numBins - 1], 2);
  __atomic_fetch_add(&results[0], value, __ATOMIC_RELAXED);
  __atomic_fetch_min(&results[1], (long)value, __ATOMIC_RELAXED);
  __atomic_fetch_max(&results[2], (long)value, __ATOMIC_RELAXED);
  __atomic_fetch_xor(&results[3], value * i, __ATOMIC_RELAXED);
  for (int k = 0; k < (value & 3); ++k)
    __atomic_fetch_add(&results[4], k, __ATOMIC_RELAXED);
  if (value > 20) {
    int place = __hpvm__atomic_add(tail, 1);
    if (place < (long)limit)
      appended[place] = value;
  }
}

void updateRoot(int *in, size_t bytesIn, int *bins, size_t bytesBins,
                long *results, size_t bytesResults, int *appended,
                size_t bytesAppended, int *tail, size_t bytesTail,
                size_t numBins, size_t limit, size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(5, in, bins, results, appended, tail, 4, bins, results,
                     appended, tail);
  void *leaf = __hpvm__createNodeND(1, updateAll, count);
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
  __hpvm__bindIn(leaf, 5, 5, 0);
  __hpvm__bindIn(leaf, 6, 6, 0);
  __hpvm__bindIn(leaf, 7, 7, 0);
  __hpvm__bindIn(leaf, 8, 8, 0);
  __hpvm__bindIn(leaf, 9, 9, 0);
  __hpvm__bindIn(leaf, 10, 10, 0);
  __hpvm__bindIn(leaf, 11, 11, 0);
}

/// Every instance must find its own addition.
void addTwice(int *first, size_t bytesFirst, int *second, size_t bytesSecond,
              int *lost, size_t bytesLost) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, first, second, lost, 3, first, second, lost);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  __hpvm__atomic_add(&first[i & 7], 1);
  if (__hpvm__atomic_add(&second[i & 7], 1) < 1)
    __hpvm__atomic_add(lost, 1);
}

void addTwiceRoot(int *first, size_t bytesFirst, int *second,
                  size_t bytesSecond, int *lost, size_t bytesLost,
                  size_t count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, first, second, lost, 3, first, second, lost);
  void *leaf = __hpvm__createNodeND(1, addTwice, count);
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
  __hpvm__bindIn(leaf, 4, 4, 0);
  __hpvm__bindIn(leaf, 5, 5, 0);
}

typedef struct __attribute__((__packed__)) {
  int *first;
  size_t bytesFirst;
  int *second;
  size_t bytesSecond;
  int *lost;
  size_t bytesLost;
  size_t count;
} TwiceArguments;

static int in[instances], appended[instances], tail;
static long results[5], expected[5];

static int compare(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}

/// `stated`: how many of the bins the launch says there are.
static int isWrong(size_t numBins, size_t stated, size_t limit, size_t count) {
  int *bins = calloc(numBins + extra, sizeof(int));
  int *wanted = calloc(numBins + extra, sizeof(int));
  memset(appended, 0, sizeof(appended));
  memset(results, 0, sizeof(results));
  memset(expected, 0, sizeof(expected));
  results[1] = expected[1] = 1000;
  tail = 0;
  int numAppended = 0;
  static int values[instances];
  for (size_t i = 0; i < count; ++i) {
    int value = in[i] = rand() % 100 - 20;
    wanted[(unsigned)(value * 7 + 3) % numBins] += value;
    if (i % 3 == 0)
      wanted[numBins - 1] -= 2;
    expected[0] += value;
    expected[1] = expected[1] < value ? expected[1] : value;
    expected[2] = expected[2] > value ? expected[2] : value;
    expected[3] ^= value * (long)i;
    for (int k = 0; k < (value & 3); ++k)
      expected[4] += k;
    if (value > 20)
      values[numAppended++] = value;
  }
  Arguments arguments = {in,       sizeof(in),       bins,
                         stated * sizeof(int),       results,
                         sizeof(results),            appended,
                         sizeof(appended),           &tail,
                         sizeof(tail),               numBins,
                         limit,                      count};
  void *tracked[] = {in, bins, results, appended, &tail};
  size_t sizes[] = {sizeof(in), stated * sizeof(int), sizeof(results),
                    sizeof(appended), sizeof(tail)};
  for (int i = 0; i < 5; ++i)
    llvm_hpvm_track_mem(tracked[i], sizes[i]);
  __hpvm__wait(__hpvm__launch(0, updateRoot, (void *)&arguments));
  for (int i = 0; i < 5; ++i)
    llvm_hpvm_request_mem(tracked[i], sizes[i]);
  for (int i = 0; i < 5; ++i)
    llvm_hpvm_untrack_mem(tracked[i]);

  int wrong = memcmp(bins, wanted, (numBins + extra) * sizeof(int)) != 0 ||
              memcmp(results, expected, sizeof(results)) != 0 ||
              tail != numAppended;
  if (limit >= (size_t)numAppended) {
    qsort(appended, numAppended, sizeof(int), compare);
    qsort(values, numAppended, sizeof(int), compare);
    wrong |= memcmp(appended, values, numAppended * sizeof(int)) != 0;
  }
  for (size_t i = limit; i < instances; ++i)
    wrong |= appended[i] != 0 && limit < (size_t)numAppended;
  free(bins);
  free(wanted);
  return wrong;
}

int main(void) {
  __hpvm__init();
  static const size_t bins[] = {1, 3, 64, 256, 3000, 100000};
  static const size_t counts[] = {1, 7, 300, instances};
  int wrong = 0, launches = 0;
  for (int b = 0; b < 6; ++b)
    for (int c = 0; c < 4; ++c)
      for (int round = 0; round < 10; ++round, ++launches)
        wrong += isWrong(bins[b],
                         // Checks find what lies beyond the stated size.
                         round % 3 || getenv("SLUICE_CHECK") ? bins[b]
                                                             : (bins[b] + 1) / 2,
                         round & 1 ? 10 : instances, counts[c]);
  printf("%d of %d launches are wrong\n", wrong, launches);

  static int cells[8], lost;
  TwiceArguments twice = {cells, sizeof(cells), cells, sizeof(cells),
                          &lost, sizeof(lost),  instances};
  llvm_hpvm_track_mem(cells, sizeof(cells));
  llvm_hpvm_track_mem(&lost, sizeof(lost));
  __hpvm__wait(__hpvm__launch(0, addTwiceRoot, (void *)&twice));
  llvm_hpvm_request_mem(&lost, sizeof(lost));
  printf("one array twice: %d lost\n", lost);
  llvm_hpvm_untrack_mem(cells);
  llvm_hpvm_untrack_mem(&lost);
  __hpvm__cleanup();
  return wrong != 0 || lost != 0;
}

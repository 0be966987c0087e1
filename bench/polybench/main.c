//===- main.c - Runs the kernels, and compares with the oracle ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only row is `kernel:NAME:REPETITIONS:NUMBERS`.
//
//===----------------------------------------------------------------------===//

#include "polybench.h"

#include "../common/harness.h"

#include <stdint.h>

static const Kernel *const ours[] = {linear, solvers, stencils, medley};
static const Kernel *const theirs[] = {linearOracle, solversOracle,
                                       stencilsOracle, medleyOracle};

/// Sums are taken in other orders, and multiplied and added at once or not.
static const double tolerance = 1e-8, floatTolerance = 1e-4;

typedef struct {
  char kind; ///< of polybench.h, or 0
  int isCompared, isRestored;
  long count;
  void *memory, *first, *expected; ///< `first`: contents before the first run
} Array;

enum { mostArrays = 10 };
static Array arrays[mostArrays];
static int numArrays;
static long numbers[4];
static Kernel kernel, oracle;
static BenchRow row;

static size_t elementBytes(const Array *array) {
  return array->kind == '#' || array->kind == '~' ? 4 : 8;
}

static uint32_t state;
static double uniform(void) {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 24);
}

/// Writes element (i, j) of an array with rows of `width`.
static void fillElement(const Array *array, long i, long j, long width) {
  double value = uniform();
  long index = i * width + j;
  if (array->kind == '#')
    ((int *)array->first)[index] = 1 + (int)(100 * value);
  else if (array->kind == '~')
    ((float *)array->first)[index] = (float)value;
  else if (array->kind == '%') // symmetric where it is square
    ((double *)array->first)[index] =
        i == j ? width : 1.0 / (1 + (i * j + i + j) % 17);
  else if (array->kind == 'L')
    ((double *)array->first)[index] = i == j ? 2 : j < i ? value / width : 0;
  else
    ((double *)array->first)[index] = array->kind ? value / width : value;
}

/// Reads one word of the kernel's `arrays`.
static void addArray(const char *word, size_t length) {
  Array *array = &arrays[numArrays++];
  *array = (Array){0};
  array->count = 1;
  long width = 1;
  for (size_t at = 0; at < length; ++at) {
    if (word[at] >= 'a' && word[at] <= 'd')
      array->count *= width = numbers[word[at] - 'a'];
    else if (word[at] == '!' || word[at] == '=')
      array->isCompared = 1, array->isRestored |= word[at] == '=';
    else
      array->kind = word[at];
  }
  size_t bytes = elementBytes(array) * (size_t)array->count;
  array->memory = benchAllocate(bytes);
  array->first = benchAllocate(bytes);
  array->expected = benchAllocate(bytes);
  for (long index = 0; index < array->count; ++index)
    fillElement(array, index / width, index % width, width);
  memcpy(array->expected, array->first, bytes);
}

static void release(void) {
  for (; numArrays > 0; --numArrays) {
    free(arrays[numArrays - 1].memory);
    free(arrays[numArrays - 1].first);
    free(arrays[numArrays - 1].expected);
  }
}

static void choose(const char *name, size_t length) {
  for (size_t table = 0; table < sizeof(ours) / sizeof(ours[0]); ++table)
    for (long i = 0; ours[table][i].name; ++i)
      if (strlen(ours[table][i].name) == length &&
          memcmp(ours[table][i].name, name, length) == 0) {
        kernel = ours[table][i];
        oracle = theirs[table][i];
        return;
      }
  fprintf(stderr, "no kernel '%.*s'\n", (int)length, name);
  exit(1);
}

static void allocate(void) {
  release(); // of a row with a wrong result
  size_t length = strcspn(benchParameters, ":");
  choose(benchParameters, length);
  char *text = benchParameters + length + 1;
  row.repetitions = (int)strtol(text, &text, 10);
  for (int i = 0; i < 4; ++i)
    numbers[i] = *text == ':' ? strtol(text + 1, &text, 10) : 1;
  state = 1;
  for (const char *word = kernel.arrays; *word;) {
    size_t length = strcspn(word, " ");
    addArray(word, length);
    word += length + (word[length] == ' ');
  }
  void *expected[mostArrays];
  for (int i = 0; i < numArrays; ++i)
    expected[i] = arrays[i].expected;
  oracle.run(numbers, expected);
}

static void restore(int all) {
  for (int i = 0; i < numArrays; ++i)
    if (all || arrays[i].isRestored)
      memcpy(arrays[i].memory, arrays[i].first,
             elementBytes(&arrays[i]) * (size_t)arrays[i].count);
}

static void reset(void) { restore(1); }

static void run(void) {
  restore(0);
  void *memory[mostArrays];
  for (int i = 0; i < numArrays; ++i)
    memory[i] = arrays[i].memory;
  kernel.run(numbers, memory);
}

static double element(const Array *array, const void *memory, long index) {
  return array->kind == '#'   ? ((const int *)memory)[index]
         : array->kind == '~' ? ((const float *)memory)[index]
                              : ((const double *)memory)[index];
}

static const char *verify(void) {
  for (const Array *array = arrays; array < arrays + numArrays; ++array)
    for (long i = 0; array->isCompared && i < array->count; ++i) {
      double expected = element(array, array->expected, i);
      double found = element(array, array->memory, i);
      double limit = array->kind == '~' ? floatTolerance : tolerance;
      if (!(fabs(found - expected) <= limit * (1 + fabs(expected))))
        return benchWrong(kernel.name, i, expected, found);
    }
  return 0;
}

int main(void) {
  row = (BenchRow){.name = "kernel",
                   .work = 1,
                   .allocate = allocate,
                   .reset = reset,
                   .run = run,
                   .verify = verify,
                   .release = release};
  return benchServe(&row, 1);
}

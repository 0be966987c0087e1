//===- harness.h - What every benchmark program has in common ---*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A benchmark program stays running and executes one round of one row each
// time the driver asks, so that the programs' rounds are interleaved. It
// proves its result against the row's oracle before any number is reported.
// Commands arrive on standard input, one a line; each is answered by one line.
//
//   prepare ROW   allocate, run once, check      ok WORK | wrong TEXT
//                 (ROW is a name, or NAME:PARAMETERS)
//   run           one round of that row          time SECONDS
//   check         run once from fresh inputs     ok WORK | wrong TEXT
//   release       free                           ok 0
//   libraries     the runtime libraries loaded   libraries PATH...
//   quit
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_HARNESS_H
#define SLUICE_BENCH_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/// One row of a table. `run` is one repetition, the unit that is timed.
typedef struct BenchRow {
  const char *name;
  double work;     ///< bytes, operations ... of one repetition
  int repetitions; ///< timed repetitions of a round
  void (*allocate)(void);
  void (*reset)(void); ///< writes fresh inputs
  void (*run)(void);
  /// Returns null if the outputs of one repetition from fresh inputs are
  /// right, else a text that says what is wrong.
  const char *(*verify)(void);
  void (*release)(void);
  double items; ///< parts of a repetition; its time is that of one; 0: one
  /// Takes the round's number itself, in seconds, where it is no mean.
  double (*measure)(void);
} BenchRow;

/// What follows the name and the colon of the row that is being prepared.
static char benchParameters[128];

static inline double benchSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The number of threads that the driver grants, 2 without one.
static inline int benchThreads(void) {
  const char *text = getenv("BENCH_THREADS");
  int threads = text ? atoi(text) : 2;
  return threads > 0 ? threads : 1;
}

/// Memory on huge pages where the system has them, the same for every program.
static inline void *benchAllocate(size_t bytes) {
  const size_t hugePage = (size_t)1 << 21;
  size_t rounded = (bytes + hugePage - 1) / hugePage * hugePage;
  void *memory = aligned_alloc(hugePage, rounded);
  if (!memory) {
    fprintf(stderr, "cannot allocate %zu bytes\n", rounded);
    exit(1);
  }
  madvise(memory, rounded, MADV_HUGEPAGE);
  memset(memory, 0, rounded);
  return memory;
}

/// Formats the text of a wrong result; valid until the next call.
static inline const char *benchWrong(const char *what, long index,
                                     double expected, double found) {
  static char text[160];
  snprintf(text, sizeof(text), "%s[%ld]: expected %.9g, found %.9g", what,
           index, expected, found);
  return text;
}

static inline void benchCheck(const BenchRow *row) {
  row->reset();
  row->run();
  const char *wrong = row->verify();
  if (wrong)
    printf("wrong %s\n", wrong);
  else
    printf("ok %.17g\n", row->work);
}

/// The row's repetitions a round, at most the number the driver allows.
static inline int benchRepetitions(const BenchRow *row) {
  const char *text = getenv("BENCH_REPETITIONS");
  int limit = text ? atoi(text) : row->repetitions;
  return limit > 0 && limit < row->repetitions ? limit : row->repetitions;
}

static inline void benchRound(const BenchRow *row) {
  int repetitions = benchRepetitions(row);
  row->run(); // wakes the workers, fills the caches
  if (row->measure) {
    printf("time %.9e\n", row->measure());
    return;
  }
  double items = (row->items > 0 ? row->items : 1) * repetitions;
  double start = benchSeconds();
  for (int i = 0; i < repetitions; ++i)
    row->run();
  printf("time %.9e\n", (benchSeconds() - start) / items);
}

static inline int benchIsRuntimeLibrary(const char *path) {
  static const char *const names[] = {
      "libgomp",   "libomp",      "libtbb.",      "libpocl",
      "libSluice", "libopenblas", "libOpenCL",    "libstarpu",
      "libmpi.",   "libmpich",    "libsluice-mpi"};
  const char *base = strrchr(path, '/');
  if (!base)
    return 0;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strncmp(base + 1, names[i], strlen(names[i])) == 0)
      return 1;
  return 0;
}

/// Prints the libraries that really run the threads, as the loader found them.
static inline void benchPrintLibraries(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  char last[4096] = "";
  printf("libraries");
  while (maps && fgets(line, sizeof(line), maps)) {
    char *path = strchr(line, '/');
    if (!path)
      continue;
    path[strcspn(path, "\n")] = '\0';
    if (!benchIsRuntimeLibrary(path) || strcmp(path, last) == 0)
      continue;
    snprintf(last, sizeof(last), "%s", path);
    printf(" %s", path);
  }
  printf("\n");
  if (maps)
    fclose(maps);
}

static inline const BenchRow *benchFind(const BenchRow *rows, int numRows,
                                        const char *name) {
  for (int i = 0; i < numRows; ++i)
    if (strcmp(rows[i].name, name) == 0)
      return &rows[i];
  return 0;
}

/// Keeps the parameters of `NAME:PARAMETERS` and returns the row NAME.
static inline const BenchRow *benchChoose(const BenchRow *rows, int numRows,
                                          char *text) {
  size_t length = strcspn(text, ":");
  snprintf(benchParameters, sizeof(benchParameters), "%s",
           text[length] ? text + length + 1 : "");
  text[length] = '\0';
  return benchFind(rows, numRows, text);
}

/// Serves the driver until it says `quit` or closes the pipe.
static inline int benchServe(const BenchRow *rows, int numRows) {
  const BenchRow *row = 0;
  char line[128];
  while (fgets(line, sizeof(line), stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "prepare ", 8) == 0) {
      row = benchChoose(rows, numRows, line + 8);
      if (row) {
        row->allocate();
        benchCheck(row);
      } else {
        printf("wrong no row '%s'\n", line + 8);
      }
    } else if (strcmp(line, "libraries") == 0) {
      benchPrintLibraries();
    } else if (strcmp(line, "quit") == 0 || !row) {
      break;
    } else if (strcmp(line, "run") == 0) {
      benchRound(row);
    } else if (strcmp(line, "check") == 0) {
      benchCheck(row);
    } else if (strcmp(line, "release") == 0) {
      row->release();
      row = 0;
      printf("ok 0\n");
    }
    fflush(stdout);
  }
  return 0;
}

#endif // SLUICE_BENCH_HARNESS_H

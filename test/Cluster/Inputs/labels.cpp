// labels.cpp - Points that get labels, and sums by label of parts of them.
//
// usage: labels POINTS ROUNDS
//
// A part's sums are its own, but which of them it changes follows from labels.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hetero.h>
#include <vector>

constexpr long numParts = 24, numLabels = 16;

static void round(double *points, size_t pointBytes, int *labels,
                  size_t labelBytes, double *sums, size_t sumBytes,
                  short *counts, size_t countBytes, long n, long parts,
                  int turn) {
  void *section = __hetero_section_begin();
  void *first = __hetero_task_begin(4, points, pointBytes, labels, labelBytes,
                                    n, turn, 1, labels, labelBytes, "label");
  void *inFirst = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, points, pointBytes, labels, labelBytes, n,
                           turn, 1, labels, labelBytes, "label");
    labels[i] = ((int)points[i] + turn) & 15;
  }
  __hetero_section_end(inFirst);
  __hetero_task_end(first);
  void *second = __hetero_task_begin(
      6, points, pointBytes, labels, labelBytes, sums, sumBytes, counts,
      countBytes, n, parts, 2, sums, sumBytes, counts, countBytes, "sum");
  void *inSecond = __hetero_section_begin();
  for (long part = 0; part < parts; ++part) {
    __hetero_parallel_loop(1, 6, points, pointBytes, labels, labelBytes, sums,
                           sumBytes, counts, countBytes, n, parts, 2, sums,
                           sumBytes, counts, countBytes, "sum");
    double *mySums = sums + part * numLabels;
    short *myCounts = counts + part * numLabels;
    sluice_assume_disjoint(mySums, numLabels * sizeof(double), mySums,
                           numLabels * sizeof(double));
    sluice_assume_disjoint(myCounts, numLabels * sizeof(short), myCounts,
                           numLabels * sizeof(short));
    for (long i = n * part / parts; i < n * (part + 1) / parts; ++i) {
      mySums[labels[i]] += points[i] * 0.1;
      ++myCounts[labels[i]];
    }
  }
  __hetero_section_end(inSecond);
  __hetero_task_end(second);
  __hetero_section_end(section);
}

int main(int argc, char **argv) {
  const long n = std::atol(argv[1]);
  const int turns = std::atoi(argv[2]);
  const size_t pointBytes = size_t(n) * sizeof(double),
               labelBytes = size_t(n) * sizeof(int),
               sumBytes = numParts * numLabels * sizeof(double),
               countBytes = numParts * numLabels * sizeof(short);
  auto *points = static_cast<double *>(__hetero_malloc(pointBytes));
  auto *labels = static_cast<int *>(__hetero_malloc(labelBytes));
  auto *sums = static_cast<double *>(__hetero_malloc(sumBytes));
  auto *counts = static_cast<short *>(__hetero_malloc(countBytes));
  for (long i = 0; i < n; ++i)
    points[i] = (double)(i * 7919 % 1000) * 0.7;
  std::vector<double> expectedSums(numParts * numLabels);
  std::vector<short> expectedCounts(numParts * numLabels);
  for (long i = 0; i < numParts * numLabels; ++i) {
    sums[i] = expectedSums[i] = (double)i;
    counts[i] = expectedCounts[i] = (short)(i * 1000);
  }
  for (int turn = 0; turn < turns; ++turn) {
    __hetero_wait(__hetero_launch((void *)round, 7, points, pointBytes, labels,
                                  labelBytes, sums, sumBytes, counts,
                                  countBytes, n, numParts, turn, 3, labels,
                                  labelBytes, sums, sumBytes, counts,
                                  countBytes));
    for (long part = 0; part < numParts; ++part)
      for (long i = n * part / numParts; i < n * (part + 1) / numParts; ++i) {
        const long place = part * numLabels + (((int)points[i] + turn) & 15);
        expectedSums[place] += points[i] * 0.1;
        ++expectedCounts[place];
      }
  }
  __hetero_request_mem(sums, sumBytes);
  __hetero_request_mem(counts, countBytes);
  double sum = 0;
  for (long i = 0; i < numParts * numLabels; ++i) {
    if (sums[i] != expectedSums[i] || counts[i] != expectedCounts[i]) {
      std::printf("place %ld: expected %a and %d, found %a and %d\n", i,
                  expectedSums[i], expectedCounts[i], sums[i], counts[i]);
      return 1;
    }
    sum += sums[i];
  }
  std::printf("right: %a\n", sum);
  for (void *memory : {(void *)points, (void *)labels, (void *)sums, (void *)counts})
    __hetero_free(memory);
  return 0;
}

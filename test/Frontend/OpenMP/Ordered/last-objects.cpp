// Objects of classes beside the last values that iterations assign. Calls copy
// them, so that what the last iteration's thread does has several blocks.
// RUN: %sluice c++ -O1 -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=2 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=5 %t | FileCheck %s
// CHECK: wrong: 0 0
#include <cstdio>

struct Counted {
  int value = 0;
  Counted() {}
  Counted(const Counted &other) : value(other.value) {}
  Counted &operator=(const Counted &other) {
    value = other.value;
    return *this;
  }
};

static int a[100];

template <typename T> static bool isWrong(int n, int k, bool isFirst) {
  T y = -5, last = -5;
  Counted object, array[2];
  for (int i = 0; i < n; ++i)
    if (a[i] % k == 0)
      last = T(a[i]);
  if (isFirst) {
#pragma omp parallel for lastprivate(object, array) lastprivate(conditional : y)
    for (int i = 0; i < n; ++i) {
      object.value = array[1].value = i;
      if (a[i] % k == 0)
        y = T(a[i]);
    }
  } else {
#pragma omp parallel for lastprivate(conditional : y) lastprivate(object, array)
    for (int i = 0; i < n; ++i) {
      object.value = array[1].value = i;
      if (a[i] % k == 0)
        y = T(a[i]);
    }
  }
  return y != last || object.value != n - 1 || array[1].value != n - 1;
}

int main() {
  for (int i = 0; i < 100; ++i)
    a[i] = i * 7919 % 1013;
  int wrong[2] = {0, 0};
  for (int round = 0; round < 2; ++round)
    for (int n = 1; n < 12; ++n)
      for (int isFirst = 0; isFirst < 2; ++isFirst)
        wrong[isFirst] += isWrong<int>(n, 2, isFirst) +
                          isWrong<double>(2 * n, 3, isFirst);
  std::printf("wrong: %d %d\n", wrong[0], wrong[1]);
}

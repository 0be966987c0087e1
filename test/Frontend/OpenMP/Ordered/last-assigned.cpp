// Variables of several types, teams at once that call the same loop, and regions
// in a loop that may assign.
// RUN: %sluice run -fopenmp %s | FileCheck %s --match-full-lines
// RUN: %sluice c++ -O0 -w -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=2 %t | FileCheck %s --match-full-lines
// CHECK: 30 30 30 1 0 30 33
// CHECK-NEXT: 24 24 -9
// CHECK-NEXT: as expected
//
// A program's own lock must not pass for one of these variables.
// RUN: not %sluice check -fopenmp -DOWN_LOCK %s 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: last-assigned.cpp: error: the name 'openmp.critical.orderless.x' is Sluice's own; rename the variable
#include <pthread.h>
#include <cstdio>
#include <thread>

constexpr int Size = 32;
static int a[Size];

#ifdef OWN_LOCK
static pthread_mutex_t lock __asm__("openmp.critical.orderless.x");
int turns(int n) {
  int x = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    pthread_mutex_lock(&lock);
    x = x * 3 + i;
    pthread_mutex_unlock(&lock);
  }
  return x;
}
#endif

// Clang has one variable for all of these.
template <typename T, typename Counter> static T last(Counter n, int k, T x) {
#pragma omp parallel for lastprivate(conditional : x)
  for (Counter i = 0; i < n; ++i)
    if (a[i] == k)
      x = T(i);
  return x;
}

static const int *place(int n, int k) {
  const int *at = a;
#pragma omp parallel for lastprivate(conditional : at)
  for (int i = 0; i < n; ++i)
    if (a[i] == k)
      at = a + i + 3;
  return at;
}

static int inVectors(int n, int k) {
  int x = -9;
#pragma omp parallel for lastprivate(conditional : x)
  for (int i = 0; i < n; ++i)
#pragma omp simd
    for (int j = 0; j < 4; ++j)
      if (a[i] == k && j == 2)
        x = i;
  return x;
}

static int inTeams(int n, int k) {
  int x = -9;
#pragma omp parallel for lastprivate(conditional : x)
  for (int i = 0; i < n; ++i)
    if (a[i] == k) {
#pragma omp parallel num_threads(2)
#pragma omp single
      x = i;
    }
  return x;
}

struct Finder {
  int found;

  void find(int n, int k) {
#pragma omp for nowait lastprivate(conditional : found)
    for (int i = 0; i < n; ++i)
      if (a[i] == k)
        found = i;
#pragma omp for schedule(dynamic) lastprivate(conditional : found)
    for (int i = 0; i < n / 4; ++i)
      if (a[i] == k + 1)
        found = i;
  }
};

static bool findAtOnce() {
  static const int wanted[4] = {7, 2, 3, 3};
  bool isRight[4];
  std::thread threads[4];
  for (int t = 0; t < 4; ++t)
    threads[t] = std::thread([&isRight, t] {
      isRight[t] = true;
      for (int round = 0; round < 20; ++round) {
        Finder finder{-1};
#pragma omp parallel num_threads(2)
        finder.find(Size - 8 * t, t);
        isRight[t] &= finder.found == wanted[t];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return isRight[0] && isRight[1] && isRight[2] && isRight[3];
}

int main() {
  for (int i = 0; i < Size; ++i)
    a[i] = i % 6;
  std::printf("%d %g %g %d %d %ld %d\n", last(Size, 0, -1),
              last<float>(long(Size), 0, -1), double(last(Size, 0, -1.0L)),
              last(Size, 0, false), last(Size, 7, false),
              last(short(Size), 0, -1L), int(place(Size, 0) - a));
  std::printf("%d %d %d\n", inVectors(Size - 2, 0), inTeams(Size - 2, 0),
              inTeams(Size, 7));
  std::puts(findAtOnce() ? "as expected" : "wrong");
}

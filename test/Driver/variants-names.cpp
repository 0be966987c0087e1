// Programs whose host code has several names for one function have variants,
// too: constructors, destructors, and functions that are chosen as the program
// starts.

// RUN: rm -rf %t.cache
// RUN: %sluice build -O1 -fopenmp %s -o %t
// RUN: env SLUICE_CACHE_DIR=%t.cache SLUICE_SPECIALIZE=1 %t "%t.cache/variants/*.so" | FileCheck %s
// RUN: nm %t.cache/variants/*.so | FileCheck %s --check-prefix=VARIANT
// CHECK: 250000 5 7 9 11
// VARIANT: {{T sluice_variant$}}
// VARIANT-NOT: {{(plain|chosen|hostName)}}

#include <glob.h>
#include <stdio.h>
#include <time.h>

struct Base {
  Base(int value);
  virtual ~Base();
  virtual int get() const;
  int value;
};
Base::Base(int value) : value(value) {}
Base::~Base() { printf(" %d\n", value + 2); }
int Base::get() const { return value; }

extern "C" {
int plain(int x) { return x + 2; }
int hostName(int) __attribute__((alias("plain")));
int (*choose())(int) { return plain; }
int chosen(int) __attribute__((ifunc("choose")));
float twice(float x) { return x * 2; }
float leafName(float) __attribute__((alias("twice")));
}
static void *const objects[] = {(void *)hostName, (void *)chosen};

static void scale(float *x, const float *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    x[i] = leafName(y[i]) * 0.5f;
}

/// Launches until there is a variant, and a few times more.
int main(int argc, char **argv) {
  enum { N = 1000 };
  static float x[N], y[N];
  for (int i = 0; i != N; ++i)
    y[i] = (float)(i % 501 + i / 501);
  struct timespec pause = {0, 1000000};
  for (int left = 20, most = 5000; left != 0 && most != 0; --most) {
    scale(x, y, N);
    glob_t found;
    if (glob(argv[1], 0, nullptr, &found) == 0)
      --left;
    globfree(&found);
    nanosleep(&pause, nullptr);
  }
  double sum = 0;
  for (float value : x)
    sum += value;
  Base object(9);
  printf("%g %d %d %d", sum, hostName(3), chosen(5), object.get());
  return objects[0] == nullptr;
}

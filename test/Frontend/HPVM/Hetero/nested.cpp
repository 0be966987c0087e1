// Sections in tasks: values go in and out of nested graphs, and siblings wait
// for all of them; functions with sections are ordinary ones when called.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include <hetero.h>
#include <cstdio>

template <typename T> struct Pair {
  T first, second;
};

template <typename T, int Scale>
void nested(T *x, size_t xBytes, T *y, size_t yBytes, Pair<T> pair, int n) {
  T sum = 0, shift = 1;
  void *root = __hetero_section_begin();
  void *outer = __hetero_task_begin(5, x, xBytes, y, yBytes, pair, n, shift, 3,
                                    x, xBytes, y, yBytes, sum, "outer");
  {
    void *section = __hetero_section_begin();
    for (int i = 0; i < n; ++i) {
      __hetero_parallel_loop(1, 3, x, xBytes, pair, n, 1, x, xBytes);
      x[i] = pair.first * T(i) + Scale;
    }
    for (int i = 1; i < n - 1; ++i) {
      __hetero_parallel_loop(1, 3, x, xBytes, y, yBytes, n, 1, y, yBytes);
      y[i] = x[i - 1] + x[i + 1];
    }
    void *inner = __hetero_task_begin(3, y, yBytes, n, shift, 1, sum, "inner");
    sum = shift;
    for (int i = 1; i < n - 1; ++i)
      sum += y[i];
    __hetero_task_end(inner);
    __hetero_section_end(section);
  }
  __hetero_task_end(outer);

  void *after = __hetero_task_begin(4, x, xBytes, y, yBytes, sum, pair, 2, x,
                                    xBytes, y, yBytes, "after");
  y[0] = sum;
  x[0] = y[1] + pair.second;
  __hetero_task_end(after);
  __hetero_section_end(root);
}

template <typename T, int Scale> void test(const char *name) {
  T x[50], y[50] = {};
  void *graph = __hetero_launch((void *)nested<T, Scale>, 4, x, sizeof(x), y,
                                sizeof(y), Pair<T>{T(3), T(5)}, 50, 2, x,
                                sizeof(x), y, sizeof(y));
  __hetero_wait(graph);
  std::printf("%s %.3f %.3f %.3f\n", name, double(x[0]), double(y[0]),
              double(y[40]));
}

int main() {
  // CHECK: int 15.000 7249.000 244.000
  test<int, 2>("int");
  // CHECK: double 17.000 7345.000 246.000
  test<double, 3>("double");
  // CHECK: short 13.000 7153.000 242.000
  test<short, 1>("short");

  float x[8], y[8] = {};
  nested<float, 1>(x, sizeof(x), y, sizeof(y), {2, 1}, 8);
  // CHECK: called 7.0 97.0
  std::printf("called %.1f %.1f\n", x[0], y[0]);
}

// A leaf that calls functions through pointers may call each function of the
// program whose address is taken, but none that the compiler added, as kernels
// of other leaves are. Coroutines are such functions once they are split.
// RUN: %sluice run -std=c++20 -O0 --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -std=c++20 %s | FileCheck %s
// CHECK: 80 values agree

// What is called through a pointer is looked at all the same, and knows its
// instance.
// RUN: env SLUICE_CHECK=1 not %sluice run -std=c++20 -DRACE %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: {{.*}}pointer-calls.cpp:[[#@LINE+34]]:{{[0-9]+}}: instance 1 of node 'calls/calls.loop1' writes bytes 0 to 7 of {{.*}}, which instance 0 wrote at

#include <coroutine>
#include <hetero.h>
#include <mutex>
#include <stdio.h>
#include <string>

/// Gives the numbers below `n`, with memory of its own.
struct Numbers {
  struct promise_type {
    long value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long given) {
      value = given;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  ~Numbers() { handle.destroy(); }
};
static Numbers below(long n) {
  for (long i = 0; i < n; ++i) {
    std::string text(40, 'x');
    co_yield i *(long)text.size();
  }
}
static long all, *const target = &all;
static void note(long value) { *target = value; }

struct Shape {
  virtual ~Shape() = default;
  virtual long area(long side) const = 0;
};
struct Square : Shape {
  long area(long side) const override { return side * side; }
};
struct Named : Shape {
  long area(long side) const override {
    return (long)(std::to_string(side) + " wide and as high as it is").size();
  }
};
static std::mutex lock;
static long total;
static long locked(long value) {
  std::lock_guard<std::mutex> guard(lock);
  total += value;
  return value;
}
static long (*const functions[])(long) = {
    [](long value) { return value + 1; },
    locked,
    [](long value) {
      long sum = 0;
      for (Numbers numbers = below(value % 5); !numbers.handle.done();
           numbers.handle.resume())
        sum += numbers.handle.promise().value;
      return sum;
    },
};
static thread_local long calls_of_thread;
static long work(long i) {
  ++calls_of_thread;
  Shape *shape = new Named;
  if (i % 2) {
    delete shape;
    shape = new Square;
  }
  long area = shape->area(i);
  delete shape;
  return functions[i % 3](i) + area;
}

// Compiled before the other one, and after it.
void before(int *y, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, y, bytes, n, 1, y, bytes);
    y[i] += 3;
  }
  __hetero_section_end(section);
}
void calls(long *y, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, y, bytes, n, 1, y, bytes);
    y[i] = work(i);
#ifdef RACE
    void (*volatile function)(long) = note;
    function(i);
#endif
  }
  __hetero_section_end(section);
}
void later(long *y, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, y, bytes, n, 1, y, bytes);
    y[i] += 3;
  }
  __hetero_section_end(section);
}

template <auto graph, typename T> static void launch(T *y, long n) {
  __hetero_wait(__hetero_launch((void *)graph, 2, y, n * sizeof(T), n, 1, y,
                                n * sizeof(T)));
}
int main() {
  enum { n = 20 };
  long good = 0;
  for (int round = 0; round != 2; ++round) {
    int small[n] = {};
    long y[n];
    launch<before>(small, n);
    launch<calls>(y, n);
    launch<later>(y, n);
    for (long i = 0; i != n; ++i)
      good += (small[i] == 3) + (y[i] == work(i) + 3);
  }
  printf("%ld values agree\n", good);
}

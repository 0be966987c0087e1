// Launch regions in functions whose variables have destructors, and tasks that
// have such variables and catch exceptions.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.sequential
// RUN: not %sluice run -DTHROWS %s 2>&1 | FileCheck %s --check-prefix=THROWS
// RUN: not %sluice check -DBEHIND %s 2>&1 | FileCheck %s --check-prefix=BEHIND

#include <cstdio>
#include <hetero.h>
#include <stdexcept>
#include <string>
#include <vector>

struct Guard {
  const char *name;
  ~Guard() { std::printf("~%s\n", name); }
};

static int work(int n) {
  Guard outer{"outer"};
  std::vector<int> values(n, 3);
  std::string text = "a text that is long enough for the heap";
  int *data = values.data();
  size_t bytes = n * sizeof(int);
  int total = 0;
  {
    Guard inner{"inner"};
    void *launch =
        __hetero_launch_begin(2, data, bytes, n, 2, data, bytes, total);
    void *section = __hetero_section_begin();
    for (int i = 0; i < n; ++i) {
      __hetero_parallel_loop(1, 2, data, bytes, n, 1, data, bytes);
      data[i] += i;
    }
    void *task = __hetero_task_begin(2, data, bytes, n, 1, total);
    {
      std::vector<int> copy(data, data + n);
      total = 0;
      for (int value : copy)
        total += value;
#ifdef THROWS
      // THROWS: sluice: error: {{.*}}an exception left it: too much
      if (total > 100)
        throw std::runtime_error("too much");
#endif
    }
    __hetero_task_end(task);
#ifdef BEHIND
    // BEHIND: error: 'late' is declared in a launch region, but used behind it, perhaps by its destructor; put braces around the code of the region, or declare it before and list it [hetero-region]
    // BEHIND: [[@LINE-21]]:{{[0-9]+}}: note: the region begins here
    void *last = __hetero_task_begin(1, n, 0);
    Guard late{"late"};
    __hetero_task_end(last);
#endif
    __hetero_section_end(section);
    __hetero_launch_end(launch);
  }
  std::printf("%s %d\n", text.c_str(), total);
  return total;
}

// Of a root and of a function that is called, too.
static void check(int *data, size_t bytes, int n) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(2, data, bytes, n, 1, data, bytes);
  try {
    std::vector<int> copy(data, data + n);
    data[0] = copy.at(n);
  } catch (const std::out_of_range &) {
    data[0] = -1;
  }
  __hetero_task_end(task);
  __hetero_section_end(section);
}

int main() {
  // CHECK: ~inner
  // CHECK-NEXT: a text that is long enough for the heap 5250
  // CHECK-NEXT: ~outer
  // CHECK-NEXT: ~inner
  // CHECK-NEXT: a text that is long enough for the heap 75
  // CHECK-NEXT: ~outer
  work(100);
  work(10);
  int data[4] = {1, 2, 3, 4};
  void *graph = __hetero_launch((void *)check, 2, data, sizeof(data), 4, 1,
                                data, sizeof(data));
  __hetero_wait(graph);
  data[1] = -2;
  check(data, sizeof(data), 4);
  // CHECK-NEXT: -1 -2 3 4
  std::printf("%d %d %d %d\n", data[0], data[1], data[2], data[3]);
}

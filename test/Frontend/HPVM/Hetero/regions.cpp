// Launch regions: scalars, arrays and variables of the host that leave the
// graph; a wait for the handle has nothing to do.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include <hetero.h>
#include <cstdio>

static void work(int factor, int *data, size_t bytes) {
  int table[64];
  int total = 0;
  double mean = -1;
  int n = int(bytes / sizeof(int));
  for (int i = 0; i < 64; ++i)
    table[i] = i * i;
  void *launch = __hetero_launch_begin(4, data, bytes, table, sizeof(table),
                                       n, factor, 3, data, bytes, total, &mean,
                                       sizeof(mean));
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, data, bytes, table, sizeof(table), factor, n,
                           1, data, bytes, "lookup");
    data[i] += factor * table[i % 64];
  }
  {
    void *task = __hetero_task_begin(2, data, bytes, n, 1, total, "total");
    total = 0;
    for (int i = 0; i < n; ++i)
      total += data[i];
    __hetero_task_end(task);
  }
  {
    void *task = __hetero_task_begin(2, total, n, 1, &mean, sizeof(mean));
    mean = double(total) / n;
    __hetero_task_end(task);
  }
  __hetero_section_end(section);
  __hetero_launch_end(launch);
  __hetero_wait(launch);
  std::printf("%d %.4f\n", total, mean);
}

int main() {
  int data[300];
  for (int i = 0; i < 300; ++i)
    data[i] = i;
  // CHECK: 1151280 3837.6000
  work(3, data, sizeof(data));
  // CHECK: 413660 1378.8667
  work(-2, data, sizeof(data));
  // CHECK: 0 2148
  std::printf("%d %d\n", data[0], data[299]);
}

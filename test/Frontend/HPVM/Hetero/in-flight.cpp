// Launches in flight over ordinary memory run in the order of the program
// where they share a byte that one of them writes: on the heap, on the stack,
// in overlapping parts, in globals that leaves use, and in memory that is
// freed and allocated again.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: env SLUICE_WORKERS=1 %sluice run %s | diff %t.sequential -
// RUN: env SLUICE_WORKERS=2 %sluice run %s | diff %t.sequential -
// RUN: env SLUICE_WORKERS=8 %sluice run %s | diff %t.sequential -
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: env SLUICE_CHECK=1 %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.sequential

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <hetero.h>

enum { Count = 4000, Rounds = 30 };

// Neither commutes with the other.
static void triple(uint32_t *data, size_t bytes, size_t n) {
  void *section = __hetero_section_begin();
  for (size_t i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, data, bytes, n, 1, data, bytes);
    data[i] = 3 * data[i] + 1;
  }
  __hetero_section_end(section);
}

static void mix(uint32_t *data, size_t bytes, size_t n) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(2, data, bytes, n, 1, data, bytes);
  for (size_t i = 1; i < n; ++i)
    data[i] ^= data[i - 1] >> 3;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

static void sum(uint32_t *data, size_t bytes, size_t n, uint32_t *result,
                size_t resultBytes) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(3, data, bytes, n, result, resultBytes, 1,
                                   result, resultBytes);
  *result = 0;
  for (size_t i = 0; i < n; ++i)
    *result += data[i];
  __hetero_task_end(task);
  __hetero_section_end(section);
}

// A large part first, then small ones that start and end within it.
static uint32_t launchAll(uint32_t *data) {
  uint32_t result = 0;
  size_t all = Count * sizeof(uint32_t);
  size_t half = all / 2, n = Count;
  void *graphs[5];
  graphs[0] = __hetero_launch((void *)triple, 2, data, all, n, 1, data, all);
  graphs[1] = __hetero_launch((void *)mix, 2, data + Count / 4, half, n / 2, 1,
                              data + Count / 4, half);
  graphs[2] = __hetero_launch((void *)triple, 2, data + Count / 2, half, n / 2,
                              1, data + Count / 2, half);
  graphs[3] = __hetero_launch((void *)mix, 2, data, all, n, 1, data, all);
  graphs[4] = __hetero_launch((void *)sum, 3, data, all, n, &result,
                              sizeof(result), 1, &result, sizeof(result));
  __hetero_request_mem(&result, sizeof(result)); // waits for it alone
  uint32_t early = result;
  for (void *graph : graphs)
    __hetero_wait(graph);
  return early == result ? result : 0;
}

static uint32_t onTheHeap() {
  auto *data = static_cast<uint32_t *>(std::malloc(Count * sizeof(uint32_t)));
  for (uint32_t i = 0; i < Count; ++i)
    data[i] = i;
  uint32_t result = launchAll(data);
  std::free(data);
  return result;
}

static uint32_t onTheStack(uint32_t seed) {
  uint32_t data[Count];
  for (uint32_t i = 0; i < Count; ++i)
    data[i] = i * seed;
  return launchAll(data);
}

// A launch region while a launch is in flight.
static uint32_t aroundRegions() {
  uint32_t data[Count], last = 0;
  size_t n = Count;
  for (uint32_t i = 0; i < Count; ++i)
    data[i] = i;
  void *mixing = __hetero_launch((void *)mix, 2, data, sizeof(data), n, 1,
                                 data, sizeof(data));
  void *launch = __hetero_launch_begin(1, data, sizeof(data), 1, last);
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(1, data, sizeof(data), 1, last);
  last = data[Count - 1];
  __hetero_task_end(task);
  __hetero_section_end(section);
  __hetero_launch_end(launch);
  __hetero_wait(mixing);
  return last;
}

static uint32_t total = 1;

static void change(uint32_t factor) {
  void *section = __hetero_section_begin();
  void *task = __hetero_task_begin(1, factor, 0);
  for (uint32_t i = 0; i < 2000; ++i)
    total = total * factor + i;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

static uint32_t inGlobals() {
  void *graphs[4];
  for (uint32_t i = 0; i < 4; ++i)
    graphs[i] = __hetero_launch((void *)change, 1, 3 + 2 * i, 0);
  for (void *graph : graphs)
    __hetero_wait(graph);
  return total;
}

int main() {
  uint32_t heap = 0, stack = 0, region = 0, global = 0;
  for (uint32_t round = 0; round < Rounds; ++round) {
    heap = 31 * heap + onTheHeap();
    stack = 31 * stack + onTheStack(round);
    region = 31 * region + aroundRegions();
    global = 31 * global + inGlobals();
  }
  // CHECK: {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*}}
  std::printf("%u %u %u %u\n", heap, stack, region, global);
}

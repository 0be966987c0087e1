// Memory that an instance has for itself is no race, though another one had the
// same bytes before: the heap, containers, exceptions, mapped memory, stacks of
// functions, `errno`.
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// RUN: %sluice build --check --static-runtime %s -o %t && %t | FileCheck %s
// CHECK: 60 instances agree

// What they share is.
// RUN: env SLUICE_CHECK=1 not %sluice run -DVECTOR %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env SLUICE_CHECK=1 not %sluice run -DTEXT %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env SLUICE_CHECK=1 not %sluice run -DHEAP %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: env SLUICE_CHECK=1 not %sluice run -DCALLBACK %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: {{.*}}: instance {{[0-9]+}} of node 'root/root.loop1' {{reads|writes}} {{.*}}, which instance {{[0-9]+}} {{read|wrote}} at

#include <cerrno>
#include <hetero.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>
#include <vector>

#define APART __attribute__((noinline))

struct Item {
  Item *next;
  int value;
};
APART static Item *put(Item *list, int value) {
  return new Item{list, value};
}
APART static int sum(const Item *list) {
  return list ? list->value + sum(list->next) : 0;
}
APART static void bump(int *place) { ++*place; }

APART static int odd(int value) {
  if (value % 2)
    throw std::runtime_error("what is thrown lies on the heap as well");
  return value;
}

struct Shape {
  virtual int area() = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  Square(int side) : side(side) {}
  int area() override { return side * side; }
};

APART static int onStack(int value) {
  int numbers[16];
  memset(numbers, 0, sizeof numbers);
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i <= value % 3; ++i)
      bump(&numbers[k]);
  return numbers[3];
}

/// The library ends the life of what was thrown.
static int caught(int value) {
  try {
    if (value % 7 == 0)
      throw std::string("seven");
    if (value % 5 == 0)
      throw std::out_of_range("five");
  } catch (const std::exception &problem) {
    return std::string(problem.what()).size();
  } catch (const std::string &text) {
    return text.size();
  }
  return 0;
}

static int *heap, *grown;

/// The library calls it.
static int compare(const void *first, const void *second) {
#ifdef CALLBACK
  bump(heap);
#endif
  return *(const int *)first - *(const int *)second;
}

static int smallest(int value) {
  int numbers[3] = {value, 1, 2 * value};
  qsort(numbers, 3, sizeof(int), compare);
  return numbers[0];
}

static int own(int v) {
  Item *list = nullptr;
  for (int k = 0; k < 4; ++k)
    list = put(list, v + k);
  int result = sum(list); // 4 v + 6
  while (list)
    delete std::exchange(list, list->next);
  std::vector<int> numbers;
  for (int k = 0; k < 40; ++k)
    numbers.push_back(v);
  std::map<int, int> sorted;
  std::unordered_map<std::string, int> named;
  for (int k = 0; k < 10; ++k) {
    bump(&sorted[7 * k % 10]);
    ++named["a name that is not short: " + std::to_string(k % 3)];
  }
  result += numbers[39] + sorted.size() + named.size(); // v + 13
  std::string text = "text";
  for (int k = 0; k < 40; ++k)
    text += std::to_string(k);
  result += text.size(); // 74
  try {
    result += odd(v); // v, or -39
  } catch (const std::exception &problem) {
    result -= strlen(problem.what());
  }
  std::unique_ptr<Shape> shape(new Square(v));
  result += shape->area();
  auto *page = (int *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bump(page);
  result += *page; // 1
  munmap(page, 4096);
  auto *grown = (int *)malloc(4);
  *grown = 0;
  for (int size = 8; size < 4096; size *= 2) {
    grown = (int *)realloc(grown, size);
    bump(grown);
  }
  result += *grown; // 9
  free(grown);
  errno = 0;
  bump(&errno);
  return result + errno + onStack(v) + // 1 + v % 3 + 1
         caught(v) + smallest(v);
}

static std::vector<int> vector(4);
static std::map<int, int> map;
static std::string text;

void root(int *out, size_t bytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, out, bytes, n, 1, out, bytes);
#if defined(VECTOR)
    bump(&vector[i % 4]);
#elif defined(MAP)
    map[i % 4] = i;
#elif defined(TEXT)
    text += "x";
#elif defined(HEAP)
    bump(heap);
#elif defined(GROWN)
    grown = (int *)realloc(grown, 16 * i + 16);
    bump(grown);
#endif
    out[i] = own((int)i);
  }
  __hetero_section_end(section);
}

int main() {
  int out[60];
  heap = (int *)malloc(4);
  grown = (int *)malloc(4);
  *heap = *grown = 0;
  void *graph =
      __hetero_launch((void *)root, 2, out, sizeof(out), 60l, 1, out, sizeof(out));
  __hetero_wait(graph);
  int good = 0;
  for (int v = 0; v < 60; ++v)
    good += out[v] == 4 * v + 6 + v + 13 + 74 + (v % 2 ? -39 : v) + v * v + 1 +
                          9 + 1 + v % 3 + 1 +
                          (v % 7 == 0   ? 5
                           : v % 5 == 0 ? 4
                                        : 0) +
                          (v ? 1 : 0);
  printf("%d instances agree\n", good);
}

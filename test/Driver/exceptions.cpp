// Exceptions are thrown, passed on and caught in main, in a library, around
// launches and inside leaves. Node functions leave no entry in the unwinder's
// table that hides the function behind them.

// RUN: %clang++ -std=c++20 -O2 -fPIC -c -DLIBRARY %s -o %t.library.o
// RUN: %clang++ -shared %t.library.o -o %t.so
// RUN: %sluice run %s %t.so | FileCheck %s
// RUN: %sluice run -O0 %s %t.library.o | FileCheck %s
// RUN: %sluice run --reference %s %t.library.o | FileCheck %s
// RUN: %sluice build %s %t.library.o -o %t.shared
// RUN: %sluice build --static-runtime -O1 %s %t.library.o -o %t.static
// RUN: %t.shared | FileCheck %s
// RUN: %t.static | FileCheck %s

// CHECK: before: a number 1
// CHECK: library: from the library
// CHECK: around: a number 3
// CHECK: in the leaf: 10 11 -1 13 14 -1
// CHECK: nested: inner, outer
// CHECK: cleaned up 2 times
// CHECK: after: a number 4

// Programs of every kind have no functions without code.

// RUN: %sluice build %examples/hetero/hetero.cpp -o %t.hetero
// RUN: %sluice build %examples/hpvm-ir/saxpy.ll -o %t.ir
// RUN: %sluice build %examples/hierarchy/hierarchy.cpp -o %t.hierarchy
// RUN: %sluice build -O0 %examples/structs/structs.c -o %t.structs
// RUN: %sluice build %examples/halo/halo.mlir %examples/halo/halo.cpp -o %t.regions
// RUN: %sluice build %S/Inputs/unreachable.c -O2 -o %t.unreachable
// RUN: %sluice build %S/Inputs/unreachable.c -O0 -o %t.unreachable0
// RUN: %python %source/utils/testing/empty_functions.py %t.shared %t.static %t.hetero %t.ir %t.hierarchy %t.structs %t.regions %t.unreachable %t.unreachable0 | FileCheck %s --check-prefix=EMPTY
// EMPTY: no empty functions in 9 programs

#include <stdexcept>

extern "C" int callBack(int (*function)(int), int value);

#ifdef LIBRARY

#include <string>

/// Catches what it throws itself, and lets pass what `function` throws.
extern "C" int callBack(int (*function)(int), int value) {
  std::string text(100, 'x');
  try {
    if (value < 0)
      throw std::runtime_error("from the library");
  } catch (const std::logic_error &) {
    return 0;
  }
  return function(value) + int(text.size()) - 100;
}

#else

#include <cstdint>
#include <cstdio>
#include <hpvm.h>

struct __attribute__((packed)) Arguments {
  int *in;
  std::size_t inSize;
  int *out;
  std::size_t outSize;
  long n;
};

static int checked(int value) {
  if (value % 3 == 2)
    throw value;
  return value + 10;
}

void leaf(int *in, std::size_t inSize, int *out, std::size_t outSize, long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  try {
    out[i] = checked(in[i]);
  } catch (int) {
    out[i] = -1;
  }
}

void inner(int *in, std::size_t inSize, int *out, std::size_t outSize,
           long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int port = 0; port < 5; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

void root(int *in, std::size_t inSize, int *out, std::size_t outSize, long n) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(0, inner);
  for (int port = 0; port < 5; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

static int cleaned;
struct Cleanup {
  ~Cleanup() { ++cleaned; }
};

static int thrower(int value) {
  Cleanup cleanup;
  throw value;
}

int main() {
  try {
    throw 1;
  } catch (int number) {
    std::printf("before: a number %d\n", number);
  }
  try {
    callBack(nullptr, -1);
  } catch (const std::exception &error) {
    std::printf("library: %s\n", error.what());
  }
  const int n = 6;
  int in[n], out[n];
  for (int i = 0; i < n; ++i)
    in[i] = i;
  Arguments arguments = {in, sizeof in, out, sizeof out, n};
  __hpvm__init();
  __hpvm__trackMemory(in, sizeof in);
  __hpvm__trackMemory(out, sizeof out);
  try {
    void *graph = __hpvm__launch(0, root, &arguments);
    try {
      callBack(thrower, 3);
    } catch (...) {
      __hpvm__wait(graph);
      throw;
    }
  } catch (int number) {
    std::printf("around: a number %d\n", number);
  }
  __hpvm__requestMemory(out, sizeof out);
  std::printf("in the leaf:");
  for (int i = 0; i < n; ++i)
    std::printf(" %d", out[i]);
  try {
    try {
      throw std::runtime_error("inner");
    } catch (const std::exception &error) {
      std::printf("\nnested: %s", error.what());
      throw std::logic_error("outer");
    }
  } catch (const std::exception &error) {
    std::printf(", %s\n", error.what());
  }
  try {
    thrower(2);
  } catch (int) {
    std::printf("cleaned up %d times\n", cleaned);
  }
  __hpvm__untrackMemory(in);
  __hpvm__untrackMemory(out);
  __hpvm__cleanup();
  try {
    callBack(thrower, 4);
  } catch (int number) {
    std::printf("after: a number %d\n", number);
  }
}

#endif

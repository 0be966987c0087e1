//===- FakeCUDAAccess.cpp - Access of tests to the fake driver ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the fake in the process: opens the library in SLUICE_CUDA_LIBRARY and
// asks it for its FakeCUDA.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

using namespace sluice::device::testing;

static FakeCUDA *openFake() {
  const char *path = getenv("SLUICE_CUDA_LIBRARY");
  void *library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "sluiceFakeCUDA") : nullptr;
  if (!path || !symbol)
    throw std::runtime_error("SLUICE_CUDA_LIBRARY does not name the fake");
  return reinterpret_cast<FakeCUDA *(*)()>(symbol)();
}

FakeCUDA &sluice::device::testing::fakeCUDA() {
  static FakeCUDA &fake = *openFake();
  return fake;
}

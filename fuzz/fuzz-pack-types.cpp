//===- fuzz-pack-types.cpp - Fuzzes packing of random type trees ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input's bytes decide how a type tree is built, how many instances there
// are, and at which positions parts of them are packed. Every kernel must give
// what the type map says.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sluice::pack;
using namespace sluice::pack::naive;

/// Enough for the largest tree that the options allow.
static constexpr size_t LargestInput = 2 << 10;

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  PackOptions options = packOptions();
  options.compileAfter = -1;
  setPackOptions(options);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LargestInput)
    return -1;
  Choices choices(std::span(data, size));
  int64_t count = choices.below(6);
  std::unique_ptr<farc::Datatype> type = randomType(
      choices, {.maxElements = 200, .maxSpan = 1 << 15, .primitives = {}});
  std::optional<TypeMap> map = typeMapOf(*type, 1 << 16);
  if (!map)
    return -1;
  std::string problem = checkAll(*type, *map, count, choices);
  if (problem.empty())
    return 0;
  std::string text = type->toString();
  fprintf(stderr, "fuzz-pack-types: %lld x %s: %s\n",
          static_cast<long long>(count), text.c_str(), problem.c_str());
  abort();
}

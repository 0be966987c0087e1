//===- fuzz-ddt.cpp - Fuzzes the textual form of data layouts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever text arrives, parsing ends with an error or with types whose text
// reads as the same types; and small ones pack as their type maps say.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sluice::pack;
using namespace sluice::pack::naive;

/// Larger inputs find nothing that smaller ones do not.
static constexpr size_t LargestInput = 4 << 10;

/// What one instance may touch to be packed here.
static constexpr int64_t LargestSpan = 1 << 13;

static void expectNothing(const std::string &problem,
                          const farc::Datatype &type) {
  if (problem.empty())
    return;
  std::string text = type.toString();
  fprintf(stderr, "fuzz-ddt: %s: %s\n", text.c_str(), problem.c_str());
  abort();
}

static void check(const farc::Datatype &type) {
  expectNothing(checkCopies(type), type);
  if (type.getSize() > LargestSpan || type.getTrueExtent() > LargestSpan ||
      std::abs(type.getExtent()) > LargestSpan)
    return;
  std::optional<TypeMap> map = typeMapOf(type, LargestSpan);
  if (!map)
    return;
  Choices choices(static_cast<uint64_t>(type.getSize()));
  expectNothing(checkAll(type, *map, choices.below(4), choices), type);
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  PackOptions options = packOptions();
  options.compileAfter = -1;
  setPackOptions(options);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > LargestInput)
    return -1;
  std::vector<std::unique_ptr<farc::Datatype>> types;
  try {
    types = farc::parseDatatypes(
        std::string(reinterpret_cast<const char *>(data), size));
  } catch (const farc::Error &) {
    return 0;
  }
  // Ranges multiply out; the first few types are as good as all of them.
  for (size_t i = 0; i < types.size() && i != 4; ++i)
    check(*types[i]);
  return 0;
}

//===- TableHead.cpp - Checks whether a table fits this version of Sluice -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a head of another version, anything may follow the version, so the order
// of the checks matters.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/TableHead.h"

#include "sluice/Base/Text.h"

using namespace sluice;

Status sluice::checkTableHead(std::string_view kind,
                              const SluiceTableHead &found,
                              const SluiceTableHead &expected,
                              const char *const *structures) {
  auto mismatch = [&](std::string_view what, uint64_t is, uint64_t wanted) {
    return Status::invalidArgument(concat(
        "the program's ", kind, " does not fit this runtime: ", what, " is ",
        is, ", expected ", wanted, "; compile the program again"));
  };
  if (found.magic != expected.magic)
    return mismatch("the magic number", found.magic, expected.magic);
  if (found.version != expected.version)
    return mismatch("the version", found.version, expected.version);
  if (found.numSizes != expected.numSizes)
    return mismatch("the number of structures", found.numSizes,
                    expected.numSizes);
  for (uint32_t i = 0; i != expected.numSizes; ++i)
    if (found.sizes[i] != expected.sizes[i])
      return mismatch(concat("the size of ", quoted(structures[i])),
                      found.sizes[i], expected.sizes[i]);
  return {};
}

//===- ColorSets.cpp - The elements of each color -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that grows with the requests.
//
//===----------------------------------------------------------------------===//

#include "ColorSets.h"

using namespace sluice::regions;

SluiceDomain sluice::regions::domainOf(const Shape &shape,
                                       const ElementSet &set) {
  SluiceDomain domain = {};
  domain.rank = shape.rank;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    domain.lower[d] = set.bounds().lower[d];
    // An empty set has no elements in its unused dimensions either.
    domain.upper[d] = d < shape.rank ? set.bounds().upper[d] : 1;
    domain.stride[d] = d < shape.rank ? shape.stride(d) : 0;
    domain.extent[d] = shape.extent[d];
  }
  domain.count = set.size();
  if (!set.isBox()) {
    domain.runs = set.storedRuns().data();
    domain.numRuns = static_cast<int64_t>(set.storedRuns().size());
  }
  return domain;
}

const SetsOnDemand::Entry &SetsOnDemand::get(uint32_t color) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Entry> &entry = entries[color];
  if (!entry) {
    entry = std::make_unique<Entry>(Entry{function(color), {}});
    entry->domain = domainOf(shape, entry->set);
  }
  return *entry;
}

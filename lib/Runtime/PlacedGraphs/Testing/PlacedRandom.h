//===- PlacedRandom.h - Random plans for several places -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every node has a kernel for the host and one for devices that compute the
// same hashes from values, arrays and memory, so whatever is late, lost or
// forgotten on the way between places changes the results.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDRANDOM_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDRANDOM_H

#include "../../Plan/Testing/PlanBuilder.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace sluice::test {

constexpr uint32_t maxPlacedNodes = 16;
constexpr uint32_t numPlacedBuffers = 3;
constexpr uint32_t maxPlacedExtent = 40;

/// What nodes make beside memory.
enum class PlacedValues {
  All,      ///< values, and arrays for one-to-one edges
  NoArrays, ///< values
  Last      ///< the last makes a value; devices may share the others
};

/// Arguments: a seed, two extents, and `numPlacedBuffers` pointers with their
/// sizes. All values that nodes make are results.
class PlacedRandomGraph {
public:
  /// One at a time.
  explicit PlacedRandomGraph(unsigned seed, bool isStream = false,
                             bool streamsPointers = false,
                             uint32_t maxNodes = maxPlacedNodes,
                             PlacedValues kind = PlacedValues::All);

  using Buffers = std::vector<std::vector<uint64_t>>;
  static Buffers makeBuffers(unsigned seed);
  Structure arguments(unsigned seed, Buffers &buffers);
  /// The same with memory of `maxPlacedExtent` numbers each.
  using Memory = std::array<uint64_t *, numPlacedBuffers>;
  Structure arguments(unsigned seed, const Memory &memory);
  std::vector<uint64_t> results(const Structure &structure) const;

  PlanBuilder builder;
  uint32_t numNodes;
  uint32_t numResults = 0;

private:
  void addNode(uint32_t index);
  void addKernel(uint32_t index);
  void connect(uint32_t from, uint32_t to, bool oneToOne);
  uint32_t pick(uint32_t limit) { return random() % limit; }

  const PlacedValues kind;
  std::mt19937 random;
  std::vector<std::vector<bool>> isOrdered;
  std::vector<int> lastWriter = std::vector<int>(numPlacedBuffers, -1);
  std::vector<std::vector<uint32_t>> readers =
      std::vector<std::vector<uint32_t>>(numPlacedBuffers);
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_TESTING_PLACEDRANDOM_H

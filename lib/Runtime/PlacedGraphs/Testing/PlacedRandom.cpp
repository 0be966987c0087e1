//===- PlacedRandom.cpp - Random plans for several places -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both kernels of a node call one function, which finds its inputs through a
// table of addresses that each side fills in its own way.
//
//===----------------------------------------------------------------------===//

#include "PlacedRandom.h"

#include "../../Devices/Testing/ThreadDevice.h"
#include "../../Plan/Testing/RandomGraph.h"

using namespace sluice;
using namespace sluice::test;

namespace {
/// How one node finds what it uses; offsets of the frame.
struct PlacedNode {
  std::vector<uint64_t> values;
  std::vector<uint64_t> arrays;
  uint64_t output = SLUICE_NO_OFFSET, array = SLUICE_NO_OFFSET;
  uint64_t passed = 0, passedFrom = 0;
  uint32_t extent = 0;
  /// Memory that is read; read and written; written.
  int reads = -1, updates = -1, writes = -1;
};
std::array<PlacedNode, maxPlacedNodes> placedNodes;
constexpr uint64_t seedOffset = 0, extentsOffset = 8;
constexpr uint64_t bufferOffset(int buffer) { return 24 + 16 * buffer; }

/// Where a node's inputs and outputs are.
struct Places {
  uint64_t seed, last;
  std::vector<uint64_t> values;
  std::vector<const uint64_t *> arrays;
  uint64_t *output = nullptr, *array = nullptr;
  uint64_t *reads = nullptr, *updates = nullptr, *writes = nullptr;
};

void computeInstance(uint32_t index, const Places &places, uint64_t i) {
  uint64_t hash = mix(mix(index, i), places.seed);
  for (uint64_t value : places.values)
    hash = mix(hash, value);
  for (const uint64_t *array : places.arrays)
    hash = mix(hash, array[i]);
  if (places.reads)
    hash = mix(hash, places.reads[i]);
  if (places.updates)
    hash = places.updates[i] = mix(hash, places.updates[i]);
  if (places.writes)
    places.writes[i] = hash;
  if (places.array)
    places.array[i] = hash;
  if (i != places.last)
    return;
  if (places.output)
    *places.output = hash;
  if (places.writes)
    for (uint64_t k = i + 1; k < maxPlacedExtent; ++k)
      places.writes[k] = hash + k;
}

template <uint32_t Index>
void hostKernel(const SluiceInvocation *invocation, uint64_t begin,
                uint64_t end) {
  const PlacedNode &node = placedNodes[Index];
  Places places;
  places.seed = at<uint64_t>(invocation, seedOffset);
  places.last = static_cast<uint64_t>(invocation->extents[0]) - 1;
  for (uint64_t offset : node.values)
    places.values.push_back(at<uint64_t>(invocation, offset));
  for (uint64_t offset : node.arrays)
    places.arrays.push_back(at<uint64_t *>(invocation, offset));
  if (node.output != SLUICE_NO_OFFSET)
    places.output = &at<uint64_t>(invocation, node.output);
  if (node.array != SLUICE_NO_OFFSET)
    places.array = at<uint64_t *>(invocation, node.array);
  auto memory = [&](int buffer) {
    return buffer < 0 ? nullptr
                      : at<uint64_t *>(invocation, bufferOffset(buffer));
  };
  places.reads = memory(node.reads);
  places.updates = memory(node.updates);
  places.writes = memory(node.writes);
  for (uint64_t i = begin; i < end; ++i)
    computeInstance(Index, places, i);
  if (end == places.last + 1)
    at<uint64_t>(invocation, node.passed) =
        at<uint64_t>(invocation, node.passedFrom);
}

/// Parameters: the seed, the extent, the frame, the first instance and the one
/// behind the last, the own array, arrays, memory.
void deviceKernel(uint32_t index, const KernelCall &call) {
  const PlacedNode &node = placedNodes[index];
  Places places;
  places.seed = call.value<uint64_t>(0);
  auto extent = call.value<uint64_t>(1);
  places.last = extent - 1;
  unsigned char *frame = call.parameters[2];
  auto valueAt = [&](uint64_t offset) {
    return reinterpret_cast<uint64_t *>(frame + offset);
  };
  for (uint64_t offset : node.values)
    places.values.push_back(*valueAt(offset));
  if (node.output != SLUICE_NO_OFFSET)
    places.output = valueAt(node.output);
  auto first = call.value<uint64_t>(3), end = call.value<uint64_t>(4);
  size_t next = 5;
  auto memory = [&] {
    auto *result = call.memory<uint64_t>(next);
    next += 2;
    return result;
  };
  if (node.array != SLUICE_NO_OFFSET)
    places.array = memory();
  for (size_t i = 0; i < node.arrays.size(); ++i)
    places.arrays.push_back(memory());
  if (node.reads >= 0)
    places.reads = memory();
  if (node.updates >= 0)
    places.updates = memory();
  if (node.writes >= 0)
    places.writes = memory();
  for (uint64_t i = first; i < end && i - first < call.numItems(0); ++i)
    computeInstance(index, places, i);
}

/// Memory in the order of the parameters.
template <uint32_t Index>
void touched(const unsigned char *, const int64_t *extents, uint64_t begin,
             uint64_t end, SluiceDeviceRange *range) {
  const PlacedNode &node = placedNodes[Index];
  auto first = static_cast<int64_t>(8 * begin);
  auto last = static_cast<int64_t>(8 * end);
  if (node.reads >= 0)
    *range++ = {first, last, 0, 0};
  if (node.updates >= 0)
    *range++ = {first, last, first, last};
  bool isLast = end == static_cast<uint64_t>(extents[0]);
  if (node.writes >= 0)
    *range++ = {0, 0, first, isLast ? 8 * int64_t(maxPlacedExtent) : last};
}

template <uint32_t Extent>
void placedExtents(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + extentsOffset + 8 * Extent, 8);
  extents[1] = extents[2] = 1;
}

template <size_t... Indices>
std::array<SluiceKernel, sizeof...(Indices)>
hostKernels(std::index_sequence<Indices...>) {
  return {hostKernel<Indices>...};
}
template <size_t... Indices>
std::array<SluiceDeviceTouch, sizeof...(Indices)>
touches(std::index_sequence<Indices...>) {
  return {touched<Indices>...};
}
const char *const entries[maxPlacedNodes] = {
    "n0", "n1", "n2",  "n3",  "n4",  "n5",  "n6",  "n7",
    "n8", "n9", "n10", "n11", "n12", "n13", "n14", "n15"};
} // namespace

PlacedRandomGraph::PlacedRandomGraph(unsigned seed, bool isStream,
                                     bool streamsPointers, uint32_t maxNodes,
                                     PlacedValues kind)
    : kind(kind), random(seed) {
  uint32_t flags = isStream ? uint32_t(SLUICE_PORT_STREAM) : 0;
  uint32_t pointerFlags = streamsPointers ? flags : 0;
  builder.plan.isStreaming = isStream;
  builder.argument("seed", 8, flags);
  builder.argument("extent", 8, flags);
  builder.argument("extent", 8, flags);
  for (uint32_t i = 0; i < numPlacedBuffers; ++i)
    builder.buffer("memory", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
                   pointerFlags);
  numNodes = 2 + pick(maxNodes - 1);
  isOrdered.assign(numNodes, std::vector<bool>(numNodes));
  for (uint32_t i = 0; i < numNodes; ++i)
    addNode(i);
  for (uint32_t i = 0; i < numNodes; ++i) {
    // Values that are no results stay on devices.
    if (pick(2))
      continue;
    builder.result("passed", 8, placedNodes[i].passed);
    ++numResults;
    if (placedNodes[i].output == SLUICE_NO_OFFSET)
      continue;
    builder.result("out", 8, placedNodes[i].output);
    ++numResults;
  }
  builder.finish();
}

void PlacedRandomGraph::connect(uint32_t from, uint32_t to, bool oneToOne) {
  if (isOrdered[from][to])
    return;
  isOrdered[from][to] = true;
  builder.order(from, to, oneToOne ? SLUICE_ONE_TO_ONE : SLUICE_ALL_TO_ALL);
}

void PlacedRandomGraph::addNode(uint32_t index) {
  static const auto kernels =
      hostKernels(std::make_index_sequence<maxPlacedNodes>());
  static const SluiceExtents extents[] = {placedExtents<0>, placedExtents<1>};
  PlacedNode &node = placedNodes[index];
  node = {};
  node.extent = pick(2);
  builder.node(entries[index], kernels[index], extents[node.extent]);
  builder.at(index).unitCost = pick(3) * 500;
  node.passed = builder.output(index, "passed", 8);
  if (kind == PlacedValues::All)
    node.output = builder.output(index, "out", 8, true, &node.array);
  else if (kind == PlacedValues::NoArrays || index + 1 == numNodes)
    node.output = builder.output(index, "out", 8);
  node.passedFrom = seedOffset;
  for (uint32_t source = 0; source < index; ++source) {
    if (pick(4) != 0)
      continue;
    const PlacedNode &from = placedNodes[source];
    if (kind == PlacedValues::All && from.extent == node.extent &&
        pick(3) != 0) {
      connect(source, index, true);
      builder.operandOf(index, source, 1, SLUICE_ONE_TO_ONE);
      node.arrays.push_back(from.array);
      continue;
    }
    connect(source, index, false);
    bool takesPassed = kind == PlacedValues::Last || pick(2);
    builder.operandOf(index, source, !takesPassed);
    node.values.push_back(takesPassed ? from.passed : from.output);
    if (pick(2)) {
      builder.operandOf(index, source, 0);
      node.passedFrom = from.passed;
    }
  }
  int *const uses[] = {&node.reads, &node.updates, &node.writes};
  for (uint32_t buffer = 0; buffer < numPlacedBuffers; ++buffer) {
    uint32_t use = pick(5);
    if (use > 2 || *uses[use] >= 0)
      continue;
    *uses[use] = static_cast<int>(buffer);
    static constexpr uint32_t accesses[] = {
        SLUICE_ACCESS_IN, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT,
        SLUICE_ACCESS_OUT};
    builder.operand(index, 3 + 2 * buffer, accesses[use]);
    if (lastWriter[buffer] >= 0)
      connect(static_cast<uint32_t>(lastWriter[buffer]), index, false);
    if (use == 0) {
      readers[buffer].push_back(index);
      continue;
    }
    for (uint32_t reader : readers[buffer])
      connect(reader, index, false);
    readers[buffer].clear();
    lastWriter[buffer] = static_cast<int>(index);
  }
  addKernel(index);
}

void PlacedRandomGraph::addKernel(uint32_t index) {
  const PlacedNode &node = placedNodes[index];
  threadKernels()[entries[index]] = [index](const KernelCall &call) {
    deviceKernel(index, call);
  };
  static const auto touchedBy =
      touches(std::make_index_sequence<maxPlacedNodes>());
  SluicePlanDeviceKernel &kernel = builder.device(index, entries[index]);
  if (kind == PlacedValues::Last)
    kernel.touch = touchedBy[index];
  builder.valueParameter(index, seedOffset);
  builder.simpleParameter(index, SLUICE_DEVICE_EXTENT);
  builder.simpleParameter(index, SLUICE_DEVICE_FRAME);
  builder.simpleParameter(index, SLUICE_DEVICE_FIRST);
  builder.simpleParameter(index, SLUICE_DEVICE_END);
  if (kind == PlacedValues::All)
    builder.arrayParameter(index, node.array, 8, SLUICE_ACCESS_OUT);
  for (uint64_t array : node.arrays)
    builder.arrayParameter(index, array, 8, SLUICE_ACCESS_IN);
  auto pointer = [&](int buffer, uint32_t access) {
    if (buffer >= 0)
      builder.pointerParameter(index, 3 + 2 * static_cast<uint32_t>(buffer),
                               access);
  };
  pointer(node.reads, SLUICE_ACCESS_IN);
  pointer(node.updates, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  pointer(node.writes, SLUICE_ACCESS_OUT);
  builder.forward(index, node.passedFrom, node.passed);
}

PlacedRandomGraph::Buffers PlacedRandomGraph::makeBuffers(unsigned seed) {
  Buffers buffers(numPlacedBuffers);
  std::mt19937_64 random(seed);
  for (std::vector<uint64_t> &buffer : buffers)
    for (uint32_t i = 0; i < maxPlacedExtent; ++i)
      buffer.push_back(random());
  return buffers;
}

Structure PlacedRandomGraph::arguments(unsigned seed, Buffers &buffers) {
  Memory memory;
  for (uint32_t i = 0; i < numPlacedBuffers; ++i)
    memory[i] = buffers[i].data();
  return arguments(seed, memory);
}

Structure PlacedRandomGraph::arguments(unsigned seed, const Memory &memory) {
  std::mt19937 extents(seed);
  Structure structure;
  structure.add(uint64_t(seed));
  for (int i = 0; i < 2; ++i)
    structure.add(int64_t(extents() % (maxPlacedExtent + 1)));
  for (uint64_t *buffer : memory)
    structure.add(buffer).add(uint64_t(8 * maxPlacedExtent));
  for (uint32_t i = 0; i < numResults; ++i)
    structure.add(uint64_t(0));
  return structure;
}

std::vector<uint64_t>
PlacedRandomGraph::results(const Structure &structure) const {
  std::vector<uint64_t> results;
  for (uint32_t i = 0; i < numResults; ++i)
    results.push_back(
        structure.read<uint64_t>(24 + 16 * numPlacedBuffers + 8 * i));
  return results;
}

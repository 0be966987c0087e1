//===- DevicePlan.h - The places that need the values of a plan -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the host all nodes share one frame. If nodes run elsewhere, the runtime
// must know which values and which memory each node reads and writes. This
// class derives it once from the plan's tables; everything here is constant
// later.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H

#include "../Plan/PlanInfo.h"

#include <memory>
#include <vector>

namespace sluice {

/// Memory that a node accesses through an address in the frame.
struct PointerUse {
  const char *name;
  /// If not null: the memory, a dataset of size `size`.
  const void *memory;
  uint64_t size;
  uint64_t frameOffset; ///< position of the address
  uint64_t sizeOffset;  ///< position of the size, or SLUICE_NO_OFFSET
  uint32_t access;      ///< SluiceAccess, not 0
};

/// The access for which a place must prepare memory that a node uses by
/// `access` (SluiceAccess): memory that is only written may be written in part,
/// and the rest keeps its content. Tasks write whole datasets.
uint32_t withRest(uint32_t access);

/// An output of a node: a value in the frame, or the array of a one-to-one
/// edge.
struct PlacedValue {
  uint32_t node;
  uint32_t output;
  bool isArray;
  /// The position of the value, or of the array's address.
  uint64_t frameOffset;
  uint64_t size;
  /// Nodes with this value as an operand.
  std::vector<uint32_t> consumers;
  /// A device kernel does not store it: the host sets it at once.
  bool isForwarded = false;
  bool isResult = false;
  /// The extents or parameters of some node may depend on it.
  bool isNeededToOpen = false;
};

/// Memory that device kernels take as a POINTER and that is known when an
/// instance starts.
struct KnownMemory {
  /// The position of the address in the frame; otherwise the address is
  /// `memory`.
  uint64_t frameOffset;
  /// The position of the size, or SLUICE_NO_OFFSET: then the size is `size`, 0
  /// if it is not known.
  uint64_t sizeOffset;
  const void *memory;
  uint64_t size;
};

class DevicePlan {
public:
  explicit DevicePlan(const PlanInfo &info);

  struct Node {
    std::vector<uint32_t> predecessors;
    /// Memory that the node's host kernel uses.
    std::vector<PointerUse> pointers;
    /// The node's output values, and its operands.
    std::vector<uint32_t> ownValues;
    std::vector<uint32_t> operands;
    /// Operands that its device kernel reads from the device's frame, or from
    /// arrays.
    std::vector<uint32_t> sentOperands;
    /// Values of earlier nodes that must be in the host's frame before the node
    /// can be opened on a device.
    std::vector<uint32_t> neededToOpen;
    /// Numbers of the POINTER parameters of its device kernel.
    std::vector<uint32_t> pointerParameters;
    /// The memory of these parameters, as far as it is known at the start.
    std::vector<KnownMemory> knownMemory;
    /// Its host kernel uses memory for which no table has an address.
    bool readsUnknownMemory = false;
    bool writesUnknownMemory = false;
  };
  std::vector<Node> nodes;
  std::vector<PlacedValue> values;
  /// A device kernel uses a dataset.
  bool usesDatasets = false;
  /// With equal arguments, the nodes do the same on one device: nothing depends
  /// on values that kernels make, and no array is reallocated.
  bool mayBeRepeated = true;

private:
  void addValues();
  void addOperands(uint32_t index);
  void addPointers(uint32_t index, const std::vector<char> &hasUser);
  void addKnownMemory(uint32_t index);
  void findSent(uint32_t index);
  void findNeeded(uint32_t index);
  uint32_t findValue(uint32_t node, uint32_t output, bool isArray) const;

  const SluicePlan &plan;
  /// For each node, whether each other node comes before it.
  std::vector<std::vector<bool>> isBefore;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H

//===- DevicePlan.h - Where the values of a plan are needed ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the host all nodes share one frame. As soon as nodes run elsewhere, one
// must know which values and which memory each of them reads and writes. This
// is derived from the plan's tables once; everything here is constant later.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H
#define SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H

#include "../Plan/PlanInfo.h"

#include <memory>
#include <vector>

namespace sluice {

/// Memory that a node reaches through an address in the frame.
struct PointerUse {
  const char *name;
  /// Not null: the memory, a dataset, whose size is `size`.
  const void *memory;
  uint64_t size;
  uint64_t frameOffset; ///< where the address stands
  uint64_t sizeOffset;  ///< where the size stands, or SLUICE_NO_OFFSET
  uint32_t access;      ///< SluiceAccess, not 0
};

/// How a place must have memory that a node uses by `access` (SluiceAccess):
/// what it only writes it may write in part, and the rest keeps its content.
/// Tasks write whole datasets.
uint32_t withRest(uint32_t access);

/// An output of a node: a value in the frame, or the array of a one-to-one
/// edge.
struct PlacedValue {
  uint32_t node;
  uint32_t output;
  bool isArray;
  /// Of the value, or of the array's address.
  uint64_t frameOffset;
  uint64_t size;
  /// Nodes that take it as an operand.
  std::vector<uint32_t> consumers;
  /// A device kernel does not store it: the host sets it at once.
  bool isForwarded = false;
  bool isResult = false;
  /// Some node's extents or parameters may depend on it.
  bool isNeededToOpen = false;
};

/// Memory that device kernels take as a POINTER and that is known when an
/// instance starts.
struct KnownMemory {
  /// Where the address stands in the frame; else it is `memory`.
  uint64_t frameOffset;
  /// Where the size stands, or SLUICE_NO_OFFSET: it is `size`, 0 if that is not
  /// known.
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
    /// Values that the node makes, and that it takes as operands.
    std::vector<uint32_t> ownValues;
    std::vector<uint32_t> operands;
    /// Operands that its device kernel reads from the device's frame, or from
    /// arrays.
    std::vector<uint32_t> sentOperands;
    /// Values that must be in the host's frame before the node can be opened
    /// on a device; all of nodes that come before it.
    std::vector<uint32_t> neededToOpen;
    /// Numbers of the POINTER parameters of its device kernel.
    std::vector<uint32_t> pointerParameters;
    /// What these name, as far as it is known at the start.
    std::vector<KnownMemory> knownMemory;
    /// Its host kernel uses memory that no table gives an address for.
    bool readsUnknownMemory = false;
    bool writesUnknownMemory = false;
  };
  std::vector<Node> nodes;
  std::vector<PlacedValue> values;
  /// Some device kernel uses a dataset.
  bool usesDatasets = false;
  /// Equal arguments have the nodes do the same on one device: nothing depends
  /// on values that kernels make, and no array is made anew.
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
  /// Per node, whether each node comes before it.
  std::vector<std::vector<bool>> isBefore;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_PLACEDGRAPHS_DEVICEPLAN_H

//===- RangeFunction.h - A leaf as loops over its instances -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM part of CPU code generation: one leaf of canonical HPVM IR becomes
// one function that runs a range of its instances. The caller decides where
// values come from and go to (frames, plans).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_RANGEFUNCTION_H
#define SLUICE_CODEGEN_RANGEFUNCTION_H

#include "sluice/CodeGen/Debugging.h"
#include "sluice/CodeGen/InlineMath.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>

namespace sluice::codegen {

/// One level of replication. An extent is given if it is constant. Extents of
/// dimensions at and beyond `dims` count as 1.
struct InstanceLevel {
  unsigned dims = 0; ///< 0..3
  std::array<std::optional<int64_t>, 3> extents;
};

enum class PortMode {
  Value,      ///< the argument is the port's value
  PerInstance ///< the argument points to an array of values, see `level`
};

/// Arrays are indexed by the linear index of the instance over the levels
/// from `RangeSpec::numFixedLevels` to `level` (inclusive), x fastest, then y,
/// then z, then the next outer level.
struct InputPort {
  PortMode mode = PortMode::Value;
  unsigned level = 0; ///< PerInstance only
  /// The leaf accesses the memory of this pointer only through it.
  bool noAlias = false;
  /// If not 0, instances fold into the memory behind the pointer, one after
  /// another, so their accesses are not independent. The value is the number of
  /// bytes that may always be read and written.
  uint64_t foldedBytes = 0;
  /// With `foldedBytes`: the memory has so many elements of that size, a power
  /// of two. Instance x of the last level folds into element x % foldedLanes.
  uint64_t foldedLanes = 1;
  /// The port with the number of bytes behind the pointer, as passed to the
  /// launch.
  std::optional<unsigned> bytesPort;
  /// Specialisation: the value that the caller knows.
  llvm::Constant *constant = nullptr;
  /// For checks: the input's name, and its SluiceAccess.
  std::string name;
  uint32_t access = 0;
};

struct OutputPort {
  /// Store the value of the last instance (highest index in every level that is
  /// not fixed), if it lies in the range.
  bool last = false;
  /// Store the value of each instance of `level` (of the last instance below
  /// it) into an array with the same index as for inputs.
  bool perInstance = false;
  unsigned level = 0;
};

struct RangeOptions {
  /// Naive code: one call per instance, no tiles, no implicit barriers. (A leaf
  /// with barriers is split at them in any case.)
  bool reference = false;
  /// Cut heavy uniform loops out of the loops over instances.
  bool implicitBarriers = true;
  /// Instances that contain loops become lanes later (see Vectorization): loops
  /// with accesses that lie apart are left to that.
  bool leavesToLanes = true;
  /// Copy data that many rows of instances read in their loops.
  bool panels = true;
  /// Turn guards such as `id < n` into bounds of the loops.
  bool splitGuards = true;
  /// Join the rows of neighbouring work-groups of leaves without a barrier.
  bool fuseGroups = true;
  /// Collect atomic updates with an unused old value.
  bool collectUpdates = true;
  /// Report every memory access (sluice-c/Check.h).
  bool check = false;
  Debugging debugging = Debugging::Lines;
  MathOptions math = {};
  /// Bits of the widest vector registers that code will use.
  unsigned vectorBits = 256;
};

/// A range function. `leaf` is not changed.
struct RangeSpec {
  llvm::Function *leaf = nullptr; ///< canonical HPVM IR
  /// From the outermost level below the root to the leaf itself; levels without
  /// replication have no dimensions.
  llvm::SmallVector<InstanceLevel> levels;
  /// The number of leading levels for which the caller fixes the instance.
  unsigned numFixedLevels = 0;
  /// The range [begin, end) counts the levels `numFixedLevels <= l <
  /// numUnitLevels`; the levels after them run completely for every unit. A
  /// leaf with a barrier needs `numUnitLevels < levels.size()`.
  unsigned numUnitLevels = 0;
  llvm::SmallVector<InputPort> inputs;
  llvm::SmallVector<OutputPort> outputs;
  std::string name;
  RangeOptions options;
};

/// Marks functions that copy, at each call, data that many rows of units read.
inline constexpr llvm::StringLiteral copiesSharedAttribute =
    "sluice-copies-shared";

/// Marks functions that run instances of leaves: until they return, nobody
/// waits for their updates by relaxed atomics.
inline constexpr llvm::StringLiteral collectsUpdatesAttribute =
    "sluice-collects-updates";

/// Marks the parameter of kernels and range functions that is their
/// SluiceInvocation, where they may ask it whether anything else runs.
inline constexpr llvm::StringLiteral invocationAttribute = "sluice-invocation";

/// Marks the two parameters of kernels and range functions that say which units
/// to run.
inline constexpr llvm::StringLiteral unitsAttribute = "sluice-units";

/// Creates, in the module of the leaf, the function
/// ```
///   void @name(ptr %invocation,
///              <per input port: the port's value, or ptr>,
///              <per fixed level: i64 id.x, i64 id.y, i64 id.z>,
///              <per level: i64 extent.x, i64 extent.y, i64 extent.z>,
///              i64 %begin, i64 %end,
///              <per output port: ptr %last, ptr %array>)
/// ```
/// that runs the units `begin <= u < end` in increasing order of the levels
/// outside a work-group. Extents that are constants in the specification must
/// be passed all the same. Pointers of outputs that are not asked for may be
/// null. Instances that run at the same time never write one output slot.
///
/// `llvm.hpvm.malloc` becomes `sluiceMalloc(invocation, size)`. Memory that a
/// work-group of run-time size needs to keep values across barriers comes from
/// `sluiceGroupMalloc` and is freed before the function returns (the runtime
/// frees it if a leaf throws).
///
/// Fails if a node handle is not static, a barrier is in divergent control
/// flow, a call of `llvm.hpvm.*` has no place in a leaf, or a barrier
/// separates parts of a group that is not run as a whole.
llvm::Expected<llvm::Function *> createRangeFunction(const RangeSpec &spec);

/// For checks (`RangeOptions::check`), before the first range function of a
/// module is created: records which functions the program may call through
/// pointers. Functions that the compiler adds to the module later are not among
/// them.
void noteCallableFunctions(llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_RANGEFUNCTION_H

//===- Specialize.h - Kernels compiled for the extents at hand ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant trip counts make some kernels many times faster. If a graph has
// none, a helper process compiles the node again in the background, for the
// extents and shape values of its launches. The generic kernel runs until the
// variant is ready. Variants are kept in the cache directory for later runs.
//
//
// Room: the executor's KernelChooser, and the helper process that compiles for
// it. May include Base, Scheduling, Plan and Execution.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_VARIANTS_SPECIALIZE_H
#define SLUICE_RUNTIME_VARIANTS_SPECIALIZE_H

#include "../Execution/Instance.h"
#include "../Plan/PlanInfo.h"
#include "VariantCompiler.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sluice {

/// The values for which a variant is compiled.
struct VariantKey {
  std::vector<int64_t> extents;
  /// Zero-extended; 0 for values that vary.
  std::vector<uint64_t> shape;
  uint64_t varying = 0; ///< see NodeVariants
};

/// The sets of shape values in launches with the same extents.
struct ShapeHistory {
  std::vector<int64_t> extents;
  std::vector<std::vector<uint64_t>> sets;
  uint64_t lastUse = 0;
};

/// One set of values with which a node was launched.
class KernelVariant {
private:
  friend class NodeVariants;
  enum class State { Counting, Requested, Ready, Failed };
  VariantKey key;
  State state = State::Counting;
  uint64_t launches = 0;
  /// The number of launches after which it is compiled; higher if there are
  /// other variants with the same extents.
  uint64_t enough = 0;
  uint64_t lastUse = 0;
  uint32_t uses = 0; ///< by nodes whose next run may use it
  SharedKernel kernel;
};

/// The variants of one node of one plan, and of all that have its kernel.
///
/// A shape value such as the number of a step may differ between launches. When
/// launches with equal extents have had more sets of values than there may be
/// variants, the shape value with the most different values stops being a
/// constant of variants.
class NodeVariants final : public KernelChooser {
public:
  NodeVariants(VariantCompiler &compiler, const VariantOptions &options,
               const SluicePlan &plan, const SluicePlanNode &node);

  /// Sets the kernel of a node that is about to run. Counts the launch, and
  /// requests a variant when the count is reached. Takes no lock if the node
  /// ran with a variant for the same values before, or if values change all the
  /// time.
  void choose(NodeRun &run) override;

  /// The first of the nodes with these variants.
  const SluicePlanNode &getNode() const { return node; }

private:
  /// Maximum number of sets of values that are counted.
  static constexpr size_t maxCounted = 32;
  static constexpr size_t maxHistories = 8;
  /// A variant may be replaced after this many launches with other values,
  /// times the number of variants.
  static constexpr uint64_t turnsUnused = 8;
  /// This many new values count as much as one known value.
  static constexpr size_t worthOfKnown = 8;
  /// Launches without look-ups if values change all the time.
  static constexpr uint32_t minPause = 64, maxPause = 1024;
  using List = std::vector<std::unique_ptr<KernelVariant>>;

  uint64_t shapeValue(const NodeRun &run, uint32_t index) const;
  static bool varies(uint64_t varying, uint32_t index) {
    return index < 64 && (varying >> index & 1);
  }
  ShapeHistory &historyOf(const VariantKey &key);
  uint32_t mostVaried(const ShapeHistory &history) const;
  size_t countSets(const NodeRun &run);
  void forgetVariants();
  bool isFor(const KernelVariant &variant, const NodeRun &run) const;
  void useVariant(NodeRun &run) const;
  VariantKey keyOf(const NodeRun &run) const;
  KernelVariant &findOrAdd(const NodeRun &run);
  bool hasRoom() const;
  void noteValues(const KernelVariant &variant);
  VariantRequest requestFor(const KernelVariant &variant) const;
  void compileInBackground(KernelVariant &variant);
  void finishCompiling(KernelVariant &variant, SharedKernel kernel);
  void setReady(KernelVariant &variant, SharedKernel kernel);
  void closeOldest(const KernelVariant &newest);

  VariantCompiler &compiler;
  const VariantOptions &options;
  const SluicePlan &plan;
  const SluicePlanNode &node;
  std::mutex mutex;
  List variants;
  std::vector<ShapeHistory> histories;
  /// A bit for each of the first 64 shape values; read without the lock.
  std::atomic<uint64_t> varying = 0;
  uint64_t clock = 0;
  /// Launches with unknown values, minus those with known values.
  size_t numNew = 0;
  uint32_t pause = 0;
  std::atomic<uint32_t> pauseLeft{0};
};

/// All variants of a runtime.
class Specializer {
public:
  explicit Specializer(const VariantOptions &options);
  ~Specializer();
  /// Gives every node that can benefit from variants a place for them.
  void preparePlan(PlanInfo &info);

private:
  using KernelVariants = std::unordered_map<SluiceKernel, NodeVariants *>;
  NodeVariants &variantsOf(const SluicePlan &plan, const SluicePlanNode &node,
                           KernelVariants &known);

  const VariantOptions &options;
  std::vector<std::unique_ptr<NodeVariants>> nodes;
  /// Destroyed first, because it calls nodes when a variant has been compiled.
  VariantCompiler compiler;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_VARIANTS_SPECIALIZE_H

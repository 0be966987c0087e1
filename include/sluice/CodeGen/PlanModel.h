//===- PlanModel.h - A graph flattened to what is scheduled ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's picture of a plan (sluice-c/Plan.h) before it becomes
// constant tables: which nodes are scheduled, which levels of replication each
// one covers, where its values lie in the frame, and what must end before it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_PLANMODEL_H
#define SLUICE_CODEGEN_PLANMODEL_H

#include "sluice-c/Plan.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::codegen {

struct DeviceNode;

/// Where a value that flows through the flattened graph comes from.
struct Source {
  enum class Kind { Argument, Output, DatasetAddress, DatasetSize };
  Kind kind = Kind::Argument;
  /// Scheduled node; Output only.
  unsigned node = 0;
  /// Argument of the root, or output of the node.
  unsigned index = 0;
  /// If not negative, the value differs for every instance of that level of
  /// the node that uses it: element i of the output's array.
  int instanceLevel = -1;
  /// The dataset; DatasetAddress and DatasetSize only.
  dfg::DatasetOp dataset;
};

struct Scope;

/// One level of replication: the node that is replicated and the scope in
/// which its extents are evaluated.
struct Level {
  dfg::NodeOp node;
  const Scope *scope = nullptr;
};

/// One instantiation of a graph on the way from the root to a node.
struct Scope {
  dfg::GraphOp graph;
  const Scope *parent = nullptr;
  /// "root/blur"
  std::string path;
  /// Levels from the first one below the root to this graph's node.
  std::vector<Level> levels;
  /// Sources of the graph's arguments and of its nodes' outputs.
  llvm::DenseMap<mlir::Value, Source> values;
};

struct FlatOutput {
  std::string name;
  llvm::Type *type = nullptr;
  uint64_t size = 0;
  uint64_t frameOffset = SLUICE_NO_OFFSET;
  uint64_t arrayOffset = SLUICE_NO_OFFSET;
  unsigned arrayLevels = 0;
};

struct FlatOperand {
  std::string name;
  Source source;
  bool isOneToOne = false;
  bool isStream = false;
  dfg::Access access = dfg::Access::None;
  llvm::Type *type = nullptr;
};

/// How a node uses an entry of `PlanModel::memories`.
struct NodeMemoryUse {
  unsigned memory;
  dfg::Access access;
};

/// What SluicePlanShare will hold.
struct FlatShare {
  llvm::Function *touch = nullptr;
  std::vector<uint32_t> touched;
  /// Of each of `touched`.
  std::vector<std::string> places;
  std::vector<SluiceAccumulated> accumulated;
  std::vector<SluiceDeviceForward> forwards;
  std::string problem;
  /// Arguments of the graph that the node reduces.
  std::vector<uint32_t> reduced;
  unsigned slabExtent = 0;
  bool reachesInputsOnly = false;
  bool canCompare = false;
};

struct Predecessor {
  unsigned node;
  bool isOneToOne;
  /// Not 0: all instances wait, but the graph orders only those with equal ids
  /// in the first so many levels.
  unsigned graphLevels = 0;
};

/// A node that is scheduled: a leaf, or a replicated internal node whose
/// children run one after another within each of its instances.
struct FlatNode {
  explicit FlatNode(mlir::Location location) : location(location) {}

  std::string name;
  mlir::Location location;
  /// The node as its graph names it.
  dfg::NodeOp op;
  const Scope *scope = nullptr;
  /// The node whose instances are run: `op`, or the only descendant of a chain
  /// of internal nodes with one child each.
  dfg::NodeOp body;
  const Scope *bodyScope = nullptr;
  /// Levels from the first one below the root to `body`.
  std::vector<Level> levels;
  unsigned numIndexLevels = 0;
  unsigned numUnitLevels = 0;
  /// As SluicePlanNode::orderedDims.
  unsigned orderedDims = 0;
  dfg::Target target = dfg::Target::None;
  std::vector<FlatOperand> operands;
  std::vector<FlatOutput> outputs;
  std::vector<Predecessor> predecessors;
  std::vector<NodeMemoryUse> uses;
  /// See SluicePlanNode.
  uint32_t tiling = 0, tileAhead = 0, tileBehind = 0;
  llvm::Function *touch = nullptr;
  std::vector<uint32_t> touched;
  /// Only in programs for several processes.
  std::optional<FlatShare> share;

  /// The leaf's kernel, or null if the body is a graph.
  dfg::KernelOp getKernel() const;
};

struct FlatArgument {
  std::string name;
  llvm::Type *type = nullptr;
  uint64_t size = 0;
  uint64_t packedOffset = 0;
  uint64_t frameOffset = 0;
  dfg::Access access = dfg::Access::None;
  bool isPointer = false;
  bool isStream = false;
  bool isTemporary = false;
  /// Argument with the size in bytes, or SLUICE_NO_INDEX.
  unsigned sizeArgument = SLUICE_NO_INDEX;
};

struct FlatResult {
  std::string name;
  llvm::Type *type = nullptr;
  uint64_t size = 0;
  uint64_t packedOffset = 0;
  Source source;
  bool isStream = false;
};

/// A root graph as its plan will have it. Holds references to the MLIR module
/// it was made from.
struct PlanModel {
  dfg::GraphOp root;
  /// Name of the root as people know it; the first part of nodes' names.
  std::string name;
  std::vector<FlatArgument> arguments;
  std::vector<FlatResult> results;
  std::vector<FlatNode> nodes;
  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<SluicePlanPair> disjointPairs;
  /// The entries of SluicePlan::tables; `steps` and `loads` point to
  /// memory of others.
  std::vector<SluicePlanTable> tables;
  /// Names of datasets and mutable globals that nodes use.
  std::vector<std::string> memories;
  uint64_t frameSize = 0;
  uint64_t packedSize = 0;
  bool isStreaming = false;
};

/// Pairs of arguments of a root, the smaller number first.
using ArgumentPairs = std::vector<std::pair<unsigned, unsigned>>;

/// Flattens the root graph `root`.
///
/// 1. Internal nodes with one instance are replaced by their children. All
///    children wait for every input of the internal node, and whoever waits
///    for the internal node waits for all of them.
/// 2. A replicated internal node with a single child is merged with it: the
///    levels of both span one index space.
/// 3. Any other replicated internal node stays one scheduled node.
/// 4. One-to-one edges that are marked as pipelined order instances; all other
///    edges order nodes.
///
/// `leaves` holds the leaf code (to see which leaves have barriers) and the
/// data layout. `disjoint` are the pointer arguments that the race check took
/// as disjoint; null: any of which one is written. Emits diagnostics and fails
/// if a leaf has no code.
mlir::FailureOr<PlanModel> flatten(dfg::GraphOp root,
                                   const llvm::Module &leaves,
                                   const ArgumentPairs *disjoint = nullptr);

/// True if a node takes input `index` of `graph` once per item of a stream.
bool isStreamInput(dfg::GraphOp graph, unsigned index);

/// True if a replicated sibling takes the output `value` one-to-one.
bool hasOneToOneUse(mlir::Value value);

/// Readable text of a plan, as `--print=plan` shows it.
void printPlan(const PlanModel &model, llvm::raw_ostream &os,
               const std::vector<DeviceNode> *devices = nullptr);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_PLANMODEL_H

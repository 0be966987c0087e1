//===- Races.h - Nodes and instances that may meet in memory ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of the race check of graphs, independent of how it decides.
// docs/races.md says what is proven, what is refuted, and what stays unknown.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_RACES_H
#define SLUICE_ANALYSIS_RACES_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice-c/Plan.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice {

/// An attribute of leaves: this many consecutive instances, from each multiple
/// of the number, run in order. Negative: only the first ones do. 0: the number
/// is unknown. The check looks for races between instances without an order.
inline constexpr llvm::StringLiteral chunkAttribute = "sluice.chunk";

/// The result for two accesses. Accesses that are proven to be no race are not
/// reported.
enum class RaceVerdict { Racy, Unknown };

/// Why two accesses may run at the same time.
enum class RaceKind {
  /// No path of edges joins two nodes.
  NoEdge,
  /// A one-to-one edge joins two nodes, but different instances meet.
  OneToOneEdge,
  /// Instances of one node meet in one access.
  Instances,
  /// Instances of one node meet in two accesses that no barrier orders.
  NoBarrier,
  /// Instances of the replicated node around one or two nodes meet.
  Parents,
  /// The memory of a node is not known.
  UnknownMemory,
};

/// One of the two accesses.
struct RaceAccess {
  /// The node, and its path from the root.
  std::string node, path;
  bool isWrite = false;
  bool isAtomic = false;
  /// In the code of the leaf; unknown without debug information.
  llvm::DebugLoc place;
  /// Where the node is created.
  mlir::Location nodePlace;
};

/// A condition on tables of the host that launches test, in the terms of
/// SluicePlanTable.
struct TableCondition {
  unsigned rule = SLUICE_TABLE_DIFFERENT;
  unsigned argument = 0, entryBytes = 0;
  unsigned numVariables = 0, numSums = 0;
  std::vector<SluicePlanStep> steps = {};
  std::vector<SluicePlanLoad> loads = {};
  unsigned numIds = 0, numEnds = 0, numNonZeros = 0;

  /// The arguments that the test reads, and their names.
  std::set<unsigned> tables() const;
  std::set<std::string> names = {};
  friend bool operator==(const TableCondition &a, const TableCondition &b);
};

struct RaceFinding {
  RaceVerdict verdict = RaceVerdict::Unknown;
  RaceKind kind = RaceKind::NoEdge;
  /// The one that writes comes first. Both may be the same place.
  RaceAccess first, second;
  /// "argument 'image' of 'root'".
  std::string memory = {};
  /// NoEdge, OneToOneEdge: the siblings between which an edge would order the
  /// accesses. Parents: `source` is the replicated node.
  std::string source = {}, sink = {};
  /// Racy: two instances that meet. Unknown: why nothing is known.
  std::string reason = {};
  /// Racy, if the leaf only updates the memory by one operator: the call that
  /// would declare this, "sluice_reduce(sum, sumBytes, SLUICE_SUM)".
  std::string declaration = {};
  /// Unknown: conditions that launches can test. If all hold, the accesses
  /// never meet.
  std::vector<TableCondition> tables = {};
  /// Racy: with other arguments of the graph, the two instances may not meet.
  bool dependsOnArguments = false;
};

/// Accesses that no edge orders and that are no race for a reason that leaves
/// their order open.
struct OpenOrder {
  enum class Kind {
    /// Both hold the same lock.
    Lock,
    /// A static that one of them initialises while the others wait.
    Static,
    /// The program says that their order does not matter.
    Vouched,
    /// The program says that they never use the same memory.
    Apart,
  };
  Kind kind = Kind::Lock;
  /// As for RaceFinding.
  RaceAccess first, second;
  std::string memory = {};
  /// The lock; what the program gives as its reason.
  std::string reason = {};
};

/// Stages of a stream that items pass one after another, because the stages use
/// memory that all items share, and one of them writes it.
struct SerialStages {
  std::string memory;
  std::vector<std::string> writers, readers;
  mlir::Location place;
};

struct RaceReport {
  std::vector<RaceFinding> findings;
  std::vector<SerialStages> serialStages;
  /// For every kind, pair of nodes and memory the first one.
  std::vector<OpenOrder> openOrders;
  /// For every root, by its symbol: the pairs of pointer arguments that were
  /// taken as disjoint.
  std::map<std::string, std::vector<std::pair<unsigned, unsigned>>>
      disjointArguments;
  /// The same of an argument and a global variable, in words.
  std::map<std::string, std::vector<std::pair<unsigned, std::string>>>
      disjointGlobals;
  /// For every root: memory whose pointers were assumed to point to different
  /// memory.
  struct FollowedPointers {
    /// The argument that points to it; none: it is a global variable.
    std::optional<unsigned> argument = {};
    /// "argument 'rows' of 'root'".
    std::string memory = {};
    /// 1: only the pointers in this memory; 2: also those in the memory that
    /// they point to; and so on.
    unsigned depth = 1;
  };
  std::map<std::string, std::vector<FollowedPointers>> followedPointers;
  /// For every root: conditions on tables that were assumed, and that launches
  /// must test.
  std::map<std::string, std::vector<TableCondition>> tables;
  /// Some proofs hold only for grids whose open extents are below this power of
  /// two, so that arithmetic in 32 bits does not wrap around.
  /// dfg::usualExponent gives the limit of each extent, which may be larger. 0:
  /// all proofs hold for any extents.
  int64_t extentLimit = 0;
  /// The same for the number of iterations of loops.
  int64_t turnLimit = 0;

  bool isRacy() const;
};

/// Checks all root graphs of `graphs`, whose leaves `code` contains. Changes
/// only dfg::usualExponent of nodes. `code` must be in SSA form to the extent
/// that importProgram makes it so. `testsTables`: launches test the conditions
/// on tables in the report; otherwise there are none. For leaves without code,
/// the declared accesses are taken as true. `regions`, if given, receives the
/// system that was checked, in the text of the rdir dialect.
RaceReport checkRaces(mlir::ModuleOp graphs, const llvm::Module &code,
                      std::string *regions = nullptr, bool testsTables = false);

} // namespace sluice

#endif // SLUICE_ANALYSIS_RACES_H

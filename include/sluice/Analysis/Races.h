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

/// An attribute of leaves: so many instances in a row are in order, which begin
/// at multiples of that; if it is negative, only the first ones; 0: it is not
/// known how many. Those that are not in order are looked for.
inline constexpr llvm::StringLiteral chunkAttribute = "sluice.chunk";

/// The result for two accesses. Accesses that are proven to be no race are not
/// reported.
enum class RaceVerdict { Racy, Unknown };

/// What lets two accesses run at the same time.
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
  /// What a node touches is not known.
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

/// What a launch tests of tables of the host, in the terms of SluicePlanTable.
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
  /// Racy, where all that the leaf does with the memory is to update it by one
  /// operator: the call that declares it, "sluice_reduce(sum, sumBytes,
  /// SLUICE_SUM)".
  std::string declaration = {};
  /// Unknown: what launches can test; if it is so, the accesses never meet.
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
  /// For every root: the memory whose pointers were taken to lead to different
  /// memory.
  struct FollowedPointers {
    /// The argument that points to it; none: it is a global variable.
    std::optional<unsigned> argument = {};
    /// "argument 'rows' of 'root'".
    std::string memory = {};
    /// 1: only the pointers that are there; 2: those in memory that they lead
    /// to as well; and so on.
    unsigned depth = 1;
  };
  std::map<std::string, std::vector<FollowedPointers>> followedPointers;
  /// For every root: what was taken for granted of tables, which launches must
  /// test.
  std::map<std::string, std::vector<TableCondition>> tables;
  /// Something is proven only for grids whose open extents are below this power
  /// of two, with which arithmetic in 32 bits does not wrap around: those that
  /// dfg::usualExponent of the nodes says, where some may be larger. 0: all is
  /// proven for any.
  int64_t extentLimit = 0;
  /// The same of loops: they turn less often than that.
  int64_t turnLimit = 0;

  bool isRacy() const;
};

/// Checks all root graphs of `graphs`, whose leaves `code` holds. Changes
/// neither but for what nodes say of dfg::usualExponent; `code` must be in SSA
/// form to the extent that importProgram makes it so. `testsTables`: launches
/// test what the report says of tables; otherwise it says nothing. For leaves
/// without code, the declared accesses are taken as true. `regions`, if given,
/// receives what was checked, in the text of the rdir dialect.
RaceReport checkRaces(mlir::ModuleOp graphs, const llvm::Module &code,
                      std::string *regions = nullptr, bool testsTables = false);

} // namespace sluice

#endif // SLUICE_ANALYSIS_RACES_H

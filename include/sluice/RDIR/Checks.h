//===- Checks.h - Well-formed, race-free, serializable ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of the RDIR specification as analyses of graphs. Each analysis
// finds all problems of its kind; docs/rdir-rules.md has a section for every
// rule.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_CHECKS_H
#define SLUICE_RDIR_CHECKS_H

#include "sluice/RDIR/Order.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice::rdir {

/// The rules of the specification and Sluice's additions. The first letter is
/// the check: W well-formedness, D data races, T Task, O Open, C Close, L
/// launches, N nested graphs, S serializability, P declarations.
enum class Rule : uint8_t {
  W1, ///< the graph is acyclic
  W2, ///< Read, Discard and Continues go from data to compute nodes
  W3, ///< Write and Reduce go from compute to data nodes
  W4, ///< HappensBefore joins compute nodes
  D1, ///< one Write, or Reduces with one operator, into a data node
  D2, ///< of two data nodes that may alias, one is reachable from the other
  D3, ///< if it is read and has no writer, a data node is initial (a remark)
  D4, ///< a Close or a Reduce continues from the latest version
  T1, ///< a Write has a Read or Discard of the same region and fields
  T2, ///< the regions that a Task Reads or changes do not alias
  T3, ///< a Reduce has a Continues of the same region and fields, or no
      ///< predecessor
  O1, ///< an Open Reads exactly one data node
  O2, ///< an Open Writes strict subregions of it, at least one
  O3, ///< an Open has no Discard, Reduce or Continues
  C1, ///< a Close Writes exactly one data node
  C2, ///< a Close Reads subregions of it, or the region itself, none twice
  C3, ///< the regions that a Close reads cover the region that it writes
  C4, ///< a Close has no Discard, Reduce or Continues
  L1, ///< the points of a launch do not interfere
  L2, ///< the projections of a launch stay within the partition's colors
  N1, ///< a nested graph accesses only regions that its node names
  N2, ///< the members of a must-epoch do not depend on each other
  N3, ///< a nested graph overwrites the regions that its node discards
  S1, ///< the graph with the added HappensBefore edges is acyclic
  P1, ///< partitions and constraints match their declarations
  P2, ///< coherence keeps tasks in the required order
};

/// "W1".
const char *ruleName(Rule rule);

/// The end of messages about two regions that may alias; empty if one contains
/// the other.
std::string disjointHint(const RegionForest &forest, RegionIndex a,
                         RegionIndex b);

enum class ProblemSeverity : uint8_t { Error, Remark };

/// A place involved in a problem, and its role: "'%t2' reads 'B' here".
struct ProblemNote {
  NodeIndex node = noNode;
  std::string text;
};

/// An edge of a cycle, or a missing edge.
struct ProblemEdge {
  NodeIndex from = noNode, to = noNode;
  /// The edge is in the graph, not added or missing.
  bool isPresent = true;
  EdgeKind kind = EdgeKind::HappensBefore;
  /// For an edge that the serializability rule added: `from` reads `read`, and
  /// `to` writes `written`, a later version of it.
  NodeIndex read = noNode, written = noNode;
};

struct Problem {
  Rule rule = Rule::W1;
  ProblemSeverity severity = ProblemSeverity::Error;
  /// The place of the message.
  NodeIndex node = noNode;
  std::string message;
  std::vector<ProblemNote> notes;
  /// W1, S1: the cycle in order. D2: the missing edge.
  std::vector<ProblemEdge> edges;
};

/// Returns the name of a node in messages, "'%t2'"; provided by the graph's
/// creator.
using NodeNamer = std::function<std::string(NodeIndex)>;

struct CheckOptions {
  NodeNamer name;
  /// Problems of one rule beyond this number are counted, not described.
  unsigned maxProblemsPerRule = 100;
};

struct CheckResult {
  std::vector<Problem> problems;
  /// By rule, the number of problems that `problems` does not describe.
  std::vector<std::pair<Rule, uint64_t>> omitted;
  /// The edges that serializability requires; empty if it was not checked.
  SerializationEdges added;
  bool hasErrors() const;
};

/// W rules.
void checkWellFormed(const Graph &graph, const CheckOptions &options,
                     CheckResult &result);
/// T, O and C rules.
void checkKinds(const Graph &graph, const CheckOptions &options,
                CheckResult &result);
/// L rules.
void checkLaunches(const Graph &graph, const CheckOptions &options,
                   CheckResult &result);
/// A check that a launch leaves to run time. Edges are numbers of the graph.
struct LaunchCheck {
  /// No two points may have the same color in these two arguments, which may be
  /// the same argument; or each point's color in `first` must exist.
  uint32_t first, second;
  bool isRange;
};
/// The checks that generated code must make for a launch that passes, because
/// functions select its colors or extents are not known at compile time.
std::vector<LaunchCheck> launchChecks(const Graph &graph, NodeIndex task);
/// D rules; the graph must satisfy the W rules.
void checkRaces(const Graph &graph, const CheckOptions &options,
                CheckResult &result);
/// S rules; the graph must satisfy the W and D rules.
void checkSerializable(const Graph &graph, const CheckOptions &options,
                       CheckResult &result);
/// Runs all checks in this order; skips checks whose requirements failed. The N
/// rules are checked where nested graphs are known (in the dialect).
CheckResult checkGraph(const Graph &graph, const CheckOptions &options = {});

} // namespace sluice::rdir

#endif // SLUICE_RDIR_CHECKS_H

//===- Checks.h - Well-formed, race-free, serializable ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of the RDIR specification as analyses of graphs. Each finds
// all problems of its kind; docs/rdir-rules.md has a section for every rule.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_CHECKS_H
#define SLUICE_RDIR_CHECKS_H

#include "sluice/RDIR/Order.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice::rdir {

/// The sentences of the specification, and of the decisions beyond it. The
/// first letter is the check: W well-formedness, D data races, T Task, O Open,
/// C Close, L launches, N nested graphs, S serializability, P what is declared.
enum class Rule : uint8_t {
  W1, ///< the graph is acyclic
  W2, ///< Read, Discard and Continues go from data to compute nodes
  W3, ///< Write and Reduce go from compute to data nodes
  W4, ///< HappensBefore joins compute nodes
  D1, ///< one Write, or Reduces with one operator, into a data node
  D2, ///< of two data nodes that may alias, one is reachable from the other
  D3, ///< a data node that is read, without a writer, is initial (a remark)
  D4, ///< what a Close or a Reduce carries on is the latest version
  T1, ///< a Write has a Read or Discard of the same region and fields
  T2, ///< what a Task Reads or changes does not alias
  T3, ///< a Reduce has a Continues of the same region and fields, or nothing
      ///< precedes it
  O1, ///< an Open Reads exactly one data node
  O2, ///< an Open Writes strict subregions of it, at least one
  O3, ///< an Open has no Discard, Reduce or Continues
  C1, ///< a Close Writes exactly one data node
  C2, ///< a Close Reads subregions of it, or the region itself, none twice
  C3, ///< what a Close reads covers what it writes
  C4, ///< a Close has no Discard, Reduce or Continues
  L1, ///< the points of a launch do not interfere
  L2, ///< the projections of a launch stay within the partition's colors
  N1, ///< a nested graph touches only what its node names
  N2, ///< the members of a must-epoch do not depend on each other
  N3, ///< a nested graph overwrites what its node discards
  S1, ///< the graph with the added HappensBefore edges is acyclic
  P1, ///< partitions and constraints are what they are declared to be
  P2, ///< coherence keeps tasks in the order that the graph needs
};

/// "W1".
const char *ruleName(Rule rule);

enum class Severity : uint8_t { Error, Remark };

/// A place involved, and why: "'%t2' reads 'B' here".
struct ProblemNote {
  NodeIndex node = noNode;
  std::string text;
};

/// An edge of a cycle, or one that is missing.
struct ProblemEdge {
  NodeIndex from = noNode, to = noNode;
  /// Edges that are in the graph, not added or missing ones.
  bool isPresent = true;
  EdgeKind kind = EdgeKind::HappensBefore;
  /// Added by the serializability rule: `from` reads `read`, and `to` writes
  /// `written`, a later version of it.
  NodeIndex read = noNode, written = noNode;
};

struct Problem {
  Rule rule = Rule::W1;
  Severity severity = Severity::Error;
  /// The place of the message.
  NodeIndex node = noNode;
  std::string message;
  std::vector<ProblemNote> notes;
  /// W1, S1: the cycle in order. D2: the missing edge.
  std::vector<ProblemEdge> edges;
};

/// How messages name a node, "'%t2'"; given by the graph's maker.
using NodeNamer = std::function<std::string(NodeIndex)>;

struct CheckOptions {
  NodeNamer name;
  /// Problems of one rule beyond this number are counted, not described.
  unsigned maxProblemsPerRule = 100;
};

struct CheckResult {
  std::vector<Problem> problems;
  /// How many more there are, by rule, than `problems` describes.
  std::vector<std::pair<Rule, uint64_t>> omitted;
  /// The edges that serializability asks for, empty where it was not checked.
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
/// What a launch leaves to be checked when it runs. Edges are numbers of the
/// graph.
struct LaunchCheck {
  /// No two points may have the same color in these two arguments, which may
  /// be one and the same; or each point's color in `first` must exist.
  uint32_t first, second;
  bool isRange;
};
/// The checks that generated code must make for a launch that passes: colors
/// are chosen by functions, or extents are not known at compile time.
std::vector<LaunchCheck> launchChecks(const Graph &graph, NodeIndex task);
/// D rules; the graph must satisfy the W rules.
void checkRaces(const Graph &graph, const CheckOptions &options,
                CheckResult &result);
/// S rules; the graph must satisfy the W and D rules.
void checkSerializable(const Graph &graph, const CheckOptions &options,
                       CheckResult &result);
/// All of them, in this order; what a failed check is needed for is left out.
/// The N rules are checked where nested graphs are known (the dialect).
CheckResult checkGraph(const Graph &graph, const CheckOptions &options = {});

} // namespace sluice::rdir

#endif // SLUICE_RDIR_CHECKS_H

//===- Regions.h - Tasks over regions under a given order -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface by which front ends ask RDIR which tasks may run at the same
// time. A front end passes the memory that its tasks share, what each task does
// to which part of it, and the order given by its edges. It gets the pairs of
// uses that need an order and have none. Whether two parts are disjoint may be
// known to the front end only: RDIR asks it, but only about pairs without an
// order. docs/races.md shows an HPVM graph in this form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REGIONS_H
#define SLUICE_ANALYSIS_REGIONS_H

#include "sluice/RDIR/Program.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::regions {

/// Memory that tasks share: a root of the region forest. Two objects are
/// distinct memory.
struct Object {
  std::string name;
  /// Whatever a pointer of unknown origin points to: may be part of any object.
  bool isAnywhere = false;
};

/// Bytes of an object from `begin` up to `end`.
struct Span {
  int64_t begin = 0, end = 0;
};

/// The part of an object that a task uses in one way, all its instances
/// together.
struct Range {
  uint32_t object = 0;
  std::string name;
  /// Holds every byte of the range, if known. Ranges whose spans are apart
  /// never meet; no other proof is asked for.
  std::optional<Span> span;
};

/// A range, and what the task does there.
struct Use {
  uint32_t range = 0;
  rdir::Privilege privilege = rdir::Privilege::Read;
  /// Reduce only: uses with one operator commute.
  rdir::ReductionIndex reduction = rdir::noReduction;
};

/// A node of a graph. `extents` are its numbers of instances in each dimension,
/// 0 where not known; empty for one instance. All instances may run at the
/// same time.
struct Task {
  std::string name;
  std::vector<int64_t> extents = {};
  std::vector<Use> uses = {};
};

/// `before` ends before `after` starts; if `isPointwise`, only instances with
/// equal indices are ordered, and both have equal extents.
struct OrderEdge {
  uint32_t before = 0, after = 0;
  bool isPointwise = false;
};

/// Tasks and the order among them; edges lead to tasks with larger indices. The
/// body of a task with a graph of its own
/// is a TaskGraph, too: one instance of it, and its uses are what the task
/// names.
struct TaskGraph {
  std::string name;
  std::vector<Task> tasks = {};
  std::vector<OrderEdge> order = {};
};

/// All graphs of a program, and the memory they share.
struct TaskSystem {
  std::vector<Object> objects;
  std::vector<Range> ranges;
  std::vector<TaskGraph> graphs;
};

/// Two uses that conflict and may run at the same time: uses of two tasks of a
/// graph, or of two instances of one task (rule L1 of RDIR).
struct Meeting {
  uint32_t graph = 0;
  uint32_t first = 0, second = 0;
  uint32_t firstUse = 0, secondUse = 0;
  /// Only instances with different indices meet: those of one task, or of two
  /// that pointwise edges join.
  bool isPointwise = false;

  friend auto operator<=>(const Meeting &, const Meeting &) = default;
};

/// What a front end knows about two uses that nothing orders.
enum class Answer {
  /// They never touch one element, or never conflict there.
  Disjoint,
  /// They do, for some input of the program.
  Meet,
  Unknown
};

/// Asked once for every pair of uses that nothing orders and that may alias.
using Proof = std::function<Answer(const Meeting &)>;

/// What a check asked for, by answer. The program has no races if nothing met
/// and nothing was unknown.
struct RegionCheck {
  std::vector<Meeting> disjoint, met, unknown;
};

/// Checks all graphs:
///   1. instances of a task against each other (rule L1): `proof` decides;
///   2. tasks of a graph against each other: objects and spans become a region
///      forest and the tasks a rdir::Program; findUnorderedPairs says which of
///      them conflict without an order, and `proof` decides about those.
/// A task that pointwise edges join to others stands for two instances, which
/// are ordered after equal ones and free beside different ones. Where all that
/// was asked for meets, only the pairs are asked for whose order implies that
/// of the others: if two tasks write after a third one, without an order, and
/// one before the other, it is the first that needs an edge.
RegionCheck checkTasks(const TaskSystem &system, const Proof &proof);

/// What an object is to two runs of one graph that overlap: items of a stream,
/// or launches.
enum class RunMemory {
  /// Each run has its own.
  Own,
  /// The same in both; where uses conflict, the runtime orders the second run's
  /// task after the first run's.
  Ordered,
  /// The same in both, and the runtime does not know it.
  Free
};

/// What is between two runs of a graph.
struct RepeatCheck {
  /// Objects that make tasks of the second run wait for the first.
  std::vector<uint32_t> orderedObjects;
  /// Uses that nothing orders; `first` is a task of the first run.
  std::vector<Meeting> meetings;
};
RepeatCheck checkRepeated(const TaskSystem &system, uint32_t graph,
                          const std::function<RunMemory(uint32_t)> &memoryOf);

/// The system as an rdir module, with what a check of it found: a partition for
/// each range, which is disjoint if its instances were proven to be; the other
/// proofs as constraints; and the versions that tasks read and write. `sluice
/// check` accepts it if nothing met and nothing was unknown; otherwise what
/// lacks an order uses a version that is beside those of the others, which
/// breaks rule D2, or a launch interferes with itself (L1). `operators` are the
/// names of reductions.
std::string printRegions(const TaskSystem &system, const RegionCheck &check,
                         const std::vector<std::string> &operators);

/// True if two uses of one element need an order.
bool conflict(const Use &first, const Use &second);

/// Calls `visit(first, second, isPointwise)` for all pairs of tasks of which
/// `second` does not wait for all instances of `first`; `isPointwise` if it
/// waits for equal ones. Only tasks that `isAsked` has set count. Stops where
/// `visit` returns false. Edges must lead to tasks with larger indices.
void forEachUnordered(
    const TaskGraph &graph, const std::vector<bool> &isAsked,
    const std::function<bool(uint32_t, uint32_t, bool)> &visit);

} // namespace sluice::regions

#endif // SLUICE_ANALYSIS_REGIONS_H

//===- RegionTasks.h - Tasks over regions under a given order ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface through which front ends ask RDIR which tasks may run at the
// same time. A front end passes the memory that its tasks share, what each task
// does to which part of it, and the order given by its edges. It gets the pairs
// of uses that need an order and have none. Sometimes only the front end knows
// whether two parts are disjoint: RDIR asks it, but only about unordered pairs.
// docs/races.md shows an HPVM graph in this form.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REGIONTASKS_H
#define SLUICE_ANALYSIS_REGIONTASKS_H

#include "sluice/RDIR/SequentialProgram.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::regions {

/// Memory that tasks share: a root of the region forest. Two objects are
/// distinct memory.
struct Object {
  std::string name;
  /// The target of pointers of unknown origin: it may be part of any object.
  bool isAnywhere = false;
};

/// Bytes of an object from `begin` up to `end`.
struct Span {
  int64_t begin = 0, end = 0;
};

/// The part of an object that a task, with all its instances, uses in one way.
struct ObjectRange {
  uint32_t object = 0;
  std::string name;
  /// Contains every byte of the range, if known. Ranges with disjoint spans
  /// never share memory; they need no other proof.
  std::optional<Span> span;
};

/// A range, and how the task uses it.
struct Use {
  uint32_t range = 0;
  rdir::Privilege privilege = rdir::Privilege::Read;
  /// Reduce only: uses with one operator commute.
  rdir::ReductionIndex reduction = rdir::noReduction;
};

/// A node of a graph. `extents` are its numbers of instances in each dimension,
/// 0 if not known; empty for one instance. All instances may run at the same
/// time.
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

/// Tasks and their order; edges lead to tasks with larger indices. If a task
/// has a graph of its own, the body is a TaskGraph, too: it describes one
/// instance of the task, and its uses are those that the task declares.
struct TaskGraph {
  std::string name;
  std::vector<Task> tasks = {};
  std::vector<OrderEdge> order = {};
};

/// All graphs of a program, and the memory they share.
struct TaskSystem {
  std::vector<Object> objects;
  std::vector<ObjectRange> ranges;
  std::vector<TaskGraph> graphs;
};

/// Two uses that conflict and may run at the same time: uses of two tasks of a
/// graph, or of two instances of one task (rule L1 of RDIR).
struct Meeting {
  uint32_t graph = 0;
  uint32_t first = 0, second = 0;
  uint32_t firstUse = 0, secondUse = 0;
  /// Only instances with different indices share memory: instances of one task,
  /// or of two tasks that pointwise edges join.
  bool isPointwise = false;

  friend auto operator<=>(const Meeting &, const Meeting &) = default;
};

/// The front end's knowledge about two unordered uses.
enum class Answer {
  /// They never access the same element, or never conflict there.
  Disjoint,
  /// They conflict for some input of the program.
  Meet,
  Unknown
};

/// Called once for every unordered pair of uses that may alias.
using Proof = std::function<Answer(const Meeting &)>;

/// The questions of a check, by answer. The program has no races if no uses
/// meet and no answer is unknown.
struct RegionCheck {
  std::vector<Meeting> disjoint, met, unknown;
};

/// Checks all graphs:
///   1. instances of a task against each other (rule L1): `proof` decides;
///   2. tasks of a graph against each other: objects and spans become a region
///      forest and the tasks a rdir::SequentialProgram; findUnorderedPairs
///      finds the pairs that conflict without an order, and `proof` decides
///      about them.
/// A task with pointwise edges is modelled as two instances: one ordered after
/// instances with equal indices, one unordered with the others. If all pairs of
/// a question meet, the check asks only about the pairs whose order implies
/// that of the others: if two tasks write after a third one, without an order,
/// and one before the other, it is the first that needs an edge.
RegionCheck checkTasks(const TaskSystem &system, const Proof &proof);

/// The role of an object in two overlapping runs of a graph: items of a stream,
/// or launches.
enum class RunMemory {
  /// Each run has its own.
  Own,
  /// Both runs share it; the runtime orders conflicting tasks of the second run
  /// after those of the first run.
  Ordered,
  /// Both runs share it, and the runtime does not know it.
  Free
};

/// Relations between two runs of a graph.
struct RepeatCheck {
  /// Objects that make tasks of the second run wait for the first.
  std::vector<uint32_t> orderedObjects;
  /// Unordered uses; `first` is a task of the first run.
  std::vector<Meeting> meetings;
};
RepeatCheck checkRepeated(const TaskSystem &system, uint32_t graph,
                          const std::function<RunMemory(uint32_t)> &memoryOf);

/// The system as an rdir module, with the results of its check: a partition for
/// each range, which is disjoint if its instances were proven to be; the other
/// proofs as constraints; and the versions that tasks read and write. `sluice
/// check` accepts the module if no uses meet and no answer was unknown.
/// Otherwise a use without an order reads a version beside those of the others,
/// which breaks rule D2, or a launch interferes with itself (L1). `operators`
/// are the names of reductions.
std::string printRegions(const TaskSystem &system, const RegionCheck &check,
                         const std::vector<std::string> &operators);

/// True if two uses of the same element need an order.
bool conflict(const Use &first, const Use &second);

/// Calls `visit(first, second, isPointwise)` for all pairs of tasks in which
/// `second` does not wait for all instances of `first`; `isPointwise` if it
/// waits for instances with equal indices. Considers only tasks in `isAsked`.
/// Stops when `visit` returns false. Edges must lead to tasks with larger
/// indices.
void forEachUnordered(
    const TaskGraph &graph, const std::vector<bool> &isAsked,
    const std::function<bool(uint32_t, uint32_t, bool)> &visit);

} // namespace sluice::regions

#endif // SLUICE_ANALYSIS_REGIONTASKS_H

//===- SequentialProgram.h - From tasks in program order to a graph -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is a list of tasks with region arguments and privileges, as a
// programmer would write it. Its graph contains the versions of the regions,
// and the Opens and Closes that lead from one part of a region tree to another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_SEQUENTIALPROGRAM_H
#define SLUICE_RDIR_SEQUENTIALPROGRAM_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

enum class Privilege : uint8_t { Read, ReadWrite, WriteDiscard, Reduce };

struct ProgramArgument {
  RegionIndex region = noRegion;
  Privilege privilege = Privilege::Read;
  FieldMask fields = allFields;
  ReductionIndex reduction = noReduction;
  /// For launched tasks, where `region` is a partition.
  uint32_t projection = UINT32_MAX;
};

struct ProgramTask {
  NodeKind kind = NodeKind::Task;
  std::vector<ProgramArgument> arguments;
  /// Index into SequentialProgram::domains, or UINT32_MAX.
  uint32_t domain = UINT32_MAX;
};

/// Tasks in program order.
struct SequentialProgram {
  const RegionForest *forest = nullptr;
  std::vector<ProgramTask> tasks;
  std::vector<LaunchDomain> domains;
  std::vector<Projection> projections;
};

/// The graph of a program. It is well-formed, race-free and serializable for
/// every program in which no task's own arguments conflict, and every
/// topological order of the graph has the meaning of the program. `nodes`, if
/// given, receives the compute node of each task. Opens and Closes between the
/// versions are added per field, so arguments with several fields may be split
/// into several data nodes with the argument's number as their port. Time and
/// memory grow near-linearly with the number of arguments.
///
/// If constraints join trees, the root of one tree must contain the others:
/// there is no Open or Close between regions if neither contains the other, so
/// rule D2 refuses the graph of a program that accesses both. A launch may
/// write one partition through several arguments, or reduce into it with one
/// operator, but not both (rule D1).
Graph buildGraph(const SequentialProgram &program,
                 std::vector<NodeIndex> *nodes = nullptr);

/// Two tasks that need an order and have none.
struct UnorderedPair {
  /// Indices into SequentialProgram::tasks; `first` comes earlier in program
  /// order.
  uint32_t first, second;
  /// The arguments that meet.
  uint32_t firstArgument, secondArgument;
};

/// Finds pairs of tasks that conflict without being ordered by the given
/// partial order, which consists of pairs of task indices. Tasks conflict if
/// they access regions that may alias, unless both only read or both reduce
/// with the same operator. Graphs that come with their own order (HPVM, task
/// graphs) are checked in this way: the missing edges are edges of the
/// program's graph that the order lacks.
std::vector<UnorderedPair>
findUnorderedPairs(const SequentialProgram &program,
                   std::span<const std::pair<uint32_t, uint32_t>> order);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_SEQUENTIALPROGRAM_H

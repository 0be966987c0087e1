//===- TracedNodes.h - Times of the nodes of a drawing ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the nodes of a drawing with the names in a trace. The drawing code
// requests the times of each of its nodes, and at the end the names that no
// node requested.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TRACEDNODES_H
#define SLUICE_DRIVER_TRACEDNODES_H

#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>
#include <optional>

namespace sluice::driver {

/// The times of a node, or of all nodes in a frame. Times are in nanoseconds,
/// and are sums over all workers, devices and ranks.
struct NodeTime {
  double total = 0, onPath = 0;
  /// The share of the time of all nodes in the trace: 0 to 1.
  double share = 0;
  /// The launches in which it ran; for a task, the number of calls.
  uint64_t numCalls = 0;
  uint64_t numParts = 0; ///< chunks, tasks and kernels
  int64_t longest = 0;   ///< the longest of them
  /// Other nodes run together with it and have the same time.
  bool isShared = false;
  /// Indices into the timeline's names.
  std::vector<uint32_t> names;
  /// The total of each rank, if there are several.
  std::vector<double> ofRanks;
};

/// The information that a drawing needs from a trace. The timeline and the
/// report must outlive it.
class TracedNodes {
public:
  TracedNodes(const Timeline &timeline, const TraceReport &report);

  /// The times of the node at "root/inner/leaf", including the nodes below it
  /// and those fused with it; nothing if it did not run.
  std::optional<NodeTime> take(llvm::StringRef path);
  /// The times of the task with this name; tasks have no path.
  std::optional<NodeTime> takeTask(llvm::StringRef name);
  /// The sum of several names; nothing if there are none.
  std::optional<NodeTime> sum(std::vector<uint32_t> names) const;

  /// The number of nodes in the trace.
  size_t numNodes() const { return uses.size(); }
  /// The names of nodes in the trace that no drawn node has requested, the most
  /// expensive first.
  std::vector<std::string> unknown() const;

  const Timeline &timeline;
  const TraceReport &report;

private:
  struct Use {
    const TraceReport::NodeUse *use;
    bool isTask = false, isTaken = false;
    std::vector<double> ofRanks;
  };
  void addFused(uint32_t name);
  std::optional<NodeTime> takeAll(std::vector<uint32_t> names);

  /// By index of the name.
  std::map<uint32_t, Use> uses;
  /// Indices of names, sorted by their texts.
  std::vector<uint32_t> sorted;
  /// For a part of a fused node, the node in which it runs.
  llvm::StringMap<std::vector<uint32_t>> fused;
  double whole = 0;
  uint32_t numRanks = 1;
};

/// The paths of the nodes that the fused node `name` consists of; none if it is
/// not fused. "root/inner/a+b" consists of "root/inner/a" and "root/inner/b".
/// "root/f/a+g/b" joins nodes of two internal nodes, where "g" may stand at any
/// level: the paths include those that do not exist.
std::vector<std::string> pathsOfFused(llvm::StringRef name);

/// The content of a trace file and its analysis.
struct TraceFile {
  Timeline timeline;
  TraceReport report;
};
/// Reads the trace `path`, or standard input for "-"; errors name it.
llvm::Expected<std::unique_ptr<TraceFile>> readTraceFile(llvm::StringRef path);

/// The colour of a node: the larger its share of the total time, the darker;
/// grey if it did not run.
std::string colourOf(const std::optional<NodeTime> &time);
/// "12.3 ms, 34.5 %", and "fused" for fused nodes; empty if it did not run.
std::string spellNodeTime(const std::optional<NodeTime> &time);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TRACEDNODES_H

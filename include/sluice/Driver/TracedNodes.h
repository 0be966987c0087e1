//===- TracedNodes.h - Times of the nodes of a drawing ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A drawing has nodes, a trace has names; here they meet. Who draws asks for
// each of its nodes what the trace says of it, and at the end which names
// nobody has asked for.
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

/// What a trace says of a node, or of all nodes in a frame. Times are in
/// nanoseconds, and are sums over all workers, devices and ranks.
struct NodeTime {
  double total = 0, onPath = 0;
  /// Of the time of all nodes in the trace: 0 to 1.
  double share = 0;
  /// The launches in which it ran; of a task, how often it was called.
  uint64_t numCalls = 0;
  uint64_t numParts = 0; ///< chunks, tasks and kernels
  int64_t longest = 0;   ///< of these
  /// The same time is also that of other nodes, which run together with it.
  bool isShared = false;
  /// Indices into the timeline's names.
  std::vector<uint32_t> names;
  /// The total of each rank, if there are several.
  std::vector<double> ofRanks;
};

/// All that a drawing needs of a trace. The timeline and the report must
/// outlive it.
class TracedNodes {
public:
  TracedNodes(const Timeline &timeline, const TraceReport &report);

  /// The node at "root/inner/leaf", alone, with what runs below it, and with
  /// what it was fused with; nothing if it did not run.
  std::optional<NodeTime> take(llvm::StringRef path);
  /// The task of this name, which has no path.
  std::optional<NodeTime> takeTask(llvm::StringRef name);
  /// What has several names, all together; nothing if there are none.
  std::optional<NodeTime> sum(std::vector<uint32_t> names) const;

  /// How many nodes the trace has.
  size_t numNodes() const { return uses.size(); }
  /// The names of those that no drawn node has, the most expensive first.
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

  /// By name.
  std::map<uint32_t, Use> uses;
  /// Names in the order of their texts.
  std::vector<uint32_t> sorted;
  /// Of a part of a fused node, what it runs in.
  llvm::StringMap<std::vector<uint32_t>> fused;
  double whole = 0;
  uint32_t numRanks = 1;
};

/// What a file has, and what is found in it.
struct TraceFile {
  Timeline timeline;
  TraceReport report;
};
/// Reads the trace `path`, or standard input for "-"; errors name it.
llvm::Expected<std::unique_ptr<TraceFile>> readTraceFile(llvm::StringRef path);

/// The colour of a node: the more of the whole time it took, the darker; grey
/// if it did not run.
std::string colourOf(const std::optional<NodeTime> &time);
/// "12.3 ms, 34.5 %", and "fused" if that is so; empty if it did not run.
std::string spellNodeTime(const std::optional<NodeTime> &time);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TRACEDNODES_H

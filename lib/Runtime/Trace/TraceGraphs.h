//===- TraceGraphs.h - Graphs in timelines --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dependences between nodes: written once for each graph, and for each
// launch as arrows from the last chunk of a node to the first chunk of its
// successor.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TRACE_TRACEGRAPHS_H
#define SLUICE_RUNTIME_TRACE_TRACEGRAPHS_H

#include "TraceText.h"

#include "sluice-c/Plan.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sluice {

/// The graphs of the plans that ran. Names belong to the plans and must outlive
/// the object; the plans need not.
class TraceGraphs {
public:
  using Edge = std::pair<uint32_t, uint32_t>;
  struct Graph {
    const char *name;
    std::vector<const char *> nodes;
    /// From a node to its successor, by index.
    std::vector<Edge> edges;

    bool isOf(const SluicePlan &plan) const;
  };
  static constexpr uint32_t none = UINT32_MAX;

  /// The number of a plan's graph, which is read on first use.
  uint32_t numberOf(const SluicePlan &plan);
  const Graph &operator[](uint32_t number) const { return graphs[number]; }
  size_t size() const { return graphs.size(); }
  /// Adds all graphs as events of a process.
  void addTo(TraceText &text, unsigned process) const;

private:
  std::vector<Graph> graphs;
  std::unordered_map<const SluicePlan *, uint32_t> numbers;
};

/// A launch, an item of a stream, or a wait of one. Times are those of Clock.h.
struct TracedLaunch {
  const char *name;
  uint32_t graph; ///< in TraceGraphs, or none
  uint64_t start;
  uint64_t end;
};

void sortByStart(std::vector<TracedLaunch> &launches);

/// Finds the arrows of a timeline from the chunks that ran.
class TraceArrows {
public:
  /// The row and times of a chunk.
  struct Place {
    TraceText::Row row;
    uint64_t start;
    uint64_t end;
  };
  /// Both must outlive the object; launches are sorted by start time.
  TraceArrows(const TraceGraphs &graphs,
              const std::vector<TracedLaunch> &launches);

  /// Adds a chunk of the launch that started at `launchStart`; returns the
  /// number of the launch, from 1, or 0 if it is unknown.
  uint64_t add(const char *node, uint64_t launchStart, const Place &place);
  /// Adds an arrow for each edge in each launch, unless the second node began
  /// before the first had ended; at most `most` arrows.
  void addTo(TraceText &text, size_t most = 100'000) const;

private:
  struct Run {
    Place first, last;
  };
  uint32_t nodeOf(uint32_t graph, const char *name);

  const TraceGraphs &graphs;
  const std::vector<TracedLaunch> &launches;
  /// The nodes of each graph by name; filled on demand.
  std::vector<std::unordered_map<std::string_view, uint32_t>> nodes;
  /// By launch and node.
  std::map<std::pair<uint64_t, uint32_t>, Run> runs;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_TRACE_TRACEGRAPHS_H

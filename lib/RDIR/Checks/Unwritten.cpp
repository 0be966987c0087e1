//===- Unwritten.cpp - Reads of what has no value -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a version that a launch over some colors made, the way back leads over
// what it started from, as long as that was made so too. If it ends at a
// version without a writer, only the colors that were written on the way have
// values.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Unwritten.h"
#include "../Graph/LaunchPoints.h"
#include "Coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

using namespace sluice::rdir;

namespace {
/// A launch and the projection of one of its edges.
using LaunchKey = std::pair<uint32_t, uint32_t>;

/// The colors of a version that a launch writes.
struct LaunchColors {
  bool coversAll = false;
  /// None if they are not known, or many.
  std::optional<std::vector<int64_t>> colors;
};

constexpr NodeIndex notYet = noNode - 1;

/// The set of launches that have written on a path. A longer path extends the
/// set of its beginning.
struct WrittenSet {
  uint32_t before = 0;
  LaunchKey added = {};
  uint32_t size = 0;
};
/// Nothing is written; all may be; not looked at.
constexpr uint32_t emptySet = 0, fullSet = UINT32_MAX - 1,
                   unknownSet = UINT32_MAX;
} // namespace

struct UnwrittenReads::State {
  explicit State(const Graph &graph)
      : graph(graph), origins(graph.numNodes(), notYet),
        written(graph.numNodes(), unknownSet), sets(1) {}

  uint32_t launchInto(NodeIndex version) const;
  NodeIndex startOf(const Edge &write) const;
  NodeIndex originOf(NodeIndex version);
  const LaunchColors &colorsOf(const Edge &edge, NodeIndex task);
  uint32_t extend(uint32_t set, const Edge &write);
  uint32_t setOf(NodeIndex version, NodeIndex origin);
  const Coverage *coverageOf(NodeIndex version, NodeIndex origin);
  bool readsCovered(const Edge &read, const Coverage &coverage);

  const Graph &graph;
  /// By version: the one without a writer that only launches lie behind, or
  /// noNode.
  std::vector<NodeIndex> origins;
  std::map<LaunchKey, LaunchColors> launches;
  /// By version: what was written on the way from its origin.
  std::vector<uint32_t> written;
  std::vector<WrittenSet> sets;
  std::map<std::pair<uint32_t, LaunchKey>, uint32_t> extended;
  /// The launches of the last one that was extended or made.
  std::set<LaunchKey> inList;
  uint32_t listed = emptySet;
  /// The last one asked for: versions of one way have the same, or go on from
  /// it.
  std::optional<Coverage> coverage;
  std::pair<uint32_t, RegionIndex> covered = {unknownSet, 0};
  uint64_t work = 0;
};

/// The first edge into a version, if all are Writes of one launch; else
/// UINT32_MAX.
uint32_t UnwrittenReads::State::launchInto(NodeIndex version) const {
  std::span<const uint32_t> in = graph.in(version);
  const bool isLaunch =
      !in.empty() && std::all_of(in.begin(), in.end(), [&](uint32_t index) {
        const Edge &edge = graph.edge(index);
        const Node &writer = graph.node(edge.from);
        return edge.kind == EdgeKind::Write && isTaskLike(writer.kind) &&
               writer.domain != UINT32_MAX && edge.projection != UINT32_MAX &&
               edge.from == graph.edge(in[0]).from;
      });
  return isLaunch ? in[0] : UINT32_MAX;
}

/// The version that a launch starts from; noNode if there are several, or one
/// without a writer that it reads: of that it is told itself.
NodeIndex UnwrittenReads::State::startOf(const Edge &write) const {
  const Node &made = graph.node(write.to);
  NodeIndex start = noNode;
  for (uint32_t index : graph.in(write.from)) {
    const Edge &edge = graph.edge(index);
    const Node &from = graph.node(edge.from);
    if (isCompute(from.kind) || from.region != made.region ||
        from.fields != made.fields ||
        (edge.kind != EdgeKind::Discard && edge.kind != EdgeKind::Read))
      continue;
    if ((start != noNode && start != edge.from) ||
        (edge.kind == EdgeKind::Read && graph.in(edge.from).empty()))
      return noNode;
    start = edge.from;
  }
  return start;
}

NodeIndex UnwrittenReads::State::originOf(NodeIndex version) {
  std::vector<NodeIndex> way;
  NodeIndex origin = noNode;
  for (NodeIndex at = version; at != noNode;) {
    ++work;
    if (origins[at] != notYet) {
      origin = origins[at];
      break;
    }
    // A graph with a cycle is refused elsewhere.
    origins[at] = noNode;
    way.push_back(at);
    if (graph.in(at).empty()) {
      origin = graph.node(at).isInitial ? noNode : at;
      break;
    }
    const uint32_t write = launchInto(at);
    at = write == UINT32_MAX ? noNode : startOf(graph.edge(write));
  }
  for (NodeIndex passed : way)
    origins[passed] = origin;
  return origin;
}

const LaunchColors &UnwrittenReads::State::colorsOf(const Edge &edge,
                                                    NodeIndex task) {
  const uint32_t domain = graph.node(task).domain;
  auto [entry, isNew] = launches.try_emplace({domain, edge.projection});
  LaunchColors &known = entry->second;
  if (isNew) {
    known.coversAll =
        coversColors(graph.domain(domain), graph.projection(edge.projection));
    if (!known.coversAll)
      known.colors = linearColors(graph, edge, task);
  }
  return known;
}

/// The set with what one more launch writes.
uint32_t UnwrittenReads::State::extend(uint32_t set, const Edge &write) {
  constexpr uint32_t maxLaunches = 1000;
  const LaunchColors &colors = colorsOf(write, write.from);
  if (set == fullSet || colors.coversAll || !colors.colors)
    return fullSet;
  const LaunchKey key = {graph.node(write.from).domain, write.projection};
  auto [entry, isNew] = extended.try_emplace({set, key}, fullSet);
  if (!isNew)
    return entry->second;
  ++work;
  if (listed != set) {
    inList.clear();
    for (uint32_t at = set; at != emptySet; at = sets[at].before, ++work)
      inList.insert(sets[at].added);
    listed = set;
  }
  if (inList.contains(key))
    return entry->second = set;
  if (sets[set].size == maxLaunches)
    return fullSet;
  sets.push_back({set, key, sets[set].size + 1});
  inList.insert(key);
  return entry->second = listed = uint32_t(sets.size() - 1);
}

/// The set of launches that have written on the way from `origin`.
uint32_t UnwrittenReads::State::setOf(NodeIndex version, NodeIndex origin) {
  std::vector<NodeIndex> way;
  for (; written[version] == unknownSet;) {
    ++work;
    if (version == origin) {
      written[version] = emptySet;
      break;
    }
    way.push_back(version);
    version = startOf(graph.edge(launchInto(version)));
  }
  for (; !way.empty(); way.pop_back()) {
    const NodeIndex next = way.back();
    uint32_t set = written[version];
    for (uint32_t index : graph.in(next))
      set = extend(set, graph.edge(index));
    written[next] = set;
    version = next;
  }
  return written[version];
}

/// The colors that were written on the way from `origin`; null if that may be
/// all.
const Coverage *UnwrittenReads::State::coverageOf(NodeIndex version,
                                                  NodeIndex origin) {
  const uint32_t set = setOf(version, origin);
  if (set == fullSet)
    return nullptr;
  const RegionIndex region = graph.node(version).region;
  if (coverage && covered == std::pair(set, region))
    return &*coverage;
  // A set has a higher number than those it goes on from.
  uint32_t known = emptySet;
  if (coverage && covered.second == region)
    for (known = set; known > covered.first;)
      known = sets[known].before;
  const bool goesOn = coverage && covered == std::pair(known, region);
  if (!goesOn) {
    known = emptySet;
    coverage.emplace(graph.regions());
  }
  covered = {set, region};
  for (uint32_t at = set; at != known; at = sets[at].before)
    for (int64_t color : *launches.at(sets[at].added).colors) {
      ++work;
      coverage->addColor(region, color);
    }
  if (graph.regions().hasConstraints())
    coverage->addConstrained();
  return &*coverage;
}

/// True unless the reader surely sees elements that are not covered.
bool UnwrittenReads::State::readsCovered(const Edge &read,
                                         const Coverage &coverage) {
  const Node &version = graph.node(read.from), &reader = graph.node(read.to);
  if (reader.kind == NodeKind::Open) {
    for (uint32_t index : graph.out(read.to))
      if (const Edge &opened = graph.edge(index);
          opened.kind == EdgeKind::Write &&
          (graph.node(opened.to).fields & version.fields) != 0 &&
          !coverage.contains(graph.node(opened.to).region))
        return false;
    return true;
  }
  if (reader.kind == NodeKind::Close) {
    Coverage all = coverage;
    for (uint32_t index : graph.in(read.to))
      if (const Edge &other = graph.edge(index); other.from != read.from)
        all.add(graph.node(other.from).region);
    return all.contains(version.region);
  }
  if (read.projection == UINT32_MAX || reader.domain == UINT32_MAX)
    return coverage.contains(version.region);
  const LaunchColors &used = colorsOf(read, read.to);
  if (used.coversAll)
    return coverage.contains(version.region);
  return !used.colors ||
         std::all_of(used.colors->begin(), used.colors->end(),
                     [&](int64_t color) {
                       return coverage.containsColor(version.region, color);
                     });
}

/// True for an open that makes versions which nobody reads.
static bool isOnlyOpened(const Graph &graph, NodeIndex reader) {
  if (graph.node(reader).kind != NodeKind::Open)
    return false;
  auto isRead = [&](uint32_t index) {
    return graph.edge(index).kind == EdgeKind::Read ||
           graph.edge(index).kind == EdgeKind::Continues;
  };
  for (uint32_t made : graph.out(reader)) {
    std::span<const uint32_t> uses = graph.out(graph.edge(made).to);
    if (std::any_of(uses.begin(), uses.end(), isRead))
      return false;
  }
  return true;
}

UnwrittenReads::UnwrittenReads(const Graph &graph)
    : state(std::make_unique<State>(graph)) {}
UnwrittenReads::~UnwrittenReads() = default;

std::optional<UnwrittenRead> UnwrittenReads::find(NodeIndex version) {
  const Graph &graph = state->graph;
  auto isRead = [&](uint32_t index) {
    return graph.edge(index).kind == EdgeKind::Read;
  };
  std::span<const uint32_t> out = graph.out(version);
  if (isCompute(graph.node(version).kind) || graph.node(version).isInitial ||
      std::none_of(out.begin(), out.end(), isRead))
    return std::nullopt;
  const NodeIndex origin = state->originOf(version);
  if (origin == noNode)
    return std::nullopt;
  const Coverage *coverage = state->coverageOf(version, origin);
  if (!coverage)
    return std::nullopt;
  for (uint32_t index : out) {
    const Edge &edge = graph.edge(index);
    if (isRead(index) &&
        (version == origin || !state->readsCovered(edge, *coverage)))
      return UnwrittenRead{
          .reader = edge.to,
          .version = version,
          .origin = origin,
          .writer = version == origin ? noNode
                                      : graph.edge(graph.in(version)[0]).from,
          .isOnlyOpened = isOnlyOpened(graph, edge.to)};
  }
  return std::nullopt;
}

uint64_t UnwrittenReads::work() const { return state->work; }

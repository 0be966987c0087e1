//===- SerialCollector.cpp - Collecting serialization edges ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which readers may share a join, and adds the edges into the writers
// of one version.
//
//===----------------------------------------------------------------------===//

#include "SerialCollector.h"

#include "../Graph/AliasIndex.h"

#include <algorithm>

using namespace sluice::rdir;

SerialCollector::SerialCollector(const Graph &graph)
    : graph(graph), readers(graph.numNodes()),
      isSpecialRead(graph.allEdges().size()) {
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    if (isTaskLike(graph.node(node).kind))
      findSpecialReads(node);
}

/// Marks the reads of a task that alias the versions it makes of other regions.
void SerialCollector::findSpecialReads(NodeIndex task) {
  std::vector<NodeIndex> universe;
  for (uint32_t index : graph.out(task))
    if (!isCompute(graph.node(graph.edge(index).to).kind))
      universe.push_back(graph.edge(index).to);
  size_t numMade = universe.size();
  for (uint32_t index : graph.in(task))
    if (graph.edge(index).kind == EdgeKind::Read)
      universe.push_back(graph.edge(index).from);
  if (universe.size() == numMade)
    return;
  AliasIndex made(graph, universe);
  for (size_t i = 0; i < numMade; ++i)
    made.insert(universe[i]);
  for (uint32_t index : graph.in(task)) {
    const Edge &edge = graph.edge(index);
    if (edge.kind != EdgeKind::Read)
      continue;
    bool isSpecial =
        numMade != 0 && made.find(edge.from, AliasIndex::OtherRegion) != noNode;
    isSpecialRead[index] = isSpecial;
    readers[edge.from] |= anyReader | (isSpecial ? specialReader : plainReader);
  }
}

bool SerialCollector::isWriter(NodeIndex task) const {
  return std::binary_search(currentWriters.begin(), currentWriters.end(), task);
}

SerialSource SerialCollector::join(SerialSource source,
                                   std::span<const NodeIndex> versions) {
  std::vector<SerialSource> parts;
  if (source)
    parts.push_back(source);
  for (NodeIndex version : versions)
    for (uint32_t index : graph.out(version)) {
      const Edge &edge = graph.edge(index);
      if (edge.kind == EdgeKind::Read && isTaskLike(graph.node(edge.to).kind) &&
          !isSpecialRead[index])
        parts.push_back({edge.to, version});
    }
  if (parts.size() <= 1)
    return parts.empty() ? SerialSource() : parts[0];
  uint32_t join = newJoin();
  for (const SerialSource &part : parts)
    add(part, join, noNode);
  return {join, noNode};
}

bool SerialCollector::begin(NodeIndex written) {
  current = written;
  currentWriters.clear();
  sources.clear();
  ownSources.clear();
  for (uint32_t index : graph.in(written)) {
    const Edge &edge = graph.edge(index);
    if (isTaskLike(graph.node(edge.from).kind))
      currentWriters.push_back(edge.from);
  }
  if (!std::is_sorted(currentWriters.begin(), currentWriters.end()))
    std::sort(currentWriters.begin(), currentWriters.end());
  currentWriters.erase(
      std::unique(currentWriters.begin(), currentWriters.end()),
      currentWriters.end());
  return !currentWriters.empty();
}

void SerialCollector::waitFor(NodeIndex version, bool onlySpecial) {
  for (uint32_t index : graph.out(version)) {
    const Edge &edge = graph.edge(index);
    if (edge.kind != EdgeKind::Read || !isTaskLike(graph.node(edge.to).kind) ||
        (onlySpecial && !isSpecialRead[index]))
      continue;
    SerialSource source = {edge.to, version};
    (isWriter(edge.to) ? ownSources : sources).push_back(source);
  }
}

void SerialCollector::end() {
  SerialSource all;
  if (currentWriters.size() > 1 && sources.size() > 1) {
    all.node = newJoin();
    for (const SerialSource &source : sources)
      add(source, all.node, current);
    sources.assign(1, all);
  }
  for (NodeIndex writer : currentWriters)
    for (const SerialSource &source : sources)
      add(source, writer, current);
  // Two writers that each read data which the other one changes form a cycle
  // already.
  std::vector<NodeIndex> told;
  for (const SerialSource &source : ownSources) {
    if (std::find(told.begin(), told.end(), source.node) != told.end())
      continue;
    if (told.size() == 2)
      break;
    told.push_back(source.node);
    for (NodeIndex writer : currentWriters)
      if (writer != source.node)
        add(source, writer, current);
  }
}

SerializationEdges SerialCollector::take() {
  auto order = [](const AddedEdge &a, const AddedEdge &b) {
    return std::tie(a.from, a.to, a.read, a.written) <
           std::tie(b.from, b.to, b.read, b.written);
  };
  auto isSame = [](const AddedEdge &a, const AddedEdge &b) {
    return a.from == b.from && a.to == b.to;
  };
  std::sort(result.edges.begin(), result.edges.end(), order);
  result.edges.erase(
      std::unique(result.edges.begin(), result.edges.end(), isSame),
      result.edges.end());
  return std::move(result);
}

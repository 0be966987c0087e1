//===- SerialCollector.h - Collecting serialization edges -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges of rule R* as they are found. If several writers must wait for the
// same readers, the readers are gathered in a join, so that m readers before n
// writers take m + n edges. A task that reads a version and makes one of
// another region that may alias it never joins: it may be one of the waiting
// writers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_ORDER_SERIALCOLLECTOR_H
#define SLUICE_LIB_RDIR_ORDER_SERIALCOLLECTOR_H

#include "sluice/RDIR/Order.h"

namespace sluice::rdir {

/// The source that a writer waits for: a reader of `read`, or a join.
struct SerialSource {
  uint32_t node = noNode;
  NodeIndex read = noNode;
  explicit operator bool() const { return node != noNode; }
};

class SerialCollector {
public:
  explicit SerialCollector(const Graph &graph);

  /// True if tasks read the version.
  bool hasReaders(NodeIndex version) const { return has(version, anyReader); }
  /// True if the version has readers that may go into joins; below, other
  /// readers.
  bool hasPlainReaders(NodeIndex version) const {
    return has(version, plainReader);
  }
  bool hasSpecialReaders(NodeIndex version) const {
    return has(version, specialReader);
  }

  /// Combines `source`, if any, and the plain readers of `versions` into one
  /// source.
  SerialSource join(SerialSource source, std::span<const NodeIndex> versions);

  /// Starts a version; returns false if no task writes it.
  bool begin(NodeIndex written);
  /// The tasks that write the current version.
  std::span<const NodeIndex> writers() const { return currentWriters; }
  /// Makes the current version's writers wait for all readers of `version`.
  void waitForAll(NodeIndex version) {
    waitFor(version, /*onlySpecial=*/false);
  }
  void waitForSpecial(NodeIndex version) {
    waitFor(version, /*onlySpecial=*/true);
  }
  void waitFor(SerialSource source) { sources.push_back(source); }
  /// Adds the edges for the current version.
  void end();

  SerializationEdges take();

private:
  enum : uint8_t { anyReader = 1, plainReader = 2, specialReader = 4 };

  bool has(NodeIndex version, uint8_t which) const {
    return (readers[version] & which) != 0;
  }
  bool isWriter(NodeIndex task) const;
  void findSpecialReads(NodeIndex task);
  void waitFor(NodeIndex version, bool onlySpecial);
  uint32_t newJoin() { return graph.numNodes() + result.numJoins++; }
  void add(const SerialSource &from, uint32_t to, NodeIndex written) {
    result.edges.push_back({from.node, to, from.read, written});
  }

  const Graph &graph;
  /// By data node: the kinds of its readers.
  std::vector<uint8_t> readers;
  /// By edge.
  std::vector<bool> isSpecialRead;
  NodeIndex current = noNode;
  std::vector<NodeIndex> currentWriters;
  std::vector<SerialSource> sources;
  /// Sources that are writers of the current version themselves.
  std::vector<SerialSource> ownSources;
  SerializationEdges result{{}, 0};
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_ORDER_SERIALCOLLECTOR_H

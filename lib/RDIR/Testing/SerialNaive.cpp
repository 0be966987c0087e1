//===- SerialNaive.cpp - Rule R* word by word -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every task C with a Write or Reduce into W, every data node d before W
// whose region may alias W's, and every task q other than C that Reads d: q
// happens before C.
//
//===----------------------------------------------------------------------===//

#include "SerialNaive.h"

#include "../Graph/Digraph.h"

#include <algorithm>

using namespace sluice::rdir;

/// All nodes from which `node` is reachable.
static std::vector<NodeIndex> ancestors(const Digraph &graph, NodeIndex node) {
  std::vector<bool> isSeen(graph.size());
  std::vector<NodeIndex> result = {node};
  isSeen[node] = true;
  for (size_t i = 0; i < result.size(); ++i)
    for (NodeIndex before : graph.in(result[i]))
      if (!isSeen[before]) {
        isSeen[before] = true;
        result.push_back(before);
      }
  return result;
}

SerializationEdges sluice::rdir::naiveSerializationEdges(const Graph &graph) {
  SerializationEdges result;
  result.numJoins = 0;
  Digraph digraph(graph, EdgeSet::Data);
  for (NodeIndex written = 0; written < graph.numNodes(); ++written) {
    if (isCompute(graph.node(written).kind))
      continue;
    std::vector<NodeIndex> before = ancestors(digraph, written);
    for (uint32_t into : graph.in(written)) {
      NodeIndex writer = graph.edge(into).from;
      if (!isTaskLike(graph.node(writer).kind))
        continue;
      for (NodeIndex read : before) {
        if (read == written || isCompute(graph.node(read).kind) ||
            !graph.mayAlias(read, written))
          continue;
        for (uint32_t use : graph.out(read)) {
          NodeIndex reader = graph.edge(use).to;
          if (graph.edge(use).kind != EdgeKind::Read || reader == writer ||
              !isTaskLike(graph.node(reader).kind))
            continue;
          result.edges.push_back({reader, writer, read, written});
        }
      }
    }
  }
  return result;
}

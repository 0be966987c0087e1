//===- VectorFiles.cpp - Ground truth in files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first lines of the files describe the format. In graphs, an edge from a
// data node is a Read and an edge to a data node is a Write.
//
//===----------------------------------------------------------------------===//

#include "VectorFiles.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

VectorForest::VectorForest() {
  RegionIndex a = forest.addRoot("rA");
  RegionIndex c = forest.addPartition("rC", a, true, true, 2);
  forest.getSubregion(c, 0);
  forest.getSubregion(c, 1);
}

RegionIndex VectorForest::named(std::string_view name) const {
  static constexpr std::string_view names[] = {"rA", "rC", "rE", "rF"};
  for (RegionIndex region = 0; region < 4; ++region)
    if (names[region] == name)
      return region;
  return noRegion;
}

static std::vector<std::string> splitAt(const std::string &text,
                                        char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

static std::vector<std::string> readLines(const std::string &name) {
  std::ifstream file(std::string(SLUICE_RDIR_VECTORS) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#')
      lines.push_back(line);
  return lines;
}

static void addNode(Graph &graph, const VectorForest &forest,
                    const std::string &label) {
  RegionIndex region = forest.named(label);
  if (region != noRegion)
    graph.addRegion(region, allFields, /*isInitial=*/true);
  else
    graph.addCompute(label == "task"   ? NodeKind::Task
                     : label == "open" ? NodeKind::Open
                                       : NodeKind::Close);
}

/// Adds the edge "from>to", counted from `base`.
static void addEdge(Graph &graph, const std::string &text, unsigned base) {
  size_t arrow = text.find('>');
  Edge edge;
  edge.from = std::stoul(text.substr(0, arrow)) - base;
  edge.to = std::stoul(text.substr(arrow + 1)) - base;
  if (isCompute(graph.node(edge.from).kind))
    edge.kind = EdgeKind::Write;
  graph.addEdge(edge);
}

std::vector<VectorGraph> oracle::readVectorGraphs(const VectorForest &forest) {
  std::vector<VectorGraph> result;
  for (const std::string &line : readLines("graphs-up-to-5-nodes.txt")) {
    auto parts = splitAt(line, ';');
    Graph graph(forest.forest);
    for (const std::string &label : splitAt(parts[1], ','))
      addNode(graph, forest, label);
    for (const std::string &edge : splitAt(parts[2], ','))
      addEdge(graph, edge, 0);
    graph.finish();
    result.push_back({line, std::move(graph),
                      parts[5] == "exists_serial_order=1",
                      parts[6] == "all_topo_ok=1"});
  }
  return result;
}

/// "[[rA-read_only],[rE-read_write,rF-read_only]]".
static SequentialProgram readProgram(const VectorForest &forest,
                                     const std::string &text) {
  SequentialProgram program;
  program.forest = &forest.forest;
  for (size_t at = 1; at + 1 < text.size();) {
    size_t end = text.find(']', at);
    ProgramTask task;
    for (const std::string &argument :
         splitAt(text.substr(at + 1, end - at - 1), ',')) {
      ProgramArgument parsed;
      parsed.region = forest.named(argument.substr(0, 2));
      if (argument.substr(3) == "read_write")
        parsed.privilege = Privilege::ReadWrite;
      task.arguments.push_back(parsed);
    }
    program.tasks.push_back(std::move(task));
    at = end + 2;
  }
  return program;
}

std::vector<VectorProgram>
oracle::readVectorPrograms(const VectorForest &forest) {
  std::vector<VectorProgram> result;
  for (const std::string &line :
       readLines("programs-3-tasks-2-arguments.txt")) {
    auto parts = splitAt(line, '|');
    Graph graph(forest.forest);
    for (const std::string &node : splitAt(parts[1], ' ')) {
      auto fields = splitAt(node, ':');
      addNode(graph, forest, fields[1] == "data" ? fields[3] : fields[2]);
    }
    for (const std::string &edge : splitAt(parts[2], ' ')) {
      auto ends = splitAt(edge, ':');
      if (ends[1] != "happens_before")
        addEdge(graph, ends[0], 1);
    }
    graph.finish();
    result.push_back({line, readProgram(forest, parts[0]), std::move(graph)});
  }
  return result;
}

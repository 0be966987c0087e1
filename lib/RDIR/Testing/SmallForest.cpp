//===- SmallForest.cpp - The regions and the text of small modules --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tests need regions with few, known elements, and the same regions as
// text of a module.
//
//===----------------------------------------------------------------------===//

#include "OracleBodies.h"
#include "sluice/RDIR/EdgeWords.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

//===----------------------------------------------------------------------===//
// The forest
//===----------------------------------------------------------------------===//

void SmallForest::addRoot(const std::string &name, uint32_t count,
                          const std::string &rest) {
  bool isScalar = rest.find("rdir.variable") == 0;
  roots.push_back({name, numElements, count, isScalar});
  SmallRegion &root = regions.emplace_back();
  root.text = "@" + name;
  root.isScalar = isScalar;
  for (uint32_t i = 0; i < count; ++i)
    root.elements.push_back(numElements++);
  declarations += rest + "\n";
}

void SmallForest::addPartition(const std::string &name,
                               const std::string &parent,
                               std::vector<int64_t> extents,
                               const std::string &rest,
                               std::vector<std::vector<uint32_t>> colors) {
  std::string extentsText;
  for (int64_t extent : extents)
    extentsText += (extentsText.empty() ? "" : ", ") + std::to_string(extent);
  declarations += "rdir.partition @" + name + " of " + parent + " [" +
                  extentsText + "] " + rest + "\n";
  int index = regions.size();
  regions.emplace_back().text = "@" + name;
  regions[index].colorExtents = extents;
  for (size_t color = 0; color < colors.size(); ++color) {
    SmallRegion region;
    region.text = "@" + name + "[";
    if (extents.size() == 2)
      region.text += std::to_string(color / extents[1]) + ", " +
                     std::to_string(color % extents[1]) + "]";
    else
      region.text += std::to_string(color) + "]";
    region.partition = index;
    region.elements = colors[color];
    regions[index].colors.push_back(regions.size());
    for (uint32_t element : colors[color])
      if (!std::count(regions[index].elements.begin(),
                      regions[index].elements.end(), element))
        regions[index].elements.push_back(element);
    regions.push_back(std::move(region));
  }
}

SmallForest::SmallForest() {
  addRoot("a", 8, "rdir.root @a [8] {x : i64, y : i64}");
  addPartition("p", "@a", {4}, "disjoint complete by blocks",
               {{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  addPartition("h", "@a", {4}, "aliased complete by halo(@p, [1])",
               {{0, 1, 2}, {1, 2, 3, 4}, {3, 4, 5, 6}, {5, 6, 7}});
  addPartition("g", "@p[1]", {2}, "disjoint complete by blocks", {{2}, {3}});
  addPartition("i", "@a", {2}, "disjoint incomplete by coloring(@f)",
               {{0, 5}, {6}});
  addRoot("b", 4, "rdir.root @b [2, 2] {x : i64, y : i64}");
  addPartition("s", "@b", {2, 2}, "disjoint complete by blocks",
               {{8}, {9}, {10}, {11}});
  addRoot("v", 1, "rdir.variable @v : i64 = 0");
  declarations += "rdir.variable @go : i64 = 1\n"
                  "rdir.parameter @n : i64 = 1\n";
}

int SmallForest::find(const std::string &text) const {
  for (size_t i = 0; i < regions.size(); ++i)
    if (regions[i].text == text)
      return i;
  return -1;
}

const SmallForest::Root &SmallForest::rootOf(uint32_t place) const {
  uint32_t element = place / numFields;
  for (const Root &root : roots)
    if (element < root.firstElement + root.numElements)
      return root;
  return roots.back();
}

SmallPlaces SmallForest::placesOf(int region, unsigned fields) const {
  SmallPlaces result;
  for (uint32_t element : regions[region].elements)
    for (uint32_t field = 0; field < numFields; ++field)
      if (fields >> field & 1)
        result.push_back(element * numFields + field);
  return result;
}

SmallPlaces SmallForest::placesAt(const SmallNode &data, const SmallEdge &edge,
                                  const SmallNode &task,
                                  const std::vector<int64_t> &point) const {
  const SmallRegion &region = regions[data.region];
  if (task.over.empty() || region.colors.empty() || edge.map.isWhole)
    return placesOf(data.region, data.fields);
  int64_t linear = 0;
  for (size_t row = 0; row < region.colorExtents.size(); ++row) {
    int64_t color = edge.map.factors.empty() ? point[row] : 0;
    if (!edge.map.factors.empty()) {
      color = edge.map.offsets[row];
      for (size_t d = 0; d < point.size(); ++d)
        color += edge.map.factors[row][d] * point[d];
    }
    if (color < 0 || color >= region.colorExtents[row])
      return {};
    linear = linear * region.colorExtents[row] + color;
  }
  return placesOf(region.colors[linear], data.fields);
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

static std::string mapText(const SmallMap &map, size_t numDims) {
  if (map.isWhole)
    return " whole";
  if (map.factors.empty())
    return "";
  std::string text = " by affine_map<(i";
  text += numDims == 2 ? ", j) -> (" : ") -> (";
  for (size_t row = 0; row < map.factors.size(); ++row) {
    text += row ? ", " : "";
    for (size_t d = 0; d < numDims; ++d)
      text += std::string(d ? "j" : "i") + " * " +
              std::to_string(map.factors[row][d]) + " + ";
    text += std::to_string(map.offsets[row]);
  }
  return text + ")>";
}

std::string oracle::functionName(const std::vector<int> &path) {
  std::string name = "t";
  for (int node : path)
    name += "_" + std::to_string(node);
  return name;
}

static std::string bodyText(const SmallForest &forest, const SmallBody &body,
                            std::vector<int> path) {
  std::string text, indent(2 * path.size() + 2, ' ');
  path.push_back(0);
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    path.back() = n;
    const SmallNode &node = body.nodes[n];
    text += indent + "%n" + std::to_string(n) + " = ";
    if (node.kind == NodeKind::Region) {
      const SmallRegion &region = forest.regions[node.region];
      if (region.isScalar)
        text += "rdir.scalar " + region.text;
      else
        text += "rdir.region " + region.text +
                (node.fields == 1   ? " {x}"
                 : node.fields == 2 ? " {y}"
                                    : " {x, y}");
      bool isWritten = false;
      for (const SmallNode &other : body.nodes)
        for (const SmallEdge &edge : other.edges)
          isWritten |= edge.data == int(n) && (edge.kind == EdgeKind::Write ||
                                               edge.kind == EdgeKind::Reduce);
      text += path.size() == 1 && !isWritten ? " initial\n" : "\n";
      continue;
    }
    const char *names[] = {"",     "task", "open", "close",     "copy",
                           "fill", "host", "loop", "must_epoch"};
    text += std::string("rdir.") + names[unsigned(node.kind)];
    if (node.kind == NodeKind::Task)
      text += " @" + functionName(path);
    if (node.kind == NodeKind::Loop)
      text += node.count >= 0 ? " " + std::to_string(node.count) : " @n";
    for (size_t d = 0; d < node.over.size(); ++d)
      text += (d ? ", " : " over [") + std::to_string(node.over[d]);
    text += node.over.empty() ? "" : "]";
    for (const SmallEdge &edge : node.edges) {
      const SmallNode &data = body.nodes[edge.data];
      text += std::string(" ") + wordsOf(edge.kind).clause;
      if (edge.kind == EdgeKind::Reduce)
        text += edge.reduction ? "<\"max\">" : "<\"+\">";
      text += "(%n" + std::to_string(edge.data);
      if (!node.over.empty() && !forest.regions[data.region].colors.empty())
        text += mapText(edge.map, node.over.size());
      text += ")";
    }
    for (int before : node.after)
      text += " after(%n" + std::to_string(before) + ")";
    if (node.body)
      text += " {\n" + bodyText(forest, *node.body, path) + indent + "}";
    text += "\n";
  }
  return text;
}

std::string oracle::graphText(const SmallForest &forest,
                              const SmallBody &graph) {
  return "rdir.graph @main {\n" + bodyText(forest, graph, {}) + "}\n";
}

std::string oracle::textOf(const SmallForest &forest, const SmallBody &graph) {
  return forest.declarations + graphText(forest, graph);
}

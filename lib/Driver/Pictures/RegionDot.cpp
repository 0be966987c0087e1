//===- RegionDot.cpp - Graphs of regions in the language of Graphviz ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is a frame. A compute node is a box with its callee, a data node is
// an ellipse with its region, and Opens and Closes are small funnels. The body
// of a loop or an epoch is a separate frame, joined to its node by an arrow.
//
//===----------------------------------------------------------------------===//

#include "RegionDot.h"
#include "RegionFlows.h"
#include "sluice/RDIR/Order.h"
#include "sluice/RDIR/Sums.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using namespace sluice::rdir;

static constexpr StringRef red = "#c62828";

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static void addProblem(RegionProblems &problems, const Finding &finding) {
  std::string text =
      finding.message + " [" + std::string(ruleName(finding.rule)) + "]";
  if (finding.node != noNode)
    problems.nodes[finding.node].push_back(text);
  for (const ProblemEdge &edge : finding.edges) {
    if (edge.from == noNode || edge.to == noNode)
      continue;
    if (edge.isPresent)
      problems.present.insert({edge.from, edge.to, edge.kind});
    else
      problems.absent.insert({{edge.from, edge.to, edge.kind}, finding.rule});
    for (NodeIndex end : {edge.from, edge.to})
      problems.nodes.try_emplace(end);
  }
  for (const Finding::Note &note : finding.notes)
    if (NodeIndex node = finding.graph->find(note.op); node != noNode)
      problems.nodes.try_emplace(node);
}

RegionDotWriter::RegionDotWriter(const ImportedModule &module,
                                 const ModuleCheck &check, Picture &picture,
                                 const Labels *labels)
    : module(module), picture(picture), os(picture.dot), labels(labels) {
  for (const Finding &finding : check.findings)
    if (finding.severity == ProblemSeverity::Error)
      addProblem(problems[finding.graph], finding);
  for (auto [op, region] : module.regions)
    if (module.forest.kind(region) == RegionKind::Root)
      roots[region] = op;
  os << "digraph sluice {\n  node [fontname=\"Helvetica\" fontsize=11 "
        "style=filled fillcolor=white margin=\"0.08,0.04\" height=0.3]\n"
        "  graph [compound=true fontname=\"Helvetica\" fontsize=12 "
        "ranksep=0.35 "
        "nodesep=0.2]\n  edge [fontname=\"Helvetica\" fontsize=8 "
        "arrowsize=0.6]\n";
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string RegionDotWriter::idOf(const ImportedGraph &graph,
                                  NodeIndex node) const {
  return "n" + std::to_string(firstIds.lookup(&graph) + node);
}

/// "%t2"
static std::string bareName(const ImportedGraph &graph, NodeIndex node) {
  return StringRef(graph.name(node)).trim('\'').str();
}

/// " {old, new}"; empty for all fields.
std::string RegionDotWriter::fieldText(RegionIndex region,
                                       FieldMask named) const {
  auto root = dyn_cast_or_null<RootOp>(roots.lookup(region));
  if (!root)
    return "";
  std::string fields;
  unsigned numNamed = 0;
  for (auto [i, name] : enumerate(root.getFieldNames()))
    if (named >> i & 1) {
      fields += (fields.empty() ? "" : ", ") +
                cast<mlir::StringAttr>(name).getValue().str();
      ++numNamed;
    }
  return numNamed == root.getFieldNames().size() ? "" : " {" + fields + "}";
}

/// "blocks[2] {old, new}"
std::string RegionDotWriter::regionText(const ImportedGraph &graph,
                                        NodeIndex index) const {
  const Node &node = graph.graph.node(index);
  return module.forest.name(node.region) +
         fieldText(module.forest.root(node.region), node.fields);
}

static std::string attributeText(mlir::Attribute attribute) {
  if (auto number = dyn_cast<mlir::IntegerAttr>(attribute))
    return std::to_string(number.getInt());
  if (auto symbol = dyn_cast<mlir::FlatSymbolRefAttr>(attribute))
    return symbol.getValue().str();
  std::string text;
  raw_string_ostream os(text);
  printSum(os, attribute);
  llvm::erase(text, '@');
  return text;
}

/// "4 × pieces"; empty for a node that is not launched.
static std::string launchText(NodeOpInterface op) {
  std::string text;
  if (mlir::ArrayAttr over = op.getOverAttr())
    for (mlir::Attribute extent : over)
      text += (text.empty() ? "" : " × ") + attributeText(extent);
  return text;
}

/// The description of a compute node: "task @update", "loop %k in n while
/// going".
static std::string computeText(mlir::Operation *op) {
  std::string text = op->getName().stripDialect().str();
  if (auto function = op->getAttrOfType<mlir::FlatSymbolRefAttr>("function"))
    text += " @" + function.getValue().str();
  if (auto loop = dyn_cast<LoopOp>(op)) {
    if (loop.getCondition() && runsOnce(loop))
      return text + (op->hasAttr(unlessAttribute) ? " unless " : " if ") +
             loop.getCondition()->str();
    if (mlir::StringAttr name = iterationName(loop))
      text += " %" + name.getValue().str() + " in";
    if (loop.getCount())
      text += " " + attributeText(*loop.getCount());
    if (loop.getCondition())
      text += " while " + loop.getCondition()->str();
  }
  return text;
}

static StringRef fillOf(NodeKind kind) {
  switch (kind) {
  case NodeKind::Region:
    return "#ffffff";
  case NodeKind::Open:
  case NodeKind::Close:
    return "#eeeeee";
  case NodeKind::Copy:
  case NodeKind::Fill:
    return "#d8efd3";
  case NodeKind::Host:
    return "#f3ecc8";
  default:
    return "#dbe8f6";
  }
}

static StringRef shapeOf(NodeKind kind) {
  switch (kind) {
  case NodeKind::Region:
    return "ellipse";
  case NodeKind::Open:
    return "trapezium";
  case NodeKind::Close:
    return "invtrapezium";
  default:
    return "box";
  }
}

void RegionDotWriter::describe(const ImportedGraph &graph, NodeIndex node,
                               StringRef kind) {
  PictureNode known;
  known.id = idOf(graph, node);
  known.name = bareName(graph, node);
  known.kind = kind.str();
  auto place =
      graph.operations[node]->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  if (place) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  const RegionProblems &wrong = problems[&graph];
  if (auto it = wrong.nodes.find(node); it != wrong.nodes.end())
    known.problems = it->second;
  if (labels && isCompute(graph.graph.node(node).kind)) {
    known.isTimed = true;
    std::vector<uint32_t> names;
    addNames(graph, node, names);
    known.time = picture.traced->sum(std::move(names));
  }
  picture.nodes.push_back(std::move(known));
}

void RegionDotWriter::describeFrame(std::string id, std::string name,
                                    StringRef kind, const ImportedGraph &graph,
                                    mlir::Operation *op) {
  PictureNode known;
  known.id = std::move(id);
  known.name = std::move(name);
  known.kind = kind.str();
  if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  if (labels) {
    known.isTimed = true;
    known.time = timeOf(graph);
  }
  picture.nodes.push_back(std::move(known));
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

void RegionDotWriter::addNames(const ImportedGraph &graph, NodeIndex node,
                               std::vector<uint32_t> &names) {
  if (auto known = labels->find(graph.operations[node]->getLoc());
      known != labels->end())
    for (const std::string &label : known->second)
      if (std::optional<NodeTime> time = picture.traced->takeTask(label))
        append_range(names, time->names);
  for (const auto &nested : graph.nested)
    if (nested->owner == node)
      for (NodeIndex inner = 0; inner != nested->graph.numNodes(); ++inner)
        addNames(*nested, inner, names);
}

std::optional<NodeTime> RegionDotWriter::timeOf(const ImportedGraph &graph) {
  std::vector<uint32_t> names;
  for (NodeIndex node = 0; node != graph.graph.numNodes(); ++node)
    addNames(graph, node, names);
  return picture.traced->sum(std::move(names));
}

void RegionDotWriter::writeFrameTime(StringRef label, unsigned depth) {
  indent(depth) << "label=<" << label;
  if (labels && picture.nodes.back().time)
    os << "  " << spellNodeTime(picture.nodes.back().time);
  os << ">\n";
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void RegionDotWriter::writeNode(const ImportedGraph &graph, NodeIndex index,
                                unsigned depth, StringRef clauses) {
  const Node &node = graph.graph.node(index);
  mlir::Operation *op = graph.operations[index];
  bool isData = !isCompute(node.kind);
  std::string what = isData ? regionText(graph, index) : computeText(op);
  std::string launch = launchText(cast<NodeOpInterface>(op));
  describe(graph, index,
           (isData ? "version of " + what
                   : what + (launch.empty() ? "" : ", launched " + launch)));
  const PictureNode &known = picture.nodes.back();
  // Only nodes that can run get a colour for their time.
  const bool isColoured = known.isTimed && node.kind != NodeKind::Open &&
                          node.kind != NodeKind::Close;
  indent(depth) << idOf(graph, index) << " [shape=" << shapeOf(node.kind)
                << " fillcolor=\""
                << (isColoured ? colourOf(known.time) : fillOf(node.kind).str())
                << "\" label=<";
  if (isData)
    os << escapeMarkup(what);
  else
    os << "<b>" << escapeMarkup(what) << "</b>";
  if (!launch.empty())
    os << "<br/>" << escapeMarkup(launch);
  os << clauses;
  if (known.time)
    os << "<br/>" << spellNodeTime(known.time);
  if (!isUnnamed(op))
    os << "<br/><font point-size=\"8\" color=\"#666666\">"
       << escapeMarkup(bareName(graph, index)) << "</font>";
  os << '>';
  if (node.isInitial || node.domain != UINT32_MAX)
    os << " peripheries=2";
  if (problems[&graph].nodes.count(index))
    os << " color=\"" << red << "\" penwidth=2";
  os << "]\n";
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static StringRef styleOf(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::Read:
    return "color=\"#333333\"";
  case EdgeKind::Discard:
    return "color=\"#999999\" style=dashed";
  case EdgeKind::Write:
    return "color=\"#333333\" penwidth=1.6";
  case EdgeKind::Reduce:
    return "color=\"#7a3f9d\" penwidth=1.6 arrowhead=diamond";
  case EdgeKind::Continues:
    return "color=\"#7a3f9d\" style=dashed";
  case EdgeKind::HappensBefore:
    return "color=\"#555555\" style=dotted constraint=false";
  }
  return "";
}

static std::string operatorText(mlir::Attribute reduction) {
  if (auto text = dyn_cast<mlir::StringAttr>(reduction))
    return text.getValue().str();
  return attributeText(reduction);
}

static bool isShown(const std::set<NodeIndex> *shown, NodeIndex node) {
  return !shown || shown->count(node);
}

void RegionDotWriter::writeEdges(const ImportedGraph &graph,
                                 const std::set<NodeIndex> *shown,
                                 unsigned depth) {
  const RegionProblems &wrong = problems[&graph];
  for (const Edge &edge : graph.graph.allEdges()) {
    if (!isShown(shown, edge.from) || !isShown(shown, edge.to))
      continue;
    indent(depth) << idOf(graph, edge.from) << " -> " << idOf(graph, edge.to)
                  << " [" << styleOf(edge.kind);
    if (edge.kind == EdgeKind::Reduce && edge.reduction != noReduction)
      os << " label=\""
         << escapeMarkup(operatorText(module.reductions[edge.reduction]))
         << '"';
    // The last of several attributes counts.
    if (wrong.present.count({edge.from, edge.to, edge.kind}))
      os << " color=\"" << red << "\" penwidth=2.5";
    os << "]\n";
  }
}

void RegionDotWriter::writeAbsentEdges(const ImportedGraph &graph,
                                       const std::set<NodeIndex> *shown,
                                       unsigned depth) {
  for (const auto &[key, rule] : problems[&graph].absent) {
    auto [from, to, kind] = key;
    if (!isShown(shown, from) || !isShown(shown, to))
      continue;
    StringRef what = rule == Rule::S1 ? "must come before" : "missing";
    indent(depth) << idOf(graph, from) << " -> " << idOf(graph, to)
                  << " [style=dotted constraint=false penwidth=2.5 color=\""
                  << red << "\" fontcolor=\"" << red << "\" label=\"" << what
                  << " [" << ruleName(rule) << "]\"]\n";
  }
}

/// Writes the edges that serializability adds; joins are drawn as dots.
void RegionDotWriter::writeAddedEdges(const ImportedGraph &graph,
                                      const std::set<NodeIndex> *shown,
                                      unsigned depth) {
  SerializationEdges added = serializationEdges(graph.graph);
  const auto numNodes = static_cast<NodeIndex>(graph.graph.numNodes());
  std::set<NodeIndex> joins;
  for (const AddedEdge &edge : added.edges) {
    if ((edge.from < numNodes && !isShown(shown, edge.from)) ||
        (edge.to < numNodes && !isShown(shown, edge.to)))
      continue;
    auto end = [&](NodeIndex node) {
      if (node < numNodes)
        return idOf(graph, node);
      std::string id = idOf(graph, 0) + "_join" + std::to_string(node);
      if (joins.insert(node).second)
        indent(depth) << id << " [shape=point width=0.06 label=\"\"]\n";
      return id;
    };
    std::string from = end(edge.from), to = end(edge.to);
    indent(depth) << from << " -> " << to
                  << " [style=dotted constraint=false color=\"#1f5fa8\"]\n";
  }
}

//===----------------------------------------------------------------------===//
// Graphs without versions
//===----------------------------------------------------------------------===//

bool RegionDotWriter::hasProblems(const ImportedGraph &graph) {
  return !problems[&graph].nodes.empty() ||
         any_of(graph.nested,
                [&](const auto &nested) { return hasProblems(*nested); });
}

static std::string projectionText(mlir::Attribute projection) {
  std::string text;
  raw_string_ostream os(text);
  if (auto sums = dyn_cast_or_null<mlir::ArrayAttr>(projection))
    printSums(os, sums);
  else if (auto map = dyn_cast_or_null<mlir::AffineMapAttr>(projection))
    os << " by " << map.getValue();
  else if (auto word = dyn_cast_or_null<mlir::StringAttr>(projection))
    os << ' ' << word.getValue();
  else if (auto name = dyn_cast_or_null<mlir::FlatSymbolRefAttr>(projection))
    os << " by @" << name.getValue();
  return text;
}

/// What a task reads and changes, a line per clause.
std::string RegionDotWriter::clauseText(const ImportedGraph &graph,
                                        NodeIndex node) const {
  auto op = cast<NodeOpInterface>(graph.operations[node]);
  std::string text;
  for (auto [kind, word] : {std::pair(EdgeKind::Read, "reads "),
                            std::pair(EdgeKind::Write, "writes "),
                            std::pair(EdgeKind::Reduce, "reduces ")}) {
    // Fields of one region may have versions of their own.
    std::vector<std::tuple<std::string, RegionIndex, FieldMask>> regions;
    for (auto [i, operand] : enumerate(op.getNodes())) {
      if (EdgeCode::decode(op.getKinds()[i]).kind != kind)
        continue;
      const Node &data = graph.graph.node(graph.find(operand.getDefiningOp()));
      std::string name = module.forest.name(data.region);
      if (mlir::ArrayAttr projections = op.getProjectionsAttr())
        name += projectionText(projections[i]);
      auto known = find_if(
          regions, [&](const auto &each) { return std::get<0>(each) == name; });
      if (known == regions.end())
        regions.emplace_back(name, module.forest.root(data.region),
                             data.fields);
      else
        std::get<2>(*known) |= data.fields;
    }
    std::string line;
    for (const auto &[name, root, fields] : regions)
      line += (line.empty() ? word : ", ") + name + fieldText(root, fields);
    if (!line.empty())
      text += "<br/><font point-size=\"9\">" + escapeMarkup(line) + "</font>";
  }
  return text;
}

/// A loop or must-epoch is a frame with the node and its body.
void RegionDotWriter::writeFoldedNode(const ImportedGraph &graph,
                                      NodeIndex node, unsigned depth) {
  auto body = find_if(
      graph.nested, [&](const auto &nested) { return nested->owner == node; });
  if (body == graph.nested.end())
    return writeNode(graph, node, depth, clauseText(graph, node));
  const std::string owner = idOf(graph, node);
  const std::string name = "body of " + bareName(graph, node);
  indent(depth) << "subgraph cluster_" << owner << " {\n";
  describeFrame("cluster_" + owner, name, "body", **body,
                graph.operations[node]);
  writeFrameTime("", depth + 1);
  indent(depth + 1) << "style=rounded color=\"#888888\"\n";
  writeNode(graph, node, depth + 1);
  writeFolded(**body, depth + 1);
  for (NodeIndex inner = 0; inner != (*body)->graph.numNodes(); ++inner)
    if (isTaskLike((*body)->graph.node(inner).kind)) {
      const std::string id = idOf(**body, inner);
      indent(depth + 1) << owner << " -> " << id << " [style=invis]\n";
      auto deeper = lastInner.find(id);
      lastInner[owner] = deeper == lastInner.end() ? id : deeper->second;
    }
  indent(depth) << "}\n";
}

void RegionDotWriter::writeFlows(const ImportedGraph &graph, unsigned depth) {
  for (const RegionFlow &flow : findFlows(graph.graph)) {
    std::string label;
    for (auto [root, fields] : flow.fields)
      label += (label.empty() ? "" : ", ") + module.forest.name(root) +
               fieldText(root, fields);
    const EdgeKind kind = flow.isUsed ? EdgeKind::Read : EdgeKind::Discard;
    indent(depth) << idOf(graph, flow.from) << " -> " << idOf(graph, flow.to)
                  << " [" << styleOf(kind) << " label=<" << escapeMarkup(label)
                  << ">";
    for (auto [end, which] : {std::pair(flow.from, " ltail=cluster_"),
                              std::pair(flow.to, " lhead=cluster_")})
      if (graph.operations[end]->getNumRegions())
        os << which << idOf(graph, end);
    os << "]\n";
    // What comes after a frame is drawn below it.
    if (auto last = lastInner.find(idOf(graph, flow.from));
        last != lastInner.end())
      indent(depth) << last->second << " -> " << idOf(graph, flow.to)
                    << " [style=invis]\n";
  }
  for (const Edge &edge : graph.graph.allEdges())
    if (edge.kind == EdgeKind::HappensBefore)
      indent(depth) << idOf(graph, edge.from) << " -> " << idOf(graph, edge.to)
                    << " [" << styleOf(edge.kind) << "]\n";
}

void RegionDotWriter::writeFolded(const ImportedGraph &graph, unsigned depth) {
  firstIds[&graph] = numIds;
  numIds += graph.graph.numNodes();
  for (NodeIndex node = 0; node != graph.graph.numNodes(); ++node)
    if (isTaskLike(graph.graph.node(node).kind))
      writeFoldedNode(graph, node, depth);
  writeFlows(graph, depth);
  writeAddedEdges(graph, nullptr, depth);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void RegionDotWriter::writeBody(const ImportedGraph &graph,
                                const std::set<NodeIndex> *shown,
                                unsigned depth) {
  firstIds[&graph] = numIds;
  numIds += graph.graph.numNodes();
  for (NodeIndex node = 0; node != graph.graph.numNodes(); ++node)
    if (isShown(shown, node))
      writeNode(graph, node, depth);
  writeEdges(graph, shown, depth);
  RegionProblems &wrong = problems[&graph];
  if (wrong.nodes.empty())
    writeAddedEdges(graph, shown, depth);
  else
    writeAbsentEdges(graph, shown, depth);
  for (const auto &nested : graph.nested) {
    if (!isShown(shown, nested->owner) || nested->graph.numNodes() == 0)
      continue;
    std::string owner = idOf(graph, nested->owner);
    indent(depth) << "subgraph cluster_" << owner << " {\n";
    const std::string name = bareName(graph, nested->owner);
    describeFrame("cluster_" + owner, "body of " + name, "body", *nested,
                  graph.operations[nested->owner]);
    writeFrameTime("body of <b>" + escapeMarkup(name) + "</b>", depth + 1);
    indent(depth + 1) << "style=rounded color=\"#888888\"\n";
    writeBody(*nested, nullptr, depth + 1);
    indent(depth) << "}\n";
    indent(depth) << owner << " -> " << idOf(*nested, 0) << " [lhead=cluster_"
                  << owner
                  << " color=\"#bbbbbb\" arrowhead=none style=dashed]\n";
  }
}

void RegionDotWriter::writeGraph(const ImportedGraph &graph,
                                 const std::set<NodeIndex> *shown,
                                 bool isFolded) {
  std::string name = cast<GraphOp>(graph.op).getSymName().str();
  const std::string id = "cluster_graph" + std::to_string(numIds);
  describeFrame(id, name, "graph", graph, graph.op);
  os << "  subgraph " << id << " {\n";
  writeFrameTime("<b>" + escapeMarkup(name) + "</b>", 2);
  os << "    style=rounded\n";
  if (isFolded && !hasProblems(graph))
    writeFolded(graph, 2);
  else
    writeBody(graph, shown, 2);
  os << "  }\n";
}

void RegionDotWriter::finish() { os << "}\n"; }

//===- Draw.cpp - Pictures of graphs --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph in the language of Graphviz: nodes are tables with a row for each
// port, so that edges begin and end at ports.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Draw.h"
#include "ExtentText.h"
#include "SizePorts.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "sluice/DFG/Folds.h"
#include "sluice/DFG/RootNames.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "sluice/DFG/Tiling.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Writes one program. Each node gets identifiers for its ports: `n4` is a
/// leaf; `n4_in` and `n4_out` are the port rows of an internal node.
class DotWriter {
public:
  DotWriter(Picture &picture, const RaceReport &races,
            ArrayRef<LeafRemark> remarks, bool hasSizes)
      : picture(picture), races(races), remarks(remarks), os(picture.dot),
        hasSizes(hasSizes) {}

  void begin();
  void writeRoot(GraphOp root, unsigned number);
  void end() { os << "}\n"; }

private:
  struct Port {
    std::string node;
    std::string port;
  };
  using Ports = DenseMap<mlir::Value, Port>;
  /// The position of nodes in the program, and in its trace.
  struct Scope {
    std::string path;
    /// The surrounding frame that has the time of all its nodes.
    std::string timedWith;
    unsigned depth;
    /// The names in the trace of the nodes in it.
    std::vector<uint32_t> names = {};
  };

  /// Whether a leaf races.
  bool isRacy(StringRef path) const;
  void writeRaces();
  void writeGraph(GraphOp graph, Ports &ports, Scope &scope);
  void writeLeaf(NodeOp node, KernelOp kernel, StringRef name, Scope &scope);
  void writeInternal(NodeOp node, GraphOp graph, StringRef name, Scope &scope);
  void describeRoot(GraphOp root, std::string id);
  /// The name of a node in the runtime: the first node of a path has the path
  /// itself, the others are numbered.
  std::string uniquePath(const Scope &scope, NodeOp node);
  void setTime(PictureNode &node, std::optional<NodeTime> time, Scope &scope);
  /// Writes the time of the frame that is about to end.
  void writeFrameTime(size_t index, StringRef extents, bool isFilled,
                      unsigned depth);
  Ports inputPorts(GraphOp graph, const std::string &name) const;
  void writeEdges(NodeOp node, const BitVector &shown, StringRef target,
                  const Ports &ports);
  template <typename OpT>
  void writePortRow(StringRef name, OpT op, const BitVector &shown,
                    bool inputs);
  /// The inputs and outputs to draw; without --sizes, the sizes of pointers are
  /// left out.
  template <typename OpT> BitVector shownInputs(OpT op) const;
  BitVector shownOutputs(NodeOp node) const;
  /// Returns the node's index in the picture.
  size_t describe(NodeOp node, std::string id, StringRef kind);
  raw_ostream &indent(unsigned depth) { return os.indent(2 * depth); }

  Picture &picture;
  const RaceReport &races;
  const ArrayRef<LeafRemark> remarks;
  raw_string_ostream os;
  const bool hasSizes;
  unsigned numNodes = 0;
  StringMap<unsigned> timesNamed;
  /// The leaves of the root, by path.
  StringMap<std::string> leaves;
};
} // namespace

/// The colour of a node, by the place where it runs.
static StringRef colorOf(dfg::Target target) {
  switch (target) {
  case dfg::Target::Gpu:
    return "#d8efd3";
  case dfg::Target::CpuOrGpu:
    return "#f3ecc8";
  default:
    return "#dbe8f6";
  }
}

static void writeCell(raw_ostream &os, StringRef port, const Twine &text) {
  os << "<td port=\"" << port << "\"><font point-size=\"9\">" << text
     << "</font></td>";
}

/// Cells for input ports, with the access of each pointer.
template <typename OpT>
static void writeInputs(raw_ostream &os, OpT op, const BitVector &shown) {
  for (unsigned i : shown.set_bits()) {
    std::string text = escapeMarkup(op.getInputName(i));
    if (op.getInputAccess(i) != dfg::Access::None)
      text += " <i>" + dfg::describeAccess(op, i) + "</i>";
    writeCell(os, "i" + std::to_string(i), text);
  }
}

template <typename OpT>
static void writeOutputs(raw_ostream &os, OpT op, const BitVector &shown) {
  for (unsigned i : shown.set_bits())
    writeCell(os, "o" + std::to_string(i), escapeMarkup(op.getOutputName(i)));
}

template <typename OpT> BitVector DotWriter::shownInputs(OpT op) const {
  BitVector shown(op.getInputTypes().size(), true);
  SmallVector<mlir::Type> types(op.getInputTypes());
  for (unsigned i = 0; !hasSizes && i != types.size(); ++i)
    if (isSizeBehindPointer(types, i))
      shown.reset(i);
  return shown;
}

BitVector DotWriter::shownOutputs(NodeOp node) const {
  BitVector shown(node.getNumPorts(), true);
  for (unsigned i = 0; !hasSizes && i != node.getNumPorts(); ++i)
    if (isSizeOutput(node, i))
      shown.reset(i);
  return shown;
}

template <typename OpT>
void DotWriter::writePortRow(StringRef name, OpT op, const BitVector &shown,
                             bool inputs) {
  if (shown.none())
    return;
  os << name << " [label=<<table border=\"0\" cellborder=\"1\" "
     << "cellspacing=\"0\" bgcolor=\"#f4f4f4\"><tr>";
  inputs ? writeInputs(os, op, shown) : writeOutputs(os, op, shown);
  os << "</tr></table>>]\n";
}

size_t DotWriter::describe(NodeOp node, std::string id, StringRef kind) {
  std::string extents = spellExtents(node);
  PictureNode known;
  known.id = std::move(id);
  known.name = node.getDisplayName();
  known.kind = kind.str() + (extents.empty() ? "" : ", " + extents);
  if (auto place = node.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  picture.nodes.push_back(std::move(known));
  return picture.nodes.size() - 1;
}

void DotWriter::describeRoot(GraphOp root, std::string id) {
  PictureNode known;
  known.id = std::move(id);
  known.name = dfg::displayName(root.getSymName());
  known.kind = "root";
  if (auto place = root.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  picture.nodes.push_back(std::move(known));
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

std::string DotWriter::uniquePath(const Scope &scope, NodeOp node) {
  std::string path = scope.path + "/" + node.getDisplayName().str();
  const unsigned number = ++timesNamed[path];
  return number == 1 ? path : path + "#" + std::to_string(number);
}

void DotWriter::setTime(PictureNode &node, std::optional<NodeTime> time,
                        Scope &scope) {
  node.isTimed = true;
  if (time)
    append_range(scope.names, time->names);
  else
    node.timedWith = scope.timedWith;
  node.time = std::move(time);
}

void DotWriter::writeFrameTime(size_t index, StringRef extents, bool isFilled,
                               unsigned depth) {
  const PictureNode &node = picture.nodes[index];
  if (!node.time)
    return;
  // The last definition of a label wins.
  indent(depth) << "label=<<b>" << escapeMarkup(node.name) << "</b>  "
                << escapeMarkup(extents) << (extents.empty() ? "" : "<br/>")
                << spellNodeTime(node.time) << ">\n";
  if (isFilled)
    indent(depth) << "style=\"rounded,filled\" fillcolor=\""
                  << colourOf(node.time) << "\"\n";
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

bool DotWriter::isRacy(StringRef path) const {
  return any_of(races.findings, [&](const RaceFinding &finding) {
    return finding.verdict == RaceVerdict::Racy &&
           (finding.first.path == path || finding.second.path == path);
  });
}

/// Draws lines between nodes that no edge orders.
void DotWriter::writeRaces() {
  std::set<std::pair<std::string, std::string>> written;
  for (const RaceFinding &finding : races.findings) {
    auto one = leaves.find(finding.first.path);
    auto other = leaves.find(finding.second.path);
    if (finding.verdict == RaceVerdict::Racy && one != leaves.end() &&
        other != leaves.end() && one != other &&
        written.insert({one->second, other->second}).second)
      os << "    " << one->second << " -> " << other->second
         << " [color=\"#c5221f\" fontcolor=\"#c5221f\" style=dashed dir=both "
            "fontsize=9 label=\""
         << (finding.kind == RaceKind::NoEdge ? "no edge" : "race")
         << "\" constraint=false]\n";
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void DotWriter::writeLeaf(NodeOp node, KernelOp kernel, StringRef name,
                          Scope &scope) {
  const size_t index = describe(node, name.str(), "leaf");
  std::string colour = colorOf(kernel.getTarget()).str(), time;
  const std::string unique = uniquePath(scope, node);
  picture.nodes[index].remarks = remarksAbout(unique, remarks);
  if (picture.traced) {
    PictureNode &known = picture.nodes[index];
    setTime(known, picture.traced->take(unique), scope);
    colour = known.timedWith.empty() ? colourOf(known.time) : "#ffffff";
    time = spellNodeTime(known.time);
  }
  const BitVector inputs = shownInputs(kernel), outputs = shownOutputs(node);
  size_t width = std::max({1u, inputs.count(), outputs.count()});
  os << name << " [label=<<table border=\"0\" cellborder=\"1\" "
     << "cellspacing=\"0\" bgcolor=\"" << colour << "\">";
  if (inputs.any()) {
    os << "<tr><td border=\"0\" colspan=\"" << width << "\" cellpadding=\"0\">"
       << "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr>";
    writeInputs(os, kernel, inputs);
    os << "</tr></table></td></tr>";
  }
  const std::string path = scope.path + "/" + node.getDisplayName().str();
  leaves.try_emplace(path, name.str());
  const bool racy = isRacy(path);
  os << "<tr><td colspan=\"" << width << '"'
     << (racy ? " bgcolor=\"#f4c7c3\" color=\"#c5221f\"" : "") << "><b>"
     << escapeMarkup(node.getDisplayName()) << "</b>";
  if (std::string extents = spellExtents(node); !extents.empty())
    os << "<br/>" << escapeMarkup(extents);
  if (std::optional<dfg::Tiling> tiling = dfg::tilingOf(node))
    os << "<br/>" << tiling->ahead << (tiling->ahead == 1 ? " row" : " rows")
       << " behind";
  for (unsigned input : dfg::windowsWrittenBy(node))
    os << "<br/>window of "
       << escapeMarkup(cast<GraphOp>(node->getParentOp()).getInputName(input));
  if (!time.empty())
    os << "<br/>" << time;
  if (racy)
    os << "<br/><font color=\"#c5221f\">races</font>";
  os << "</td></tr>";
  if (outputs.any()) {
    os << "<tr><td border=\"0\" colspan=\"" << width << "\" cellpadding=\"0\">"
       << "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr>";
    writeOutputs(os, kernel, outputs);
    os << "</tr></table></td></tr>";
  }
  os << "</table>>]\n";
}

/// The positions of a graph's inputs in its picture; a size that is not drawn
/// maps to its pointer.
DotWriter::Ports DotWriter::inputPorts(GraphOp graph,
                                       const std::string &name) const {
  const BitVector shown = shownInputs(graph);
  Ports ports;
  for (unsigned i = 0; i != shown.size(); ++i)
    ports[graph.getInput(i)] = {name + "_in",
                                "i" + std::to_string(shown[i] ? i : i - 1)};
  return ports;
}

void DotWriter::writeInternal(NodeOp node, GraphOp graph, StringRef name,
                              Scope &scope) {
  const unsigned depth = scope.depth;
  const std::string id = ("cluster_" + name).str();
  const size_t index = describe(node, id, "internal node");
  Scope inner = {scope.path + "/" + node.getDisplayName().str(),
                 scope.timedWith, depth + 1};
  // A node with instances runs as one node.
  std::optional<NodeTime> own;
  if (!node.getExtents().empty()) {
    const std::string unique = uniquePath(scope, node);
    picture.nodes[index].remarks = remarksAbout(unique, remarks);
    if (picture.traced)
      own = picture.traced->take(unique);
  }
  if (own) {
    inner.timedWith = id;
    inner.names = own->names;
  }
  indent(depth) << "subgraph cluster_" << name << " {\n";
  std::string extents = spellExtents(node);
  indent(depth + 1) << "label=<<b>" << escapeMarkup(node.getDisplayName())
                    << "</b>" << (extents.empty() ? "" : "  ")
                    << escapeMarkup(extents) << ">\n";
  indent(depth + 1) << "style=rounded color=\"#888888\"\n";
  Ports ports = inputPorts(graph, name.str());
  indent(depth + 1);
  writePortRow((name + "_in").str(), graph, shownInputs(graph),
               /*inputs=*/true);
  indent(depth + 1);
  writePortRow((name + "_out").str(), graph,
               BitVector(graph.getOutputTypes().size(), true),
               /*inputs=*/false);
  writeGraph(graph, ports, inner);
  if (picture.traced) {
    setTime(picture.nodes[index], picture.traced->sum(std::move(inner.names)),
            scope);
    writeFrameTime(index, extents, own.has_value(), depth + 1);
  }
  for (auto [index, value] : enumerate(graph.getOutputOp().getValues())) {
    Port source = ports.lookup(value);
    indent(depth + 1) << source.node << ':' << source.port << ":s -> " << name
                      << "_out:o" << index
                      << ":n [color=\"#888888\" arrowsize=0.6]\n";
  }
  indent(depth) << "}\n";
}

void DotWriter::writeEdges(NodeOp node, const BitVector &shown,
                           StringRef target, const Ports &ports) {
  for (auto [index, value] : enumerate(node.getInputs())) {
    auto source = ports.find(value);
    if (source == ports.end())
      continue;
    bool isBind = isa<mlir::BlockArgument>(value);
    // Sizes follow their pointers. An arrow is only drawn if it shows an order.
    const bool isShown = shown[index];
    if (!isShown && (isBind || node.getInputs()[index - 1].getDefiningOp() ==
                                   value.getDefiningOp()))
      continue;
    os << source->second.node << (source->second.port.empty() ? "" : ":")
       << source->second.port << ":s -> " << target << ":i"
       << (isShown ? index : index - 1) << ":n [arrowsize=0.6";
    if (isBind)
      os << " color=\"#888888\"";
    if (node.isOneToOne(index))
      os << " style=dashed fontsize=8 label=\"1:1"
         << (node.isPipelined(index) ? " pipelined" : "") << '"';
    if (node.isStream(index))
      os << " penwidth=2 color=\"#b5541c\"";
    os << "]\n";
  }
  // An internal node without inputs has no row that an arrow could end at.
  if (node.getInputs().empty() && target.ends_with("_in"))
    return;
  for (mlir::Value value : node.getDependencies())
    if (auto source = ports.find(value); source != ports.end())
      os << source->second.node << ":s -> " << target
         << ":n [arrowsize=0.6 style=dotted]\n";
}

void DotWriter::writeGraph(GraphOp graph, Ports &ports, Scope &scope) {
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>()) {
    std::string name = "n" + std::to_string(numNodes++);
    mlir::Operation *callee = node.resolveCallee();
    std::string inputs = name, outputs = name;
    BitVector shown(node.getNumPorts(), true), shownIn;
    if (auto kernel = dyn_cast<KernelOp>(callee)) {
      indent(scope.depth);
      writeLeaf(node, kernel, name, scope);
      shown = shownOutputs(node);
      shownIn = shownInputs(kernel);
    } else {
      inputs += "_in";
      outputs += "_out";
      writeInternal(node, cast<GraphOp>(callee), name, scope);
      shownIn = shownInputs(cast<GraphOp>(callee));
    }
    writeEdges(node, shownIn, inputs, ports);
    for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i)
      ports[node.getResult(i)] = {outputs,
                                  shown[i] ? "o" + std::to_string(i) : ""};
    bool hasRow = isa<KernelOp>(callee) || node.getNumPorts() != 0;
    if (hasRow && node.getNumPorts() != node.getNumResults())
      ports[node.getResult(node.getNumPorts())] = {outputs, ""};
  }
}

void DotWriter::begin() {
  os << "digraph sluice {\n  node [shape=plain fontname=\"Helvetica\" "
        "fontsize=11]\n  graph [fontname=\"Helvetica\" fontsize=12 "
        "ranksep=0.4]\n  edge [fontname=\"Helvetica\"]\n";
}

void DotWriter::writeRoot(GraphOp root, unsigned number) {
  std::string name = "root" + std::to_string(number);
  os << "  subgraph cluster_" << name << " {\n    label=<<b>"
     << escapeMarkup(dfg::displayName(root.getSymName()))
     << "</b>>\n    style=rounded\n";
  describeRoot(root, "cluster_" + name);
  const size_t index = picture.nodes.size() - 1;
  Ports ports = inputPorts(root, name);
  os << "    ";
  writePortRow(name + "_in", root, shownInputs(root), /*inputs=*/true);
  os << "    ";
  writePortRow(name + "_out", root,
               BitVector(root.getOutputTypes().size(), true),
               /*inputs=*/false);
  Scope scope = {dfg::uniqueRootName(root), "", 2};
  leaves.clear();
  writeGraph(root, ports, scope);
  writeRaces();
  if (picture.traced) {
    Scope outside;
    setTime(picture.nodes[index], picture.traced->sum(std::move(scope.names)),
            outside);
    writeFrameTime(index, "", /*isFilled=*/false, 2);
  }
  for (auto [index, value] : enumerate(root.getOutputOp().getValues())) {
    Port source = ports.lookup(value);
    os << "    " << source.node << ':' << source.port << ":s -> " << name
       << "_out:o" << index << ":n [color=\"#888888\" arrowsize=0.6]\n";
  }
  os << "  }\n";
}

Picture driver::drawGraph(Program &program, StringRef wanted, bool hasSizes,
                          TracedNodes *traced, ArrayRef<LeafRemark> remarks) {
  Picture picture;
  picture.traced = traced;
  DotWriter writer(picture, program.races, remarks, hasSizes);
  writer.begin();
  unsigned number = 0;
  for (GraphOp root : program.getRoots()) {
    if (!wanted.empty() && root.getSymName() != wanted &&
        dfg::displayName(root.getSymName()) != wanted)
      continue;
    // With many graphs, their number says more than their names.
    if (number < 3)
      picture.title +=
          (number ? ", " : "") + dfg::displayName(root.getSymName());
    writer.writeRoot(root, number++);
  }
  if (number > 3)
    picture.title += " and " + std::to_string(number - 3) + " more";
  writer.end();
  return picture;
}

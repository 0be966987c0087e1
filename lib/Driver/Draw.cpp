//===- Draw.cpp - Pictures of graphs --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Draw.h"
#include "Link.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "sluice/Base/Files.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Writes one program. Every node gets the identifiers of its ports' owners:
/// `n4` is a leaf, `n4_in` and `n4_out` are the port rows of an internal node.
class DotWriter {
public:
  DotWriter(raw_ostream &os) : os(os) {}

  void writeRoot(GraphOp root, unsigned number);

private:
  struct Port {
    std::string node;
    std::string port;
  };
  using Ports = DenseMap<mlir::Value, Port>;

  void writeGraph(GraphOp graph, Ports &ports, unsigned depth);
  void writeLeaf(NodeOp node, KernelOp kernel, StringRef name);
  void writeInternal(NodeOp node, GraphOp graph, StringRef name,
                     unsigned depth);
  void writeEdges(NodeOp node, StringRef target, const Ports &ports);
  template <typename OpT>
  void writePortRow(StringRef name, OpT op, bool inputs);
  raw_ostream &indent(unsigned depth) { return os.indent(2 * depth); }

  raw_ostream &os;
  unsigned numNodes = 0;
};
} // namespace

/// Text for an HTML-like label.
static std::string escape(StringRef text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

/// An extent as an expression of the graph's arguments.
static std::string spellExtent(mlir::Value extent) {
  if (std::optional<int64_t> known = dfg::constantExtent(extent))
    return std::to_string(*known);
  if (auto argument = dyn_cast<mlir::BlockArgument>(extent))
    return cast<GraphOp>(argument.getOwner()->getParentOp())
        .getInputName(argument.getArgNumber());
  mlir::Operation *op = extent.getDefiningOp();
  StringRef sign = StringSwitch<StringRef>(op->getName().stripDialect())
                       .Case("addi", " + ")
                       .Case("subi", " - ")
                       .Case("muli", " · ")
                       .Cases({"divsi", "divui"}, " / ")
                       .Cases({"shrsi", "shrui"}, " >> ")
                       .Case("shli", " << ")
                       .Default("");
  if (sign.empty() || op->getNumOperands() != 2)
    return "…";
  return "(" + spellExtent(op->getOperand(0)) + sign.str() +
         spellExtent(op->getOperand(1)) + ")";
}

static std::string spellExtents(NodeOp node) {
  std::string text;
  for (mlir::Value extent : node.getExtents())
    text += (text.empty() ? "" : " × ") + spellExtent(extent);
  return text;
}

/// Colour of a node by where it runs.
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

/// Cells for input ports, with how a pointer is used.
template <typename OpT> static void writeInputs(raw_ostream &os, OpT op) {
  for (unsigned i = 0, e = op.getInputTypes().size(); i != e; ++i) {
    std::string text = escape(op.getInputName(i));
    if (op.getInputAccess(i) != dfg::Access::None)
      text += " <i>" + dfg::spellAccess(op.getInputAccess(i)).str() + "</i>";
    writeCell(os, "i" + std::to_string(i), text);
  }
}

template <typename OpT> static void writeOutputs(raw_ostream &os, OpT op) {
  for (unsigned i = 0, e = op.getOutputTypes().size(); i != e; ++i)
    writeCell(os, "o" + std::to_string(i), escape(op.getOutputName(i)));
}

template <typename OpT>
void DotWriter::writePortRow(StringRef name, OpT op, bool inputs) {
  bool isEmpty =
      inputs ? op.getInputTypes().empty() : op.getOutputTypes().empty();
  if (isEmpty)
    return;
  os << name << " [label=<<table border=\"0\" cellborder=\"1\" "
     << "cellspacing=\"0\" bgcolor=\"#f4f4f4\"><tr>";
  inputs ? writeInputs(os, op) : writeOutputs(os, op);
  os << "</tr></table>>]\n";
}

void DotWriter::writeLeaf(NodeOp node, KernelOp kernel, StringRef name) {
  size_t width = std::max<size_t>(
      {1, kernel.getInputTypes().size(), kernel.getOutputTypes().size()});
  os << name << " [label=<<table border=\"0\" cellborder=\"1\" "
     << "cellspacing=\"0\" bgcolor=\"" << colorOf(kernel.getTarget()) << "\">";
  if (!kernel.getInputTypes().empty()) {
    os << "<tr><td border=\"0\" colspan=\"" << width << "\" cellpadding=\"0\">"
       << "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr>";
    writeInputs(os, kernel);
    os << "</tr></table></td></tr>";
  }
  os << "<tr><td colspan=\"" << width << "\"><b>"
     << escape(node.getDisplayName()) << "</b>";
  if (std::string extents = spellExtents(node); !extents.empty())
    os << "<br/>" << escape(extents);
  os << "</td></tr>";
  if (!kernel.getOutputTypes().empty()) {
    os << "<tr><td border=\"0\" colspan=\"" << width << "\" cellpadding=\"0\">"
       << "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\"><tr>";
    writeOutputs(os, kernel);
    os << "</tr></table></td></tr>";
  }
  os << "</table>>]\n";
}

void DotWriter::writeInternal(NodeOp node, GraphOp graph, StringRef name,
                              unsigned depth) {
  indent(depth) << "subgraph cluster_" << name << " {\n";
  std::string extents = spellExtents(node);
  indent(depth + 1) << "label=<<b>" << escape(node.getDisplayName()) << "</b>"
                    << (extents.empty() ? "" : "  ") << escape(extents)
                    << ">\n";
  indent(depth + 1) << "style=rounded color=\"#888888\"\n";
  Ports ports;
  for (unsigned i = 0, e = graph.getInputTypes().size(); i != e; ++i)
    ports[graph.getInput(i)] = {(name + "_in").str(), "i" + std::to_string(i)};
  indent(depth + 1);
  writePortRow((name + "_in").str(), graph, /*inputs=*/true);
  indent(depth + 1);
  writePortRow((name + "_out").str(), graph, /*inputs=*/false);
  writeGraph(graph, ports, depth + 1);
  for (auto [index, value] : enumerate(graph.getOutputOp().getValues())) {
    Port source = ports.lookup(value);
    indent(depth + 1) << source.node << ':' << source.port << ":s -> " << name
                      << "_out:o" << index
                      << ":n [color=\"#888888\" arrowsize=0.6]\n";
  }
  indent(depth) << "}\n";
}

void DotWriter::writeEdges(NodeOp node, StringRef target, const Ports &ports) {
  for (auto [index, value] : enumerate(node.getInputs())) {
    auto source = ports.find(value);
    if (source == ports.end())
      continue;
    bool isBind = isa<mlir::BlockArgument>(value);
    os << source->second.node << ':' << source->second.port << ":s -> "
       << target << ":i" << index << ":n [arrowsize=0.6";
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

void DotWriter::writeGraph(GraphOp graph, Ports &ports, unsigned depth) {
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>()) {
    std::string name = "n" + std::to_string(numNodes++);
    mlir::Operation *callee = node.resolveCallee();
    std::string inputs = name, outputs = name;
    if (auto kernel = dyn_cast<KernelOp>(callee)) {
      indent(depth);
      writeLeaf(node, kernel, name);
    } else {
      inputs += "_in";
      outputs += "_out";
      writeInternal(node, cast<GraphOp>(callee), name, depth);
    }
    writeEdges(node, inputs, ports);
    for (unsigned i = 0, e = node.getNumPorts(); i != e; ++i)
      ports[node.getResult(i)] = {outputs, "o" + std::to_string(i)};
    bool hasRow = isa<KernelOp>(callee) || node.getNumPorts() != 0;
    if (hasRow && node.getNumPorts() != node.getNumResults())
      ports[node.getResult(node.getNumPorts())] = {outputs, ""};
  }
}

void DotWriter::writeRoot(GraphOp root, unsigned number) {
  std::string name = "root" + std::to_string(number);
  os << "  subgraph cluster_" << name << " {\n    label=<<b>"
     << escape(dfg::displayName(root.getSymName()))
     << "</b>>\n    style=rounded\n";
  Ports ports;
  for (unsigned i = 0, e = root.getInputTypes().size(); i != e; ++i)
    ports[root.getInput(i)] = {name + "_in", "i" + std::to_string(i)};
  os << "    ";
  writePortRow(name + "_in", root, /*inputs=*/true);
  os << "    ";
  writePortRow(name + "_out", root, /*inputs=*/false);
  writeGraph(root, ports, 2);
  for (auto [index, value] : enumerate(root.getOutputOp().getValues())) {
    Port source = ports.lookup(value);
    os << "    " << source.node << ':' << source.port << ":s -> " << name
       << "_out:o" << index << ":n [color=\"#888888\" arrowsize=0.6]\n";
  }
  os << "  }\n";
}

void driver::writeDot(Program &program, StringRef wanted, raw_ostream &os) {
  os << "digraph sluice {\n  node [shape=plain fontname=\"Helvetica\" "
        "fontsize=11]\n  graph [fontname=\"Helvetica\" fontsize=12 "
        "ranksep=0.4]\n  edge [fontname=\"Helvetica\"]\n";
  DotWriter writer(os);
  unsigned number = 0;
  for (GraphOp root : program.getRoots())
    if (wanted.empty() || root.getSymName() == wanted ||
        dfg::displayName(root.getSymName()) == wanted)
      writer.writeRoot(root, number++);
  os << "}\n";
}

Error driver::drawGraph(Program &program, StringRef root, StringRef path) {
  std::string text;
  raw_string_ostream os(text);
  writeDot(program, root, os);
  StringRef ending = sys::path::extension(path);
  if (ending == ".dot") {
    if (Status status = writeFileAtomically(path.str(), text); !status.ok())
      return createStringError(status.message());
    return Error::success();
  }
  SmallString<128> input;
  int descriptor;
  if (std::error_code error =
          sys::fs::createTemporaryFile("sluice", "dot", descriptor, input))
    return createStringError("cannot write a temporary file: " +
                             error.message());
  FileRemover remover(input);
  {
    raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    file << text;
  }
  std::string temporary = (path + ".part").str();
  Error error = runTool("dot", {"-T" + ending.drop_front().str(), "-o",
                                temporary, input.str().str()});
  if (!error)
    if (std::error_code code = sys::fs::rename(temporary, path))
      error =
          createStringError("cannot write '" + path + "': " + code.message());
  if (error)
    sys::fs::remove(temporary);
  return error;
}

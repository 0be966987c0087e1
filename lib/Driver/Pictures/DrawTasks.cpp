//===- DrawTasks.cpp - Pictures of task graphs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task graph in the language of Graphviz: tasks, and the data that orders
// them.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/TaskProgram.h"
#include "sluice/Analysis/TaskOrder.h"
#include "sluice/Driver/Draw.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::TaskArgAttr;
using dfg::TaskGraphOp;
using dfg::TaskKind;
using dfg::TaskOp;

namespace {
class TaskDotWriter {
public:
  explicit TaskDotWriter(Picture &picture)
      : picture(picture), os(picture.dot) {}

  void begin();
  void writeGraph(TaskGraphOp graph);
  void end() { os << "}\n"; }

private:
  std::string idOf(unsigned task) const {
    return "n" + std::to_string(firstId + task);
  }
  void writeTask(const TaskOrder &order, unsigned task);
  void writeArguments(TaskOp task);
  void writeFiles(TaskOp task);
  void writeEdge(const TaskEdge &edge);
  void describe(const TaskOrder &order, unsigned task);
  /// Describes the frame of a graph; its tasks follow.
  void describeGraph(TaskGraphOp graph, std::string id);

  Picture &picture;
  raw_string_ostream os;
  unsigned firstId = 0, numGraphs = 0;
  std::string graphName;
  /// The graph's tasks that are in the trace.
  std::vector<uint32_t> ranNames;
};
} // namespace

static StringRef colorOf(TaskKind kind) {
  switch (kind) {
  case TaskKind::C:
    return "#dbe8f6";
  case TaskKind::Halide:
    return "#d8efd3";
  case TaskKind::Python:
    return "#f3ecc8";
  case TaskKind::Fem:
    return "#f6dfd0";
  case TaskKind::HPVM:
    return "#e6dcf2";
  }
  return "";
}

/// "halide halide_blur, 3 variants", the text below the name.
static std::string kernelText(TaskOp task) {
  std::string text = stringifyTaskKind(task.getKind()).str() + " ";
  if (task.getOf() && *task.getOf() != SLUICE_PYTHON_HERE)
    text += task.getOf()->str() + ".";
  text += task.getCallee();
  if (auto extents = task.getExtents())
    for (auto [index, extent] : enumerate(*extents))
      text += (index ? " × " : ", ") + std::to_string(extent);
  if (mlir::ArrayAttr variants = task.getVariantsAttr();
      variants && variants.size() > 1)
    text += ", " + std::to_string(variants.size()) + " variants";
  return text;
}

/// "[0:3:2, 0:2]", as written in the dialect.
static std::string partText(TaskArgAttr argument) {
  std::string text;
  for (auto [offset, size, step] : zip_equal(
           argument.getOffsets(), argument.getSizes(), argument.getSteps())) {
    text += (text.empty() ? "[" : ", ") + std::to_string(offset) + ":" +
            std::to_string(size ? offset + (size - 1) * step + 1 : offset);
    if (step != 1)
      text += ":" + std::to_string(step);
  }
  return text.empty() ? "" : text + "]";
}

static std::string argumentText(TaskArgAttr argument) {
  bool isValue = argument.getPassBy() == dfg::PassBy::Value;
  return escapeMarkup(argument.getData().getValue()) + partText(argument) +
         " <i>" +
         (isValue ? "value" : spellAccess(argument.getAccess()).str()) + "</i>";
}

void TaskDotWriter::writeArguments(TaskOp task) {
  os << "<tr>";
  for (TaskArgAttr argument : task.getTaskArgs())
    os << "<td><font point-size=\"9\">" << argumentText(argument)
       << "</font></td>";
  os << "</tr>";
}

void TaskDotWriter::writeFiles(TaskOp task) {
  for (auto [what, files] : {std::pair("reads", task.getReadFilesAttr()),
                             {"writes", task.getWrittenFilesAttr()}})
    for (mlir::Attribute file :
         files ? files.getValue() : ArrayRef<mlir::Attribute>())
      os << "<br/><font point-size=\"9\">" << what << " "
         << escapeMarkup(cast<mlir::StringAttr>(file).getValue()) << "</font>";
}

void TaskDotWriter::describe(const TaskOrder &order, unsigned task) {
  TaskOp op = order.tasks[task];
  PictureNode known;
  known.id = idOf(task);
  known.name = order.names[task];
  known.kind = kernelText(op);
  if (auto place = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  if (picture.traced) {
    known.isTimed = true;
    known.time = picture.traced->take(graphName + "/" + order.names[task]);
    if (known.time)
      append_range(ranNames, known.time->names);
  }
  picture.nodes.push_back(std::move(known));
}

void TaskDotWriter::describeGraph(TaskGraphOp graph, std::string id) {
  PictureNode known;
  known.id = std::move(id);
  known.name = graphName = graph.getSymName().str();
  known.kind = "task graph";
  if (auto place = graph.getLoc()->findInstanceOf<mlir::FileLineColLoc>()) {
    known.source = picture.addSource(place.getFilename());
    known.line = place.getLine();
    known.column = place.getColumn();
  }
  picture.nodes.push_back(std::move(known));
}

void TaskDotWriter::writeTask(const TaskOrder &order, unsigned task) {
  describe(order, task);
  TaskOp op = order.tasks[task];
  const PictureNode &known = picture.nodes.back();
  os << "    " << idOf(task) << " [label=<<table border=\"0\" cellborder=\"1\" "
     << "cellspacing=\"0\" bgcolor=\""
     << (known.isTimed ? colourOf(known.time) : colorOf(op.getKind()).str())
     << "\"><tr><td colspan=\"" << std::max<size_t>(1, op.getArgs().size())
     << "\"><b>" << escapeMarkup(order.names[task])
     << "</b><br/><font point-size=\"9\" color=\"#555555\">"
     << escapeMarkup(kernelText(op)) << "</font>";
  if (known.time)
    os << "<br/>" << spellNodeTime(known.time);
  writeFiles(op);
  os << "</td></tr>";
  if (!op.getArgs().empty())
    writeArguments(op);
  os << "</table>>]\n";
}

/// Edges on which data flows are black; edges that only wait for memory are
/// orange.
void TaskDotWriter::writeEdge(const TaskEdge &edge) {
  using Reason = TaskEdge::Reason;
  os << "    " << idOf(edge.before) << ":s -> " << idOf(edge.after)
     << ":n [arrowsize=0.6";
  if (edge.reason == Reason::Stated)
    os << " style=dashed";
  if (edge.reason == Reason::Serial || edge.reason == Reason::State)
    os << " style=dotted color=\"#888888\"";
  if (edge.reason == Reason::WriteAfterRead ||
      edge.reason == Reason::WriteAfterWrite)
    os << " color=\"#b5541c\" fontcolor=\"#b5541c\"";
  // The colour already shows which tasks run in Python.
  if (!edge.data.empty() && edge.data != pythonState)
    os << " fontsize=8 label=<" << (edge.reason == Reason::File ? "<i>" : "")
       << escapeMarkup(edge.data) << (edge.reason == Reason::File ? "</i>" : "")
       << ">";
  os << "]\n";
}

void TaskDotWriter::begin() {
  os << "digraph sluice {\n  node [shape=plain fontname=\"Helvetica\" "
        "fontsize=11]\n  graph [fontname=\"Helvetica\" fontsize=12 "
        "ranksep=0.4]\n  edge [fontname=\"Helvetica\"]\n";
}

void TaskDotWriter::writeGraph(TaskGraphOp graph) {
  TaskOrder order = inferTaskOrder(graph);
  const std::string id = "cluster_graph" + std::to_string(numGraphs++);
  describeGraph(graph, id);
  const size_t index = picture.nodes.size() - 1;
  ranNames.clear();
  os << "  subgraph " << id << " {\n    label=<<b>"
     << escapeMarkup(graph.getSymName()) << "</b>"
     << (graph.getSerial() ? " serial" : "") << ">\n    style=rounded\n";
  for (unsigned task = 0; task != order.tasks.size(); ++task)
    writeTask(order, task);
  for (const TaskEdge &edge : order.edges)
    if (is_contained(order.predecessors[edge.after], edge.before))
      writeEdge(edge);
  if (picture.traced) {
    PictureNode &known = picture.nodes[index];
    known.isTimed = true;
    known.time = picture.traced->sum(ranNames);
    if (known.time)
      os << "    label=<<b>" << escapeMarkup(graphName) << "</b>  "
         << spellNodeTime(known.time) << ">\n";
  }
  os << "  }\n";
  firstId += order.tasks.size();
}

Picture driver::drawTasks(mlir::ModuleOp module, StringRef wanted,
                          TracedNodes *traced) {
  Picture picture;
  picture.traced = traced;
  TaskDotWriter writer(picture);
  writer.begin();
  for (TaskGraphOp graph : module.getOps<TaskGraphOp>()) {
    if (!wanted.empty() && graph.getSymName() != wanted)
      continue;
    if (picture.title.empty())
      picture.title = graph.getSymName();
    writer.writeGraph(graph);
  }
  writer.end();
  return picture;
}

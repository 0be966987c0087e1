//===- InspectProgram.cpp - Programs in C and C++ in an editor ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs record where their nodes are created, and their functions where they
// begin. Names are looked up in the surrounding text. Hints say what became of
// leaves.
//
//===----------------------------------------------------------------------===//

#include "GraphText.h"
#include "Inspection.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Driver/Build.h"
#include "sluice/Driver/LeafReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

namespace {
/// Marks everything that belongs to the graphs of one program.
class GraphMarker {
public:
  GraphMarker(Program &program, Inspection &inspection)
      : program(program), inspection(inspection) {}

  void run() {
    nodes = nodesByCallee(*program.graphs);
    for (mlir::Operation &op : *program.graphs->getBody())
      if (isa<KernelOp, GraphOp>(op))
        markCallable(&op);
  }

private:
  void markCallable(mlir::Operation *callable);
  void markNode(NodeOp node, const SourceRange &graph,
                std::vector<OutlineEntry> &children);
  void markHandle(NodeOp node, const SourceRange &created,
                  const SourceRange &graph, const std::string &text,
                  const std::vector<SourceRange> &targets);
  SourceRange nameOf(mlir::Operation *callable) {
    return inspection.findWord(
        placeOf(callable->getLoc()),
        dfg::displayName(mlir::SymbolTable::getSymbolName(callable)));
  }
  SourceRange wholeOf(mlir::Operation *callable);

  Program &program;
  Inspection &inspection;
  NodesByCallee nodes;
};
} // namespace

/// From the line of the name to the last line with code of the function.
SourceRange GraphMarker::wholeOf(mlir::Operation *callable) {
  SourceRange range = inspection.texts.rangeOf(
      {placeOf(callable->getLoc()).file, placeOf(callable->getLoc()).line, 0});
  const Function *function = program.code->getFunction(
      mlir::SymbolTable::getSymbolName(callable).getValue());
  if (!function || !function->getSubprogram())
    return range;
  unsigned last = range.begin.line;
  for (const Instruction &instruction : instructions(*function))
    if (const DILocation *location = instruction.getDebugLoc())
      if (!location->getInlinedAt() &&
          location->getFile() == function->getSubprogram()->getFile())
        last = std::max(last, location->getLine());
  SourceRange end = inspection.texts.rangeOf({range.begin.file, last, 0});
  return {range.begin, end.end};
}

/// The name of the variable in `Node = __hpvm__createNodeND(...)`; empty if
/// there is none.
static StringRef handleBefore(StringRef text) {
  text = text.rtrim();
  if (!text.consume_back("="))
    return "";
  text = text.rtrim();
  auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
  size_t begin = text.size();
  while (begin > 0 && isWord(text[begin - 1]))
    --begin;
  StringRef name = text.drop_front(begin);
  return name.empty() || isDigit(name.front()) ? StringRef() : name;
}

/// The handle's variable stands for the node from the node's creation to the
/// end of the graph.
void GraphMarker::markHandle(NodeOp node, const SourceRange &created,
                             const SourceRange &graph, const std::string &text,
                             const std::vector<SourceRange> &targets) {
  SourceTexts &texts = inspection.texts;
  std::optional<size_t> begin = texts.offsetOf(created.begin);
  std::optional<size_t> end = texts.offsetOf(graph.end);
  if (!begin || !end || *end < *begin)
    return;
  StringRef all = *texts.find(created.begin.file);
  StringRef handle = handleBefore(all.take_front(*begin));
  if (handle.empty())
    return;
  auto isWord = [&](size_t at) {
    return at < all.size() && (isAlnum(all[at]) || all[at] == '_');
  };
  for (size_t at = handle.data() - all.data(); at < *end;
       at = all.find(handle, at + 1)) {
    size_t behind = at + handle.size();
    if (isWord(at - 1) || isWord(behind))
      continue;
    // Another node is assigned to the same variable.
    bool isAssigned =
        all.substr(behind).ltrim().starts_with("=") && at > *begin;
    if (isAssigned)
      return;
    inspection.mark({texts.placeAt(created.begin.file, at),
                     texts.placeAt(created.begin.file, behind)},
                    text, targets);
  }
}

void GraphMarker::markNode(NodeOp node, const SourceRange &graph,
                           std::vector<OutlineEntry> &children) {
  SourcePlace place = placeOf(node.getLoc());
  if (!place.line)
    return;
  SourceRange created = inspection.texts.rangeOf(place);
  mlir::Operation *callee = node.resolveCallee();
  std::vector<SourceRange> targets;
  if (callee && placeOf(callee->getLoc()).line)
    targets.push_back(nameOf(callee));
  std::string text = describeNode(node);
  inspection.mark(created, text, targets);
  if (created.begin.file == graph.begin.file)
    markHandle(node, created, graph, text, targets);
  if (inspection.isInFile(place))
    children.push_back({.name = node.getDisplayName().str(),
                        .detail = "node",
                        .kind = SymbolKind::Event,
                        .whole = created,
                        .selection = created});
}

void GraphMarker::markCallable(mlir::Operation *callable) {
  SourcePlace place = placeOf(callable->getLoc());
  const std::vector<NodeOp> &uses = nodes[callable];
  std::vector<SourceRange> targets;
  for (NodeOp node : uses)
    if (SourcePlace created = placeOf(node.getLoc()); created.line)
      targets.push_back(inspection.texts.rangeOf(created));
  bool isKnown = place.line != 0;
  SourceRange whole = isKnown ? wholeOf(callable) : SourceRange();
  if (isKnown)
    inspection.mark(nameOf(callable), describeCallable(callable, uses),
                    targets);
  OutlineEntry entry = {
      .name = dfg::displayName(mlir::SymbolTable::getSymbolName(callable)),
      .detail = isa<KernelOp>(callable) ? "leaf" : "graph",
      .kind =
          isa<KernelOp>(callable) ? SymbolKind::Function : SymbolKind::Module,
      .whole = whole};
  if (auto graph = dyn_cast<GraphOp>(callable))
    for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
      markNode(node, whole, entry.children);
  if (!isKnown || !inspection.isInFile(place))
    return;
  entry.selection = nameOf(callable);
  inspection.add(std::move(entry));
}

/// Sources without graphs are left to clangd.
static bool hasGraphs(StringRef text) {
  const bool hasDirectives =
      (text.contains("pragma") || text.contains("_Pragma")) &&
      text.contains("omp");
  return text.contains("hpvm") || text.contains("hetero") || hasDirectives;
}

/// Adds the remarks of passes over leaves, which run for this machine or for
/// the processor that the flags name.
static void addHints(Program &program, const ProgramOptions &options,
                     Inspection &inspection) {
  BuildOptions building;
  building.program = options;
  for (StringRef flag : options.compilerFlags)
    if (flag.consume_front("-march="))
      building.program.cpu = flag;
  for (LeafRemark &remark :
       reportLeaves(program, building, RemarkChoice::LeafPasses))
    inspection.addHint(remark.place, std::move(remark.text));
}

void driver::inspectProgram(const InspectOptions &options,
                            Inspection &inspection) {
  std::optional<StringRef> text = inspection.texts.find(options.file);
  if (!text || !hasGraphs(*text))
    return inspection.setComplete();
  ProgramOptions reading;
  reading.files = options.program;
  reading.compilerFlags = options.flags;
  reading.hasRemarks = true;
  std::unique_ptr<Program> program = readProgram(reading);
  if (!program || !program->code)
    return;
  inspection.setComplete();
  GraphMarker(*program, inspection).run();
  if (options.showsLeaves)
    addHints(*program, reading, inspection);
  // The process ends soon, and freeing takes time.
  (void)program.release();
}

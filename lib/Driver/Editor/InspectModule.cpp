//===- InspectModule.cpp - Modules of MLIR in an editor -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser records where it read each name. A module is parsed once for
// the descriptions of its names, and then checked according to its dialect: as
// a program over regions, as graphs of nodes, or as a graph of tasks. For
// tasks, only the order is checked and not the kernels, which may be anywhere.
//
//===----------------------------------------------------------------------===//

#include "../Regions/RegionFindings.h"
#include "../TaskGraphs/TaskCompilation.h"
#include "GraphText.h"
#include "Inspection.h"
#include "RegionText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/Analysis/TaskOrder.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/CodeGen/RegionModel.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/RDIR/InferVersions.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using mlir::AsmParserState;
using mlir::Operation;

namespace {
/// A module, and the positions of its names in the text.
class ModuleInspector {
public:
  ModuleInspector(const InspectOptions &options, Inspection &inspection)
      : options(options), inspection(inspection) {}

  bool read();
  void check();
  void markAll();

private:
  void checkRegions();
  bool checkTasks();
  bool holds(StringRef dialect);

  SourceRange rangeOf(SMRange range) const;
  /// The name "%a0" of the first result; empty if there is none.
  std::string nameOf(Operation *op) const;
  /// The position of a symbol's name.
  SourceRange symbolOf(const AsmParserState::OperationDefinition &definition);
  /// The position of "@name" if the operation begins with it, otherwise that of
  /// the operation's own name.
  SourceRange nameIn(const AsmParserState::OperationDefinition &definition,
                     StringRef symbol);
  std::string describe(Operation *op);
  std::string sourceOf(const AsmParserState::OperationDefinition &definition);
  std::vector<SourceRange>
  leadsTo(const AsmParserState::OperationDefinition &definition);
  void mark(const AsmParserState::OperationDefinition &definition);
  void markArguments(const AsmParserState::BlockDefinition &block);
  void outline(mlir::Region &region, std::vector<OutlineEntry> &entries);

  const InspectOptions &options;
  Inspection &inspection;
  std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
  SourceMgr sources;
  StringRef text;
  AsmParserState state;
  mlir::OwningOpRef<mlir::ModuleOp> top;
  /// The parsed module, or the only module nested in it.
  mlir::ModuleOp module;
  NodesByCallee nodes;
  std::unique_ptr<rdir::ImportedModule> imported;
  rdir::ModuleCheck findings;
  std::unique_ptr<RegionText> regions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading and checking
//===----------------------------------------------------------------------===//

bool ModuleInspector::read() {
  context->loadDialect<rdir::RDIRDialect>();
  context->printOpOnDiagnostic(false);
  // A module in an editor is small, and the process ends soon.
  context->disableMultithreading();
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(options.file, problem);
  if (!buffer) {
    printError(problem);
    return false;
  }
  text = buffer->getBuffer();
  Status status =
      checkTextLimits(std::string_view(text), options.file, TextLanguage::MLIR);
  if (!status.ok()) {
    printDiagnostic(readMessage(status.message(), options.file));
    return false;
  }
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  MLIRPrinter printer(*context);
  top = mlir::ModuleOp::create(
      mlir::FileLineColLoc::get(context.get(), options.file, 0, 0));
  if (mlir::failed(mlir::parseAsmSourceFile(
          sources, top->getBody(), mlir::ParserConfig(context.get()), &state)))
    return false;
  module = *top;
  if (module.getBody()->getOperations().size() == 1)
    if (auto inner = dyn_cast<mlir::ModuleOp>(module.getBody()->front()))
      module = inner;
  nodes = nodesByCallee(module);
  return true;
}

bool ModuleInspector::holds(StringRef dialect) {
  return any_of(*module.getBody(), [&](Operation &op) {
    return op.getName().getDialectNamespace() == dialect;
  });
}

void ModuleInspector::checkRegions() {
  {
    MLIRPrinter printer(*context);
    if (mlir::failed(rdir::inferVersions(module)))
      return;
  }
  imported = rdir::importModule(module);
  findings = rdir::checkModule(*imported);
  printFindings(findings, /*hasRemarks=*/true);
  if (!findings.hasErrors()) {
    MLIRPrinter printer(*context);
    (void)codegen::lowerRegionProgram(
        module, {.hasDependences = false, .isOnlyChecked = true});
  }
  regions = std::make_unique<RegionText>(
      *imported, findings, [this](Operation *op) { return nameOf(op); });
}

/// Checks the order of the tasks of each graph.
bool ModuleInspector::checkTasks() {
  bool hasGraph = false;
  MLIRPrinter printer(*context);
  for (auto graph : module.getOps<dfg::TaskGraphOp>()) {
    hasGraph = true;
    if (std::unique_ptr<TaskProgram> tasks = TaskProgram::create(module, graph))
      (void)sluice::checkTaskGraph(tasks->order, /*hasRemarks=*/true);
  }
  return hasGraph;
}

void ModuleInspector::check() {
  if (holds(rdir::RDIRDialect::getDialectNamespace()))
    return checkRegions();
  if (checkTasks() || module.getOps<dfg::GraphOp>().empty())
    return;
  ProgramOptions reading;
  reading.files = options.program;
  reading.compilerFlags = options.flags;
  reading.hasRemarks = true;
  (void)readProgram(reading).release();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

SourceRange ModuleInspector::rangeOf(SMRange range) const {
  auto place = [&](SMLoc location) {
    return inspection.texts.placeAt(options.file,
                                    location.getPointer() - text.data());
  };
  return {place(range.Start), place(range.End)};
}

static StringRef textOf(SMRange range) {
  return {range.Start.getPointer(),
          size_t(range.End.getPointer() - range.Start.getPointer())};
}

std::string ModuleInspector::nameOf(Operation *op) const {
  const AsmParserState::OperationDefinition *definition = state.getOpDef(op);
  if (!definition)
    return "";
  if (definition->resultGroups.empty()) {
    // A task whose result has no name is shown with its function.
    auto function = op->getAttrOfType<mlir::FlatSymbolRefAttr>("function");
    return function ? ("@" + function.getValue()).str() : "";
  }
  return textOf(definition->resultGroups.front().definition.loc).str();
}

SourceRange ModuleInspector::symbolOf(
    const AsmParserState::OperationDefinition &definition) {
  auto symbol = definition.op->getAttrOfType<mlir::StringAttr>(
      mlir::SymbolTable::getSymbolAttrName());
  return symbol ? nameIn(definition, symbol) : rangeOf(definition.loc);
}

SourceRange
ModuleInspector::nameIn(const AsmParserState::OperationDefinition &definition,
                        StringRef symbol) {
  StringRef whole = textOf(definition.scopeLoc);
  size_t at = whole.find(("@" + symbol).str());
  if (at == StringRef::npos)
    return rangeOf(definition.loc);
  size_t offset = whole.data() - text.data() + at;
  return {inspection.texts.placeAt(options.file, offset),
          inspection.texts.placeAt(options.file, offset + 1 + symbol.size())};
}

/// The operation as written, without the contents of its body.
std::string ModuleInspector::sourceOf(
    const AsmParserState::OperationDefinition &definition) {
  constexpr size_t longest = 400;
  StringRef written = textOf(definition.scopeLoc);
  if (definition.op->getNumRegions())
    written = written.take_until([](char c) { return c == '\n'; });
  written = written.rtrim();
  return "```mlir\n" +
         (written.size() > longest ? (written.take_front(longest) + "...").str()
                                   : written.str()) +
         "\n```\n";
}

std::string ModuleInspector::describe(Operation *op) {
  if (auto node = dyn_cast<dfg::NodeOp>(op))
    return describeNode(node);
  if (isa<dfg::KernelOp, dfg::GraphOp>(op))
    return describeCallable(op, nodes[op]);
  return regions ? regions->describe(op) : "";
}

/// Links a node to what it runs, a leaf to its code, and a leaf or graph to the
/// nodes that run it.
std::vector<SourceRange> ModuleInspector::leadsTo(
    const AsmParserState::OperationDefinition &definition) {
  std::vector<SourceRange> targets;
  if (auto node = dyn_cast<dfg::NodeOp>(definition.op))
    if (Operation *callee = node.resolveCallee())
      if (const auto *called = state.getOpDef(callee))
        targets.push_back(symbolOf(*called));
  if (auto kernel = dyn_cast<dfg::KernelOp>(definition.op)) {
    StringRef symbol = kernel.getSymbol().value_or(kernel.getSymName());
    for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
      if (function.getName() == symbol)
        if (const auto *code = state.getOpDef(function))
          targets.push_back(symbolOf(*code));
  }
  if (targets.empty() && isa<dfg::KernelOp, dfg::GraphOp>(definition.op))
    for (dfg::NodeOp node : nodes[definition.op])
      if (const auto *created = state.getOpDef(node))
        targets.push_back(rangeOf(created->loc));
  return targets;
}

void ModuleInspector::mark(
    const AsmParserState::OperationDefinition &definition) {
  std::string said = describe(definition.op);
  if (!said.empty())
    said += '\n';
  said += sourceOf(definition);
  SourceRange symbol = symbolOf(definition);
  std::vector<SourceRange> targets = leadsTo(definition);
  inspection.mark(rangeOf(definition.loc), said, targets);
  bool isSymbol =
      definition.op->hasAttr(mlir::SymbolTable::getSymbolAttrName());
  if (isSymbol)
    inspection.mark(symbol, said, targets);
  // The parser of nodes does not record positions of callees.
  if (auto node = dyn_cast<dfg::NodeOp>(definition.op))
    if (Operation *callee = node.resolveCallee())
      inspection.mark(nameIn(definition, node.getCallee()), describe(callee),
                      targets);
  for (SMRange use : definition.symbolUses)
    inspection.mark(rangeOf(use), said, {symbol});
  for (const auto &group : definition.resultGroups) {
    SourceRange result = rangeOf(group.definition.loc);
    inspection.mark(result, said, {result});
    for (SMRange use : group.definition.uses)
      inspection.mark(rangeOf(use), said, {result});
  }
}

void ModuleInspector::markArguments(
    const AsmParserState::BlockDefinition &block) {
  auto graph = dyn_cast_or_null<dfg::GraphOp>(block.block->getParentOp());
  for (auto [index, argument] : enumerate(block.arguments)) {
    if (!argument.loc.isValid() || index >= block.block->getNumArguments())
      continue;
    std::string said;
    raw_string_ostream os(said);
    os << "**input " << index << " `";
    if (graph && index < graph.getInputTypes().size())
      os << graph.getInputName(index) << "`** of graph `"
         << dfg::displayName(graph.getSymName()) << '`';
    else
      os << textOf(argument.loc) << "`**";
    os << ": `" << block.block->getArgument(index).getType() << "`\n";
    SourceRange definition = rangeOf(argument.loc);
    inspection.mark(definition, said, {definition});
    for (SMRange use : argument.uses)
      inspection.mark(rangeOf(use), said, {definition});
  }
}

static SymbolKind kindOf(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (name == "graph" || name == "task_graph")
    return SymbolKind::Module;
  if (name == "root" || name == "partition" || name == "dataset")
    return SymbolKind::Struct;
  if (name == "kernel" || name == "func" || name == "reduction")
    return SymbolKind::Function;
  if (name == "parameter" || name == "constant")
    return SymbolKind::Constant;
  if (name == "region" || name == "scalar" || name == "variable")
    return SymbolKind::Variable;
  return SymbolKind::Event;
}

void ModuleInspector::outline(mlir::Region &region,
                              std::vector<OutlineEntry> &entries) {
  for (Operation &op : region.getOps()) {
    const AsmParserState::OperationDefinition *definition = state.getOpDef(&op);
    // An operation with neither a name nor a body of nodes is not part of an
    // outline.
    StringRef dialect = op.getName().getDialectNamespace();
    bool isSymbol = op.hasAttr(mlir::SymbolTable::getSymbolAttrName());
    bool isNode =
        dialect == "rdir" || isa<dfg::NodeOp, dfg::TaskOp, mlir::ModuleOp>(op);
    if (!definition || (!isSymbol && !isNode))
      continue;
    SourceRange selection =
        isSymbol || definition->resultGroups.empty()
            ? symbolOf(*definition)
            : rangeOf(definition->resultGroups.front().definition.loc);
    OutlineEntry entry = {.name = nameOf(&op),
                          .detail = op.getName().getStringRef().str(),
                          .kind = kindOf(&op),
                          .selection = selection};
    if (isSymbol)
      entry.name =
          ("@" + mlir::SymbolTable::getSymbolName(&op).getValue()).str();
    if (entry.name.empty())
      entry.name = entry.detail;
    SourceRange scope = rangeOf(definition->scopeLoc);
    entry.whole = {std::min(scope.begin, selection.begin),
                   std::max(scope.end, selection.end)};
    if (dialect != "llvm")
      for (mlir::Region &inner : op.getRegions())
        outline(inner, entry.children);
    entries.push_back(std::move(entry));
  }
}

void ModuleInspector::markAll() {
  inspection.setComplete();
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    StringRef dialect = definition.op->getName().getDialectNamespace();
    if (dialect == "dfg" || dialect == "rdir" ||
        isa<mlir::LLVM::LLVMFuncOp>(definition.op))
      mark(definition);
  }
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    markArguments(block);
  std::vector<OutlineEntry> entries;
  outline(module.getBodyRegion(), entries);
  for (OutlineEntry &entry : entries)
    inspection.add(std::move(entry));
}

void driver::inspectModule(const InspectOptions &options,
                           Inspection &inspection) {
  // The process ends soon; freeing takes time.
  auto &inspector = *new ModuleInspector(options, inspection);
  if (!inspector.read())
    return;
  inspector.check();
  inspector.markAll();
}

//===- ImportBuild.cpp - From the importer's model to dfg -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on programs that follow all rules, so every lookup succeeds.
//
//===----------------------------------------------------------------------===//

#include "ImportExtents.h"
#include "ImportProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"
#include "sluice/Analysis/LeafFolds.h"
#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <set>

using namespace mlir;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
/// The ports of a node function as attributes of dfg operations.
struct ImportedPorts {
  FunctionType type;
  SmallVector<int32_t> access;
  SmallVector<Attribute> inputNames, outputNames;
};

class GraphModuleBuilder {
public:
  GraphModuleBuilder(const CanonicalProgram &program, MLIRContext &context)
      : program(program), context(context), builder(&context),
        translator(context, /*importStructsAsLiterals=*/true) {}

  OwningOpRef<ModuleOp> run();

private:
  Location locationOf(const llvm::Function &function);
  Location locationOf(const llvm::Argument &argument);
  ImportedPorts portsOf(const NodeFunction &node);
  void buildKernel(const NodeFunction &node);
  void buildGraph(const NodeFunction &node);
  void buildBody(const NodeFunction &node, dfg::GraphOp graph);
  dfg::NodeOp buildNode(const ChildNode &child, ArrayRef<Value> extents,
                        ArrayRef<Value> inputs, ArrayRef<bool> oneToOne,
                        ArrayRef<bool> stream);
  SmallVector<unsigned> orderChildren(const NodeFunction &node);

  const CanonicalProgram &program;
  MLIRContext &context;
  OpBuilder builder;
  LLVM::TypeFromLLVMIRTranslator translator;
};
} // namespace

OwningOpRef<ModuleOp> GraphModuleBuilder::run() {
  Location location =
      FileLineColLoc::get(&context, program.module.getSourceFileName(), 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  for (const auto &node : program.functions)
    if (!node->isInternal)
      buildKernel(*node);
  for (const auto &node : program.functions)
    if (node->isInternal)
      buildGraph(*node);
  return module;
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

Location GraphModuleBuilder::locationOf(const llvm::Function &function) {
  SourcePlace place = placeOf(function);
  if (!place.isKnown())
    return UnknownLoc::get(&context);
  return FileLineColLoc::get(&context, place.file, place.line, place.column);
}

/// The debug information of the variable for `argument`.
static const llvm::DILocalVariable *variableOf(const llvm::Argument &argument) {
  const llvm::DISubprogram *subprogram = argument.getParent()->getSubprogram();
  if (!subprogram)
    return nullptr;
  SmallVector<llvm::DbgVariableRecord *> records;
  llvm::findDbgValues(const_cast<llvm::Argument *>(&argument), records);
  for (const llvm::DbgVariableRecord *record : records)
    if (record->getVariable()->isParameter())
      return record->getVariable();
  return nullptr;
}

Location GraphModuleBuilder::locationOf(const llvm::Argument &argument) {
  const llvm::DILocalVariable *variable = variableOf(argument);
  if (!variable || !variable->getLine())
    return locationOf(*argument.getParent());
  return FileLineColLoc::get(&context, placeOf(*argument.getParent()).file,
                             variable->getLine(), 0);
}

/// A valid identifier in MLIR's assembly.
static std::string sanitize(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-'
                ? c
                : '_';
  if (!text.empty() && !llvm::isAlpha(text[0]) && text[0] != '_')
    text.insert(0, "_");
  return text;
}

ImportedPorts GraphModuleBuilder::portsOf(const NodeFunction &node) {
  ImportedPorts ports;
  SmallVector<Type> inputs, outputs;
  for (unsigned i = 0, e = node.numInputs(); i != e; ++i) {
    inputs.push_back(translator.translateType(node.inputType(i)));
    ports.access.push_back(static_cast<int32_t>(node.access(i)));
    ports.inputNames.push_back(
        builder.getStringAttr(sanitize(node.function->getArg(i)->getName())));
  }
  SmallVector<StringRef> names;
  node.function->getFnAttribute("hpvm.outputs")
      .getValueAsString()
      .split(names, ',');
  for (unsigned i = 0, e = node.numOutputs(); i != e; ++i) {
    outputs.push_back(translator.translateType(node.outputType(i)));
    ports.outputNames.push_back(
        builder.getStringAttr(i < names.size() ? names[i].trim() : ""));
  }
  ports.type = builder.getFunctionType(inputs, outputs);
  return ports;
}

void GraphModuleBuilder::buildKernel(const NodeFunction &node) {
  ImportedPorts ports = portsOf(node);
  auto kernel = dfg::KernelOp::create(
      builder, locationOf(*node.function), node.function->getName(),
      /*sym_visibility=*/nullptr, ports.type, ports.access,
      builder.getArrayAttr(ports.inputNames),
      builder.getArrayAttr(ports.outputNames), node.target,
      /*symbol=*/nullptr);
  declareFolds(kernel, *node.function);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void GraphModuleBuilder::buildGraph(const NodeFunction &node) {
  ImportedPorts ports = portsOf(node);
  auto graph = dfg::GraphOp::create(
      builder, locationOf(*node.function), node.function->getName(),
      /*sym_visibility=*/nullptr, ports.type, ports.access,
      builder.getArrayAttr(ports.inputNames),
      builder.getArrayAttr(ports.outputNames), node.target);
  SmallVector<Location> locations;
  dfg::setTemporaries(graph, SmallVector<int64_t>(node.temporaries.begin(),
                                                  node.temporaries.end()));
  for (const llvm::Argument &argument : node.function->args())
    locations.push_back(locationOf(argument));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&graph.getBody(), {}, ports.type.getInputs(), locations);
  buildBody(node, graph);
}

/// A topological order, as close to the program's order as possible.
SmallVector<unsigned>
GraphModuleBuilder::orderChildren(const NodeFunction &node) {
  unsigned count = node.children.size();
  std::vector<SmallVector<unsigned, 4>> sinks(count);
  SmallVector<unsigned> waiting(count, 0), order;
  for (const EdgeCall &edge : node.edges) {
    sinks[edge.source].push_back(edge.sink);
    ++waiting[edge.sink];
  }
  std::set<unsigned> ready;
  for (unsigned i = 0; i != count; ++i)
    if (waiting[i] == 0)
      ready.insert(i);
  while (!ready.empty()) {
    unsigned next = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(next);
    for (unsigned sink : sinks[next])
      if (--waiting[sink] == 0)
        ready.insert(sink);
  }
  return order;
}

namespace {
/// The source of a child's input: an edge or a bind.
struct Feeder {
  const EdgeCall *edge = nullptr;
  const InputBind *bind = nullptr;
};
} // namespace

/// The feeders of every child's inputs.
static std::vector<SmallVector<Feeder>> findFeeders(const NodeFunction &node) {
  std::vector<SmallVector<Feeder>> feeders;
  for (const ChildNode &child : node.children)
    feeders.emplace_back(child.callee->numInputs());
  for (const EdgeCall &edge : node.edges)
    feeders[edge.sink][edge.input].edge = &edge;
  for (const InputBind &bind : node.inputBinds)
    feeders[bind.child][bind.inner].bind = &bind;
  return feeders;
}

void GraphModuleBuilder::buildBody(const NodeFunction &node,
                                   dfg::GraphOp graph) {
  SmallVector<dfg::NodeOp> built(node.children.size());
  std::vector<SmallVector<Feeder>> feeders = findFeeders(node);
  ExtentBuilder extents(builder, graph.getLoc());
  for (unsigned i = 0, e = node.numInputs(); i != e; ++i)
    extents.map(node.function->getArg(i), graph.getInput(i));

  for (unsigned index : orderChildren(node)) {
    const ChildNode &child = node.children[index];
    SmallVector<Value> extentValues, inputs;
    SmallVector<bool> oneToOne, stream;
    for (llvm::Value *extent : child.extents)
      extentValues.push_back(extents.build(extent));
    for (const Feeder &feeder : feeders[index]) {
      const EdgeCall *edge = feeder.edge;
      inputs.push_back(edge ? built[edge->source].getResult(edge->output)
                            : graph.getInput(feeder.bind->outer));
      oneToOne.push_back(edge && edge->isOneToOne);
      stream.push_back(edge ? edge->isStream : feeder.bind->isStream);
    }
    built[index] = buildNode(child, extentValues, inputs, oneToOne, stream);
  }

  SmallVector<Value> outputs(node.numOutputs());
  SmallVector<bool> stream(node.numOutputs(), false);
  for (const OutputBind &bind : node.outputBinds) {
    outputs[bind.outer] = built[bind.child].getResult(bind.inner);
    stream[bind.outer] = bind.isStream;
  }
  dfg::OutputOp::create(builder, graph.getLoc(), outputs, stream);
}

dfg::NodeOp GraphModuleBuilder::buildNode(const ChildNode &child,
                                          ArrayRef<Value> extents,
                                          ArrayRef<Value> inputs,
                                          ArrayRef<bool> oneToOne,
                                          ArrayRef<bool> stream) {
  StringRef symbol = child.callee->function->getName();
  auto node = dfg::NodeOp::create(
      builder, hpvm::locationOf(*child.call, &context),
      portsOf(*child.callee).type.getResults(),
      FlatSymbolRefAttr::get(&context, symbol), extents, inputs,
      /*dependencies=*/ValueRange(), builder.getDenseBoolArrayAttr(oneToOne),
      builder.getDenseBoolArrayAttr(stream),
      child.name == symbol ? nullptr : builder.getStringAttr(child.name));
  dfg::setOrderedDims(node, child.orderedDims);
  return node;
}

OwningOpRef<ModuleOp> sluice::hpvm::buildModule(const CanonicalProgram &program,
                                                MLIRContext &context) {
  context
      .loadDialect<arith::ArithDialect, LLVM::LLVMDialect, dfg::DFGDialect>();
  return GraphModuleBuilder(program, context).run();
}

//===- ImportBuild.cpp - The importer's model to the dfg dialect ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on programs that follow all rules, so everything looked up is there.
//
//===----------------------------------------------------------------------===//

#include "ImportExtents.h"
#include "ImportProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
/// The ports of a node function as attributes of dfg operations.
struct Ports {
  FunctionType type;
  SmallVector<int32_t> access;
  SmallVector<Attribute> inputNames, outputNames;
};

class ModuleBuilder {
public:
  ModuleBuilder(const Program &program, MLIRContext &context)
      : program(program), context(context), builder(&context),
        translator(context, /*importStructsAsLiterals=*/true) {}

  OwningOpRef<ModuleOp> run();

private:
  Location locationOf(const llvm::Function &function);
  Location locationOf(const llvm::Argument &argument);
  Ports portsOf(const NodeFunction &node);
  void buildKernel(const NodeFunction &node);
  void buildGraph(const NodeFunction &node);
  void buildBody(const NodeFunction &node, dfg::GraphOp graph);
  SmallVector<unsigned> orderChildren(const NodeFunction &node);

  const Program &program;
  MLIRContext &context;
  OpBuilder builder;
  LLVM::TypeFromLLVMIRTranslator translator;
};
} // namespace

OwningOpRef<ModuleOp> ModuleBuilder::run() {
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

Location ModuleBuilder::locationOf(const llvm::Function &function) {
  SourcePlace place = placeOf(function);
  if (!place.isKnown())
    return UnknownLoc::get(&context);
  return FileLineColLoc::get(&context, place.file, place.line, place.column);
}

/// The variable of debug information that `argument` is.
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

Location ModuleBuilder::locationOf(const llvm::Argument &argument) {
  const llvm::DILocalVariable *variable = variableOf(argument);
  if (!variable || !variable->getLine())
    return locationOf(*argument.getParent());
  return FileLineColLoc::get(&context, placeOf(*argument.getParent()).file,
                             variable->getLine(), 0);
}

/// An identifier that MLIR's assembly takes.
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

Ports ModuleBuilder::portsOf(const NodeFunction &node) {
  Ports ports;
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

void ModuleBuilder::buildKernel(const NodeFunction &node) {
  Ports ports = portsOf(node);
  dfg::KernelOp::create(builder, locationOf(*node.function),
                        node.function->getName(),
                        /*sym_visibility=*/nullptr, ports.type, ports.access,
                        builder.getArrayAttr(ports.inputNames),
                        builder.getArrayAttr(ports.outputNames), node.target,
                        /*symbol=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void ModuleBuilder::buildGraph(const NodeFunction &node) {
  Ports ports = portsOf(node);
  auto graph = dfg::GraphOp::create(
      builder, locationOf(*node.function), node.function->getName(),
      /*sym_visibility=*/nullptr, ports.type, ports.access,
      builder.getArrayAttr(ports.inputNames),
      builder.getArrayAttr(ports.outputNames), node.target);
  SmallVector<Location> locations;
  for (const llvm::Argument &argument : node.function->args())
    locations.push_back(locationOf(argument));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&graph.getBody(), {}, ports.type.getInputs(), locations);
  buildBody(node, graph);
}

/// A topological order, as close to the program's as possible.
SmallVector<unsigned> ModuleBuilder::orderChildren(const NodeFunction &node) {
  unsigned count = node.children.size();
  SmallVector<unsigned> waiting(count, 0), order;
  for (const Edge &edge : node.edges)
    ++waiting[edge.sink];
  SmallVector<bool> done(count, false);
  while (order.size() != count) {
    unsigned next = 0;
    while (done[next] || waiting[next] != 0)
      ++next;
    done[next] = true;
    order.push_back(next);
    for (const Edge &edge : node.edges)
      if (edge.source == next)
        --waiting[edge.sink];
  }
  return order;
}

namespace {
/// Where an input of a child comes from.
struct Feeder {
  Value value;
  bool isOneToOne = false, isStream = false;
};
} // namespace

void ModuleBuilder::buildBody(const NodeFunction &node, dfg::GraphOp graph) {
  SmallVector<dfg::NodeOp> built(node.children.size());
  ExtentBuilder extents(builder, graph.getLoc());
  for (unsigned i = 0, e = node.numInputs(); i != e; ++i)
    extents.map(node.function->getArg(i), graph.getInput(i));

  for (unsigned index : orderChildren(node)) {
    const ChildNode &child = node.children[index];
    SmallVector<Feeder> feeders(child.callee->numInputs());
    for (const InputBind &bind : node.inputBinds)
      if (bind.child == index)
        feeders[bind.inner] = {graph.getInput(bind.outer), false,
                               bind.isStream};
    for (const Edge &edge : node.edges)
      if (edge.sink == index)
        feeders[edge.input] = {built[edge.source].getResult(edge.output),
                               edge.isOneToOne, edge.isStream};
    SmallVector<Value> extentValues, inputs;
    SmallVector<bool> oneToOne, stream;
    for (llvm::Value *extent : child.extents)
      extentValues.push_back(extents.build(extent));
    for (const Feeder &feeder : feeders) {
      inputs.push_back(feeder.value);
      oneToOne.push_back(feeder.isOneToOne);
      stream.push_back(feeder.isStream);
    }
    StringRef symbol = child.callee->function->getName();
    built[index] = dfg::NodeOp::create(
        builder, hpvm::locationOf(*child.call, &context),
        portsOf(*child.callee).type.getResults(),
        FlatSymbolRefAttr::get(&context, symbol), extentValues, inputs,
        /*dependencies=*/ValueRange(), builder.getDenseBoolArrayAttr(oneToOne),
        builder.getDenseBoolArrayAttr(stream),
        child.name == symbol ? nullptr : builder.getStringAttr(child.name));
  }

  SmallVector<Value> outputs(node.numOutputs());
  SmallVector<bool> stream(node.numOutputs(), false);
  for (const OutputBind &bind : node.outputBinds) {
    outputs[bind.outer] = built[bind.child].getResult(bind.inner);
    stream[bind.outer] = bind.isStream;
  }
  dfg::OutputOp::create(builder, graph.getLoc(), outputs, stream);
}

OwningOpRef<ModuleOp> sluice::hpvm::buildModule(const Program &program,
                                                MLIRContext &context) {
  context
      .loadDialect<arith::ArithDialect, LLVM::LLVMDialect, dfg::DFGDialect>();
  return ModuleBuilder(program, context).run();
}

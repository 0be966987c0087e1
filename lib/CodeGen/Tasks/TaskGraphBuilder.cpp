//===- TaskGraphBuilder.cpp - The nodes of a task graph -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskGraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// A valid identifier in MLIR's assembly.
static std::string identifier(StringRef name) {
  std::string text;
  for (char c : name)
    text +=
        isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-' ? c : '_';
  if (text.empty() || !(isAlpha(text[0]) || text[0] == '_'))
    text.insert(0, "_");
  return text;
}

namespace {
struct TaskPorts {
  SmallVector<mlir::Type> inputs, outputs;
  SmallVector<int32_t> access;
  SmallVector<mlir::Attribute> inputNames, outputNames;

  void addInput(mlir::Builder &builder, mlir::Type type, const Twine &name,
                dfg::Access use) {
    inputs.push_back(type);
    inputNames.push_back(builder.getStringAttr(identifier(name.str())));
    access.push_back(static_cast<int32_t>(use));
  }
};
} // namespace

TaskGraphBuilder::TaskGraphBuilder(mlir::ModuleOp module,
                                   mlir::Location location, StringRef name,
                                   const TaskDataTable &data)
    : module(module), kernels(mlir::OpBuilder::atBlockEnd(module.getBody())),
      nodes(module.getContext()),
      pointer(mlir::LLVM::LLVMPointerType::get(module.getContext())),
      data(data) {
  for (mlir::Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<mlir::StringAttr>(
            mlir::SymbolTable::getSymbolAttrName()))
      symbols.insert(name);
  TaskPorts ports;
  mlir::Type i64 = kernels.getI64Type();
  for (const TaskDatum &datum : data.all()) {
    ports.addInput(kernels, pointer, datum.name,
                   datum.numUses ? datum.access : dfg::Access::In);
    ports.addInput(kernels, i64, datum.name + "_bytes", dfg::Access::None);
  }
  ports.addInput(kernels, pointer, "run", dfg::Access::In);
  ports.addInput(kernels, i64, "run_bytes", dfg::Access::None);
  graph =
      dfg::GraphOp::create(kernels, location, name, /*sym_visibility=*/nullptr,
                           kernels.getFunctionType(ports.inputs, {}),
                           ports.access, kernels.getArrayAttr(ports.inputNames),
                           kernels.getArrayAttr({}), dfg::Target::Cpu);
  SmallVector<mlir::Location> locations;
  for (const TaskDatum &datum : data.all())
    locations.append(2, datum.op->getLoc());
  locations.append(2, location);
  nodes.createBlock(&graph.getBody(), {}, ports.inputs, locations);
  kernels.setInsertionPoint(graph);
}

void TaskGraphBuilder::beginTask(const TaskSite &site,
                                 ArrayRef<unsigned> predecessors) {
  assert(site.index == ends.size() && "tasks come in order");
  waited.clear();
  // A rejected task has no end, but other tasks are still checked.
  for (unsigned before : predecessors)
    if (ends[before])
      waited.push_back(ends[before]);
  ends.emplace_back();
}

std::string TaskGraphBuilder::kernelName(const TaskSite &site,
                                         StringRef suffix) {
  std::string name = ("task" + Twine(site.index) + "." +
                      identifier(site.op().getCallee()) + suffix)
                         .str();
  // Names of other tasks have other numbers.
  while (site.code.getNamedValue(name) ||
         symbols.contains(kernels.getStringAttr(name)))
    name += "_";
  return name;
}

dfg::NodeOp TaskGraphBuilder::addNode(const TaskSite &site, StringRef callee,
                                      StringRef name,
                                      ArrayRef<mlir::Type> results,
                                      ArrayRef<int64_t> extents,
                                      ArrayRef<mlir::Value> inputs) {
  mlir::Location location = site.op().getLoc();
  SmallVector<mlir::Value> sizes;
  for (int64_t extent : extents)
    sizes.push_back(mlir::arith::ConstantOp::create(
        nodes, location, nodes.getI64IntegerAttr(extent)));
  SmallVector<mlir::Type> types(results);
  types.push_back(dfg::TokenType::get(module.getContext()));
  SmallVector<bool> none(inputs.size(), false);
  auto node = dfg::NodeOp::create(
      nodes, location, types,
      mlir::FlatSymbolRefAttr::get(module.getContext(), callee), sizes, inputs,
      waited, nodes.getDenseBoolArrayAttr(none),
      nodes.getDenseBoolArrayAttr(none), nodes.getStringAttr(name));
  waited.assign(1, node.getResults().back());
  ends.back() = waited.front();
  return node;
}

dfg::NodeOp TaskGraphBuilder::addTaskNode(const TaskSite &site,
                                          StringRef kernel, StringRef name,
                                          ArrayRef<int64_t> extents,
                                          ArrayRef<TaskOutputPort> outputs) {
  TaskPorts ports;
  SmallVector<mlir::Value> inputs;
  for (const SluiceTaskUse &use : data.usesOf(site.index)) {
    ports.addInput(kernels, pointer, data[use.data].name,
                   static_cast<dfg::Access>(use.access));
    inputs.push_back(address(use.data));
  }
  ports.addInput(kernels, pointer, "run", dfg::Access::In);
  inputs.push_back(address(data.all().size()));
  for (const TaskOutputPort &output : outputs) {
    ports.outputs.push_back(output.type);
    ports.outputNames.push_back(kernels.getStringAttr(identifier(output.name)));
  }
  dfg::KernelOp::create(kernels, site.op().getLoc(), kernel,
                        /*sym_visibility=*/nullptr,
                        kernels.getFunctionType(ports.inputs, ports.outputs),
                        ports.access, kernels.getArrayAttr(ports.inputNames),
                        kernels.getArrayAttr(ports.outputNames),
                        dfg::Target::Cpu, /*symbol=*/nullptr);
  return addNode(site, kernel, name, ports.outputs, extents, inputs);
}

dfg::NodeOp TaskGraphBuilder::addGraphNode(const TaskSite &site,
                                           dfg::GraphOp callee, StringRef name,
                                           ArrayRef<mlir::Value> inputs) {
  return addNode(site, callee.getSymName(), name,
                 SmallVector<mlir::Type>(callee.getOutputTypes()), {}, inputs);
}

void TaskGraphBuilder::finish() {
  dfg::OutputOp::create(nodes, graph.getLoc(), mlir::ValueRange(),
                        nodes.getDenseBoolArrayAttr({}));
}

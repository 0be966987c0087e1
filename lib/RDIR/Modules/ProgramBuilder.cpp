//===- ProgramBuilder.cpp - Writing programs over regions in C++ ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lib/Analysis expresses the order of tasks as a program over regions. This
// builder provides the terms of such programs: tasks, launches, privileges.
//
//===----------------------------------------------------------------------===//

#include "ImportGraph.h"
#include "sluice/RDIR/Builder.h"

using namespace mlir;
using namespace sluice::rdir;

struct ProgramBuilder::State {
  State(ModuleBuilder &module, std::string name)
      : module(module), name(std::move(name)),
        importer(module.get(), declarations) {
    importer.addDeclarations();
    program.forest = &declarations.forest;
  }

  ModuleBuilder &module;
  std::string name;
  ImportedModule declarations;
  ModuleImporter importer;
  SequentialProgram program;
  /// By task.
  std::vector<std::string> functions;
};

ProgramBuilder::ProgramBuilder(ModuleBuilder &module, std::string name)
    : state(std::make_unique<State>(module, std::move(name))) {}
ProgramBuilder::~ProgramBuilder() = default;

ProgramBuilder::Task ProgramBuilder::task(std::string function) {
  state->functions.push_back(std::move(function));
  state->program.tasks.emplace_back();
  return Task(*this, state->program.tasks.size() - 1);
}

ProgramBuilder::Task
ProgramBuilder::Task::over(const std::vector<int64_t> &extents) {
  SequentialProgram &whole = program.state->program;
  whole.tasks[index].domain = whole.domains.size();
  whole.domains.push_back({extents});
  return *this;
}

ProgramBuilder::Task ProgramBuilder::Task::add(Privilege privilege,
                                               const RegionName &region,
                                               ReductionIndex reduction) {
  State &state = *program.state;
  Builder &builder = state.module.types();
  auto name = FlatSymbolRefAttr::get(
      cast<SymbolOpInterface>(region.declaration).getNameAttr());
  DenseI64ArrayAttr color;
  if (!region.color.empty())
    color = builder.getDenseI64ArrayAttr(region.color);
  ProgramArgument argument{.region = state.importer.region(name, color),
                           .privilege = privilege,
                           .fields = 1,
                           .reduction = reduction};
  if (!isa<VariableOp>(region.declaration)) {
    SmallVector<StringRef> list(region.fields.begin(), region.fields.end());
    argument.fields = state.importer.fields(
        name, list.empty() ? ArrayAttr() : builder.getStrArrayAttr(list));
  }
  ProgramTask &task = state.program.tasks[index];
  auto partition = dyn_cast<PartitionOp>(region.declaration);
  if (task.domain != UINT32_MAX && partition && !color) {
    unsigned numDims = state.program.domains[task.domain].extents.size();
    argument.projection = state.program.projections.size();
    state.program.projections.push_back(
        state.importer.projection(Attribute(), partition, numDims));
  }
  task.arguments.push_back(argument);
  return *this;
}

ProgramBuilder::Task ProgramBuilder::Task::reads(const RegionName &region) {
  return add(Privilege::Read, region);
}
ProgramBuilder::Task
ProgramBuilder::Task::readsWrites(const RegionName &region) {
  return add(Privilege::ReadWrite, region);
}
ProgramBuilder::Task
ProgramBuilder::Task::overwrites(const RegionName &region) {
  return add(Privilege::WriteDiscard, region);
}
ProgramBuilder::Task ProgramBuilder::Task::reduces(StringRef reduction,
                                                   const RegionName &region) {
  State &state = *program.state;
  Attribute name = state.module.types().getStringAttr(reduction);
  return add(Privilege::Reduce, region, state.importer.reduction(name));
}

GraphOp ProgramBuilder::finish() {
  std::vector<NodeIndex> nodes;
  Graph graph = buildGraph(state->program, &nodes);
  llvm::DenseMap<NodeIndex, size_t> tasks;
  for (auto [index, node] : llvm::enumerate(nodes))
    tasks[node] = index;
  ExportOptions options;
  options.function = [&](NodeIndex node) {
    auto task = tasks.find(node);
    return task == tasks.end() ? std::string() : state->functions[task->second];
  };
  options.reduction = [&](ReductionIndex index) {
    return state->declarations.reductions[index];
  };
  return exportGraph(state->module.get(), state->name, graph, options);
}

//===- HeteroLaunchRegions.cpp - Launches around their graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a launch lists the variables that its graph uses. They become the ports
// of the graph, and the region becomes a launch and a wait.
//
//===----------------------------------------------------------------------===//

#include "../HPVM/Import/ImportProgram.h"
#include "HeteroLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

/// Adds the ports of one item, unless an earlier item did.
void HeteroLowering::addRegionPort(LaunchRegion &launch, Value *variable,
                                   const HeteroItem &item,
                                   const HeteroItem *size) {
  HeteroGraph &graph = *launch.graph;
  CallInst &begin = *launch.region.begin;
  IRBuilder<> builder(&begin);
  Type *i64 = builder.getInt64Ty();
  bool isPointer = item.variable.type->isPointerTy() && !item.isMemory;
  if (graph.variables.contains(variable) || graph.memory.contains(variable))
    return;
  unsigned index = graph.ports.size();
  // A scalar that leaves the graph is host memory.
  bool isMemory = !isPointer && (item.isMemory || item.isOutput);
  if (!isPointer && !isMemory) {
    graph.ports.push_back(
        {.type = item.variable.type, .name = item.variable.name});
    launch.arguments.push_back(builder.CreateAlignedLoad(
        item.variable.type, variable, item.variable.alignment));
    graph.variables[variable] =
        context.expressions.input(index, item.variable.type);
    return;
  }
  graph.ports.push_back(
      {.type = builder.getPtrTy(), .name = item.variable.name});
  graph.ports.push_back({.type = i64, .name = item.variable.name + ".bytes"});
  launch.arguments.push_back(
      isPointer ? builder.CreateLoad(builder.getPtrTy(), variable) : variable);
  const Expr *pointer = context.expressions.input(index, builder.getPtrTy());
  (isPointer ? graph.variables : graph.memory)[variable] = pointer;
  if (!isPointer) {
    launch.arguments.push_back(builder.getInt64(
        module.getDataLayout().getTypeAllocSize(item.variable.type)));
    return;
  }
  if (!size) {
    launch.arguments.push_back(
        builder.CreateSExtOrTrunc(begin.getArgOperand(item.argument + 1), i64));
    return;
  }
  Value *sizeVariable = begin.getArgOperand(size->argument);
  launch.arguments.push_back(builder.CreateIntCast(
      builder.CreateLoad(size->variable.type, sizeVariable), i64,
      size->isSigned));
  if (!graph.variables.contains(sizeVariable))
    graph.variables[sizeVariable] =
        context.expressions.cast(context.expressions.input(index + 1, i64),
                                 size->variable.type, size->isSigned);
}

bool HeteroLowering::addItems(LaunchRegion &launch, const HeteroCall &record) {
  CallInst &begin = *launch.region.begin;
  // Outputs first: an output is memory.
  for (bool outputs : {true, false})
    for (auto [index, item] : enumerate(record.items)) {
      if (item.isOutput != outputs || item.isSize)
        continue;
      Value *variable = begin.getArgOperand(item.argument);
      if (!isa<AllocaInst>(variable)) {
        context.error(begin,
                      "'" + item.variable.name +
                          "' is no variable of this function",
                      "hetero-list");
        return false;
      }
      const HeteroItem *size = nullptr;
      if (index + 1 < record.items.size() && record.items[index + 1].isSize &&
          record.items[index + 1].argument == item.argument + 1)
        size = &record.items[index + 1];
      addRegionPort(launch, variable, item, size);
    }
  // Sizes of items that are not pointers are ordinary variables.
  for (const HeteroItem &item : record.items)
    if (item.isSize)
      addRegionPort(launch, begin.getArgOperand(item.argument),
                    {.argument = item.argument, .variable = item.variable},
                    nullptr);
  return true;
}

/// A variable that is not an output keeps its value for the host.
void HeteroLowering::checkLeavings(const LaunchRegion &launch) {
  for (auto [variable, held] : launch.graph->variables) {
    if (held->kind == Expr::Kind::Input ||
        (held->kind == Expr::Kind::Cast &&
         held->operands[0]->kind == Expr::Kind::Input) ||
        isDeclaredIn(*variable, launch.region))
      continue;
    for (User *user : variable->users()) {
      auto *load = dyn_cast<LoadInst>(user);
      if (!load || launch.region.blocks.contains(load->getParent()) ||
          load->getParent() == launch.region.begin->getParent())
        continue;
      context
          .error(*load,
                 "'" + nameOfVariable(*variable) +
                     "' may be read here after a launch region changed it, "
                     "which does not list it as an output; list it",
                 "hetero-list")
          .note(placeOf(*launch.region.begin), "the region begins here");
      break;
    }
  }
  // Variables of the region belong to the graph: those of the host are never
  // set.
  for (Instruction &variable :
       launch.region.begin->getFunction()->getEntryBlock()) {
    if (!isa<AllocaInst>(variable) || !isDeclaredIn(variable, launch.region))
      continue;
    for (User *user : variable.users()) {
      auto *use = cast<Instruction>(user);
      if (use->isLifetimeStartOrEnd() ||
          launch.region.blocks.contains(use->getParent()))
        continue;
      context
          .error(*use,
                 "'" + nameOfVariable(variable) +
                     "' is declared in a launch region, but used behind it, "
                     "perhaps by its destructor; put braces around the code "
                     "of the region, or declare it before and list it",
                 "hetero-region")
          .note(placeOf(*launch.region.begin), "the region begins here");
      break;
    }
  }
}

void HeteroLowering::buildLaunchRegion(CallInst &begin) {
  const HeteroCall *record = heteroRecordOf(begin, context.unit);
  std::optional<CodeRegion> region = findRegion(begin, context);
  if (!record || record->isBroken || !region)
    return;
  Function &host = *begin.getFunction();
  LaunchRegion launch{std::move(*region), std::make_unique<HeteroGraph>(), {}};
  HeteroGraph &graph = *launch.graph;
  graph.name = hpvm::displayName(host) + ".launch";
  graph.symbol = graphSymbol(host.getName() + ".launch");
  for (unsigned i = 1; module.getFunction(graph.symbol); ++i)
    graph.symbol = graphSymbol(host.getName() + ".launch" + Twine(i));
  graph.place = record->place;
  graph.subprogram = host.getSubprogram();
  unsigned errors = context.diagnostics.errorCount();
  if (!addItems(launch, *record) || !walkGraph(graph, launch.region, context) ||
      context.diagnostics.errorCount() != errors)
    return;
  if (graph.nodes.empty()) {
    context.error(begin,
                  "the sections of this launch region have no nodes; put "
                  "their code into tasks",
                  "hetero-launch");
    return;
  }
  checkLeavings(launch);
  emitGraph(graph, {}, 0, context);
  replaceRegion(launch);
}

/// The end of a launch region waits; a wait for its handle is a no-op.
void HeteroLowering::dropWaits(CallInst &begin) {
  for (User *user : begin.users()) {
    auto *store = dyn_cast<StoreInst>(user);
    if (!store)
      continue;
    Value *handle = store->getPointerOperand();
    for (User *reader : handle->users()) {
      auto *load = dyn_cast<LoadInst>(reader);
      if (!load)
        continue;
      SmallVector<Instruction *> waits;
      for (User *last : load->users())
        if (calledHetero(*cast<Instruction>(last)) == HeteroFunction::Wait)
          waits.push_back(cast<Instruction>(last));
      for (Instruction *wait : waits)
        wait->eraseFromParent();
    }
  }
}

void HeteroLowering::replaceRegion(LaunchRegion &launch) {
  CallInst &begin = *launch.region.begin;
  Instruction *end = begin.getParent()->getTerminator();
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(begin.getDebugLoc());
  Function *root = module.getFunction(launch.graph->symbol);
  Value *handle = emitLaunch(builder, *root, launch.arguments);
  emitWait(builder, handle);
  builder.CreateBr(launch.region.exit);
  end->eraseFromParent();
  dropWaits(begin);
  removeUnreachableBlocks(*begin.getFunction());
}

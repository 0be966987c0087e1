//===- KernelState.cpp - State of kernels outside of arguments ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of C kernels and HPVM graphs whose code is known. The state of
// machine code cannot be known here; a remark reports this.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafState.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
class KernelStates {
public:
  explicit KernelStates(const Resolution &resolution)
      : resolution(resolution), states(resolution.code) {}

  TaskStates run();

private:
  const LeafState &stateOf(StringRef function);
  void addGraph(dfg::GraphOp graph, LeafState &state);
  LeafState stateOf(unsigned task);
  void remarkUnknown(dfg::TaskOp task);
  void remarkOfThread(dfg::TaskOp task, const LeafState &state);

  const Resolution &resolution;
  LeafStates states;
  StringMap<LeafState> known;
  StringSet<> remarked;
};
} // namespace

const LeafState &KernelStates::stateOf(StringRef name) {
  auto [found, isNew] = known.try_emplace(name);
  const Function *function = resolution.code.getFunction(name);
  if (isNew && function && !function->isDeclaration())
    found->second = states.of(*function);
  return found->second;
}

static void add(LeafState &state, const LeafState &added) {
  for (const auto &[name, kinds] : added.variables) {
    state.variables[name].isRead |= kinds.isRead;
    state.variables[name].isWritten |= kinds.isWritten;
  }
  state.memory.isRead |= added.memory.isRead;
  state.memory.isWritten |= added.memory.isWritten;
  state.library.insert(added.library.begin(), added.library.end());
  state.ofThread.insert(added.ofThread.begin(), added.ofThread.end());
}

/// As messages name it.
static std::vector<TaskState> statesOf(const LeafState &state) {
  std::vector<TaskState> states;
  auto add = [&](const std::string &name, MemoryUseKinds kinds) {
    if (kinds.isRead || kinds.isWritten)
      states.push_back({name, !kinds.isWritten ? dfg::Access::In
                              : kinds.isRead   ? dfg::Access::InOut
                                               : dfg::Access::Out});
  };
  for (const auto &[name, kinds] : state.variables)
    add("the variable '" + demangle(name) + "'", kinds);
  add("memory that variables point to", state.memory);
  for (const std::string &name : state.library)
    add("what '" + name + "' keeps", {.isRead = true, .isWritten = true});
  return states;
}

void KernelStates::addGraph(dfg::GraphOp graph, LeafState &state) {
  for (dfg::NodeOp node : graph.getBody().front().getOps<dfg::NodeOp>()) {
    mlir::Operation *callee = node.resolveCallee();
    if (auto kernel = dyn_cast<dfg::KernelOp>(callee))
      add(state, stateOf(kernel.getCodeName()));
    else if (auto inner = dyn_cast<dfg::GraphOp>(callee))
      addGraph(inner, state);
  }
}

LeafState KernelStates::stateOf(unsigned index) {
  dfg::TaskOp task = resolution.order.tasks[index];
  LeafState state;
  if (dfg::GraphOp root = resolution.resolved[index].root)
    addGraph(root, state);
  else if (task.getKind() == dfg::TaskKind::C)
    state = stateOf(task.getCallee());
  return state;
}

void KernelStates::remarkUnknown(dfg::TaskOp task) {
  const Function *function = resolution.code.getFunction(task.getCallee());
  if (task.getKind() != dfg::TaskKind::C ||
      (function && !function->isDeclaration()) ||
      !remarked.insert(task.getCallee()).second)
    return;
  task.emitRemark() << "'" << task.getCallee()
                    << "' is machine code: variables that it shares with other "
                       "kernels are not known, and order nothing";
}

void KernelStates::remarkOfThread(dfg::TaskOp task, const LeafState &state) {
  for (const std::string &name : state.ofThread)
    if (remarked.insert((task.getCallee() + " " + name).str()).second)
      task.emitRemark() << "'" << task.getCallee()
                        << "' uses the thread-local variable '"
                        << demangle(name)
                        << "': each worker has its own, and tasks on one "
                           "worker see what the ones before them left";
}

TaskStates KernelStates::run() {
  TaskStates result;
  for (unsigned index = 0; index != resolution.order.tasks.size(); ++index) {
    dfg::TaskOp task = resolution.order.tasks[index];
    LeafState state = stateOf(index);
    result.push_back(statesOf(state));
    if (!resolution.options.hasRemarks || task->hasAttr("independent"))
      continue;
    remarkUnknown(task);
    remarkOfThread(task, state);
  }
  return result;
}

TaskStates driver::findStates(const Resolution &resolution) {
  return KernelStates(resolution).run();
}

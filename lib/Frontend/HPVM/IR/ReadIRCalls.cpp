//===- ReadIRCalls.cpp - HPVM-C calls in IR -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM's own compiler reads HPVM-C calls from IR. Files made for it are read in
// the same way here, with the types that remain after the C ABI.
//
//===----------------------------------------------------------------------===//

#include "ReadIRCalls.h"

#include "../Calls/ReadCalls.h"
#include "../Lower/LowerCallsPhases.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;

namespace {
/// Records the calls of one function.
class FunctionRecorder {
public:
  FunctionRecorder(Function &function, CompiledUnit &unit, HPVMVersion version,
                   Diagnostics &diagnostics)
      : function(function), unit(unit), version(version),
        diagnostics(diagnostics) {}

  void run();

private:
  void record(CallBase &call, StringRef name);
  void recordReturn(CallBase &call);
  void recordLaunch(CallBase &call);
  void recordAttributes(CallBase &call);
  void recordHint(CallBase &call);
  void describeNode();
  void setRecord(CallBase &call, CallRecord record);
  std::optional<uint64_t> constantArgument(CallBase &call, unsigned index);
  void error(CallBase &call, const Twine &message, StringRef rule);

  Function &function;
  CompiledUnit &unit;
  HPVMVersion version;
  Diagnostics &diagnostics;

  NodeRecord node;
  bool isNode = false;
};
} // namespace

void FunctionRecorder::error(CallBase &call, const Twine &message,
                             StringRef rule) {
  diagnostics.error(placeOf(call), message.str(), rule.str());
}

std::optional<uint64_t> FunctionRecorder::constantArgument(CallBase &call,
                                                           unsigned index) {
  auto *constant = index < call.arg_size()
                       ? dyn_cast<ConstantInt>(call.getArgOperand(index))
                       : nullptr;
  if (constant)
    return constant->getZExtValue();
  error(call,
        "argument " + Twine(index) + " of '__hpvm__" + calledHPVM(call) +
            "' in '" + function.getName() + "' must be an integer constant",
        "constant");
  return std::nullopt;
}

/// The record's number becomes the first argument.
void FunctionRecorder::setRecord(CallBase &call, CallRecord record) {
  record.place = placeOf(call);
  if (call.arg_empty() || !call.getArgOperand(0)->getType()->isIntegerTy(32)) {
    error(call,
          "'__hpvm__" + calledHPVM(call) + "' in '" + function.getName() +
              "' starts with no i32",
          "arguments");
    return;
  }
  call.setArgOperand(
      0, ConstantInt::get(call.getArgOperand(0)->getType(),
                          CallRecord::firstNumber + unit.calls.size()));
  unit.calls.push_back(std::move(record));
}

static PortRecord portOf(Value &value, const DataLayout &layout) {
  PortRecord port;
  port.type = value.getType();
  port.alignment = layout.getABITypeAlign(port.type);
  port.name = isa<Argument>(value) ? value.getName().str() : "";
  raw_string_ostream(port.spelling) << *port.type;
  return port;
}

void FunctionRecorder::recordReturn(CallBase &call) {
  std::optional<uint64_t> count = constantArgument(call, 0);
  if (!count)
    return;
  if (*count + 1 != call.arg_size())
    error(call,
          "'__hpvm__return' in '" + function.getName() + "' announces " +
              Twine(*count) + " outputs, but has " + Twine(call.arg_size() - 1),
          "arguments");
  CallRecord record{.kind = CallRecord::Kind::Return, .passesValues = true};
  for (Use &output : drop_begin(call.args()))
    record.outputs.push_back(
        portOf(*output, function.getParent()->getDataLayout()));
  setRecord(call, std::move(record));
}

void FunctionRecorder::recordLaunch(CallBase &call) {
  if (std::optional<uint64_t> isStream = constantArgument(call, 0))
    setRecord(call,
              {.kind = CallRecord::Kind::Launch, .isStream = *isStream != 0});
}

void FunctionRecorder::recordAttributes(CallBase &call) {
  unsigned position = 0;
  node.attributesPlace = placeOf(call);
  for (bool isOutput : {false, true}) {
    std::optional<uint64_t> count = constantArgument(call, position++);
    if (!count)
      return;
    for (uint64_t i = 0; i != *count; ++i, ++position) {
      auto *argument =
          position < call.arg_size()
              ? dyn_cast<Argument>(
                    call.getArgOperand(position)->stripPointerCasts())
              : nullptr;
      if (!argument) {
        error(call,
              "argument " + Twine(position) + " of '__hpvm__attributes' in '" +
                  function.getName() + "' is not a parameter",
              "attributes");
        continue;
      }
      PortRecord &port = node.parameters[argument->getArgNo()];
      (isOutput ? port.isOutput : port.isInput) = true;
    }
  }
  setRecord(call, {.kind = CallRecord::Kind::Attributes});
}

void FunctionRecorder::recordHint(CallBase &call) {
  std::optional<uint64_t> target = constantArgument(call, 0);
  if (!target)
    return;
  node.hintPlace = placeOf(call);
  node.hint = hintOf(*target, version);
  if (node.hint.empty())
    error(call,
          "integer " + Twine(*target) + " in '__hpvm__hint' of '" +
              function.getName() + "' names no target",
          "hint");
}

void FunctionRecorder::record(CallBase &call, StringRef name) {
  isNode |= !StringSwitch<bool>(name)
                 .Cases({"init", "cleanup", "launch", "wait", "push", "pop",
                         "trackMemory", "untrackMemory", "requestMemory"},
                        true)
                 .Default(false);
  if (name == "return")
    return recordReturn(call);
  if (name == "launch")
    return recordLaunch(call);
  if (name == "attributes")
    return recordAttributes(call);
  if (name == "hint")
    return recordHint(call);
  if (name == "createNodeND" && constantArgument(call, 0))
    setRecord(call, {.kind = CallRecord::Kind::CreateNode});
}

void FunctionRecorder::describeNode() {
  node.symbol = node.name = function.getName().str();
  node.place = placeOf(function);
  for (Argument &argument : function.args()) {
    PortRecord port = portOf(argument, function.getParent()->getDataLayout());
    port.isRestrict = argument.hasNoAliasAttr();
    port.isInput = argument.getAttributes().hasAttribute("hpvm.in");
    port.isOutput = argument.getAttributes().hasAttribute("hpvm.out");
    node.parameters.push_back(std::move(port));
  }
}

/// Promotes variables of unoptimised code to registers, so that parameters
/// become visible.
static void promoteVariables(Function &function) {
  DominatorTree dominators(function);
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      if (isAllocaPromotable(variable))
        variables.push_back(variable);
  if (!variables.empty())
    PromoteMemToReg(variables, dominators);
}

void FunctionRecorder::run() {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (!calledHPVM(*call).empty())
        calls.push_back(call);
  if (calls.empty())
    return;
  promoteVariables(function);
  describeNode();
  for (CallBase *call : calls)
    record(*call, calledHPVM(*call));
  if (!isNode)
    return;
  bool isByValue = any_of(function.args(), [](const Argument &argument) {
    return argument.hasByValAttr() || argument.hasStructRetAttr();
  });
  if (isByValue || !function.getReturnType()->isVoidTy()) {
    diagnostics.error(node.place,
                      "node function '" + node.name +
                          "' passes structures as the C ABI does, so its "
                          "ports are not known; compile its source instead",
                      "node-function");
    return;
  }
  node.isCertain = node.hintPlace.isKnown() || !node.hint.empty() ||
                   node.attributesPlace.has_value();
  unit.nodes.push_back(std::move(node));
}

void sluice::recordCalls(CompiledUnit &unit, HPVMVersion version,
                         Diagnostics &diagnostics) {
  for (Function &function : *unit.module)
    if (!function.isDeclaration())
      FunctionRecorder(function, unit, version, diagnostics).run();
}

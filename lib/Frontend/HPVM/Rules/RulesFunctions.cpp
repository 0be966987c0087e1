//===- RulesFunctions.cpp - Kinds and contents of functions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function is an internal node, a leaf, an auxiliary function that leaves
// call, or host code. Each kind may call different intrinsics. Rules H13 to H15
// and H17 to H24 of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportExtents.h"
#include "../Import/ImportProgram.h"
#include "sluice/Analysis/LeafReductions.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
class FunctionCheck {
public:
  explicit FunctionCheck(CanonicalProgram &program)
      : program(program), diagnostics(program.diagnostics) {}

  void run() {
    collectCalls();
    for (const auto &node : program.functions)
      findMisplaced(*node);
    findAuxiliaries();
    for (const auto &node : program.functions)
      if (!node->isMisplaced)
        checkNodeFunction(*node);
    for (Function *function : program.otherFunctions)
      checkOther(*function);
  }

private:
  void collectCalls();
  void findMisplaced(NodeFunction &node);
  void findAuxiliaries();
  void checkNodeFunction(NodeFunction &node);
  void checkSignature(NodeFunction &node);
  void checkPorts(NodeFunction &node);
  void checkDirectCalls(const NodeFunction &node);
  void checkIntrinsicsOfNode(const NodeFunction &node);
  void checkInternalBody(NodeFunction &graph);
  void checkInternalInstruction(const NodeFunction &graph,
                                Instruction &instruction);
  void checkBranch(NodeFunction &graph, Instruction &terminator);
  void checkJump(const NodeFunction &graph, BranchInst &jump);
  void checkReturn(const NodeFunction &graph, ReturnInst &result);
  void checkOther(Function &function);
  bool looksLikeLeaf(const Function &function) const;

  CanonicalProgram &program;
  Diagnostics &diagnostics;
  /// Calls of each function of the module, directly or through casts.
  MapVector<const Function *, SmallVector<CallBase *>> calls;
  /// Functions that nodes call, each with the first call that leads there.
  MapVector<const Function *, CallBase *> auxiliaries;
};
} // namespace

void FunctionCheck::collectCalls() {
  for (Function &function : program.module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = calledFunction(*call))
          calls[callee].push_back(call);
}

/// Only internal nodes create nodes. Another function that creates nodes is an
/// error if it runs. If it does not run, it counts as a root that is never
/// launched.
void FunctionCheck::findMisplaced(NodeFunction &node) {
  if (!node.isInternal || node.isLaunched || !node.uses.empty())
    return;
  bool isCalled = calls.count(node.function);
  bool isHost = node.function->getName() == "main" ||
                !node.function->getReturnType()->isStructTy();
  node.isMisplaced = isCalled || isHost;
  node.isIncomplete |= node.isMisplaced;
  if (node.isMisplaced)
    program.otherFunctions.push_back(node.function);
}

void FunctionCheck::findAuxiliaries() {
  DenseMap<const Function *, SmallVector<CallBase *>> callsIn;
  for (auto &[callee, sites] : calls)
    for (CallBase *site : sites)
      callsIn[site->getFunction()].push_back(site);
  SmallVector<const Function *> worklist;
  for (const auto &node : program.functions)
    if (!node->isMisplaced)
      worklist.push_back(node->function);
  while (!worklist.empty())
    for (CallBase *site : callsIn[worklist.pop_back_val()]) {
      const Function *callee = calledFunction(*site);
      NodeFunction *node = program.lookUp(callee);
      if ((node && !node->isMisplaced) || isReservedName(callee->getName()))
        continue;
      if (auxiliaries.insert({callee, site}).second)
        worklist.push_back(callee);
    }
}

//===----------------------------------------------------------------------===//
// Node functions
//===----------------------------------------------------------------------===//

void FunctionCheck::checkNodeFunction(NodeFunction &node) {
  checkSignature(node);
  checkDirectCalls(node);
  checkIntrinsicsOfNode(node);
  if (node.isInternal && !node.function->isDeclaration())
    checkInternalBody(node);
}

/// The first use of a node function, for functions without a body.
static SourcePlace placeOfUse(const NodeFunction &node,
                              const CanonicalProgram &program) {
  if (!node.uses.empty())
    return placeOf(*node.uses.front().node().call);
  for (const LaunchCall &launch : program.launches)
    if (launch.root == &node)
      return placeOf(*launch.call);
  return placeOf(*node.function);
}

/// [H17] and [H20].
void FunctionCheck::checkSignature(NodeFunction &node) {
  Function &function = *node.function;
  std::string name = quoted(node.name());
  if (function.isDeclaration()) {
    node.isIncomplete = true;
    diagnostics.error(placeOfUse(node, program),
                      name + " is declared, but not defined; compile the file "
                             "that defines it together with this one",
                      "H17");
    return;
  }
  if (!function.getReturnType()->isStructTy()) {
    node.isIncomplete = true;
    diagnostics.error(placeOf(function),
                      "node function " + name + " returns " +
                          spellType(function.getReturnType()) +
                          ", but a node function returns a struct with one "
                          "field for each output, '{}' without outputs",
                      "H17");
  }
  if (function.isVarArg())
    diagnostics.error(placeOf(function),
                      "node function " + name +
                          " takes variable arguments; declare one parameter "
                          "for each input",
                      "H17");
  checkPorts(node);

  if (!node.isLaunched || !node.isInternal)
    return;
  bool describesGraph =
      llvm::any_of(intrinsicCalls(function), [](const CallBase *call) {
        return calledIntrinsic(*call)->place == IntrinsicPlace::Internal;
      });
  bool isEmpty = function.size() == 1 && function.front().size() == 1;
  if (describesGraph || isEmpty)
    return;
  // A leaf was launched: the rules for the bodies of internal nodes do not
  // apply to it.
  node.isInternal = false;
  diagnostics
      .error(placeOfUse(node, program),
             name + " is launched, but it creates no nodes; launch an internal "
                    "node that creates a node of it and binds its ports",
             "H20")
      .note(placeOf(function), name + " is defined here");
}

/// True if dfg and the runtime can carry values of the type.
static bool isCarriable(const Type *type) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return isCarriable(vector->getElementType());
  if (auto *array = dyn_cast<ArrayType>(type))
    return isCarriable(array->getElementType());
  if (auto *structure = dyn_cast<StructType>(type))
    return !structure->isOpaque() &&
           llvm::all_of(structure->elements(), isCarriable);
  return type->isIntegerTy() || type->isPointerTy() ||
         (type->isFloatingPointTy() && !type->isPPC_FP128Ty());
}

/// [H17] for the ports.
void FunctionCheck::checkPorts(NodeFunction &node) {
  auto refuse = [&](const std::string &port, const std::string &reason) {
    diagnostics.error(placeOf(*node.function), port + " " + reason, "H17");
    node.isIncomplete = true;
  };
  for (unsigned i = 0, e = node.numInputs(); i != e; ++i) {
    const Argument &argument = *node.function->getArg(i);
    if (argument.hasPointeeInMemoryValueAttr() || argument.hasNestAttr() ||
        argument.hasStructRetAttr() ||
        argument.hasAttribute(Attribute::SwiftError))
      refuse(node.describeInput(i),
             "is passed by reference behind the scenes (byval, sret or the "
             "like); declare the value itself as the parameter");
    else if (!isCarriable(argument.getType()))
      refuse(node.describeInput(i), "has type " +
                                        spellType(argument.getType()) +
                                        ", which no edge can carry; use "
                                        "integers, floats, pointers, or "
                                        "vectors, arrays and structs of them");
  }
  for (unsigned i = 0, e = node.numOutputs(); i != e; ++i)
    if (!isCarriable(node.outputType(i)))
      refuse(node.describeOutput(i), "has type " +
                                         spellType(node.outputType(i)) +
                                         ", which no edge can carry; use "
                                         "integers, floats, pointers, or "
                                         "vectors, arrays and structs of them");
}

/// [H18].
void FunctionCheck::checkDirectCalls(const NodeFunction &node) {
  auto it = calls.find(node.function);
  if (it == calls.end())
    return;
  for (const CallBase *call : it->second)
    diagnostics
        .error(placeOf(*call),
               "node function " + quoted(node.name()) +
                   " is called directly; nodes run when a graph is launched, "
                   "so move the code they share to a function of its own",
               "H18")
        .note(placeOf(*node.function),
              quoted(node.name()) + " is defined here");
}

/// The name of a call's intrinsic for messages.
static std::string intrinsicName(const CallBase &call) {
  const HPVMIntrinsic &intrinsic = *calledIntrinsic(call);
  switch (intrinsic.kind) {
  case IntrinsicKind::AssumeDisjoint:
    return "'sluice_assume_disjoint'";
  case IntrinsicKind::AssumeOrdered:
    return "'sluice_assume_ordered'";
  case IntrinsicKind::Reduce:
    return isScan(*reductionOf(call)) ? "'sluice_scan'" : "'sluice_reduce'";
  case IntrinsicKind::Ordered:
    return "'sluice_ordered'";
  case IntrinsicKind::Temporary:
    return "'sluice_temporary'";
  default:
    return quoted(intrinsic.name);
  }
}

/// The result about races names the reason that the program gives.
static void checkReason(const CallBase &call, Diagnostics &diagnostics) {
  if (calledIntrinsic(call)->kind != IntrinsicKind::AssumeOrdered)
    return;
  StringRef reason;
  if (!getConstantStringInfo(call.getArgOperand(2), reason) || reason.empty())
    diagnostics.error(placeOf(call),
                      "the reason that 'sluice_assume_ordered' is given must "
                      "be a string in the code that says why the order does "
                      "not matter",
                      "reason");
}

/// [H19], [H22] and [H23] for node functions.
void FunctionCheck::checkIntrinsicsOfNode(const NodeFunction &node) {
  const CallBase *describing = nullptr;
  for (const CallBase *call : intrinsicCalls(*node.function)) {
    IntrinsicPlace place = calledIntrinsic(*call)->place;
    checkReason(*call, diagnostics);
    if (place == IntrinsicPlace::Internal && !describing)
      describing = call;
    if (place == IntrinsicPlace::Host)
      diagnostics.error(placeOf(*call),
                        intrinsicName(*call) + " is for host code, but " +
                            quoted(node.name()) +
                            " is a node function; move the call to the code "
                            "that launches the graph",
                        "H23");
  }
  if (!node.isInternal) {
    checkReductions(node, diagnostics);
    return;
  }
  for (const CallBase *call : intrinsicCalls(*node.function)) {
    if (calledIntrinsic(*call)->place != IntrinsicPlace::Leaf)
      continue;
    if (!describing) {
      diagnostics.error(placeOf(*call),
                        intrinsicName(*call) + " is for leaves, but " +
                            quoted(node.name()) +
                            " is launched as a root; create a node of it in "
                            "a root of its own",
                        "H22");
      continue;
    }
    diagnostics
        .error(placeOf(*call),
               intrinsicName(*call) + " is for leaves, but " +
                   quoted(node.name()) +
                   " creates a graph; a node is either internal or a leaf, so "
                   "move the call to a child",
               "H19")
        .note(placeOf(*describing), "this call of " +
                                        intrinsicName(*describing) +
                                        " makes it an internal node");
  }
}

//===----------------------------------------------------------------------===//
// Bodies of internal nodes
//===----------------------------------------------------------------------===//

void FunctionCheck::checkInternalBody(NodeFunction &graph) {
  for (BasicBlock &block : *graph.function)
    for (Instruction &instruction : block)
      if (!instruction.isTerminator())
        checkInternalInstruction(graph, instruction);
      else if (auto *result = dyn_cast<ReturnInst>(&instruction))
        checkReturn(graph, *result);
      else
        checkBranch(graph, instruction);
}

/// [H14].
void FunctionCheck::checkInternalInstruction(const NodeFunction &graph,
                                             Instruction &instruction) {
  if (isExtentArithmetic(instruction) || isa<PHINode>(instruction) ||
      isa<InsertValueInst>(instruction) ||
      isInstructionTriviallyDead(&instruction))
    return;
  // A select between handles is reported where the handle is used.
  if (isa<SelectInst>(instruction) && instruction.getType()->isPointerTy())
    return;
  std::string what = quoted(instruction.getOpcodeName());
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    const Function *callee = calledFunction(*call);
    const NodeFunction *node = callee ? program.lookUp(callee) : nullptr;
    // Calls of node functions and of intrinsics have separate rules.
    if ((intrinsic && intrinsic->isAssumeLikeIntrinsic()) ||
        (node && !node->isMisplaced) ||
        (callee && isReservedName(callee->getName())))
      return;
    what = callee ? "a call of " + quoted(displayName(*callee))
                  : "a call of an unknown function";
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    auto *handle = dyn_cast<CallBase>(store->getValueOperand());
    if (handle && calledIntrinsic(*handle)) {
      diagnostics.error(placeOf(instruction),
                        "internal node " + quoted(graph.name()) +
                            " stores a node's handle in memory, but handles "
                            "exist at compile time only; use the handle "
                            "directly",
                        "H14");
      return;
    }
    what = "a store to memory";
  } else if (isa<LoadInst>(instruction)) {
    what = "a load from memory";
  } else if (isa<AllocaInst>(instruction)) {
    what = "a variable whose address is used";
  }
  diagnostics.error(placeOf(instruction),
                    "internal node " + quoted(graph.name()) + " holds " + what +
                        ", but it may only describe its child graph; move the "
                        "computation into a leaf",
                    "H14");
}

/// The cause of a variable condition: the first argument, loaded value or call
/// result that it depends on.
static const Value *originOf(const Value *condition) {
  SmallVector<const Value *> worklist = {condition};
  SmallPtrSet<const Value *, 8> seen;
  for (size_t i = 0; i != worklist.size(); ++i) {
    const Value *value = worklist[i];
    if (isa<Argument, LoadInst>(value) ||
        (isa<CallBase>(value) && !isa<IntrinsicInst>(value)))
      return value;
    auto *instruction = dyn_cast<Instruction>(value);
    if (instruction && seen.insert(instruction).second)
      worklist.append(instruction->value_op_begin(),
                      instruction->value_op_end());
  }
  return condition;
}

/// [H13] for control flow.
void FunctionCheck::checkBranch(NodeFunction &graph, Instruction &terminator) {
  graph.isIncomplete = true;
  SourcePlace place = placeOf(terminator);
  std::string name = quoted(graph.name());
  if (isa<UnreachableInst>(terminator)) {
    diagnostics.error(place,
                      "internal node " + name +
                          " ends without a return; return a value of its "
                          "type on every path",
                      "H13");
    return;
  }
  Value *condition = nullptr;
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    if (branch->isUnconditional())
      return checkJump(graph, *branch);
    condition = branch->getCondition();
  } else if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    condition = choice->getCondition();
  }
  const Value *origin = condition ? originOf(condition) : nullptr;
  if (origin && origin == condition && isa<CmpInst>(origin)) {
    diagnostics.error(place,
                      "internal node " + name +
                          " has a loop with too many turns to be unrolled; "
                          "replicate one node instead of creating so many",
                      "H13");
    return;
  }
  std::string reason;
  if (origin)
    reason = " that depends on " + describeValue(origin);
  diagnostics.error(place,
                    "internal node " + name + " has control flow" + reason +
                        ", but the structure of a graph must be known at "
                        "compile time; make the condition constant, or write "
                        "one root for each case",
                    "H13");
}

/// Reports [H13] for a jump, unless it belongs to a branch that is reported
/// elsewhere.
void FunctionCheck::checkJump(const NodeFunction &graph, BranchInst &jump) {
  bool hasBranch = llvm::any_of(*graph.function, [](BasicBlock &block) {
    return block.getTerminator()->getNumSuccessors() > 1;
  });
  bool hasReturn = llvm::any_of(*graph.function, [](BasicBlock &block) {
    return isa<ReturnInst>(block.getTerminator());
  });
  bool isLast = jump.getParent() == &graph.function->back();
  if (hasBranch || hasReturn || !isLast)
    return;
  diagnostics.error(placeOf(jump),
                    "internal node " + quoted(graph.name()) +
                        " has a loop without an end, but the structure of a "
                        "graph must be known at compile time; give the loop a "
                        "constant number of turns",
                    "H13");
}

/// [H15].
void FunctionCheck::checkReturn(const NodeFunction &graph, ReturnInst &result) {
  Value *value = result.getReturnValue();
  if (!value)
    return;
  auto *constant = dyn_cast<Constant>(value);
  if (constant && (isa<UndefValue>(constant) || constant->isNullValue()))
    return;
  diagnostics.error(placeOf(result),
                    "internal node " + quoted(graph.name()) +
                        " returns a value, but its outputs come from binds "
                        "alone; bind a child's output, and return 'undef'",
                    "H15");
}

//===----------------------------------------------------------------------===//
// Auxiliary functions and host code
//===----------------------------------------------------------------------===//

/// True if the function is written as a leaf, although no graph uses it.
bool FunctionCheck::looksLikeLeaf(const Function &function) const {
  if (calls.count(&function) || !function.getReturnType()->isStructTy())
    return false;
  return llvm::none_of(
      intrinsicCalls(const_cast<Function &>(function)), [](auto *call) {
        return calledIntrinsic(*call)->place != IntrinsicPlace::Leaf;
      });
}

/// [H21], [H22] and [H24].
void FunctionCheck::checkOther(Function &function) {
  if (looksLikeLeaf(function)) {
    program.unusedNodeFunctions.push_back(&function);
    return;
  }
  auto auxiliary = auxiliaries.find(&function);
  for (const CallBase *call : intrinsicCalls(function)) {
    IntrinsicPlace place = calledIntrinsic(*call)->place;
    std::string start = intrinsicName(*call);
    if (auxiliary != auxiliaries.end()) {
      const CallBase *site = auxiliary->second;
      diagnostics
          .error(placeOf(*call),
                 start + " is used in " + quoted(displayName(function)) +
                     ", an auxiliary function of a node; only node functions "
                     "may use HPVM intrinsics, so pass the result as an "
                     "argument or move the code into the node function",
                 "H24")
          .note(placeOf(*site),
                quoted(displayName(*site->getFunction())) + " calls it here");
    } else if (place == IntrinsicPlace::Internal) {
      diagnostics.error(placeOf(*call),
                        start + " describes a graph, but " +
                            quoted(displayName(function)) +
                            " is no node function; move the call to the root, "
                            "or to a function that runs as an internal node",
                        "H21");
    } else if (place == IntrinsicPlace::Leaf) {
      diagnostics.error(placeOf(*call),
                        start + " is for leaves, but " +
                            quoted(displayName(function)) +
                            " is host code: no graph creates a node of it",
                        "H22");
    }
  }
}

void sluice::hpvm::checkFunctions(CanonicalProgram &program) {
  FunctionCheck(program).run();
}

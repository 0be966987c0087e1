//===- RulesIntrinsics.cpp - Which intrinsics exist, and how they are used ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM accepts any function named llvm.something as an intrinsic that it may
// know one day. So without this check, a misspelled call would only show as a
// link error. Rules H11, H25 and H26 of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

/// The location for a message about a declaration: its first use.
static SourcePlace placeOfFirstUse(const Function &declaration) {
  SmallVector<const User *> users(declaration.user_begin(),
                                  declaration.user_end());
  // Uses are listed from the last to the first.
  for (const User *user : llvm::reverse(users))
    if (auto *instruction = dyn_cast<Instruction>(user))
      return placeOf(*instruction);
  return {};
}

/// The reserved name closest to `name`; empty if none is close.
static std::string closestName(StringRef name) {
  static constexpr StringRef candidates[] = {"createNode",
                                             "createNode1D",
                                             "createNode2D",
                                             "createNode3D",
                                             "createEdge",
                                             "bind.input",
                                             "bind.output",
                                             "getNode",
                                             "getParentNode",
                                             "getNumDims",
                                             "getNodeInstanceID.x",
                                             "getNodeInstanceID.y",
                                             "getNodeInstanceID.z",
                                             "getNumNodeInstances.x",
                                             "getNumNodeInstances.y",
                                             "getNumNodeInstances.z",
                                             "barrier",
                                             "malloc",
                                             "temporary",
                                             "assume.disjoint",
                                             "assume.ordered",
                                             "reduce.f64",
                                             "reduce.with",
                                             "scan.f64",
                                             "scan.exclusive.f64",
                                             "scan.with",
                                             "atomic.add",
                                             "atomic.min",
                                             "atomic.max",
                                             "atomic.xchg",
                                             "atomic.load",
                                             "atomic.store",
                                             "init",
                                             "cleanup",
                                             "launch",
                                             "wait",
                                             "push",
                                             "pop",
                                             "trackMemory",
                                             "untrackMemory",
                                             "requestMemory"};
  StringRef best;
  unsigned bestDistance = 4;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.str();
}

static bool isTensorName(StringRef name) {
  return name.starts_with("tensor.") || name == "node.id" ||
         name == "node_id" || name == "grad";
}

/// Reports an intrinsic that HPVM does not have, or that is not supported.
static void refuseIntrinsic(const Function &declaration,
                            Diagnostics &diagnostics) {
  StringRef name = declaration.getName();
  StringRef own = name;
  own.consume_front("llvm.hpvm.");
  SourcePlace place = placeOfFirstUse(declaration);
  unsigned dimensions;
  if (isTensorName(own)) {
    diagnostics.error(place,
                      quoted(name) +
                          " is a tensor operation of ApproxHPVM, which is not "
                          "supported; write the operation as a leaf",
                      "H26");
    return;
  }
  StringRef digits = own;
  if (digits.consume_front("createNode") && digits.consume_back("D") &&
      !digits.getAsInteger(10, dimensions) && dimensions > 3) {
    diagnostics.error(place,
                      "a node has at most 3 dimensions, but this one has " +
                          std::to_string(dimensions) +
                          "; fold dimensions into one extent, or replicate "
                          "the parent node",
                      "H11");
    return;
  }
  std::string closest = closestName(own);
  diagnostics.error(place,
                    "HPVM has no intrinsic " + quoted(name) +
                        (closest.empty() ? "; see the table of intrinsics in "
                                           "docs/hpvm-rules.md"
                                         : "; did you mean " +
                                               quoted("llvm.hpvm." + closest)),
                    "H25");
}

static std::string spellFunctionType(const FunctionType *type) {
  std::string text = spellType(type);
  return text;
}

/// [H25] for one intrinsic and all its uses.
static void checkUses(const Function &declaration,
                      const HPVMIntrinsic &intrinsic,
                      Diagnostics &diagnostics) {
  std::string name = quoted(declaration.getName());
  if (!declaration.isDeclaration()) {
    diagnostics.error(placeOf(declaration),
                      name + " is an intrinsic and may not be defined; name "
                             "the function differently",
                      "H25");
    return;
  }
  if (!hasSignature(intrinsic, declaration.getFunctionType())) {
    diagnostics.error(placeOfFirstUse(declaration),
                      name + " is declared with the type " +
                          spellFunctionType(declaration.getFunctionType()) +
                          ", but its type is " + spellSignature(intrinsic),
                      "H25");
    return;
  }
  for (const Use &use : declaration.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (call && call->isCallee(&use)) {
      if (!hasSignature(intrinsic, call->getFunctionType()))
        diagnostics.error(placeOf(*call),
                          name + " is called with the type " +
                              spellFunctionType(call->getFunctionType()) +
                              ", but its type is " + spellSignature(intrinsic),
                          "H25");
      continue;
    }
    auto *instruction = dyn_cast<Instruction>(use.getUser());
    diagnostics.error(instruction ? placeOf(*instruction) : SourcePlace(),
                      "the address of " + name +
                          " is taken, but an intrinsic can only be called; "
                          "call it directly",
                      "H25");
  }
}

void sluice::hpvm::checkIntrinsics(Module &module, Diagnostics &diagnostics) {
  for (const Function &function : module) {
    if (!isReservedName(function.getName()))
      continue;
    if (const HPVMIntrinsic *intrinsic = lookUpIntrinsic(function.getName()))
      checkUses(function, *intrinsic, diagnostics);
    else if (!function.use_empty() || !function.isDeclaration())
      refuseIntrinsic(function, diagnostics);
  }
}

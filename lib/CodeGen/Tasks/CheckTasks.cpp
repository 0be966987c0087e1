//===- CheckTasks.cpp - Kernels that report their accesses ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts a call of sluiceTaskAccess before every access to memory that may be
// a dataset, in all code that is compiled with the tasks. The code has not been
// optimised yet, so its accesses are those of the source, and nothing is
// reported that only an optimiser introduced.
//
//===----------------------------------------------------------------------===//

#include "../Leaf/Item/MemoryAccesses.h"
#include "../Tables/ConstantTables.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/TaskNodes.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// True if no dataset can be at the address: variables of the code itself, and
/// memory that it allocates.
static bool isOwn(const Value *address) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(objects, [](const Value *object) {
    if (auto *argument = dyn_cast<Argument>(object))
      return argument->hasPassPointeeByValueCopyAttr();
    return isa<AllocaInst, Constant>(object) || isNoAliasCall(object) ||
           isOfThread(*object);
  });
}

namespace {
class TaskInstrumenter {
public:
  explicit TaskInstrumenter(Module &code);

  void run();

private:
  void run(Function &function);
  void report(const CodeAccess &access);

  Module &code;
  Tables tables;
  FunctionCallee callee;
  /// Attributes that no longer hold for functions that report.
  AttributeMask ofFunctions, ofParameters;

  PassAnalyses analyses;
};
} // namespace

TaskInstrumenter::TaskInstrumenter(Module &code) : code(code), tables(code) {
  LLVMContext &context = code.getContext();
  Type *ptr = PointerType::getUnqual(context);
  callee =
      code.getOrInsertFunction("sluiceTaskAccess", Type::getVoidTy(context),
                               ptr, ptr, Type::getInt64Ty(context));
  auto *function = cast<Function>(callee.getCallee());
  // Restricts the effects so that other code is optimised as well as possible.
  function->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref) |
                             MemoryEffects::inaccessibleMemOnly());
  function->setDoesNotThrow();
  function->setWillReturn();
  for (unsigned pointer : {0, 1})
    function->addParamAttr(
        pointer, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync,
                                   Attribute::NoFree, Attribute::Speculatable})
    ofFunctions.addAttribute(kind);
  for (Attribute::AttrKind kind : {Attribute::ReadNone, Attribute::WriteOnly,
                                   Attribute::NoFree, Attribute::Initializes})
    ofParameters.addAttribute(kind);
}

void TaskInstrumenter::report(const CodeAccess &access) {
  // Other address spaces contain no datasets.
  if (access.address->getType()->getPointerAddressSpace() != 0 ||
      isOwn(access.address))
    return;
  Constant *site = tables.place(tables.structure(
      SluiceCheckSite{.location = tables.string(placeText(*access.instruction)),
                      .object = tables.string(""),
                      .kind = uint32_t(access.kind),
                      .objectKind = 0,
                      .access = 0,
                      .reserved = 0}));
  IRBuilder<> b(access.instruction);
  b.CreateCall(callee, {site, access.address,
                        b.CreateZExtOrTrunc(access.size, b.getInt64Ty())});
}

void TaskInstrumenter::run(Function &function) {
  // From now on, the program's copy of code that a library also has is used.
  if (function.hasAvailableExternallyLinkage()) {
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setVisibility(GlobalValue::DefaultVisibility);
    function.setComdat(nullptr);
  }
  // Variables whose address is not taken are not memory.
  SROAPass(SROAOptions::PreserveCFG).run(function, analyses.functions);
  analyses.functions.clear();
  for (const CodeAccess &access : findMemoryAccesses(function))
    report(access);
  function.removeFnAttrs(ofFunctions);
  for (Argument &argument : function.args())
    function.removeParamAttrs(argument.getArgNo(), ofParameters);
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->isInlineAsm())
      continue;
    const Function *called = call->getCalledFunction();
    if (called && called->isDeclaration())
      continue;
    call->removeFnAttrs(ofFunctions);
    for (unsigned i = 0; i != call->arg_size(); ++i)
      call->removeParamAttrs(i, ofParameters);
  }
}

void TaskInstrumenter::run() {
  for (Function &function : code)
    if (!function.isDeclaration() && !function.hasFnAttribute(Attribute::Naked))
      run(function);
}

void codegen::instrumentTasks(Module &code) { TaskInstrumenter(code).run(); }

//===- CompileVariant.cpp - One node, compiled for the values of a launch -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs contain their own serialized form. The helper that they start makes
// a shared object of one node from it.
//
//===----------------------------------------------------------------------===//

#include "../Link.h"
#include "Lower.h"
#include "sluice/Base/Seal.h"
#include "sluice/CodeGen/VectorVariants.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

/// Keeps the variant's kernel and its callees; shared data is only declared.
static void keepOnlyVariant(Program &program) {
  Module &module = *program.code;
  for (Function &function : module)
    if (!function.isDeclaration() && function.getName() != "sluice_variant") {
      function.setComdat(nullptr);
      function.setLinkage(GlobalValue::InternalLinkage);
    }
  for (GlobalIFunc &chosen : module.ifuncs())
    chosen.setLinkage(GlobalValue::InternalLinkage);
  for (const char *name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *global = module.getNamedGlobal(name))
      global->eraseFromParent();
  removeFromUsedLists(
      module, [](Constant *used) { return !codegen::isVectorVariant(*used); });
  for (GlobalVariable &global : module.globals()) {
    if (global.isDeclaration() || global.isConstant() ||
        global.getName().starts_with("llvm."))
      continue;
    // The program holds the only copy.
    global.setInitializer(nullptr);
    global.setComdat(nullptr);
    global.setLinkage(GlobalValue::ExternalLinkage);
  }
}

Error driver::buildVariant(StringRef code,
                           const codegen::VariantValues &request,
                           const codegen::CodeGenOptions &options,
                           StringRef output) {
  Expected<std::unique_ptr<Program>> program = readSerializedProgram(code);
  if (!program)
    return program.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine =
      codegen::createTargetMachine(options.cpu, options.optimizationLevel);
  if (!machine)
    return machine.takeError();
  StringRef rootName = StringRef(request.node).split('/').first;
  for (dfg::GraphOp root : (*program)->getRoots()) {
    mlir::FailureOr<PlanModel> model =
        codegen::flatten(root, *(*program)->code);
    if (mlir::failed(model))
      return createStringError("the program cannot be flattened");
    if (model->name != rootName)
      continue;
    Module &module = *(*program)->code;
    codegen::CodeGenOptions codeGen = options;
    codeGen.vectorBits = codegen::vectorBitsOf(**machine);
    codeGen.math.isFused =
        codeGen.math.mayFuse && codegen::fusesMultiplyAdd(**machine);
    codegen::splitMultiplyAdd(module, codeGen.math.isFused);
    if (Error error = codegen::emitVariant(module, *model, request, codeGen))
      return error;
    // Removes everything but the variant: host code and other leaves.
    std::vector<Function *> others = (*program)->getNodeFunctions();
    codegen::dropNodeFunctions(module, others);
    keepOnlyVariant(**program);
    codegen::removeUnused(module);
    const DenseMap<Function *, GlobalVariable *> noPlans;
    if (Error error = codegen::lowerHostCalls(module, noPlans))
      return error;
    SmallVector<char, 0> object;
    if (Error error = codegen::emitObject(module, **machine, options, object))
      return error;
    Expected<std::string> library = temporaryPath(".so");
    if (!library)
      return library.takeError();
    FileRemover remover(*library);
    LinkOptions linking;
    linking.isVariant = true;
    if (Error error = linkObject(object, linking, *library))
      return error;
    Status status = sealInto(*library, output.str(), /*isProgram=*/true);
    return status.ok() ? Error::success() : createStringError(status.message());
  }
  return createStringError("the program has no graph '" + rootName + "'");
}

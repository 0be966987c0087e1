//===- PTXMath.cpp - Math functions on PTX --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX has instructions for few math functions. The others come from a bitcode
// library: NVIDIA's libdevice or Sluice's own. This file maps the calls and
// links the library.
//
//===----------------------------------------------------------------------===//

#include "PTXMath.h"
#include "DeviceFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

// Made from the sources in ../Math when Sluice is built.
extern const unsigned char sluiceDeviceMath[];
extern const std::size_t sluiceDeviceMathSize;

/// The functions that NVPTX selects itself, exactly as IEEE 754 defines them.
static Intrinsic::ID selected(const MathFunction &function) {
  for (StringRef name : {"fabs", "sqrt", "floor", "ceil", "trunc", "rint",
                         "round", "fma", "copysign", "fmin", "fmax"})
    if (function.name == name)
      return function.intrinsic;
  if (function.opencl == "rint")
    return Intrinsic::rint;
  return Intrinsic::not_intrinsic;
}

static std::string nameFor(const MathFunction &function, bool isDouble,
                           StringRef prefix) {
  return (prefix + function.name + (isDouble ? "" : "f")).str();
}

static void replaceCall(CallInst &call, FunctionCallee callee) {
  IRBuilder<> builder(&call);
  SmallVector<Value *> operands(call.args());
  CallInst *other = builder.CreateCall(callee, operands);
  other->takeName(&call);
  call.replaceAllUsesWith(other);
  call.eraseFromParent();
}

/// Calls the function of a library, or an intrinsic that NVPTX selects. Returns
/// the name of the called library function.
static std::string lowerCall(CallInst &call, StringRef prefix) {
  const MathFunction *math = calledMathFunction(call);
  Module &module = *call.getModule();
  Type *real = call.getType();
  if (Intrinsic::ID intrinsic = selected(*math)) {
    replaceCall(call,
                Intrinsic::getOrInsertDeclaration(&module, intrinsic, {real}));
    return "";
  }
  std::string name = nameFor(*math, real->isDoubleTy(), prefix);
  replaceCall(call, module.getOrInsertFunction(
                        name, call.getCalledFunction()->getFunctionType()));
  return name;
}

static Expected<std::unique_ptr<Module>> readLibrary(const std::string &path,
                                                     LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> library = parseIRFile(path, problem, context);
  if (!library)
    return createStringError("cannot read '" + path +
                             "': " + problem.getMessage());
  return std::move(library);
}

static Expected<std::unique_ptr<Module>> readOwnLibrary(LLVMContext &context) {
  StringRef code(reinterpret_cast<const char *>(sluiceDeviceMath),
                 sluiceDeviceMathSize);
  return parseBitcodeFile(MemoryBufferRef(code, "math functions"), context);
}

/// Links the called functions; they take the module's data layout.
static Error linkLibrary(Module &module, std::unique_ptr<Module> library) {
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded))
    return createStringError("cannot link the math functions");
  for (Function &function : module)
    if (!function.isDeclaration() &&
        !function.hasFnAttribute("sluice-kernel")) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.removeFnAttr("target-cpu");
      function.removeFnAttr("target-features");
    }
  removeUnused(module);
  return Error::success();
}

static void refuseCallers(Module &module, StringRef name, StringRef problem,
                          std::vector<Refusal> &refusals) {
  Function *function = module.getFunction(name);
  if (!function || !function->isDeclaration())
    return;
  for (Function *kernel : kernelsOf(module)) {
    bool calls = any_of(function->users(), [&](User *user) {
      auto *call = dyn_cast<Instruction>(user);
      return call && call->getFunction() == kernel;
    });
    if (!calls)
      continue;
    refusals.push_back({kernel->getName().str(), problem.str()});
    kernel->eraseFromParent();
  }
}

Error lowering::lowerMathForPTX(Module &module,
                                const DeviceLoweringOptions &options,
                                std::vector<Refusal> &refusals) {
  bool hasLibdevice = !options.libdevice.empty();
  SmallVector<CallInst *> calls;
  for (Function *kernel : kernelsOf(module))
    for (Instruction &instruction : instructions(*kernel))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (calledMathFunction(*call))
          calls.push_back(call);
  std::vector<std::string> names;
  for (CallInst *call : calls)
    if (std::string name = lowerCall(*call, hasLibdevice ? "__nv_" : "sluice_");
        !name.empty())
      names.push_back(name);
  if (names.empty())
    return Error::success();
  Expected<std::unique_ptr<Module>> library =
      hasLibdevice ? readLibrary(options.libdevice, module.getContext())
                   : readOwnLibrary(module.getContext());
  if (!library)
    return library.takeError();
  if (Error error = linkLibrary(module, std::move(*library)))
    return error;
  for (const std::string &name : names)
    refuseCallers(module, name, "calls '" + name + "', which no library has",
                  refusals);
  return Error::success();
}

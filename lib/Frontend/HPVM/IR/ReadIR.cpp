//===- ReadIR.cpp - LLVM IR with HPVM intrinsics --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's bitcode reader ends the process on some malformed files. So a child
// process reads each file first; a file is read here only if the child
// survives.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/HPVM/ReadIR.h"

#include "ReadIRCalls.h"
#include "ReadIRLegacy.h"
#include "ReadIRVerify.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/Frontend/HPVM/ParseText.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

/// Reads and verifies the module; the error describes the problem.
static Expected<std::unique_ptr<Module>> parseBitcode(MemoryBufferRef buffer,
                                                      LLVMContext &context) {
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(buffer, context);
  if (!module)
    return module;
  if (std::string problems = verifyForeign(**module); !problems.empty())
    return createStringError(problems);
  return module;
}

/// Reads the bitcode in a copy of this process, which the reader may end.
static Error checkInFork(MemoryBufferRef buffer, StringRef path) {
  Result<ForkResult> result = runInFork(
      [&](int output) {
        // The memory is freed with the process.
        auto *context = new LLVMContext;
        // Warnings are reported when the file is read again.
        context->setDiagnosticHandlerCallBack(
            [](const DiagnosticInfo *, void *) {});
        auto *module = new auto(parseBitcode(buffer, *context));
        if (!*module)
          writeAll(output, toString(module->takeError()));
      },
      /*seconds=*/0);
  if (!result.ok())
    return createStringError("cannot read '" + path +
                             "': " + result.status().message());
  if (!result->isComplete)
    return createStringError("'" + path +
                             "' is malformed: LLVM's bitcode reader crashes "
                             "on it");
  if (!result->text.empty())
    return createStringError("'" + path + "' is malformed: " + result->text);
  return Error::success();
}

static Expected<std::unique_ptr<Module>>
readBitcode(MemoryBufferRef buffer, StringRef path, LLVMContext &context) {
  if (Error error = checkInFork(buffer, path))
    return error;
  return parseBitcode(buffer, context);
}

//===----------------------------------------------------------------------===//
// Foreign spellings
//===----------------------------------------------------------------------===//

static void renameAttribute(Function &function, unsigned parameter,
                            StringRef from, StringRef to) {
  AttributeSet attributes = function.getAttributes().getParamAttrs(parameter);
  if (!attributes.hasAttribute(from))
    return;
  function.removeParamAttr(parameter, from);
  function.addParamAttr(parameter, Attribute::get(function.getContext(), to));
}

static void normalize(Module &module) {
  for (Function &function : module) {
    for (unsigned i = 0; i != function.arg_size(); ++i) {
      renameAttribute(function, i, "hpvm-in", "hpvm.in");
      renameAttribute(function, i, "hpvm-out", "hpvm.out");
    }
    // Attributes of -O0; the code is to be optimised.
    if (function.hasFnAttribute(Attribute::OptimizeNone)) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<Module>> readAssembly(MemoryBufferRef buffer,
                                                      LLVMContext &context) {
  if (Status status = checkTextLimits(
          std::string_view(buffer.getBuffer()),
          std::string_view(buffer.getBufferIdentifier()), TextLanguage::LLVM);
      !status.ok())
    return createStringError(status.message());
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseText(buffer, context, problem);
  if (module)
    return module;
  std::string text;
  raw_string_ostream os(text);
  problem.print(nullptr, os, /*ShowColors=*/false);
  return createStringError(StringRef(text).rtrim());
}

static Expected<std::unique_ptr<Module>>
readModule(MemoryBufferRef buffer, const ReadIROptions &options,
           LLVMContext &context) {
  StringRef path = buffer.getBufferIdentifier();
  if (identify_magic(buffer.getBuffer()) == file_magic::bitcode)
    return readBitcode(buffer, path, context);
  if (!options.isLegacy)
    return readAssembly(buffer, context);
  Expected<std::unique_ptr<MemoryBuffer>> bitcode =
      assembleLegacy(buffer.getBuffer(), path);
  if (!bitcode)
    return bitcode.takeError();
  return readBitcode((*bitcode)->getMemBufferRef(), path, context);
}

Expected<CompiledUnit> sluice::readIR(StringRef path,
                                      const ReadIROptions &options,
                                      LLVMContext &context,
                                      Diagnostics &diagnostics) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot read '" + path +
                                 "': " + buffer.getError().message());
  Expected<std::unique_ptr<Module>> module =
      readModule((*buffer)->getMemBufferRef(), options, context);
  if (!module)
    return module.takeError();
  normalize(**module);
  CompiledUnit unit;
  unit.path = path.str();
  unit.module = std::move(*module);
  unit.dependencies.push_back(unit.path);
  diagnostics.spellFile(unit.path);
  recordCalls(unit, options.version, diagnostics);
  return unit;
}

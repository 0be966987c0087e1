//===- ParseText.cpp - LLVM assembly with locations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's readers upgrade debug information as they read, and abort on modules
// that fail verification. The parser itself does not; the verifier runs after
// it.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/HPVM/ParseText.h"

#include "ReadIRVerify.h"

#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/LLParser.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Gives `module` debug information with the positions of functions and
/// instructions in its text.
static void attachPlaces(Module &module, const AsmParserContext &places,
                         StringRef path) {
  DIBuilder builder(module, /*AllowUnresolved=*/false);
  DIFile *file = builder.createFile(path, "");
  builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file,
                            "sluice", /*isOptimized=*/false, "", 0);
  DISubroutineType *type =
      builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (Function &function : module) {
    auto range = places.getFunctionLocation(&function);
    if (function.isDeclaration() || !range)
      continue;
    unsigned line = range->Start.Line + 1;
    DISubprogram *subprogram = builder.createFunction(
        file, function.getName(), /*LinkageName=*/"", file, line, type, line,
        DINode::FlagZero, DISubprogram::SPFlagDefinition);
    function.setSubprogram(subprogram);
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto place = places.getInstructionLocation(&instruction))
          instruction.setDebugLoc(
              DILocation::get(module.getContext(), place->Start.Line + 1,
                              place->Start.Col + 1, subprogram));
    builder.finalizeSubprogram(subprogram);
  }
  builder.finalize();
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(Module::Warning, "Debug Info Version",
                         DEBUG_METADATA_VERSION);
}

std::unique_ptr<Module> sluice::parseText(MemoryBufferRef buffer,
                                          LLVMContext &context,
                                          SMDiagnostic &error) {
  StringRef path = buffer.getBufferIdentifier();
  auto module = std::make_unique<Module>(path, context);
  SourceMgr sources;
  sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBuffer(buffer, /*RequiresNullTerminator=*/false),
      SMLoc());
  AsmParserContext places;
  LLParser parser(buffer.getBuffer(), sources, error, module.get(),
                  /*Index=*/nullptr, context, /*Slots=*/nullptr, &places);
  if (parser.Run(/*UpgradeDebugInfo=*/false))
    return nullptr;

  if (std::string problems = verifyForeign(*module); !problems.empty()) {
    error = SMDiagnostic(path, SourceMgr::DK_Error,
                         "the module is malformed: " + problems);
    return nullptr;
  }
  if (module->debug_compile_units().empty() &&
      !module->getModuleFlag("Debug Info Version"))
    attachPlaces(*module, places, path);
  return module;
}

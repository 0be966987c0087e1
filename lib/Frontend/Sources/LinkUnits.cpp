//===- LinkUnits.cpp - The files of a program as one module ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order:
//   1. computed gotos become switches
//   2. Hetero-C++ becomes HPVM intrinsics, in all units at once, since a root
//      may be launched in another file than it is defined in
//   3. node functions and calls of HPVM-C get their canonical form
//   4. the units are linked
//   5. loops of OpenMP become HPVM intrinsics
//   6. what only the whole program tells: results of internal nodes, queries
//
//===----------------------------------------------------------------------===//

#include "../HPVM/Lower/LowerCallsPhases.h"
#include "../Hetero/LowerHetero.h"
#include "sluice/Frontend/HPVM/LowerGotos.h"
#include "sluice/Frontend/Sources/Sources.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

/// A lock of the program must not pass for one that Sluice makes.
static void checkNames(const CompiledUnit &unit, Diagnostics &diagnostics) {
  for (const GlobalVariable &variable : unit.module->globals())
    if (variable.getName().starts_with(criticalLock))
      diagnostics.error({unit.path}, "the name '" + variable.getName().str() +
                                         "' is Sluice's own; rename the "
                                         "variable");
}

/// Adds `source` to `program`; what the linker has to say becomes a diagnostic.
static bool linkInto(Module &program, CompiledUnit &unit,
                     Diagnostics &diagnostics) {
  LLVMContext &context = program.getContext();
  std::unique_ptr<DiagnosticHandler> previous = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  std::string text;
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *target) {
        raw_string_ostream os(*static_cast<std::string *>(target));
        DiagnosticPrinterRawOStream printer(os);
        if (info->getSeverity() == DS_Error)
          info->print(printer);
      },
      &text);
  if (unit.module->getDataLayoutStr().empty())
    unit.module->setDataLayout(program.getDataLayout());
  if (unit.module->getTargetTriple().empty())
    unit.module->setTargetTriple(program.getTargetTriple());
  bool failed = Linker::linkModules(program, std::move(unit.module));
  context.setDiagnosticHandler(std::move(previous));
  if (failed)
    diagnostics.error({unit.path},
                      "cannot be linked with the files before: " + text);
  return !failed;
}

std::unique_ptr<Module> sluice::linkUnits(std::vector<CompiledUnit> &units,
                                          LLVMContext &context,
                                          Diagnostics &diagnostics,
                                          const LinkUnitsOptions &options) {
  std::unique_ptr<Module> program;
  for (CompiledUnit &unit : units) {
    checkNames(unit, diagnostics);
    lowerComputedGotos(*unit.module);
  }
  lowerHetero(units, diagnostics);
  for (CompiledUnit &unit : units) {
    lowerNodeFunctions(unit, diagnostics);
    lowerCalls(unit, diagnostics);
  }
  for (CompiledUnit &unit : units) {
    if (!program)
      program = std::move(unit.module);
    else if (!linkInto(*program, unit, diagnostics))
      return nullptr;
  }
  units.clear();
  if (program && options.openMP && !diagnostics.hasErrors())
    *options.openMP =
        lowerOpenMP(program, options.hasRemarks, diagnostics, options.isUnit);
  if (program)
    startHeteroPrograms(*program, options.isUnit);
  if (program)
    finishNodeFunctions(*program, diagnostics);
  return diagnostics.hasErrors() && !options.keepsBroken ? nullptr
                                                         : std::move(program);
}

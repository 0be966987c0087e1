//===- RegionModule.cpp - The rdir module of a program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of readRegions (Phases.cpp).
//
//===----------------------------------------------------------------------===//

#include "RegionModule.h"
#include "RegionFindings.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/RegionPrograms.h"
#include "sluice/RDIR/CheckModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static bool fail(const Twine &message) {
  printError(message);
  return false;
}

bool driver::hasRegions(const ProgramOptions &options) {
  return any_of(options.files, holdsRegions);
}

std::string driver::moduleOfRegions(const ProgramOptions &options) {
  std::string found;
  for (const std::string &file : options.files) {
    if (!isModuleFile(file))
      continue;
    if (!found.empty()) {
      fail("'" + found + "' and '" + file +
           "' are two modules, but a program over regions is one; put the "
           "graphs of both into one file");
      return "";
    }
    found = file;
  }
  if (found.empty())
    fail("no .mlir file given: a program over regions is a module of the rdir "
         "dialect and the sources of its tasks");
  return found;
}

bool driver::checkRegionModule(const CheckedRegions &regions) {
  std::unique_ptr<rdir::ImportedModule> imported =
      rdir::importModule(*regions.file.module);
  rdir::ModuleCheck check = rdir::checkModule(*imported);
  printFindings(check, /*hasRemarks=*/false);
  return !check.hasErrors();
}

bool driver::canBeProgram(const RegionFile &file) {
  return mlir::succeeded(codegen::lowerRegionProgram(
      *file.module, {.hasDependences = false, .isOnlyChecked = true}));
}

bool driver::lowerRegionModule(CheckedRegions &regions,
                               const codegen::LoweringOptions &lowering) {
  mlir::FailureOr<codegen::RegionModel> program =
      codegen::lowerRegionProgram(*regions.file.module, lowering);
  if (mlir::failed(program))
    return false;
  regions.program = std::move(*program);
  if (!regions.file.module->getName())
    regions.program.name = sys::path::stem(regions.path);
  // Sources include a header with this name.
  const StringRef name = regions.program.name;
  if (llvm::none_of(name, [](unsigned char c) {
        return c < ' ' || c == '"' || c == '\\';
      }))
    return true;
  std::string escaped;
  llvm::raw_string_ostream out(escaped);
  llvm::printEscapedString(name, out);
  regions.file.module->emitError()
      << "sources include the header of a program by its name, which '"
      << escaped
      << "' cannot be; name the module or the file without quotes, backslashes "
         "and control characters";
  return false;
}

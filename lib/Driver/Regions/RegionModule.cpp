//===- RegionModule.cpp - The rdir module of a program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionModule.h"
#include "RegionFile.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/Regions.h"
#include "sluice/RDIR/CheckModule.h"
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

/// The only .mlir file of the program; empty after an error.
static std::string moduleFile(const ProgramOptions &options) {
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

static bool lowerChecked(CheckedRegions &regions,
                         const codegen::LoweringOptions &lowering) {
  std::unique_ptr<rdir::ImportedModule> imported =
      rdir::importModule(*regions.module);
  rdir::ModuleCheck check = rdir::checkModule(*imported);
  rdir::emitFindings(check, /*hasRemarks=*/false);
  if (check.hasErrors())
    return false;
  mlir::FailureOr<codegen::RegionProgram> program =
      codegen::lowerRegionProgram(*regions.module, lowering);
  if (mlir::failed(program))
    return false;
  regions.program = std::move(*program);
  regions.program.name = sys::path::stem(regions.path);
  return true;
}

std::unique_ptr<CheckedRegions>
driver::readRegions(const ProgramOptions &options,
                    const codegen::LoweringOptions &lowering) {
  auto regions = std::make_unique<CheckedRegions>();
  regions->path = moduleFile(options);
  if (regions->path.empty())
    return nullptr;
  RegionFile file;
  if (!file.read(regions->path))
    return nullptr;
  regions->context = std::move(file.context);
  regions->module = std::move(file.module);
  return lowerChecked(*regions, lowering) ? std::move(regions) : nullptr;
}

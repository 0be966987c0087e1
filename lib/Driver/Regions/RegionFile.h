//===- RegionFile.h - The file of an rdir module ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands accept .mlir files of several dialects. This file finds out whether
// a file holds regions without reading all of it. It also quotes the file's
// lines in messages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_REGIONS_REGIONFILE_H
#define SLUICE_LIB_DRIVER_REGIONS_REGIONFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sluice/Diagnostics/MLIR.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <optional>
#include <string>

namespace sluice::driver {

/// True for .mlir and .mlirbc.
bool isModuleFile(llvm::StringRef path);

/// True unless the file is a module of another dialect. Errors in it are
/// reported when it is read.
bool holdsRegions(const std::string &path);

/// An rdir module. Prints errors in the module during its lifetime.
class RegionFile {
public:
  RegionFile();

  /// Reads and verifies the module. Prints problems and returns false if there
  /// are any.
  bool read(const std::string &path);

  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  std::optional<MLIRPrinter> printer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The graphs whose versions the text does not name.
  llvm::StringSet<> inferred;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_REGIONS_REGIONFILE_H

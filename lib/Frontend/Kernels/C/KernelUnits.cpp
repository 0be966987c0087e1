//===- KernelUnits.cpp - Sources of kernels, found and compiled -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles each source of kernels once, however many tasks use it, and collects
// what clang says.
//
//===----------------------------------------------------------------------===//

#include "CKernelFiles.h"
#include "CMatch.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/Frontend/HPVM/ReadIR.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::string driver::findKernelFile(StringRef written, Resolution &resolution,
                                   mlir::Location place) {
  if (sys::path::is_absolute(written))
    return written.str();
  std::vector<std::string> folders{resolution.options.folder, ""};
  if (auto named = place->findInstanceOf<mlir::FileLineColLoc>())
    folders.push_back(
        sys::path::parent_path(named.getFilename().getValue()).str());
  for (const std::string &folder : folders) {
    SmallString<128> path(folder);
    sys::path::append(path, written);
    if (sys::fs::exists(path))
      return path.str().str();
    resolution.dependencies.push_back(path.str().str());
  }
  return written.str();
}

bool driver::isSourceFile(StringRef path) {
  return StringSwitch<bool>(sys::path::extension(path))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, true)
      .Default(false);
}

/// The folder of hpvm.h of an installed compiler; empty in a build folder.
static std::string headerFolder() {
  SmallString<128> folder(installFolder());
  sys::path::append(folder, "include", "sluice", "hpvm");
  return sys::fs::exists(folder + "/hpvm.h") ? folder.str().str() : "";
}

std::optional<CompiledUnit>
driver::readUnit(StringRef path, const std::vector<std::string> &flags,
                 Resolution &resolution, Diagnostics &diagnostics,
                 mlir::Location place) {
  const KernelOptions &options = resolution.options;
  Expected<CompiledUnit> unit = createStringError("");
  consumeError(unit.takeError());
  HPVMVersion version =
      options.isVersion05 ? HPVMVersion::V0_5 : HPVMVersion::V1_0;
  LLVMContext &context = resolution.code.getContext();
  if (isSourceFile(path)) {
    CompileOptions compile;
    // Whether products and sums round once would depend on the CPU.
    if (!options.isFastFloat)
      compile.arguments.push_back("-ffp-contract=off");
    append_range(compile.arguments, options.compilerFlags);
    append_range(compile.arguments, flags);
    for (const std::string &flag : compile.arguments)
      if (std::optional<std::string> refusal = options.refusalOf(flag)) {
        mlir::emitError(place) << *refusal;
        return std::nullopt;
      }
    // Tasks are parallel among each other, unless a flag says otherwise.
    compile.arguments.insert(compile.arguments.begin(), "-fno-openmp");
    compile.version = version;
    compile.headerFolder = headerFolder();
    compile.collectsMessages = true;
    unit = compileSource(path, compile, context, diagnostics);
  } else {
    ReadIROptions reading;
    reading.isLegacy = options.isLegacy;
    reading.version = version;
    unit = readIR(path, reading, context, diagnostics);
    // Made elsewhere, it may leave it to the processor how often to round.
    if (unit && !options.isFastFloat)
      codegen::splitMultiplyAdd(*unit->module, /*isFused=*/false);
  }
  if (!unit) {
    // The reasons come first.
    emitAll(diagnostics, resolution.module.getContext(), options.hasRemarks);
    diagnostics.clear();
    mlir::emitError(place) << toString(unit.takeError());
    return std::nullopt;
  }
  append_range(resolution.dependencies, unit->dependencies);
  return std::move(*unit);
}

static void emitOne(const Diagnostic &diagnostic, mlir::MLIRContext *context) {
  mlir::Location place = locationOf(diagnostic.place, context);
  mlir::InFlightDiagnostic emitted =
      diagnostic.severity == Severity::Error     ? mlir::emitError(place)
      : diagnostic.severity == Severity::Warning ? mlir::emitWarning(place)
                                                 : mlir::emitRemark(place);
  emitted << diagnostic.message;
  if (!diagnostic.rule.empty())
    emitted << " [" << diagnostic.rule << "]";
  for (const DiagnosticNote &note : diagnostic.notes)
    emitted.attachNote(locationOf(note.place, context)) << note.message;
}

bool driver::emitAll(const Diagnostics &diagnostics, mlir::MLIRContext *context,
                     bool hasRemarks) {
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (hasRemarks || diagnostic.severity != Severity::Remark)
      emitOne(diagnostic, context);
  return !diagnostics.hasErrors();
}

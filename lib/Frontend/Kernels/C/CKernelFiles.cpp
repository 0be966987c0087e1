//===- CKernelFiles.cpp - Files in which C kernels are searched -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases, in order:
//   1. collect the files that the module, the options and the tasks name
//   2. compile sources, read IR; each symbol must be defined only once
//   3. look into objects, archives and libraries
//   4. link the code
//
//===----------------------------------------------------------------------===//

#include "CKernelFiles.h"
#include "CMatch.h"
#include "CPrune.h"
#include "LinkCode.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::vector<std::string> driver::flagsOf(std::optional<mlir::ArrayAttr> flags) {
  std::vector<std::string> texts;
  if (flags)
    for (auto flag : flags->getAsRange<mlir::StringAttr>())
      texts.push_back(flag.getValue().str());
  return texts;
}

static bool isCode(StringRef path) {
  if (isSourceFile(path) || sys::path::extension(path) == ".ll")
    return true;
  file_magic magic;
  return !identify_magic(path, magic) && magic == file_magic::bitcode;
}

KernelFile *KernelFiles::add(StringRef written, std::vector<std::string> flags,
                             mlir::Location place, bool isLinked) {
  auto file = std::make_unique<KernelFile>(KernelFile{
      KernelFile::Kind::Binary, written.str(), written.str(), {}, place});
  file->isLinked = isLinked;
  if (written.starts_with("-")) {
    file->kind = KernelFile::Kind::Flag;
    files.push_back(std::move(file));
    return files.back().get();
  }
  // Commands name files relative to the working directory.
  bool isFound = isa<mlir::UnknownLoc>(place) && sys::fs::exists(written);
  if (!isFound)
    file->path = findKernelFile(written, resolution, place);
  file->flags = std::move(flags);
  for (const std::unique_ptr<KernelFile> &known : files) {
    if (known->kind == KernelFile::Kind::Flag ||
        !sys::fs::equivalent(known->path, file->path))
      continue;
    if (!file->flags.empty() && file->flags != known->flags) {
      hasErrors = true;
      mlir::InFlightDiagnostic error = mlir::emitError(place);
      error << "'" << written << "' is compiled with flags '"
            << join(file->flags, " ") << "', but elsewhere with '"
            << join(known->flags, " ") << "'; a program holds each source once";
      error.attachNote(known->place) << "it is named here, too";
    }
    return known.get();
  }
  if (isCode(file->path))
    file->kind = KernelFile::Kind::Code;
  files.push_back(std::move(file));
  return files.back().get();
}

void KernelFiles::collect() {
  for (auto source : resolution.module.getOps<dfg::KernelSourceOp>())
    add(source.getPath(), flagsOf(source.getFlags()), source.getLoc());
  mlir::Location nowhere =
      mlir::UnknownLoc::get(resolution.module.getContext());
  for (const std::string &path : resolution.options.kernelSources)
    add(path, {}, nowhere);
  for (const std::string &flag : resolution.options.linkerFlags)
    add(flag, {}, nowhere, /*isLinked=*/true);
  for (dfg::TaskOp task : tasks) {
    wanted.push_back(task.getCallee().str());
    if (task.getSource())
      ownFiles[task] =
          add(*task.getSource(), flagsOf(task.getFlags()), task.getLoc());
  }
  if (resolution.options.isInProcess) {
    KernelFile *program = add("/proc/self/exe", {}, nowhere, true);
    program->kind = KernelFile::Kind::Program;
    program->written = "the meta-program";
  }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

void KernelFiles::noteDefinitions(KernelFile &file, const Module &module) {
  for (const GlobalValue &value : module.global_values()) {
    if (value.isDeclarationForLinker() || value.hasAppendingLinkage())
      continue;
    bool isLocal = value.hasLocalLinkage();
    (isLocal ? file.locals : file.functions).push_back(value.getName().str());
    std::string base = baseNameOfMangled(value.getName());
    const auto *function = dyn_cast<Function>(&value);
    if (!function || !is_contained(wanted, base))
      continue;
    CPrototype prototype;
    prototype.function = base;
    prototype.place = placeOf(*function);
    file.contents.symbols.push_back(
        {base, CSymbol::Kind::Mangled, demangledName(*function), prototype});
  }
}

bool KernelFiles::readCode() {
  for (const std::unique_ptr<KernelFile> &file : files) {
    if (file->kind != KernelFile::Kind::Code)
      continue;
    std::optional<CompiledUnit> unit =
        readUnit(file->path, file->flags, resolution, diagnostics, file->place);
    if (!unit) {
      hasErrors = true;
      continue;
    }
    dropMain(*unit, resolution.options.hasRemarks ? &diagnostics : nullptr);
    keepAsFunctions(*unit, wanted);
    noteDefinitions(*file, *unit->module);
    resolution.codeFiles.push_back(file->path);
    units.push_back(std::move(*unit));
  }
  return !hasErrors;
}

/// A definition that no other file may repeat.
static bool isStrong(const GlobalValue &value) {
  return !value.isDeclarationForLinker() && value.hasExternalLinkage();
}

bool KernelFiles::checkDuplicates() {
  StringMap<std::pair<const CompiledUnit *, SourcePlace>> known;
  bool isGood = true;
  for (const CompiledUnit &unit : units)
    for (const GlobalValue &value : unit.module->global_values()) {
      if (!isStrong(value))
        continue;
      const auto *function = dyn_cast<Function>(&value);
      SourcePlace place =
          function ? placeOf(*function) : SourcePlace{unit.path, 0, 0};
      auto [entry, isNew] = known.try_emplace(value.getName(), &unit, place);
      if (isNew)
        continue;
      isGood = false;
      mlir::MLIRContext *context = resolution.module.getContext();
      mlir::InFlightDiagnostic error =
          mlir::emitError(locationOf(place, context));
      error << "'" << value.getName() << "' is defined in '"
            << entry->second.first->path << "' and in '" << unit.path
            << "'; rename one, or make it static";
      error.attachNote(locationOf(entry->second.second, context))
          << "the other one is here";
    }
  return isGood;
}

bool KernelFiles::linkCode() {
  if (units.empty())
    return true;
  std::unique_ptr<Module> module =
      linkUnits(units, resolution.code.getContext(), diagnostics);
  if (module)
    pruneGraphs(*module, wanted, diagnostics);
  mlir::MLIRContext *context = resolution.module.getContext();
  bool isGood =
      emitAll(diagnostics, context, resolution.options.hasRemarks) && module;
  diagnostics.clear();
  if (!isGood)
    return false;
  if (Error error = driver::linkCode(resolution.code, std::move(module))) {
    mlir::emitError(resolution.module.getLoc())
        << "the C kernels cannot be linked: " << toString(std::move(error));
    return false;
  }
  return true;
}

bool KernelFiles::read() {
  collect();
  bool isGood = readCode();
  readBinaries();
  if (!isGood || hasErrors) {
    emitAll(diagnostics, resolution.module.getContext(),
            resolution.options.hasRemarks);
    return false;
  }
  return checkDuplicates() && linkCode();
}

//===- CKernelSearch.cpp - Finding the file of a kernel -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which of the user's files defines the kernel of a task. If there is
// none, explains why each file does not match.
//
//===----------------------------------------------------------------------===//

#include "CKernelFiles.h"
#include "CMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::vector<const KernelFile *> KernelFiles::order(dfg::TaskOp task) const {
  std::vector<const KernelFile *> found;
  if (const KernelFile *own = ownFiles.lookup(task))
    found.push_back(own);
  for (const std::unique_ptr<KernelFile> &file : files)
    if (file->kind != KernelFile::Kind::Flag &&
        (found.empty() || found.front() != file.get()))
      found.push_back(file.get());
  return found;
}

std::optional<KernelDefinition> KernelFiles::findIn(const KernelFile &file,
                                                    StringRef name) {
  if (file.kind == KernelFile::Kind::Code) {
    if (!is_contained(file.functions, name))
      return std::nullopt;
    GlobalValue *value = resolution.code.getNamedValue(name);
    auto *function =
        value ? dyn_cast_or_null<Function>(value->getAliaseeObject()) : nullptr;
    if (!function)
      return std::nullopt;
    return KernelDefinition{&file, function, nullptr};
  }
  for (const CSymbol &symbol : file.contents.symbols)
    if (symbol.name == name && symbol.kind == CSymbol::Kind::Function)
      return KernelDefinition{&file, nullptr, &symbol};
  return std::nullopt;
}

/// Explains why a symbol of that name in a file does not match.
static void noteNearMiss(const KernelFile &file, StringRef name,
                         mlir::InFlightDiagnostic &error) {
  mlir::MLIRContext *context = file.place->getContext();
  mlir::Location place = locationOf({file.path, 0, 0}, context);
  std::string where = "'" + file.written + "' ";
  if (file.kind == KernelFile::Kind::Program)
    where = file.written + " ";
  if (is_contained(file.locals, name))
    error.attachNote(place) << where << "has a static function '" << name
                            << "', which no other file can call; remove "
                               "'static'";
  if (file.kind == KernelFile::Kind::Code && is_contained(file.functions, name))
    error.attachNote(place)
        << where << "has '" << name << "', but not as a function that can be "
        << "called: a variable, or part of an HPVM program";
  for (const CSymbol &symbol : file.contents.symbols) {
    if (symbol.name != name)
      continue;
    if (symbol.prototype)
      place = locationOf(symbol.prototype->place, context);
    if (symbol.kind == CSymbol::Kind::Mangled)
      error.attachNote(place)
          << where << "defines '" << symbol.text
          << "', which C++ gives another name; declare it extern \"C\"";
    else if (symbol.kind == CSymbol::Kind::Variable)
      error.attachNote(place)
          << where << "has a variable '" << name << "', not a function";
    else if (file.kind == KernelFile::Kind::Program)
      error.attachNote(place)
          << where << "has '" << name
          << "', but does not export it; link it with -rdynamic (CMake: "
             "ENABLE_EXPORTS)";
    else
      error.attachNote(place) << where << "has '" << name
                              << "', but it is static or hidden, so that no "
                                 "other file can call it";
  }
}

void KernelFiles::refuse(dfg::TaskOp task) {
  std::string names;
  for (const KernelFile *file : order(task)) {
    bool isQuoted = file->kind != KernelFile::Kind::Program;
    names += (names.empty() ? "" : ", ") +
             (isQuoted ? "'" + file->written + "'" : file->written);
  }
  mlir::InFlightDiagnostic error = task.emitError();
  error << "no kernel source defines '" << task.getCallee() << "'; ";
  if (names.empty())
    error << "there are none: name a source, object or library with the "
             "kernel, or with --kernel-source=FILE";
  else
    error << "searched " << names;
  for (const KernelFile *file : order(task))
    noteNearMiss(*file, task.getCallee(), error);
}

std::optional<KernelDefinition> KernelFiles::find(dfg::TaskOp task) {
  for (const KernelFile *file : order(task))
    if (std::optional<KernelDefinition> found = findIn(*file, task.getCallee()))
      return found;
  refuse(task);
  return std::nullopt;
}

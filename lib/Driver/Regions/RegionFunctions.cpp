//===- RegionFunctions.cpp - Finding missing task functions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker's "undefined symbol" neither names the caller of a function nor
// shows its expected declaration.
//
//===----------------------------------------------------------------------===//

#include "RegionFunctions.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

SourcePlace driver::writtenPlace(std::optional<mlir::Location> location) {
  SourcePlace place;
  if (!location)
    return place;
  (*location)->walk([&](mlir::Location inner) {
    auto file = dyn_cast<mlir::FileLineColLoc>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return mlir::WalkResult::interrupt();
  });
  return place;
}

//===----------------------------------------------------------------------===//
// Symbols of objects and libraries
//===----------------------------------------------------------------------===//

static void addSymbols(object::ObjectFile &file, StringSet<> &names) {
  auto add = [&](const object::SymbolRef &symbol) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (flags && name && !(*flags & object::SymbolRef::SF_Undefined))
      names.insert(*name);
    consumeError(flags.takeError());
    consumeError(name.takeError());
  };
  for (const object::SymbolRef &symbol : file.symbols())
    add(symbol);
  if (auto *elf = dyn_cast<object::ELFObjectFileBase>(&file))
    for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
      add(symbol);
}

/// The symbols that the named files define. Unreadable files are left for the
/// linker to reject.
static StringSet<> linkedSymbols(ArrayRef<std::string> linkerFlags) {
  StringSet<> names;
  for (const std::string &flag : linkerFlags) {
    if (StringRef(flag).starts_with("-"))
      continue;
    Expected<object::OwningBinary<object::Binary>> binary =
        object::createBinary(flag);
    if (!binary) {
      consumeError(binary.takeError());
      continue;
    }
    if (auto *file = dyn_cast<object::ObjectFile>(binary->getBinary()))
      addSymbols(*file, names);
    else if (auto *archive = dyn_cast<object::Archive>(binary->getBinary()))
      for (const object::Archive::Symbol &symbol : archive->symbols())
        names.insert(symbol.getName());
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The declaration on one line.
static std::string oneLine(StringRef text) {
  SmallVector<StringRef> words;
  SplitString(text, words);
  return join(words, " ");
}

/// Adds notes for functions with the same name that C++ distinguishes from the
/// wanted one.
static void noteOverloads(StringRef name, const Module &code,
                          Diagnostic &diagnostic) {
  for (const Function &function : code) {
    std::string mangled = function.getName().str();
    ItaniumPartialDemangler demangler;
    if (function.isDeclaration() || demangler.partialDemangle(mangled.c_str()))
      continue;
    char *base = demangler.getFunctionBaseName(nullptr, nullptr);
    if (base && name == base)
      diagnostic.note(placeOf(function),
                      "'" + demangle(mangled) +
                          "' is another function for C++: its parameters "
                          "differ, or the header does not stand before it");
    std::free(base);
  }
}

/// True if all direct calls use the type of the function's definition.
static bool isCalledAsDefined(const Function &function) {
  return all_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return !call || call->getCalledOperand() != &function ||
           call->getFunctionType() == function.getFunctionType();
  });
}

bool driver::checkTaskFunctions(const codegen::RegionModel &program,
                                Module &code, ArrayRef<std::string> linkerFlags,
                                bool isLinked, Diagnostics &diagnostics) {
  StringSet<> linked = linkedSymbols(linkerFlags);
  bool mayComeLater = !isLinked && any_of(linkerFlags, [](StringRef flag) {
    return flag.starts_with("-l") || flag.starts_with("-Wl,");
  });
  bool isGood = true;
  for (const codegen::RegionFunction &wanted : functionsOf(program)) {
    const Function *function = code.getFunction(wanted.name);
    bool isDefined = function && !function->isDeclaration();
    if (isDefined && isCalledAsDefined(*function))
      continue;
    if (!isDefined && (mayComeLater || linked.contains(wanted.name)))
      continue;
    isGood = false;
    std::string role =
        wanted.role == "task" ? "task function" : wanted.role + " function";
    Diagnostic &error = diagnostics.error(
        writtenPlace(wanted.location),
        role + " '" + wanted.name +
            (isDefined ? "' is defined with other types than its declaration: "
                       : "' is not defined; its declaration is: ") +
            oneLine(wanted.declaration));
    if (isDefined)
      error.note(placeOf(*function),
                 "it is defined here; include \"" + program.name +
                     ".rdir.h\" to have the compiler compare");
    else
      noteOverloads(wanted.name, code, error);
  }
  return isGood;
}

//===- PythonTasks.cpp - Tasks over regions in Python ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files are parsed, not run. A function that a file only imports, or makes
// in another way than by 'def', is taken from it if no other file defines it.
//
//===----------------------------------------------------------------------===//

#include "PythonTasks.h"
#include "RegionFunctions.h"
#include "sluice/Frontend/Kernels/PythonSources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// The module that Python makes of a file.
static codegen::PythonPlace placeOfFile(StringRef path) {
  SmallString<128> absolute(path);
  (void)sys::fs::make_absolute(absolute);
  return {sys::path::parent_path(absolute).str(),
          sys::path::stem(absolute).str()};
}

static bool isModuleName(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

static Expected<PythonModule> readPython(const std::string &path) {
  if (std::string reason = whyNoPython(); !reason.empty())
    return createStringError("'" + path + "': " + reason);
  codegen::PythonPlace place = placeOfFile(path);
  if (!isModuleName(place.module))
    return createStringError("'" + path +
                             "' cannot be imported: its name has other "
                             "characters than letters, digits and '_'");
  if (StringRef(place.folder).contains(':'))
    return createStringError("the folder '" + place.folder +
                             "' of Python modules has a colon in its name");
  return inspectPython(path);
}

static SourcePlace placeOf(const PythonModule &module,
                           const PythonFunction &function) {
  return {module.path, unsigned(function.line)};
}

static bool addFunction(codegen::RegionModel &program,
                        const codegen::RegionFunction &wanted,
                        ArrayRef<PythonModule> modules,
                        Diagnostics &diagnostics) {
  const PythonModule *definer = nullptr, *other = nullptr;
  const PythonFunction *function = nullptr;
  for (const PythonModule &module : modules) {
    auto found = module.functions.find(wanted.name);
    if (found == module.functions.end()) {
      if (!other && module.names.contains(wanted.name))
        other = &module;
      continue;
    }
    if (function) {
      diagnostics
          .error(placeOf(module, found->second),
                 "function '" + wanted.name + "' is defined twice")
          .note(placeOf(*definer, *function), "it is defined here, too");
      return false;
    }
    definer = &module;
    function = &found->second;
  }
  if (!definer && !other)
    return true;
  program.pythonFunctions[wanted.name] =
      placeOfFile((definer ? definer : other)->path);
  std::string problem =
      function ? problemOfCall(*function, wanted.numArguments, wanted.role)
               : "";
  if (problem.empty())
    return true;
  diagnostics
      .error(writtenPlace(wanted.location),
             "the Python function '" + wanted.name + "' " + problem)
      .note(placeOf(*definer, *function),
            wanted.role == "coloring"
                ? "it is defined here; it is called with a color and elements"
            : wanted.role == "projection"
                ? "it is defined here; it is called with the task"
                : "it is defined here; it is called with the task and its "
                  "arguments");
  return false;
}

/// Folds are C.
static bool isInNoModule(const codegen::RegionFunction &wanted,
                         ArrayRef<PythonModule> modules,
                         Diagnostics &diagnostics) {
  for (const PythonModule &module : modules)
    if (auto found = module.functions.find(wanted.name);
        found != module.functions.end()) {
      diagnostics
          .error(writtenPlace(wanted.location),
                 wanted.role + " function '" + wanted.name +
                     "' is in Python, and must be in C or C++")
          .note(placeOf(module, found->second), "it is defined here");
      return false;
    }
  return true;
}

bool driver::addPythonFunctions(codegen::RegionModel &program,
                                ArrayRef<std::string> files,
                                Diagnostics &diagnostics) {
  bool isGood = true;
  std::vector<PythonModule> modules;
  for (const std::string &file : files) {
    if (sys::path::extension(file) != ".py")
      continue;
    Expected<PythonModule> module = readPython(file);
    if (module) {
      modules.push_back(std::move(*module));
      continue;
    }
    isGood = false;
    handleAllErrors(
        module.takeError(),
        [&](const PythonSyntaxError &error) {
          diagnostics.error({error.path, error.line, error.column}, error.text);
        },
        [&](const ErrorInfoBase &error) {
          diagnostics.error({}, error.message());
        });
  }
  for (const codegen::RegionFunction &wanted : functionsOf(program))
    isGood &= wanted.role == "reduction operator"
                  ? isInNoModule(wanted, modules, diagnostics)
                  : addFunction(program, wanted, modules, diagnostics);
  return isGood;
}

bool driver::checkPythonFunctions(const codegen::RegionModel &program,
                                  const Module &code,
                                  Diagnostics &diagnostics) {
  bool isGood = true;
  for (const auto &[name, place] : program.pythonFunctions) {
    const Function *function = code.getFunction(name);
    if (!function || function->isDeclaration())
      continue;
    isGood = false;
    diagnostics.error(sluice::placeOf(*function),
                      "function '" + name +
                          "' is also defined in Python, by module '" +
                          place.module + "'; remove one of the two");
  }
  return isGood;
}

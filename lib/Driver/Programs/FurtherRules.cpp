//===- FurtherRules.cpp - Further errors of a program ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node that the front end rejected must not prevent checks of the program's
// other graphs, and a graph that breaks a rule must not hide races of others.
// The importer's errors about graphs that contain the rejected node are only
// consequences, and are left out.
//
//===----------------------------------------------------------------------===//

#include "FurtherRules.h"

#include "sluice/Analysis/LeafFolds.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "sluice/Frontend/Reports/RaceReports.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
/// The range of lines of a function's source.
struct CalledExtent {
  const Function *function;
  std::string name; ///< as in the source
  StringRef file;
  unsigned first, last;
};
} // namespace

static std::vector<CalledExtent> extentsOf(const Module &code) {
  std::vector<CalledExtent> result;
  for (const Function &function : code) {
    const DISubprogram *program = function.getSubprogram();
    if (!program || function.isDeclaration())
      continue;
    CalledExtent extent{&function, program->getName().str(),
                        sys::path::filename(program->getFilename()),
                        program->getLine(), program->getLine()};
    for (const Instruction &inst : instructions(function))
      if (const DILocation *place = inst.getDebugLoc();
          place && place->getScope()->getSubprogram() == program)
        extent.last = std::max(extent.last, place->getLine());
    result.push_back(std::move(extent));
  }
  return result;
}

/// The innermost function around a location; null if there is none.
static const CalledExtent *extentAround(const SourcePlace &place,
                                        ArrayRef<CalledExtent> extents) {
  const CalledExtent *best = nullptr;
  for (const CalledExtent &extent : extents)
    if (extent.file == sys::path::filename(place.file) &&
        extent.first <= place.line && place.line <= extent.last &&
        (!best || best->first < extent.first))
      best = &extent;
  return best;
}

/// Whether the function is host code. A host function may launch many graphs;
/// that does not make them one graph.
static bool isHost(const Function &function) {
  if (function.getName() == "main")
    return true;
  for (const Instruction &inst : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&inst))
      if (const Function *callee = call->getCalledFunction();
          callee && (callee->getName() == "llvm.hpvm.launch" ||
                     callee->getName() == "__hpvm__launch"))
        return true;
  return false;
}

/// Groups each function with the functions that its code names.
static EquivalenceClasses<const Function *> graphsOf(const Module &code) {
  EquivalenceClasses<const Function *> graphs;
  for (const Function &function : code) {
    graphs.insert(&function);
    if (function.isDeclaration() || isHost(function))
      continue;
    for (const Instruction &inst : instructions(function))
      for (const Use &operand : inst.operands())
        if (const auto *named =
                dyn_cast<Function>(operand->stripPointerCasts());
            named && !named->isDeclaration())
          graphs.unionSets(&function, named);
  }
  return graphs;
}

static void add(const Diagnostic &found, Diagnostics &diagnostics) {
  Diagnostic &added = diagnostics.error(found.place, found.message, found.rule);
  added.notes = found.notes;
}

/// Whether the message may be a consequence of the code that was left out.
static bool followsFrom(ArrayRef<LeftOut> leftOut, const Diagnostic &found) {
  // A node whose parent was left out looks like a root without replicas.
  if (found.rule == "H27" && !leftOut.empty())
    return true;
  return any_of(leftOut, [&](const LeftOut &part) {
    bool isInside = sys::path::filename(found.place.file) ==
                        sys::path::filename(part.file) &&
                    part.firstLine <= found.place.line &&
                    found.place.line <= part.lastLine;
    return isInside || StringRef(found.message).contains("'" + part.name + "'");
  });
}

void driver::addErrors(const Diagnostics &found, size_t first,
                       ArrayRef<LeftOut> leftOut, Diagnostics &diagnostics) {
  for (size_t i = first; i != found.all().size(); ++i) {
    const Diagnostic &one = found.all()[i];
    if (one.severity == Severity::Error && !followsFrom(leftOut, one))
      add(one, diagnostics);
  }
}

namespace {
/// The functions of a program, and those that are known to be wrong.
struct BrokenProgram {
  std::vector<CalledExtent> extents;
  EquivalenceClasses<const Function *> graphs;
  /// What errors and the code that was left out concern.
  SmallSetVector<const Function *, 4> broken;

  /// Whether something is wrong in the graph that a function belongs to.
  bool isBroken(const Function &function) const {
    return any_of(broken, [&](const Function *one) {
      return graphs.isEquivalent(one, &function);
    });
  }
};
} // namespace

/// None if an error in `diagnostics` may concern all functions.
static std::optional<BrokenProgram> findBroken(const Module &code,
                                               ArrayRef<LeftOut> leftOut,
                                               const Diagnostics &diagnostics) {
  BrokenProgram program = {extentsOf(code), graphsOf(code), {}};
  for (const Diagnostic &known : diagnostics.all()) {
    if (known.severity != Severity::Error)
      continue;
    const CalledExtent *around = extentAround(known.place, program.extents);
    if (!around)
      return std::nullopt;
    program.broken.insert(around->function);
  }
  for (const LeftOut &part : leftOut)
    for (const CalledExtent &extent : program.extents)
      if (StringRef(extent.name).starts_with(part.name) &&
          extent.file == sys::path::filename(part.file) &&
          extent.first == part.firstLine)
        program.broken.insert(extent.function);
  return program;
}

/// As `diagnostics`, without what they have.
static Diagnostics emptyLike(const Diagnostics &diagnostics) {
  Diagnostics further = diagnostics;
  further.clear();
  return further;
}

void driver::findFurtherRaces(Module &code, mlir::MLIRContext &context,
                              ArrayRef<LeftOut> leftOut,
                              Diagnostics &diagnostics) {
  std::optional<BrokenProgram> program = findBroken(code, leftOut, diagnostics);
  if (!program)
    return;
  // Without graphs in which something is wrong, and without hosts, which use
  // them.
  SmallVector<Function *> removed;
  for (Function &function : code)
    if (!function.isDeclaration() &&
        (isHost(function) || program->isBroken(function)))
      removed.push_back(&function);
  for (Function *function : removed)
    function->deleteBody();
  Diagnostics further = emptyLike(diagnostics);
  auto imported = hpvm::importProgram(code, context, further);
  if (mlir::failed(imported) || further.hasErrors() ||
      mlir::failed(matchFolds(*imported->module, code)))
    return;
  describeRaces(checkRaces(*imported->module, code), /*hasRemarks=*/false,
                further);
  addErrors(further, 0, leftOut, diagnostics);
}

void driver::findFurtherErrors(Module &code, mlir::MLIRContext &context,
                               ArrayRef<LeftOut> leftOut,
                               Diagnostics &diagnostics) {
  std::optional<BrokenProgram> program = findBroken(code, leftOut, diagnostics);
  if (!program)
    return;
  std::vector<const CalledExtent *> sound, unsound;
  for (const CalledExtent &extent : program->extents)
    (program->isBroken(*extent.function) ? unsound : sound).push_back(&extent);
  if (sound.empty())
    return;
  // The importer changes the code, which is not needed afterwards.
  Diagnostics further = emptyLike(diagnostics);
  (void)hpvm::importProgram(code, context, further);
  for (const Diagnostic &found : further.all()) {
    const CalledExtent *around = extentAround(found.place, program->extents);
    bool follows =
        !around || !is_contained(sound, around) ||
        followsFrom(leftOut, found) ||
        any_of(unsound, [&](const CalledExtent *extent) {
          return StringRef(found.message).contains("'" + extent->name + "'");
        });
    if (found.severity == Severity::Error && !follows)
      add(found, diagnostics);
  }
}

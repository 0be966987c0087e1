//===- PassObservers.cpp - Seeing what passes do --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM reads the names of the functions that it prints once. The functions of a
// node come and go while kernels are made, so they are printed here.
//
//===----------------------------------------------------------------------===//

#include "PassObservers.h"

#include "sluice/CodeGen/LeafPasses.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PrintPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sluice::codegen {

static cl::opt<std::string> shownNode(
    "sluice-node", cl::Hidden, cl::value_desc("name"),
    cl::desc("with -print-after= and the like, print functions of this node "
             "only: 'blur', or 'root/blur'"));

/// Functions of nodes are called "sluice.ROOT/NODE", and
/// "sluice.ROOT/NODE.PART" if a node has several. `shownNode` is the end of the
/// node's path.
static bool isShown(const Function &function) {
  StringRef path = function.getName();
  if (function.isDeclaration() || !path.consume_front("sluice."))
    return false;
  for (StringRef rest = path; !rest.empty();) {
    StringRef end = rest;
    if (end.consume_front(shownNode) && (end.empty() || end.starts_with(".")))
      return true;
    size_t slash = rest.find('/');
    rest = slash == StringRef::npos ? "" : rest.substr(slash + 1);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The functions of the node in what a pass runs on.
static SmallVector<const Function *> shownFunctions(const Any &unit) {
  SmallVector<const Function *> result;
  auto add = [&](const Function &function) {
    if (isShown(function))
      result.push_back(&function);
  };
  if (const auto *function = any_cast<const Function *>(&unit))
    add(**function);
  else if (const auto *loop = any_cast<const Loop *>(&unit))
    add(*(*loop)->getHeader()->getParent());
  else if (const auto *module = any_cast<const Module *>(&unit))
    for (const Function &function : **module)
      add(function);
  else if (const auto *group = any_cast<const LazyCallGraph::SCC *>(&unit))
    for (const LazyCallGraph::Node &member : **group)
      add(member.getFunction());
  return result;
}

static void printShown(const Any &unit, StringRef pass, StringRef when) {
  for (const Function *function : shownFunctions(unit)) {
    errs() << "; *** IR Dump " << when << ' ' << pass << " on "
           << function->getName() << " ***\n";
    function->print(errs());
  }
}

bool PassPrinter::isWanted() {
  return shouldPrintBeforeSomePass() || shouldPrintAfterSomePass();
}

void PassPrinter::print(PassInstrumentationCallbacks &callbacks) {
  if (shownNode.empty()) {
    all.registerCallbacks(callbacks);
    return;
  }
  auto nameOf = [&callbacks](StringRef pass) {
    return callbacks.getPassNameForClassName(pass);
  };
  if (shouldPrintBeforeSomePass())
    callbacks.registerBeforeNonSkippedPassCallback(
        [=](StringRef pass, const Any &unit) {
          if (StringRef name = nameOf(pass);
              !name.empty() && shouldPrintBeforePass(name))
            printShown(unit, name, "Before");
        });
  if (shouldPrintAfterSomePass())
    callbacks.registerAfterPassCallback(
        [=](StringRef pass, const Any &unit, const PreservedAnalyses &) {
          if (StringRef name = nameOf(pass);
              !name.empty() && shouldPrintAfterPass(name))
            printShown(unit, name, "After");
        });
}

//===----------------------------------------------------------------------===//
// Observing a module
//===----------------------------------------------------------------------===//

/// Restricts what -print-changed prints to the functions of the node.
static void filterFunctions(Module &module) {
  if (shownNode.empty())
    return;
  cl::Option *filter = cl::getRegisteredOptions().lookup("filter-print-funcs");
  // Without any name, everything would be printed.
  filter->addOccurrence(0, "filter-print-funcs", "sluice-node");
  bool hasAny = false;
  for (const Function &function : module)
    if (isShown(function)) {
      filter->addOccurrence(0, "filter-print-funcs", function.getName());
      hasAny = true;
    }
  if (!hasAny)
    module.getContext().diagnose(DiagnosticInfoGeneric(
        "no node is called '" + shownNode + "'; nothing is printed",
        DS_Warning));
}

static bool showsChanges(std::initializer_list<ChangePrinter> kinds) {
  return is_contained(kinds, PrintChanged.getValue());
}

PassObservers::PassObservers(Module &module,
                             PassInstrumentationCallbacks &callbacks)
    : gate(module.getContext()),
      changes(showsChanges({ChangePrinter::Verbose})),
      differences(showsChanges({ChangePrinter::DiffVerbose,
                                ChangePrinter::ColourDiffVerbose}),
                  showsChanges({ChangePrinter::ColourDiffVerbose,
                                ChangePrinter::ColourDiffQuiet})) {
  nameLeafPasses(callbacks);
  filterFunctions(module);
  printer.print(callbacks);
  timer.registerCallbacks(callbacks);
  gate.registerCallbacks(callbacks);
  changes.registerCallbacks(callbacks);
  differences.registerCallbacks(callbacks);
}

PassObservers::~PassObservers() {
  timer.print();
  if (AreStatisticsEnabled()) {
    PrintStatistics(errs());
    ResetStatistics();
  }
}

} // namespace sluice::codegen

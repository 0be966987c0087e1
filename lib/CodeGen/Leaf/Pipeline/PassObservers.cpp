//===- PassObservers.cpp - Seeing what passes do --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassObservers.h"

#include "sluice/CodeGen/LeafPasses.h"

#include "llvm/ADT/Statistic.h"
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
/// "sluice.ROOT/NODE.PART" if a node has several.
static bool isOfNode(StringRef function, StringRef node) {
  if (!function.consume_front("sluice."))
    return false;
  for (size_t at = 0; at != StringRef::npos; at = function.find('/', at)) {
    at += at != 0;
    StringRef rest = function.substr(at);
    if (rest.consume_front(node) && (rest.empty() || rest.starts_with(".")))
      return true;
    at += at == 0;
  }
  return false;
}

/// Restricts what is printed to the functions of the node that was asked for.
static void filterFunctions(Module &module) {
  if (shownNode.empty())
    return;
  cl::Option *filter = cl::getRegisteredOptions().lookup("filter-print-funcs");
  bool hasAny = false;
  for (const Function &function : module)
    if (!function.isDeclaration() && isOfNode(function.getName(), shownNode)) {
      filter->addOccurrence(0, "filter-print-funcs", function.getName());
      hasAny = true;
    }
  if (!hasAny) {
    // Otherwise everything would be printed.
    filter->addOccurrence(0, "filter-print-funcs", shownNode);
    module.getContext().diagnose(DiagnosticInfoGeneric(
        "no node is called '" + shownNode + "', so no function is printed",
        DS_Warning));
  }
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
  printer.registerCallbacks(callbacks);
  timer.registerCallbacks(callbacks);
  gate.registerCallbacks(callbacks);
  changes.registerCallbacks(callbacks);
  differences.registerCallbacks(callbacks);
}

PassObservers::~PassObservers() {
  if (AreStatisticsEnabled()) {
    PrintStatistics(errs());
    ResetStatistics();
  }
}

} // namespace sluice::codegen

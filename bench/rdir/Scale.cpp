//===- Scale.cpp - Checking graphs of any size ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a generated graph as a module, and checks a module as `sluice check
// --order` does, saying when each phase began. Usage:
//   rdir-scale make SHAPE NODES FILE...   .mlir: text, .mlirbc: bytecode
//   rdir-scale check FILE
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "sluice/Driver/CheckRegions.h"
#include "sluice/RDIR/ExportModule.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <ctime>

using namespace sluice;
using llvm::StringRef;

static int usage() {
  llvm::errs() << "usage: rdir-scale make SHAPE NODES FILE...\n"
                  "       rdir-scale check FILE\n";
  return 2;
}

static bool write(mlir::ModuleOp module, StringRef path) {
  std::error_code problem;
  llvm::raw_fd_ostream os(path, problem);
  if (problem) {
    llvm::errs() << "rdir-scale: error: '" << path << "': " << problem.message()
                 << '\n';
    return false;
  }
  if (path.ends_with(".mlirbc"))
    return succeeded(mlir::writeBytecodeToFile(module, os));
  // The verifier would look at each operation once more.
  module->print(os, mlir::OpPrintingFlags().assumeVerified());
  return true;
}

/// Prints "nodes N" and "edges N".
static int make(StringRef shape, StringRef size, llvm::ArrayRef<char *> paths) {
  size_t numNodes;
  if (size.getAsInteger(10, numNodes) || numNodes == 0) {
    llvm::errs() << "rdir-scale: error: expected a number of nodes, but got '"
                 << size << "'\n";
    return 2;
  }
  rdir::bench::Generated generated = rdir::bench::make(shape.str(), numNodes);
  if (!generated.graph) {
    llvm::errs() << "rdir-scale: error: unknown shape '" << shape
                 << "', expected chains, trees, stencil or random\n";
    return 2;
  }
  const rdir::Graph &graph = *generated.graph;
  llvm::outs() << "nodes " << graph.numNodes() << "\nedges "
               << graph.allEdges().size() << '\n';
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<rdir::RDIRDialect>();
  auto &module = *new mlir::OwningOpRef<mlir::ModuleOp>(
      rdir::exportModule(context, shape, graph));
  for (StringRef path : paths)
    if (!write(*module, path))
      return 1;
  // Freeing millions of operations takes long, and they end here anyway.
  llvm::outs().flush();
  std::_Exit(0);
}

namespace {
/// Prints "phase NAME seconds cpu-seconds" when a phase ends.
class Clock {
public:
  void begin(StringRef next) {
    auto now = std::chrono::steady_clock::now();
    std::clock_t nowCpu = std::clock();
    if (!phase.empty()) {
      std::chrono::duration<double> time = now - start;
      llvm::errs() << "phase " << phase << ' '
                   << llvm::format("%.6f %.6f\n", time.count(),
                                   double(nowCpu - startCpu) / CLOCKS_PER_SEC);
    }
    phase = next;
    start = now;
    startCpu = nowCpu;
  }

private:
  std::string phase;
  std::chrono::steady_clock::time_point start;
  std::clock_t startCpu = 0;
};
} // namespace

/// Prints the phases to stderr, and the order to stdout as the tool does.
static int check(StringRef path) {
  Clock clock;
  driver::RegionCheckOptions options;
  options.file = path.str();
  options.hasOrder = true;
  options.onPhase = [&](StringRef phase) { clock.begin(phase); };
  bool isProven = driver::checkRegions(options, llvm::outs()).has_value();
  llvm::outs().flush();
  clock.begin("");
  std::_Exit(isProven ? 0 : 1);
}

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (argc >= 5 && StringRef(argv[1]) == "make")
    return make(argv[2], argv[3], arguments.drop_front(3));
  if (argc == 3 && StringRef(argv[1]) == "check")
    return check(argv[2]);
  return usage();
}

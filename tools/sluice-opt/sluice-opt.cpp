//===- sluice-opt.cpp - Running passes over .mlir files -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For developers of passes, and for users who write graphs by hand.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/TextLimits.h"
#include "sluice/DFG/DFG.h"
#include "sluice/Device/Versions.h"
#include "sluice/Diagnostics/Bytecode.h"
#include "sluice/RDIR/Passes.h"
#include "sluice/RDIR/RDIR.h"
#include "sluice/Toolchain/Toolchain.h"
#include "sluice/Transforms/Transforms.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

static constexpr char tool[] = "sluice-opt";

static int fail(const Twine &message) {
  errs() << tool << ": error: " << message << '\n';
  return 1;
}

/// Like mlir::MlirOptMain, which however could overwrite its input, would
/// recurse without a limit, and would end in a fatal error if a disk is full.
static int runPasses(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect,
                  sluice::dfg::DFGDialect, sluice::rdir::RDIRDialect>();
  mlir::registerTransformsPasses();
  sluice::transforms::registerTransformPasses(registry);
  sluice::rdir::registerRDIRPasses();
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << sluice::device::versionText(tool, SLUICE_VERSION,
                                      SLUICE_LLVM_VERSION);
  });
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Sluice pass driver\n", registry);
  std::vector<std::string> inputs{input};
  if (sluice::Status status = sluice::checkOutput(output, inputs); !status.ok())
    return fail(status.message());
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = mlir::openInputFile(input, &problem);
  if (!buffer)
    return fail(problem);
  if (sluice::isBytecode(buffer->getBuffer())) {
    if (sluice::Status status =
            sluice::tryBytecode(buffer->getBuffer(), input, registry);
        !status.ok())
      return fail(status.message());
  } else {
    if (sluice::Status status =
            sluice::checkTextLimits(std::string_view(buffer->getBuffer()),
                                    input, sluice::TextLanguage::MLIR);
        !status.ok()) {
      errs() << status.message() << '\n';
      return 1;
    }
  }
  std::string text;
  raw_string_ostream os(text);
  mlir::LogicalResult result =
      mlir::MlirOptMain(os, std::move(buffer), registry,
                        mlir::MlirOptMainConfig::createFromCLOptions());
  // The output of passes comes before the module.
  outs() << (output == "-" ? StringRef(text) : "");
  outs().flush();
  if (std::error_code error = outs().error()) {
    outs().clear_error();
    return fail("cannot write to standard output: " + error.message());
  }
  if (mlir::failed(result))
    return 1;
  if (output == "-")
    return 0;
  sluice::Status status = sluice::writeOutput(output, text);
  return status.ok() ? 0 : fail(status.message());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  sluice::removeTemporariesOnSignals();
  return sluice::runOnLargeStack(tool, [&] { return runPasses(argc, argv); });
}

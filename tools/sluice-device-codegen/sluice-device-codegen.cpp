//===- sluice-device-codegen.cpp - Running device back ends ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler runs this helper for LLVM's back ends, which abort on
// unsupported code. It reads a neutral module as bitcode and writes an image,
// and a line for each kernel that it left out.
//
//===----------------------------------------------------------------------===//

#include "../../lib/CodeGen/Device/Targets/Lowering/Lowering.h"
#include "sluice/Base/Stack.h"
#include "sluice/Device/Versions.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::codegen;

namespace {

/// The arguments of the command line, in this order.
struct LoweringRequest {
  StringRef form, input, image, problems, kernels;
  lowering::DeviceLoweringOptions options;
};

bool parse(int argc, char **argv, LoweringRequest &request) {
  if (argc != 7 && argc != 9)
    return false;
  request.form = argv[1];
  request.input = argv[2];
  request.image = argv[3];
  request.problems = argv[4];
  request.kernels = argv[5];
  if (StringRef(argv[6]).getAsInteger(10, request.options.optimizationLevel))
    return false;
  if (argc == 9) {
    request.options.chip = argv[7];
    request.options.libdevice = argv[8];
  }
  return request.form == (argc == 9 ? "ptx" : "spirv");
}

Expected<std::unique_ptr<MemoryBuffer>> read(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return std::move(*buffer);
}

Error write(StringRef path, StringRef text) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}

/// One line per kernel with its name; a tab after the name disables
/// optimisation.
Expected<StringMap<lowering::Effort>> readKernels(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = read(path);
  if (!buffer)
    return buffer.takeError();
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  StringMap<lowering::Effort> efforts;
  for (StringRef line : lines)
    efforts[line.rtrim('\t')] =
        line.ends_with("\t") ? lowering::Effort::None : lowering::Effort::Level;
  return efforts;
}

Error run(const LoweringRequest &request) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = read(request.input);
  if (!buffer)
    return buffer.takeError();
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(**buffer, context);
  if (!module)
    return module.takeError();
  Expected<StringMap<lowering::Effort>> efforts = readKernels(request.kernels);
  if (!efforts)
    return efforts.takeError();
  lowering::keepKernels(**module, *efforts);
  std::vector<lowering::Refusal> refusals;
  Expected<std::string> image =
      request.form == "ptx"
          ? lowering::makePTX(**module, request.options, refusals)
          : lowering::makeSPIRV(**module, request.options, refusals);
  if (!image)
    return image.takeError();
  std::string problems;
  for (const lowering::Refusal &refusal : refusals)
    problems += refusal.entry + "\t" + refusal.problem + "\n";
  if (Error error = write(request.problems, problems))
    return error;
  return write(request.image, *image);
}

} // namespace

static int generate(int argc, char **argv) {
  LoweringRequest request;
  if (!parse(argc, argv, request)) {
    errs() << "usage: sluice-device-codegen spirv IN.bc IMAGE PROBLEMS KERNELS "
              "LEVEL\n       sluice-device-codegen ptx IN.bc IMAGE PROBLEMS "
              "KERNELS LEVEL CHIP LIBDEVICE\n";
    return 2;
  }
  if (Error error = run(request)) {
    errs() << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--version") {
    outs() << sluice::device::versionText("sluice-device-codegen",
                                          SLUICE_VERSION, SLUICE_LLVM_VERSION);
    return 0;
  }
  return sluice::runOnLargeStack("sluice-device-codegen",
                                 [&] { return generate(argc, argv); });
}

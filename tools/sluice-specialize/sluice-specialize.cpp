//===- sluice-specialize.cpp - Compiling variants of nodes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs start this helper in the background when they repeatedly launch a
// node with the same extents and shape; see SluicePlanSpecializer.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Device/Versions.h"
#include "sluice/Driver/Build.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace sluice;

static cl::SubCommand command("specialize");
static cl::opt<std::string> code("specialize", cl::sub(command));
static cl::opt<std::string> node("node", cl::sub(command));
static cl::opt<std::string> extents("extents", cl::sub(command));
static cl::opt<std::string> shape("shape", cl::sub(command));
static cl::opt<std::string> flags("options", cl::sub(command));
static cl::opt<std::string> output("o", cl::sub(command));

template <typename Number>
static bool parseNumbers(StringRef text, std::vector<Number> &numbers) {
  SmallVector<StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.getAsInteger(10, numbers.emplace_back()))
      return false;
  return true;
}

/// Parses numbers, and `?` for values that change from launch to launch.
static bool parseShape(StringRef text,
                       std::vector<std::optional<uint64_t>> &values) {
  SmallVector<StringRef> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    uint64_t value = 0;
    if (word == "?")
      values.push_back(std::nullopt);
    else if (!word.getAsInteger(10, value))
      values.push_back(value);
    else
      return false;
  }
  return true;
}

static codegen::CodeGenOptions parseFlags(StringRef text) {
  codegen::CodeGenOptions options;
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (word.consume_front("-march="))
      options.cpu = word.str();
    else if (word.consume_front("-O"))
      (void)word.getAsInteger(10, options.optimizationLevel);
    else if (unsigned math = 0;
             word.consume_front("-math=") && !word.getAsInteger(10, math))
      options.math.library = codegen::MathLibrary(math);
    else if (word == "-ffp-contract=off")
      options.math.mayFuse = false;
    else if (word == "-no-lanes")
      options.vectorization.ofInstances = false;
    else if (word == "-no-panels")
      options.makesPanels = false;
    else if (word == "-no-borders")
      options.vectorization.ofInsides = false;
    else if (word == "-g")
      options.debugging = codegen::Debugging::Values;
  }
  return options;
}

static int specialize(int argc, char **argv) {
  SmallVector<const char *> words{argv[0], "specialize"};
  words.append(argv + 1, argv + argc);
  codegen::VariantValues request;
  if (!cl::ParseCommandLineOptions(words.size(), words.data(), "", &errs()) ||
      code.empty() || node.empty() || output.empty() ||
      !parseNumbers<int64_t>(extents, request.extents) ||
      !parseShape(shape, request.shape)) {
    errs() << "usage: sluice-specialize --specialize CODE --node NAME "
              "--extents N,... --shape N|?,... --options FLAGS -o OUT.so\n";
    return 2;
  }
  request.node = node;
  if (Error error =
          driver::buildVariant(code, request, parseFlags(flags), output)) {
    errs() << "sluice-specialize: error: " << toString(std::move(error))
           << '\n';
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--version") {
    outs() << device::versionText("sluice-specialize", SLUICE_VERSION,
                                  SLUICE_LLVM_VERSION);
    return 0;
  }
  removeTemporariesOnSignals();
  return runOnLargeStack("sluice-specialize",
                         [&] { return specialize(argc, argv); });
}

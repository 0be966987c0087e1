//===- LlvmOptions.cpp - What LLVM does only if asked ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of LLVM's passes can be told how to work on the command line only: here
// Sluice gives such options, where the user has not.
//
//===----------------------------------------------------------------------===//

#include "LlvmOptions.h"

#include "llvm/Support/CommandLine.h"

#include <mutex>

using namespace llvm;

namespace sluice::codegen {

void setLlvmOption(StringRef name, StringRef value) {
  static std::mutex mutex;
  std::scoped_lock lock(mutex);
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find(name);
      found != options.end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(0, name, value);
}

} // namespace sluice::codegen

//===- DevicesCommand.cpp - The command line of 'sluice devices' ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DevicesCommand.h"
#include "sluice/Driver/DeviceHistory.h"
#include "sluice/Driver/Devices.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;
using namespace sluice::driver;

static int usage(const Twine &message) {
  errs() << "sluice: error: " << message << "; see 'sluice devices --help'\n";
  return 2;
}

static int showHistory(StringRef program, bool clears) {
  if (clears)
    return clearDeviceHistory(program, outs(), errs()) ? 0 : 1;
  if (printDeviceHistory(program, outs()))
    return 0;
  if (program.empty()) {
    outs() << "nothing was measured yet: programs measure nodes with the hint "
              "CPU_OR_GPU_TARGET where there is a device\n";
    return 0;
  }
  errs() << "sluice: error: nothing was measured for the program '" << program
         << "'; 'sluice devices --history' shows all there is\n";
  return 1;
}

int runDevicesCommand(ArrayRef<const char *> words) {
  bool hasHistory = false, clears = false;
  std::optional<StringRef> program;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (word == "--history") {
      hasHistory = true;
    } else if (word == "--clear") {
      clears = true;
    } else if (word == "--program" && i + 1 != words.size()) {
      program = words[++i];
    } else if (word.consume_front("--program=")) {
      program = word;
    } else if (word == "--program") {
      return usage("--program needs a name");
    } else if (word.starts_with("-")) {
      return usage("unknown option '" + word + "'");
    } else {
      return usage("'sluice devices' takes no files");
    }
  }
  if (program && program->empty())
    return usage("--program needs a name");
  if ((clears || program) && !hasHistory)
    return usage(Twine(clears ? "--clear" : "--program") +
                 " goes with --history");
  if (hasHistory)
    return showHistory(program.value_or(""), clears);
  listDevices(outs());
  return 0;
}

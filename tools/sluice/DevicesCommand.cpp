//===- DevicesCommand.cpp - The command line of 'sluice devices' ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the devices of the machine, and shows or forgets the times that the
// runtime has kept.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Driver/DeviceHistory.h"
#include "sluice/Driver/Devices.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::driver;

static int showHistory(StringRef program, bool clears) {
  if (clears)
    return clearDeviceHistory(program, outs()) ? exitFine : exitProblems;
  if (printDeviceHistory(program, outs()))
    return exitFine;
  if (program.empty()) {
    outs() << "nothing was measured yet: programs measure nodes with the hint "
              "CPU_OR_GPU_TARGET where there is a device\n";
    return exitFine;
  }
  return problem("nothing was measured for the program '" + program +
                 "'; 'sluice devices --history' shows all there is");
}

int devicesCommand(const CommandLine &line) {
  if (!line.files.empty())
    return usage("'sluice devices' takes no files");
  bool clears = line.has(OPT_clear);
  if ((clears || line.has(OPT_program)) && !line.has(OPT_history))
    return usage(Twine(clears ? "--clear" : "--program") +
                 " goes with --history; see 'sluice devices --help'");
  if (line.has(OPT_history))
    return showHistory(line.value(OPT_program), clears);
  listDevices(outs());
  return exitFine;
}

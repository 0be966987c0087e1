//===- DevicesCommand.cpp - The command line of 'sluice devices' ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the devices of the machine, and shows or deletes the times that the
// runtime has stored. For the ranks of a job, MPI starts this command again as
// each rank.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "RunRanks.h"
#include "sluice/Driver/DeviceList.h"
#include "sluice/Driver/HistoryReport.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

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

/// Under a launcher, lists the ranks that it started; otherwise lists the
/// devices.
static int listRanksOrDevices(bool isAlone) {
  // If MPI queried the devices of an OpenCL driver, the driver would load
  // another LLVM.
  ::setenv("HWLOC_COMPONENTS", "-opencl", /*overwrite=*/0);
  sluice::Result<std::optional<std::string>> ranks =
      sluice::describeRanks(isAlone);
  if (!ranks.ok())
    return problem(ranks.status().message());
  if (*ranks)
    outs() << **ranks;
  else
    listDevices(outs());
  return exitFine;
}

int devicesCommand(const CommandLine &line) {
  if (!line.files.empty())
    return usage("'sluice devices' takes no files");
  bool clears = line.has(OPT_clear);
  if ((clears || line.has(OPT_program)) && !line.has(OPT_history))
    return usage(Twine(clears ? "--clear" : "--program") +
                 " goes with --history; see 'sluice devices --help'");
  if (line.has(OPT_history) && line.has(OPT_ranks))
    return usage("--ranks does not go with --history");
  if (line.has(OPT_history))
    return showHistory(line.value(OPT_program), clears);
  std::optional<RankOptions> ranks = rankOptions(line);
  if (!ranks)
    return exitUsage;
  if (ranks->numRanks > 0) {
    SmallVector<const char *> words{"devices"};
    if (ranks->numRanks == 1)
      words.push_back("--as-rank");
    return runRanks(*ranks, sys::fs::getMainExecutable(nullptr, nullptr),
                    words);
  }
  return listRanksOrDevices(line.has(OPT_as_rank));
}

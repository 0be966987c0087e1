//===- Find.cpp - Finding and opening devices by name ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows all back ends: lists the devices of this machine,
// and opens one by its name.
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

#include "Faulty/Faults.h"
#include "OpenCL/Drivers.h"
#include "sluice/Base/Text.h"

#include <charconv>
#include <cstdlib>

using namespace sluice;
using namespace sluice::device;

std::vector<Found> device::findDevices(Search search) {
  std::vector<Found> found;
  findCUDA(found);
  if (search == Search::All || opencl::mayHaveAccelerators())
    findOpenCL(found);
  return found;
}

static Result<std::unique_ptr<Device>> openBare(const std::string &name,
                                                const OpenOptions &options) {
  std::string kind = name.substr(0, name.find(':'));
  unsigned number = 0;
  bool isNumbered = kind.size() != name.size();
  if (isNumbered) {
    const char *end = name.data() + name.size();
    auto [rest, error] =
        std::from_chars(name.data() + kind.size() + 1, end, number);
    if (error != std::errc() || rest != end)
      return Status::invalidArgument(
          concat("a device is called ", quoted(name),
                 ", expected 'host', 'opencl', 'cuda', or one of the last two "
                 "with a colon and a number"));
  }
  if (kind == "host" && !isNumbered)
    return openHost(options);
  if (kind == "opencl")
    return openOpenCL(isNumbered ? std::optional(number) : std::nullopt,
                      options);
  if (kind == "cuda")
    return openCUDA(isNumbered ? std::optional(number) : std::nullopt, options);
  return Status::invalidArgument(
      concat("unknown device ", quoted(name),
             "; 'sluice devices' lists those that were found"));
}

Result<std::unique_ptr<Device>> device::openDevice(const std::string &name,
                                                   const OpenOptions &options) {
  const char *setting = std::getenv("SLUICE_DEVICE_FAULTS");
  if (!setting || !*setting)
    return openBare(name, options);
  Result<std::vector<FaultRule>> faults = parseFaults(setting);
  if (!faults.ok())
    return faults.takeStatus();
  Result<std::unique_ptr<Device>> device = openBare(name, options);
  return device.ok() ? makeFaulty(std::move(*device), std::move(*faults))
                     : std::move(device);
}

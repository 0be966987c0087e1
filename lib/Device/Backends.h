//===- Backends.h - The device back ends ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each back end finds its devices and opens them by number.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_BACKENDS_H
#define SLUICE_LIB_DEVICE_BACKENDS_H

#include "sluice/Device/Device.h"

#include <optional>

namespace sluice::device {

void findCUDA(std::vector<Found> &found);
void findOpenCL(std::vector<Found> &found);

Result<std::unique_ptr<Device>> openHost(const OpenOptions &options);
/// Without a number, these open the first usable device.
Result<std::unique_ptr<Device>> openCUDA(std::optional<unsigned> number,
                                         const OpenOptions &options);
Result<std::unique_ptr<Device>> openOpenCL(std::optional<unsigned> number,
                                           const OpenOptions &options);

} // namespace sluice::device

#endif // SLUICE_LIB_DEVICE_BACKENDS_H

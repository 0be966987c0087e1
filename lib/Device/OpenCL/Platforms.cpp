//===- Platforms.cpp - The OpenCL devices of this machine -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a device is used depends only on the properties that it reports. The
// exception is one driver that is identified by name: it ends the process when
// it is given kernels.
//
//===----------------------------------------------------------------------===//

#include "Platforms.h"

#include "../Backends.h"
#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

namespace {
/// Queries a platform or device; a failed query returns an empty answer.
class Query {
public:
  Query(const API &api, DeviceID device) : api(api), device(device) {}

  template <typename Value> Value number(Number what) const {
    Value value{};
    if (api.clGetDeviceInfo(device, UInt(what), sizeof(value), &value,
                            nullptr) != Success)
      return Value{};
    return value;
  }
  std::string text(Number what) const;
  std::array<size_t, 3> itemSizes() const;

private:
  const API &api;
  const DeviceID device;
};
} // namespace

static std::string trimmed(std::string text) {
  text = text.c_str();
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string Query::text(Number what) const {
  size_t size = 0;
  if (api.clGetDeviceInfo(device, UInt(what), 0, nullptr, &size) != Success)
    return {};
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, UInt(what), size, text.data(), nullptr) !=
      Success)
    return {};
  return trimmed(text);
}

std::array<size_t, 3> Query::itemSizes() const {
  std::vector<size_t> sizes(
      std::max<UInt>(3, number<UInt>(DeviceMaxWorkItemDimensions)), 1);
  if (api.clGetDeviceInfo(device, UInt(DeviceMaxWorkItemSizes),
                          sizes.size() * sizeof(size_t), sizes.data(),
                          nullptr) != Success)
    return {1, 1, 1};
  return {sizes[0], sizes[1], sizes[2]};
}

static std::string platformText(const API &api, PlatformID platform,
                                Number what) {
  size_t size = 0;
  if (api.clGetPlatformInfo(platform, UInt(what), 0, nullptr, &size) != Success)
    return {};
  std::string text(size, '\0');
  if (api.clGetPlatformInfo(platform, UInt(what), size, text.data(), nullptr) !=
      Success)
    return {};
  return trimmed(text);
}

static bool hasWord(const std::string &list, std::string_view word) {
  return concat(" ", list, " ").find(concat(" ", word, " ")) !=
         std::string::npos;
}

static void askFormats(const Query &query, Properties &properties) {
  // Devices before OpenCL 2.1 do not support this query.
  if (query.text(DeviceILVersion).find("SPIR-V") != std::string::npos)
    properties.formats.push_back(SLUICE_DEVICE_SPIRV);
  if (hasWord(query.text(DeviceExtensions), "cl_khr_spir"))
    properties.formats.push_back(SLUICE_DEVICE_SPIR);
}

static void askLimits(const Query &query, Properties &properties) {
  properties.memory = query.number<uint64_t>(DeviceGlobalMemSize);
  properties.maxBuffer = query.number<uint64_t>(DeviceMaxMemAllocSize);
  properties.localMemory = query.number<uint64_t>(DeviceLocalMemSize);
  properties.maxGroup = query.number<size_t>(DeviceMaxWorkGroupSize);
  std::array<size_t, 3> items = query.itemSizes();
  properties.maxItems = {items[0], items[1], items[2]};
  // OpenCL has no query for this limit; many drivers count grids in 32 bits.
  properties.maxGrid = {INT32_MAX, INT32_MAX, INT32_MAX};
  properties.computeUnits = query.number<UInt>(DeviceMaxComputeUnits);
}

static Properties askProperties(const API &api, PlatformID platform,
                                DeviceID device) {
  Query query(api, device);
  Properties properties;
  properties.kind = Kind::OpenCL;
  properties.description = query.text(DeviceName);
  properties.driver =
      concat(platformText(api, platform, PlatformName), ", ",
             query.text(DeviceVersion), ", driver ", query.text(DriverVersion));
  properties.isAccelerator =
      (query.number<Bits>(DeviceType) & DeviceTypeCPU) == 0;
  properties.sharesMemory = query.number<UInt>(DeviceHostUnifiedMemory) != 0;
  askLimits(query, properties);
  properties.hasDouble = query.number<Bits>(DeviceDoubleConfig) != 0;
  std::string extensions = query.text(DeviceExtensions);
  properties.hasAtomic64 = hasWord(extensions, "cl_khr_int64_base_atomics") &&
                           hasWord(extensions, "cl_khr_int64_extended_atomics");
  askFormats(query, properties);
  return properties;
}

/// The reason why the device cannot be used; empty if it can.
static std::string problemOf(const API &api, DeviceID device,
                             const Properties &properties) {
  Query query(api, device);
  if (!query.number<UInt>(DeviceAvailable))
    return "its driver says that it is not available";
  if (!query.number<UInt>(DeviceCompilerAvailable))
    return "its driver has no compiler";
  if (properties.formats.empty())
    return "its driver takes neither SPIR-V (CL_DEVICE_IL_VERSION) nor SPIR "
           "(cl_khr_spir)";
  return {};
}

static FoundDevice problemEntry(std::string description, std::string problem) {
  FoundDevice entry;
  entry.found.properties.kind = Kind::OpenCL;
  entry.found.properties.name = "opencl";
  entry.found.properties.description = std::move(description);
  entry.found.problem = std::move(problem);
  return entry;
}

static void findDevicesOf(const API &api, PlatformID platform, unsigned &number,
                          std::vector<FoundDevice> &found) {
  std::string name = platformText(api, platform, PlatformName);
  // rusticl of Mesa 22 and 23 aborts the process when it builds a program.
  if (name == "rusticl") {
    found.push_back(problemEntry(
        name, "this driver is not used: it ends the process when it gets "
              "kernels; leave it out with OCL_ICD_VENDORS, or use 'pocl'"));
    return;
  }
  UInt count = 0;
  Int code = api.clGetDeviceIDs(platform, DeviceTypeAll, 0, nullptr, &count);
  std::vector<DeviceID> devices(code == Success ? count : 0);
  if (!devices.empty())
    code = api.clGetDeviceIDs(platform, DeviceTypeAll, count, devices.data(),
                              nullptr);
  if (code != Success || devices.empty()) {
    found.push_back(
        problemEntry(name, code == Success || code == DeviceNotFound
                               ? "this platform has no devices"
                               : callError("clGetDeviceIDs", code).message()));
    return;
  }
  for (DeviceID device : devices) {
    FoundDevice entry{
        {askProperties(api, platform, device), ""}, platform, device};
    entry.found.properties.name = concat("opencl:", number++);
    entry.found.problem = problemOf(api, device, entry.found.properties);
    found.push_back(std::move(entry));
  }
}

std::vector<FoundDevice> opencl::findAll() {
  std::vector<FoundDevice> found;
  Result<const API *> opened = openAPI();
  if (!opened.ok()) {
    found.push_back(problemEntry("", opened.status().message()));
    return found;
  }
  const API &api = **opened;
  UInt count = 0;
  Int code = api.clGetPlatformIDs(0, nullptr, &count);
  std::vector<PlatformID> platforms(code == Success ? count : 0);
  if (!platforms.empty())
    code = api.clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code != Success || platforms.empty()) {
    found.push_back(problemEntry(
        "", code == Success || code == NoPlatform
                ? "OpenCL's library found no driver; install one, for "
                  "instance the package 'pocl-opencl-icd'"
                : callError("clGetPlatformIDs", code).message()));
    return found;
  }
  unsigned number = 0;
  for (PlatformID platform : platforms)
    findDevicesOf(api, platform, number, found);
  return found;
}

void device::findOpenCL(std::vector<Found> &found) {
  for (FoundDevice &entry : findAll())
    found.push_back(std::move(entry.found));
}

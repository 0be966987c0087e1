//===- Drivers.cpp - The OpenCL drivers of this machine -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the .icd files and the device files of this machine and does not open
// the drivers.
//
//===----------------------------------------------------------------------===//

#include "Drivers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

using namespace sluice::device;

namespace fs = std::filesystem;

static std::optional<std::string> settingOf(const char *name) {
  const char *value = ::secure_getenv(name);
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

/// The library in the first line of a file "name.icd".
static std::string libraryOf(const fs::path &icd) {
  std::ifstream file(icd);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
    line.pop_back();
  return line;
}

static void addFolder(const fs::path &folder, std::vector<std::string> &found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".icd")
      found.push_back(libraryOf(entry->path()));
}

std::vector<std::string> opencl::findDrivers() {
  static const char vendors[] = "/etc/OpenCL/vendors";
  std::vector<std::string> found;
  std::string chosen = vendors;
  for (const char *name : {"OPENCL_VENDOR_PATH", "OCL_ICD_VENDORS"})
    if (std::optional<std::string> setting = settingOf(name))
      chosen = *setting;
  std::error_code error;
  if (fs::is_directory(chosen, error))
    addFolder(chosen, found);
  else if (!chosen.ends_with(".icd"))
    found.push_back(chosen); // a library
  else
    found.push_back(libraryOf(chosen.find('/') == std::string::npos
                                  ? fs::path(vendors) / chosen
                                  : fs::path(chosen)));
  return found;
}

//===----------------------------------------------------------------------===//
// Accelerators
//===----------------------------------------------------------------------===//

/// True if the environment selects other drivers, layers, or devices of PoCL
/// other than the host's cores.
static bool isUnusual() {
  constexpr const char *names[] = {"SLUICE_OPENCL_LIBRARY", "OCL_ICD_FILENAMES",
                                   "OPENCL_LAYERS", "POCL_DEVICES"};
  return std::any_of(std::begin(names), std::end(names), [](const char *name) {
    return settingOf(name).has_value();
  });
}

/// A file below /dev by which a driver accesses a GPU or an FPGA.
static bool isAccelerator(std::string_view name) {
  for (std::string_view beginning :
       {"nvidia", "dri", "kfd", "dxg", "accel", "mali", "kgsl", "galcore",
        "pvr", "xclmgmt", "xdma", "intel-fpga", "acl"})
    if (name.starts_with(beginning))
      return true;
  return false;
}

bool opencl::mayHaveAccelerators(const std::string &deviceFiles) {
  if (isUnusual())
    return true;
  for (const std::string &driver : findDrivers())
    if (!fs::path(driver).filename().string().starts_with("libpocl"))
      return true;
  std::error_code error;
  for (fs::directory_iterator entry(deviceFiles, error), end;
       !error && entry != end; entry.increment(error))
    if (isAccelerator(entry->path().filename().string()))
      return true;
  // If the folder cannot be read, there may be a device.
  return static_cast<bool>(error);
}

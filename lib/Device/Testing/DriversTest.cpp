//===- DriversTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests findDrivers and mayHaveAccelerators, which must never overlook a device
// of the machine.
//
//===----------------------------------------------------------------------===//

#include "../OpenCL/Drivers.h"

#include "TestFolder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace sluice::device;

namespace {
namespace fs = std::filesystem;

/// Folders that replace /etc/OpenCL/vendors and /dev, and the relevant
/// variables.
class DriversTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directory(vendors);
    fs::create_directory(files);
    write(files / "null", "");
    for (const char *name : variables)
      if (const char *value = std::getenv(name)) {
        kept.emplace_back(name, value);
        ::unsetenv(name);
      }
    ::setenv("OCL_ICD_VENDORS", vendors.c_str(), 1);
  }
  void TearDown() override {
    for (const char *name : variables)
      ::unsetenv(name);
    for (const auto &[name, value] : kept)
      ::setenv(name.c_str(), value.c_str(), 1);
  }
  static void write(const fs::path &path, const std::string &text) {
    std::ofstream(path) << text;
  }
  bool mayHave() { return opencl::mayHaveAccelerators(files); }

  static constexpr const char *variables[] = {
      "OCL_ICD_VENDORS",   "OPENCL_VENDOR_PATH", "SLUICE_OPENCL_LIBRARY",
      "OCL_ICD_FILENAMES", "OPENCL_LAYERS",      "POCL_DEVICES"};
  std::vector<std::pair<std::string, std::string>> kept;
  sluice::test::TestFolder own;
  const fs::path vendors = own.file("vendors"), files = own.file("dev");
};

TEST_F(DriversTest, PoCLAloneHasTheHostsCores) {
  EXPECT_FALSE(mayHave()) << "no driver at all";
  write(vendors / "pocl.icd", "/usr/lib/libpocl.so.2.9.0\n");
  write(vendors / "README", "libother.so");
  EXPECT_FALSE(mayHave());
}

TEST_F(DriversTest, OtherDriversMayHaveAccelerators) {
  write(vendors / "pocl.icd", "libpocl.so.2\n");
  write(vendors / "nvidia.icd", "libnvidia-opencl.so.1\n");
  EXPECT_TRUE(mayHave());
  EXPECT_EQ(opencl::findDrivers().size(), 2u);
}

TEST_F(DriversTest, ADriverIsKnownByItsLibraryAndNotByTheNameOfItsFile) {
  write(vendors / "pocl.icd", "libother.so\n");
  EXPECT_TRUE(mayHave());
  write(vendors / "pocl.icd", "\n");
  EXPECT_TRUE(mayHave());
}

TEST_F(DriversTest, DeviceFilesTellOfAccelerators) {
  write(vendors / "pocl.icd", "libpocl.so.2\n");
  for (const char *name : {"nvidiactl", "nvidia0", "dri", "kfd", "dxg"}) {
    write(files / name, "");
    EXPECT_TRUE(mayHave()) << name;
    fs::remove(files / name);
  }
  EXPECT_FALSE(mayHave());
  fs::remove_all(files);
  EXPECT_TRUE(mayHave()) << "what cannot be seen may be there";
}

TEST_F(DriversTest, SettingsChooseDrivers) {
  write(vendors / "pocl.icd", "libpocl.so.2\n");
  for (const char *name : {"SLUICE_OPENCL_LIBRARY", "OCL_ICD_FILENAMES",
                           "OPENCL_LAYERS", "POCL_DEVICES"}) {
    ::setenv(name, "libother.so", 1);
    EXPECT_TRUE(mayHave()) << name;
    ::unsetenv(name);
  }
  ::setenv("OCL_ICD_VENDORS", "/usr/lib/libother.so", 1);
  EXPECT_TRUE(mayHave());
  ::setenv("OCL_ICD_VENDORS", "/usr/lib/libpocl.so", 1);
  EXPECT_FALSE(mayHave());
  ::setenv("OCL_ICD_VENDORS", (vendors / "pocl.icd").c_str(), 1);
  EXPECT_FALSE(mayHave());
  ::unsetenv("OCL_ICD_VENDORS");
  ::setenv("OPENCL_VENDOR_PATH", vendors.c_str(), 1);
  EXPECT_FALSE(mayHave());
  write(vendors / "other.icd", "libother.so");
  EXPECT_TRUE(mayHave());
}
} // namespace

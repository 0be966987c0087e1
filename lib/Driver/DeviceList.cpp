//===- DeviceList.cpp - Devices that programs can use here ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each device has a line with the name that SLUICE_DEVICE accepts. The lines
// below it give details, or the reason why it cannot be used.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/DeviceList.h"
#include "sluice/Device/Device.h"
#include "sluice/Device/Versions.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

/// The processor's name from the system, or LLVM's name if the system gives
/// none.
static std::string processorName() {
  if (auto file = MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    SmallVector<StringRef> lines;
    (*file)->getBuffer().split(lines, '\n');
    for (StringRef line : lines)
      if (line.starts_with("model name"))
        return line.split(':').second.trim().str();
  }
  return sys::getHostCPUName().str();
}

static std::string spellBytes(double bytes) {
  std::string text;
  raw_string_ostream os(text);
  os << format("%.1f GiB", bytes / (1 << 30));
  return text;
}

/// Names have their own column.
static constexpr unsigned nameWidth = 10;

static void writeName(raw_ostream &os, StringRef name) {
  os << left_justify(name, std::max<size_t>(nameWidth, name.size() + 1));
}

/// Writes a text below a name, indenting all of its lines.
static void writeDetail(raw_ostream &os, StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    os.indent(nameWidth) << line << '\n';
}

static void listHost(raw_ostream &os) {
  double memory =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  writeName(os, "host");
  os << processorName() << " (" << sys::getHostCPUName() << "), " << cores
     << (cores == 1 ? " core, " : " cores, ") << spellBytes(memory) << '\n';
}

static void listUsable(raw_ostream &os, const device::Properties &device) {
  os << device.description << ", " << device.computeUnits
     << (device.computeUnits == 1 ? " compute unit, " : " compute units, ")
     << spellBytes(double(device.memory)) << ", takes ";
  interleaveComma(device.formats, os, [&](SluiceDeviceFormat format) {
    os << device::formatName(format);
  });
  if (!device.target.empty())
    os << " for " << device.target;
  os << '\n';
  writeDetail(os, device.driver);
  if (!device.isAccelerator)
    writeDetail(os, "the host's own cores: only used if SLUICE_DEVICE names "
                    "it");
}

static void listUnusable(raw_ostream &os, const device::Found &found) {
  if (found.properties.description.empty())
    os << "none\n";
  else
    os << found.properties.description << '\n';
  writeDetail(os, "cannot be used: " + found.problem);
}

void sluice::driver::listDevices(raw_ostream &os) {
  listHost(os);
  for (const device::Found &found : device::findDevices()) {
    writeName(os, found.properties.name);
    if (found.problem.empty())
      listUsable(os, found.properties);
    else
      listUnusable(os, found);
  }
}

void sluice::driver::printVersion(raw_ostream &os) {
  os << device::versionText("sluice", SLUICE_VERSION, SLUICE_LLVM_VERSION);
}

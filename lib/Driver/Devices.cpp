//===- Devices.cpp - What programs can run on here ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Devices.h"
#include "Toolchain.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <thread>
#include <unistd.h>

using namespace llvm;

/// The processor's name as the system gives it; LLVM's name for it if the
/// system gives none.
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

void sluice::driver::listDevices(raw_ostream &os) {
  double memory =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  os << "host  " << processorName() << " (" << sys::getHostCPUName() << "), "
     << cores << (cores == 1 ? " core, " : " cores, ") << spellBytes(memory)
     << '\n';
}

void sluice::driver::printVersion(raw_ostream &os) {
  os << "sluice " SLUICE_VERSION " (LLVM " SLUICE_LLVM_VERSION ")\n";
}

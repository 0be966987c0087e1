//===- DeviceSet.cpp - The devices of a program ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries are only added to the table, never removed, so readers need no lock.
//
//===----------------------------------------------------------------------===//

#include "DeviceSet.h"
#include "DeviceTrace.h"

#include "../Memory/Tracker.h"
#include "../Scheduling/Clock.h"
#include "../Trace/Trace.h"

#include "sluice/Base/Text.h"

#include <cstdio>
#include <unistd.h>

using namespace sluice;

DeviceSet::DeviceSet(const DeviceOptions &options, std::string cacheDirectory,
                     Trace *trace, MemoryTracker &tracker)
    : options(options), cacheDirectory(std::move(cacheDirectory)), trace(trace),
      tracker(tracker) {}

DeviceSet::~DeviceSet() {
  for (OpenDevice *device : devices()) {
    if (device->trace)
      device->trace->close();
    delete device;
  }
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Status DeviceSet::open() {
  if (!isOpen.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex);
    if (!isOpen.load(std::memory_order_relaxed)) {
      if (Status status = openAll(); !status.ok())
        problem = status.message();
      isOpen.store(true, std::memory_order_release);
    }
  }
  return problem.empty() ? Status() : Status::invalidArgument(problem);
}

/// Without named devices, opens the first accelerator that works; if there is
/// none, the program runs on the host.
Status DeviceSet::openAll() {
  if (options.hostOnly)
    return {};
  for (const std::string &name : options.names)
    if (Result<OpenDevice *> device = openOne(name); !device.ok())
      return Status::invalidArgument(
          concat("SLUICE_DEVICE names ", quoted(name),
                 ", which cannot be used: ", device.status().message()));
  if (wereNamed())
    return {};
  std::vector<device::Found> all =
      options.find ? options.find()
                   : device::findDevices(device::Search::Accelerators);
  for (const device::Found &found : all) {
    if (!found.problem.empty() || !found.properties.isAccelerator)
      continue;
    Result<OpenDevice *> device = openOne(found.properties.name);
    // A wrong setting is an error for any device.
    if (device.ok() || device.status().code() == StatusCode::InvalidArgument)
      return device.ok() ? Status() : device.takeStatus();
  }
  return {};
}

Result<std::unique_ptr<device::Device>>
DeviceSet::openNamed(const std::string &name) {
  device::OpenOptions open;
  open.withTiming = trace != nullptr;
  open.cacheDirectory = cacheDirectory;
  return options.open ? options.open(name, open)
                      : device::openDevice(name, open);
}

/// Prints to standard error that opening took long.
static void sayIfSlow(const std::string &name, uint64_t nanoseconds) {
  constexpr uint64_t slow = 2000000000;
  if (nanoseconds > slow && ::isatty(STDERR_FILENO))
    std::fprintf(stderr, "sluice: it took %.1f s to open device %s\n",
                 static_cast<double>(nanoseconds) * 1e-9, name.c_str());
}

Result<OpenDevice *> DeviceSet::openOne(const std::string &name) {
  uint64_t start = clockNanoseconds();
  Result<std::unique_ptr<device::Device>> device = openNamed(name);
  sayIfSlow(name, clockNanoseconds() - start);
  if (!device.ok())
    return device.takeStatus();
  const std::string &found = (*device)->properties().name;
  for (OpenDevice *other : devices())
    if (other->name() == found)
      return Status::invalidArgument(
          concat("it is ", quoted(found), ", which is in use already"));
  return add(std::move(*device));
}

Result<OpenDevice *> DeviceSet::add(std::unique_ptr<device::Device> device) {
  size_t index = count.load(std::memory_order_relaxed);
  if (index == maxDevices)
    return Status::error(StatusCode::Exhausted,
                         concat("there are ", maxDevices, " devices already"));
  DeviceTrace *rows = nullptr;
  if (trace) {
    const device::Properties &properties = device->properties();
    rows = &trace->addRows(
        std::make_unique<DeviceTrace>(properties.name, properties.description));
    device = traceDevice(std::move(device), *rows);
  }
  Result<std::unique_ptr<device::Queue>> compute = device->createQueue();
  if (!compute.ok())
    return compute.takeStatus();
  Result<std::unique_ptr<DevicePlace>> place =
      DevicePlace::create(*device, options.memory);
  if (!place.ok())
    return place.takeStatus();
  MemoryPlace number = tracker.addDevice(**place);
  table[index] = new OpenDevice(std::move(device), std::move(*place),
                                std::move(*compute), number, rows);
  count.store(index + 1, std::memory_order_release);
  return table[index];
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "'opencl:0' and 'cuda:0'", for messages.
std::string DeviceSet::names() const {
  std::string text;
  for (OpenDevice *device : devices())
    text += concat(text.empty() ? "" : ", ", quoted(device->name()));
  return text.empty() ? "there are none" : concat("there are ", text);
}

Result<MemoryPlace> DeviceSet::find(const std::string &name) {
  if (name == "host")
    return hostPlace;
  if (Status status = open(); !status.ok())
    return status;
  // The user's setting overrides the program.
  if (options.hostOnly)
    return hostPlace;
  std::lock_guard lock(mutex);
  std::string kind = name + ":";
  for (OpenDevice *device : devices())
    if (name == "device" || device->name() == name ||
        std::string_view(device->name()).starts_with(kind))
      return device->number;
  if (name == "device")
    return hostPlace;
  if (wereNamed())
    return Status::invalidArgument(
        concat(quoted(name),
               " is none of the devices that SLUICE_DEVICE names; ", names()));
  Result<OpenDevice *> opened = openOne(name);
  if (!opened.ok())
    return Status::invalidArgument(
        concat("device ", quoted(name),
               " cannot be used: ", opened.status().message()));
  return (*opened)->number;
}

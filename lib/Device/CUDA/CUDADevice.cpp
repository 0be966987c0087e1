//===- CUDADevice.cpp - Devices behind the CUDA driver --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and opens devices. A device uses its primary context, like CUDA's
// runtime, so that a program may use both.
//
//===----------------------------------------------------------------------===//

#include "../Backends.h"
#include "../LaunchChecks.h"
#include "CUDAQueue.h"

#include "sluice/Base/Text.h"

#include <array>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

namespace {
/// Reads the attributes of one device; keeps the first error.
class Attributes {
public:
  Attributes(const Driver &driver, Ordinal device)
      : driver(driver), device(device) {}

  int get(int attribute) {
    int value = 0;
    note(driver.api.cuDeviceGetAttribute(&value, attribute, device),
         "cuDeviceGetAttribute");
    return value;
  }
  /// Attributes for x, y and z, which have consecutive numbers.
  std::array<uint64_t, 3> three(int first) {
    return {uint64_t(get(first)), uint64_t(get(first + 1)),
            uint64_t(get(first + 2))};
  }
  void note(Code code, const char *call) {
    if (code != cudaSuccess && problem.empty())
      problem = driver.describe(code, call);
  }

  const Driver &driver;
  const Ordinal device;
  std::string problem;
};

struct Inspected : Found {
  Ordinal ordinal = 0;
};
} // namespace

static std::string deviceName(unsigned number) {
  return concat("cuda:", number);
}

static void describe(Attributes &attributes, Properties &properties) {
  const Driver &driver = attributes.driver;
  std::array<char, 256> name{};
  attributes.note(driver.api.cuDeviceGetName(name.data(), name.size() - 1,
                                             attributes.device),
                  "cuDeviceGetName");
  properties.description = name.data();
  properties.target = concat("sm_", attributes.get(computeCapabilityMajor),
                             attributes.get(computeCapabilityMinor));
  size_t memory = 0;
  attributes.note(driver.api.cuDeviceTotalMem(&memory, attributes.device),
                  "cuDeviceTotalMem");
  properties.memory = properties.maxBuffer = memory;
  properties.sharesMemory = attributes.get(integrated) != 0;
  properties.localMemory = uint64_t(attributes.get(maxSharedMemoryPerBlock));
  if (uint64_t optinSize =
          uint64_t(attributes.get(maxSharedMemoryPerBlockOptin));
      optinSize > properties.localMemory)
    properties.localMemory = optinSize;
  properties.maxGroup = uint64_t(attributes.get(maxThreadsPerBlock));
  properties.maxItems = attributes.three(maxBlockDimX);
  properties.maxGrid = attributes.three(maxGridDimX);
  properties.computeUnits = unsigned(attributes.get(multiprocessorCount));
}

static Inspected inspect(const Driver &driver, unsigned number) {
  Inspected found;
  Properties &properties = found.properties;
  properties.kind = Kind::CUDA;
  properties.name = deviceName(number);
  properties.driver = concat("CUDA ", versionText(driver.version));
  properties.isAccelerator = true;
  properties.hasDouble = properties.hasAtomic64 = true;
  properties.formats = {SLUICE_DEVICE_PTX};
  if (Code code = driver.api.cuDeviceGet(&found.ordinal, int(number))) {
    found.problem = driver.describe(code, "cuDeviceGet");
    return found;
  }
  Attributes attributes(driver, found.ordinal);
  describe(attributes, properties);
  if (attributes.get(computeMode) == computeModeProhibited)
    attributes.problem = "its compute mode is 'prohibited'; change it with "
                         "nvidia-smi --compute-mode=0";
  found.problem = attributes.problem;
  return found;
}

static Result<unsigned> countDevices(const Driver &driver) {
  int count = 0;
  if (Code code = driver.api.cuDeviceGetCount(&count))
    return Status::error(StatusCode::System,
                         driver.describe(code, "cuDeviceGetCount"));
  if (count <= 0)
    return Status::error(StatusCode::System,
                         "the CUDA driver finds no device (a setting "
                         "of CUDA_VISIBLE_DEVICES may hide them)");
  return unsigned(count);
}

static Found notFound(const Status &status) {
  Found found;
  found.properties.kind = Kind::CUDA;
  found.properties.name = "cuda";
  found.properties.isAccelerator = true;
  found.problem = status.message();
  return found;
}

void device::findCUDA(std::vector<Found> &found) {
  Result<Driver *> driver = theDriver();
  if (!driver.ok()) {
    found.push_back(notFound(driver.status()));
    return;
  }
  Result<unsigned> count = countDevices(**driver);
  if (!count.ok()) {
    found.push_back(notFound(count.status()));
    return;
  }
  for (unsigned number = 0; number < *count; ++number)
    found.push_back(inspect(**driver, number));
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
class CUDADevice final : public Device {
public:
  CUDADevice(Driver &driver, Properties properties, Ordinal device,
             bool withTiming)
      : context(driver, properties.name, device, withTiming) {
    theProperties = std::move(properties);
  }

  Status open();
  Result<std::unique_ptr<Buffer>> allocate(uint64_t size) override;
  Result<void *> allocateHost(uint64_t size) override;
  void freeHost(void *memory) override;
  Result<std::unique_ptr<Queue>> createQueue() override;
  Result<std::unique_ptr<Module>>
  load(const SluiceDeviceModule &module) override {
    return loadModule(context, theProperties, module);
  }
  bool isUsable() override { return context.isFit(); }

private:
  /// The error of a call that allocates `size` bytes.
  Status failed(Code code, const char *call, uint64_t size);

  CUDAContext context;
  int pitchLimit = 0;
};
} // namespace

Status CUDADevice::open() {
  if (Code code = context.api.cuDeviceGetAttribute(&pitchLimit, maxPitch,
                                                   context.device))
    return context.fail(code, "cuDeviceGetAttribute");
  return context.open();
}

Status CUDADevice::failed(Code code, const char *call, uint64_t size) {
  Status status = context.fail(code, call);
  return Status::error(status.code(), concat("cannot allocate ", size,
                                             " bytes: ", status.message()));
}

Result<std::unique_ptr<Buffer>> CUDADevice::allocate(uint64_t size) {
  if (Status status = context.checkMayBlock("memory is allocated");
      !status.ok())
    return status;
  if (Status status = checkAllocation(theProperties, size); !status.ok())
    return status;
  CurrentContext current(context);
  Address address = 0;
  // CUDA refuses to allocate 0 bytes.
  Code code = context.api.cuMemAlloc(&address, size ? size : 1);
  if (code != cudaSuccess)
    return failed(code, "cuMemAlloc", size);
  std::unique_ptr<Buffer> buffer =
      std::make_unique<CUDABuffer>(context, size, address);
  return buffer;
}

Result<void *> CUDADevice::allocateHost(uint64_t size) {
  if (Status status = context.checkMayBlock("pinned memory is allocated");
      !status.ok())
    return status;
  if (Status status = checkAllocation(theProperties, size); !status.ok())
    return status;
  CurrentContext current(context);
  void *memory = nullptr;
  Code code = context.api.cuMemAllocHost(&memory, size ? size : 1);
  if (code != cudaSuccess)
    return failed(code, "cuMemAllocHost", size);
  return memory;
}

void CUDADevice::freeHost(void *memory) {
  if (!memory || wasForked())
    return;
  CurrentContext current(context);
  AllowedWhileRecording allowed(context);
  context.api.cuMemFreeHost(memory);
}

Result<std::unique_ptr<Queue>> CUDADevice::createQueue() {
  if (Status status = context.checkMayBlock("a queue is created"); !status.ok())
    return status;
  CurrentContext current(context);
  StreamHandle stream = nullptr;
  if (Code code = context.api.cuStreamCreate(&stream, streamNonBlocking))
    return context.fail(code, "cuStreamCreate");
  std::unique_ptr<Queue> queue =
      std::make_unique<CUDAQueue>(context, theProperties, pitchLimit, stream);
  return queue;
}

/// "cuda:0", "cuda:1", ... of this machine.
static std::string listOf(unsigned count) {
  std::string text;
  for (unsigned number = 0; number < count; ++number)
    text += concat(number ? ", " : "", deviceName(number));
  return text;
}

/// The first usable device; if there is none, device 0, with the reason why.
static Inspected firstUsable(const Driver &driver, unsigned count) {
  for (unsigned number = 0; number < count; ++number)
    if (Inspected found = inspect(driver, number); found.problem.empty())
      return found;
  return inspect(driver, 0);
}

Result<std::unique_ptr<Device>> device::openCUDA(std::optional<unsigned> number,
                                                 const OpenOptions &options) {
  Result<Driver *> driver = theDriver();
  if (!driver.ok())
    return driver.takeStatus();
  Result<unsigned> count = countDevices(**driver);
  if (!count.ok())
    return count.takeStatus();
  if (number && *number >= *count)
    return Status::invalidArgument(concat(
        "there is no device ", deviceName(*number), ", only ", listOf(*count)));
  Inspected found =
      number ? inspect(**driver, *number) : firstUsable(**driver, *count);
  if (!found.problem.empty())
    return Status::error(StatusCode::System,
                         concat("device ", found.properties.name,
                                " cannot be used: ", found.problem));
  auto device = std::make_unique<CUDADevice>(
      **driver, std::move(found.properties), found.ordinal, options.withTiming);
  if (Status status = device->open(); !status.ok())
    return status;
  return std::unique_ptr<Device>(std::move(device));
}

//===- Build.cpp - Building OpenCL programs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the image of a module that the device prefers. If a driver announces a
// format but refuses the image, the next format is tried. The same happens if a
// CPU driver crashes on the image, which is tried in a child process first. The
// result of the build is cached.
//
//===----------------------------------------------------------------------===//

#include "../LaunchChecks.h"
#include "OpenCLKernels.h"
#include "TrialBuild.h"
#include "sluice/Base/Hash.h"
#include "sluice/Base/Store.h"
#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

namespace {
class OpenCLBuilder {
public:
  OpenCLBuilder(OpenCLContext &context, const Properties &properties,
                const SluiceDeviceModule &module)
      : context(context), properties(properties), module(module) {}
  Result<ProgramID> build(const SluiceDeviceImage &image,
                          const std::string &cache);

private:
  Result<ProgramID> create(const SluiceDeviceImage &image);
  Result<ProgramID> createFromIL(const SluiceDeviceImage &image);
  Result<ProgramID> createFromBinary(std::string_view code);
  Result<ProgramID> createFromSource(const SluiceDeviceImage &image);
  std::string options(const SluiceDeviceImage &image);
  Status compile(ProgramID program, const std::string &options);
  std::string buildLog(ProgramID program);
  std::string binaryOf(ProgramID program);

  OpenCLContext &context;
  const Properties &properties;
  const SluiceDeviceModule &module;
};
} // namespace

Result<ProgramID> OpenCLBuilder::createFromIL(const SluiceDeviceImage &image) {
  auto *create = context.api.clCreateProgramWithIL;
  const char *call = "clCreateProgramWithIL";
  // Drivers of OpenCL 1.2 and 2.0 may offer the function as an extension.
  if (void *extension = context.api.clGetExtensionFunctionAddressForPlatform(
          context.platform, "clCreateProgramWithILKHR");
      extension && !create) {
    create = reinterpret_cast<decltype(create)>(extension);
    call = "clCreateProgramWithILKHR";
  }
  if (!create)
    return Status::error(StatusCode::System,
                         "this OpenCL library has no clCreateProgramWithIL");
  Int code = Success;
  ProgramID program = create(context.handle, image.code, image.size, &code);
  if (!program)
    return context.check(code, call);
  return program;
}

Result<ProgramID> OpenCLBuilder::createFromBinary(std::string_view code) {
  const size_t size = code.size();
  auto *bytes = reinterpret_cast<const unsigned char *>(code.data());
  Int accepted = Success, result = Success;
  ProgramID program = context.api.clCreateProgramWithBinary(
      context.handle, 1, &context.device, &size, &bytes, &accepted, &result);
  if (program && accepted == Success)
    return program;
  if (program)
    context.api.clReleaseProgram(program);
  return context.check(result != Success ? result : accepted,
                       "clCreateProgramWithBinary");
}

Result<ProgramID>
OpenCLBuilder::createFromSource(const SluiceDeviceImage &image) {
  auto *text = static_cast<const char *>(image.code);
  Int code = Success;
  ProgramID program = context.api.clCreateProgramWithSource(
      context.handle, 1, &text, nullptr, &code);
  if (!program)
    return context.check(code, "clCreateProgramWithSource");
  return program;
}

Result<ProgramID> OpenCLBuilder::create(const SluiceDeviceImage &image) {
  if (image.format == SLUICE_DEVICE_SPIRV)
    return createFromIL(image);
  if (image.format == formatOpenCLC)
    return createFromSource(image);
  return createFromBinary(
      std::string_view(static_cast<const char *>(image.code), image.size));
}

std::string OpenCLBuilder::buildLog(ProgramID program) {
  const API &api = context.api;
  size_t size = 0;
  if (api.clGetProgramBuildInfo(program, context.device, ProgramBuildLog, 0,
                                nullptr, &size) != Success)
    return {};
  std::string log(size, '\0');
  if (api.clGetProgramBuildInfo(program, context.device, ProgramBuildLog, size,
                                log.data(), nullptr) != Success)
    return {};
  log = log.c_str();
  while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  return log;
}

/// Requests that division and square roots are rounded as on the host, if the
/// device supports it.
std::string OpenCLBuilder::options(const SluiceDeviceImage &image) {
  std::string text =
      image.format == SLUICE_DEVICE_SPIR ? "-x spir -spir-std=1.2" : "";
  Bits config = 0;
  bool isKnown =
      context.api.clGetDeviceInfo(context.device, UInt(DeviceSingleConfig),
                                  sizeof(config), &config, nullptr) == Success;
  if (isKnown && (config & RoundsDivisionAndSqrt))
    text += concat(text.empty() ? "" : " ",
                   "-cl-fp32-correctly-rounded-divide-sqrt");
  return text;
}

Status OpenCLBuilder::compile(ProgramID program, const std::string &options) {
  Status status = context.check(
      context.api.clBuildProgram(program, 1, &context.device, options.c_str(),
                                 nullptr, nullptr),
      "clBuildProgram");
  if (status.ok())
    return status;
  std::string log = buildLog(program);
  return Status::error(status.code(),
                       concat(status.message(), log.empty() ? "" : ":\n", log));
}

/// The machine code of a program; empty if the driver does not provide it.
std::string OpenCLBuilder::binaryOf(ProgramID program) {
  const API &api = context.api;
  size_t size = 0;
  if (api.clGetProgramInfo(program, ProgramBinarySizes, sizeof(size), &size,
                           nullptr) != Success)
    return {};
  std::string binary(size, '\0');
  char *start = binary.data();
  if (api.clGetProgramInfo(program, ProgramBinaries, sizeof(start), &start,
                           nullptr) != Success)
    return {};
  return binary;
}

/// Drivers compile slowly, so results are cached under all inputs on which they
/// depend.
static std::string entryName(const SluiceDeviceModule &module,
                             const SluiceDeviceImage &image,
                             const Properties &properties,
                             std::string_view options) {
  return ContentHash()
             .add(module.hash ? module.hash : "")
             .add({static_cast<const char *>(image.code), image.size})
             .add(uint64_t(image.format))
             .add(properties.description)
             .add(properties.driver)
             .add(properties.target)
             .add(options)
             .text() +
         ".device";
}

/// An unwritable cache is ignored: the next program builds again.
static void keep(const Store &store, const std::string &entry,
                 const std::string &binary) {
  if (!binary.empty())
    (void)store.write(entry, binary);
}

Result<ProgramID> OpenCLBuilder::build(const SluiceDeviceImage &image,
                                       const std::string &cache) {
  const std::string how = options(image);
  const Store store(StoreKind::Kernels, cache);
  const std::string entry = entryName(module, image, properties, how);
  if (std::optional<std::string> binary = store.read(entry)) {
    Result<ProgramID> program = createFromBinary(*binary);
    if (program.ok() && compile(*program, "").ok())
      return program;
    // If the driver refuses its own earlier result, the program is built again
    // below.
    if (program.ok())
      context.api.clReleaseProgram(*program);
  }
  // Only CPU drivers are tried in a child: drivers of accelerators do not work
  // in a forked process, and compile in separate processes.
  if (!properties.isAccelerator) {
    TrialBuild trial = buildInChild([&]() -> std::string {
      Result<ProgramID> program = create(image);
      return program.ok() && compile(*program, how).ok() ? binaryOf(*program)
                                                         : std::string();
    });
    if (!trial.death.empty())
      return Status::error(StatusCode::System,
                           concat("the driver was ended by ", trial.death));
    if (!trial.binary.empty()) {
      Result<ProgramID> program = createFromBinary(trial.binary);
      if (program.ok() && compile(*program, "").ok()) {
        keep(store, entry, trial.binary);
        return program;
      }
      if (program.ok())
        context.api.clReleaseProgram(*program);
    }
  }
  Result<ProgramID> program = create(image);
  if (!program.ok())
    return program;
  Status status = compile(*program, how);
  if (!status.ok()) {
    context.api.clReleaseProgram(*program);
    return status;
  }
  if (!cache.empty())
    keep(store, entry, binaryOf(*program));
  return program;
}

Result<ProgramID> opencl::buildProgram(OpenCLContext &context,
                                       const Properties &properties,
                                       const SluiceDeviceModule &module,
                                       const std::string &cache) {
  std::string problems;
  OpenCLBuilder builder(context, properties, module);
  std::vector<uint32_t> formats(properties.formats.begin(),
                                properties.formats.end());
  formats.push_back(formatOpenCLC);
  for (uint32_t format : formats)
    for (const SluiceDeviceImage &image :
         std::span(module.images, module.numImages)) {
      if (image.format != format)
        continue;
      Result<ProgramID> program = builder.build(image, cache);
      if (program.ok())
        return program;
      problems += concat(problems.empty() ? "" : "\n", formatName(format), ": ",
                         program.status().message());
    }
  if (problems.empty())
    return noImageError(module, properties);
  return Status::error(StatusCode::System,
                       concat("kernels ", quoted(module.name),
                              " cannot be built for ", properties.name, " (",
                              properties.description, "): ", problems));
}

//===- CUDAModule.cpp - Kernels on CUDA devices ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver compiles PTX to machine code when a module is loaded, and keeps
// the result in its own cache (~/.nv/ComputeCache, by PTX, device and driver).
// So Sluice caches nothing here.
//
//===----------------------------------------------------------------------===//

#include "CUDAModule.h"
#include "../LaunchChecks.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <array>
#include <string_view>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::cuda;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// Messages of the driver's compiler.
struct BuildLog {
  std::array<char, 16384> errors{}, information{};

  Code load(const Api &api, ModuleHandle &module, const void *code) {
    int options[] = {jitErrorLogBuffer, jitErrorLogBufferSize, jitInfoLogBuffer,
                     jitInfoLogBufferSize};
    auto size = [](auto &buffer) {
      return reinterpret_cast<void *>(uintptr_t(buffer.size() - 1));
    };
    void *values[] = {errors.data(), size(errors), information.data(),
                      size(information)};
    return api.cuModuleLoadDataEx(&module, code, std::size(options), options,
                                  values);
  }

  /// The error log, or else the information log, without trailing empty lines.
  std::string text() const {
    std::string_view text = errors.data();
    if (text.empty())
      text = information.data();
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
      text.remove_suffix(1);
    return text.empty() ? "" : concat('\n', text);
  }
};
} // namespace

/// The kernels of PTX: "saxpy;stencil".
static std::string listEntries(std::string_view code) {
  constexpr std::string_view directive = ".entry ";
  std::string names;
  for (size_t at = code.find(directive); at != code.npos;
       at = code.find(directive, at)) {
    at += directive.size();
    size_t end = code.find_first_of("( \t\n", at);
    names += concat(names.empty() ? "" : ";", code.substr(at, end - at));
  }
  return names;
}

Result<std::unique_ptr<Module>>
cuda::loadModule(CUDAContext &context, const Properties &properties,
                 const SluiceDeviceModule &module) {
  if (Status status = context.checkMayBlock("a module is loaded"); !status.ok())
    return status;
  Result<const SluiceDeviceImage *> image =
      chooseImage(module, properties.name, properties.target);
  if (!image.ok())
    return image.takeStatus();
  CurrentContext current(context);
  ModuleHandle handle = nullptr;
  auto log = std::make_unique<BuildLog>();
  Code code = log->load(context.api, handle, (*image)->code);
  if (code != cudaSuccess) {
    Status status = context.fail(code, "cuModuleLoadDataEx");
    return Status::error(status.code(),
                         concat("cannot build ", quoted(module.name),
                                ", PTX for ", (*image)->target, ", on ",
                                properties.target, ": ", status.message(),
                                log->text()));
  }
  std::unique_ptr<Module> result = std::make_unique<CUDAModule>(
      context, properties, module.name ? module.name : "",
      listEntries(static_cast<const char *>((*image)->code)), handle);
  return result;
}

CUDAModule::~CUDAModule() {
  if (wasForked())
    return;
  CurrentContext current(context);
  AllowedWhileRecording allowed(context);
  context.api.cuModuleUnload(handle);
}

Result<DeviceKernel *> CUDAModule::kernel(const char *entry) {
  std::lock_guard lock(mutex);
  if (auto found = kernels.find(entry); found != kernels.end())
    return found->second.get();
  if (Status status = context.checkMayBlock("a kernel is loaded"); !status.ok())
    return status;
  CurrentContext current(context);
  FunctionHandle function = nullptr;
  if (Code code = context.api.cuModuleGetFunction(&function, handle, entry)) {
    if (code == cudaNotFound)
      return missingKernelError(name.c_str(), entry, entries);
    return context.fail(code, "cuModuleGetFunction");
  }
  auto kernel = std::make_unique<CUDAKernel>(context, entry, function);
  if (Status status = kernel->inspect(properties); !status.ok())
    return status;
  return kernels.emplace(entry, std::move(kernel)).first->second.get();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Status CUDAKernel::attribute(int &value, FunctionAttribute attribute) {
  return context.check(
      context.api.cuFuncGetAttribute(&value, attribute, function),
      "cuFuncGetAttribute");
}

Status CUDAKernel::inspect(const Properties &properties) {
  int items = 0, fixedShared = 0, shared = 0;
  if (Status s = attribute(items, functionMaxThreadsPerBlock); !s.ok())
    return s;
  if (Status s = attribute(fixedShared, functionSharedSize); !s.ok())
    return s;
  if (Status s = attribute(shared, functionMaxDynamicSharedSize); !s.ok())
    return s;
  maxGroup = uint64_t(items);
  sharedAllowed = uint64_t(std::max(shared, 0));
  uint64_t fixed = uint64_t(fixedShared);
  sharedLimit =
      properties.localMemory > fixed ? properties.localMemory - fixed : 0;
  sharedLimit = std::max(sharedLimit, sharedAllowed.load());
  findParameters();
  return findGoodGroup();
}

/// Chooses the group size that keeps the maximum number of items on a
/// multiprocessor; 256 if that keeps as many, since smaller groups are
/// distributed more evenly at the end of a grid.
Status CUDAKernel::findGoodGroup() {
  const Api &api = context.api;
  int grid = 0, best = 0;
  if (Code code = api.cuOccupancyMaxPotentialBlockSize(&grid, &best, function,
                                                       nullptr, 0, 0))
    return context.fail(code, "cuOccupancyMaxPotentialBlockSize");
  goodGroup = uint64_t(std::max(best, 1));
  constexpr int usual = 256;
  if (best <= usual)
    return {};
  auto itemsAtOnce = [&](int group) {
    int groups = 0;
    Code code = api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &groups, function, group, 0);
    return code == cudaSuccess ? groups * group : 0;
  };
  if (itemsAtOnce(usual) >= itemsAtOnce(best))
    goodGroup = usual;
  return {};
}

void CUDAKernel::findParameters() {
  if (!context.api.cuFuncGetParamInfo)
    return;
  // The driver returns an error for the first index without a parameter.
  constexpr size_t maxParameters = 65536;
  size_t offset = 0, size = 0;
  Code code = cudaSuccess;
  while (code == cudaSuccess && parameterSizes.size() < maxParameters) {
    code = context.api.cuFuncGetParamInfo(function, parameterSizes.size(),
                                          &offset, &size);
    if (code == cudaSuccess)
      parameterSizes.push_back(size);
  }
  knowsParameters = code == cudaInvalidValue;
}

Status CUDAKernel::raiseShared(uint64_t size) {
  if (size > sharedLimit)
    return Status::invalidArgument(
        concat("kernel ", quoted(name), " is given ", size,
               " bytes of local memory per group, but can have ", sharedLimit,
               " on device ", context.name));
  if (Status status = context.checkUsable(); !status.ok())
    return status;
  CurrentContext current(context);
  Code code = context.api.cuFuncSetAttribute(
      function, functionMaxDynamicSharedSize, int(sharedLimit));
  if (code != cudaSuccess)
    return context.fail(code, "cuFuncSetAttribute");
  sharedAllowed.store(sharedLimit, std::memory_order_relaxed);
  return {};
}

/// The number of bytes that the driver copies for an argument. Addresses, and
/// offsets into shared memory, have 64 bits.
static uint64_t passedSize(const KernelArgument &argument) {
  return argument.kind == KernelArgument::Kind::Value ? argument.size : 8;
}

Status CUDAKernel::check(const Properties &properties, const LaunchShape &shape,
                         std::span<const KernelArgument> arguments) const {
  LaunchLimits limits{properties, name, maxGroup,
                      knowsParameters ? parameterSizes.size()
                                      : arguments.size()};
  if (Status status = checkLaunch(limits, shape, arguments); !status.ok())
    return status;
  for (size_t i = 0; knowsParameters && i < arguments.size(); ++i)
    if (passedSize(arguments[i]) != parameterSizes[i])
      return Status::invalidArgument(
          concat("argument ", i, " of kernel ", quoted(name), " has ",
                 parameterSizes[i], " bytes, but is given ",
                 passedSize(arguments[i])));
  return {};
}

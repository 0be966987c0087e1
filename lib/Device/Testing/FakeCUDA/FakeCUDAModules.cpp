//===- FakeCUDAModules.cpp - Modules and kernels of the fake --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel runs as the host function that a test has set for it; otherwise its
// PTX is interpreted.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDAModel.h"

#include <algorithm>

using namespace fake;

#define EXPORT extern "C" __attribute__((visibility("default"))) Code

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// The logs that a caller requests.
struct Logs {
  char *text[2] = {};
  size_t size[2] = {};
  const char *problem = nullptr;

  Logs(unsigned count, const int *options, void **values) {
    for (unsigned i = 0; i < count; ++i) {
      size_t which = options[i] == jitErrorLogBuffer ||
                     options[i] == jitErrorLogBufferSize;
      if (options[i] == jitInfoLogBuffer || options[i] == jitErrorLogBuffer)
        text[which] = static_cast<char *>(values[i]);
      else if (options[i] == jitInfoLogBufferSize ||
               options[i] == jitErrorLogBufferSize)
        size[which] = size_t(uintptr_t(values[i]));
      else
        problem = "an unknown option";
    }
    for (int i = 0; i < 2; ++i)
      if (!text[i] != !size[i])
        problem = "a log without a size, or the reverse";
  }
  void write(int which, const std::string &message) {
    if (size[which])
      snprintf(text[which], size[which], "%s", message.c_str());
  }
};
} // namespace

static Code readModule(const char *image, const FakeCUDAOptions &options,
                       CUmod_st &module, std::string &log) {
  try {
    module.code = parsePTX(image);
  } catch (const PTXError &error) {
    log = std::string("ptxas application ptx input: ") + error.what();
    return invalidPTX;
  }
  // CUDA 11.4 supports PTX 7.4, 12.0 supports 8.0, 13.0 supports 9.0.
  int newest = (options.version / 1000 - 4) * 10 + options.version % 1000 / 10;
  if (module.code.version > newest) {
    log = "Unsupported .version";
    return unsupportedPTXVersion;
  }
  unsigned chip = unsigned(options.computeMajor * 10 + options.computeMinor);
  if (module.code.target <= chip)
    return cudaSuccess;
  log = "SM version specified by .target is higher than default SM version "
        "assumed";
  return invalidPTX;
}

static void addFunctions(CUmod_st &module, const FakeCUDAOptions &options) {
  for (const auto &[name, code] : module.code.functions) {
    if (!code.isEntry)
      continue;
    auto function = std::make_unique<CUfunc_st>();
    function->module = &module;
    function->code = &code;
    function->dynamicShared =
        std::max(options.sharedPerBlock - int(module.code.sharedSize), 0);
    module.functions[name] = std::move(function);
  }
}

EXPORT cuModuleLoadDataEx(ModuleHandle *result, const void *image,
                          unsigned numOptions, int *options, void **values) {
  Call call("cuModuleLoadDataEx", context | noCapture);
  if (call.code)
    return call.code;
  Logs logs(numOptions, options, values);
  if (logs.problem)
    return call.violation(cudaInvalidValue, logs.problem);
  auto module = std::make_unique<CUmod_st>();
  module->context = threadState.current;
  std::string log;
  Code code = readModule(static_cast<const char *>(image), call.world.options,
                         *module, log);
  if (code != cudaSuccess) {
    logs.write(1, log);
    return code;
  }
  logs.write(0, "ptxas info: done");
  addFunctions(*module, call.world.options);
  for (auto &[name, variable] : module->code.globals) {
    auto memory =
        allocateMemory(call.world, std::max<uint64_t>(variable.size, 1));
    // Variables without contents are zero.
    std::memset(memory->bytes.get(), 0, memory->size);
    std::copy(variable.contents.begin(), variable.contents.end(),
              memory->bytes.get());
    variable.offset = memory->address;
    module->memory.push_back(memory);
  }
  *result = module.get();
  call.world.modules.push_back(std::move(module));
  return cudaSuccess;
}

EXPORT cuModuleUnload(ModuleHandle module) {
  Call call("cuModuleUnload", context | noCapture);
  if (call.code)
    return call.code;
  if (!call.isGood(module))
    return invalidHandle;
  module->isAlive = false;
  for (const auto &memory : module->memory) {
    if (memory->uses)
      call.world.violate("cuModuleUnload: a kernel under way is of the module");
    memory->isFreed = true;
    std::erase(call.world.allocations, memory);
  }
  return cudaSuccess;
}

EXPORT cuModuleGetFunction(FunctionHandle *result, ModuleHandle module,
                           const char *name) {
  Call call("cuModuleGetFunction", context);
  if (call.code)
    return call.code;
  if (!call.isGood(module))
    return invalidHandle;
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return notFound;
  *result = found->second.get();
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Code checkFunction(Call &call, FunctionHandle function) {
  if (call.code)
    return call.code;
  return function && call.isGood(function->module) ? cudaSuccess
                                                   : invalidHandle;
}

EXPORT cuFuncGetAttribute(int *value, int attribute, FunctionHandle function) {
  Call call("cuFuncGetAttribute", context);
  if (Code code = checkFunction(call, function))
    return code;
  switch (attribute) {
  case functionMaxThreadsPerBlock:
    *value = function->code->maxThreads;
    return cudaSuccess;
  case functionSharedSize:
    *value = int(function->module->code.sharedSize);
    return cudaSuccess;
  case functionMaxDynamicSharedSize:
    *value = function->dynamicShared;
    return cudaSuccess;
  }
  return call.violation(cudaInvalidValue, "an unknown attribute");
}

EXPORT cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
  Call call("cuFuncSetAttribute", context);
  if (Code code = checkFunction(call, function))
    return code;
  if (attribute != functionMaxDynamicSharedSize)
    return call.violation(cudaInvalidValue, "an unknown attribute");
  int max = call.world.options.sharedPerBlockOptin -
            int(function->module->code.sharedSize);
  if (value < 0 || value > max)
    return call.violation(cudaInvalidValue, "too much shared memory");
  function->dynamicShared = value;
  return cudaSuccess;
}

EXPORT cuFuncGetParamInfo(FunctionHandle function, size_t index, size_t *offset,
                          size_t *size) {
  Call call("cuFuncGetParamInfo", context);
  if (Code code = checkFunction(call, function))
    return code;
  const PTXFunction &code = *function->code;
  if (index >= code.parameters.size())
    return cudaInvalidValue;
  const PTXVariable &parameter = code.variables.at(code.parameters[index]);
  *offset = parameter.offset;
  *size = parameter.size;
  return cudaSuccess;
}

EXPORT cuOccupancyMaxPotentialBlockSize(int *minGrid, int *block,
                                        FunctionHandle function,
                                        size_t (*)(int), size_t, int) {
  Call call("cuOccupancyMaxPotentialBlockSize", context);
  if (Code code = checkFunction(call, function))
    return code;
  *block = function->code->maxThreads;
  *minGrid = 264;
  return cudaSuccess;
}

EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                   FunctionHandle function,
                                                   int block, size_t) {
  Call call("cuOccupancyMaxActiveBlocksPerMultiprocessor", context);
  if (Code code = checkFunction(call, function))
    return code;
  if (block < 1 || block > function->code->maxThreads)
    return call.violation(cudaInvalidValue, "no such size of blocks");
  *blocks = 2048 / block;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// One launch, run by a stream.
class Launch final : public FakeLaunch {
public:
  Code run();
  unsigned char *memory(uint64_t address, uint64_t size) override;
  void fail(int failure) override { code = failure; }

  const PTXModule *module = nullptr;
  const PTXFunction *function = nullptr;
  ContextHandle context = nullptr;

private:
  void interpret();
  void release();

  std::vector<std::shared_ptr<Allocation>> touched;
  Code code = cudaSuccess;
};
} // namespace

/// Memory is looked up once per launch, which uses it from then on.
unsigned char *Launch::memory(uint64_t address, uint64_t size) {
  for (const auto &known : touched) {
    uint64_t offset = address - known->address;
    if (address >= known->address && offset <= known->size &&
        size <= known->size - offset)
      return known->bytes.get() + offset;
  }
  World &world = World::get();
  std::lock_guard lock(world.mutex);
  std::shared_ptr<Allocation> found =
      world.find(address, size, ("kernel " + function->name).c_str());
  if (!found || found->context != context) {
    code = cudaIllegalAddress;
    return nullptr;
  }
  ++found->uses;
  touched.push_back(found);
  return found->bytes.get() + (address - found->address);
}

void Launch::release() {
  World &world = World::get();
  std::lock_guard lock(world.mutex);
  for (const auto &allocation : touched)
    --allocation->uses;
  touched.clear();
  world.changed.notify_all();
}

void Launch::interpret() {
  PTXLaunch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamicShared = shared;
  launch.parameters.resize(function->paramSize);
  for (size_t i = 0; i < parameters.size(); ++i)
    std::copy(parameters[i].begin(), parameters[i].end(),
              launch.parameters.begin() +
                  long(function->variables.at(function->parameters[i]).offset));
  launch.memory = [this](uint64_t address, uint64_t size) {
    return memory(address, size);
  };
  try {
    runPTX(*module, *function, launch);
  } catch (const PTXError &error) {
    World &world = World::get();
    std::lock_guard lock(world.mutex);
    world.violate(error.what());
    if (code == cudaSuccess)
      code = cudaLaunchFailed;
  }
}

Code Launch::run() {
  FakeKernel kernel;
  {
    World &world = World::get();
    std::lock_guard lock(world.mutex);
    auto found = world.kernels.find(function->name);
    if (found != world.kernels.end())
      kernel = found->second;
  }
  code = cudaSuccess;
  if (kernel)
    kernel(*this);
  else
    interpret();
  release();
  return code;
}

static const char *problemOf(const Launch &launch, const CUfunc_st &function,
                             const FakeCUDAOptions &options) {
  auto isBetween = [](unsigned value, unsigned max) {
    return value >= 1 && value <= max;
  };
  if (!isBetween(launch.grid[0], 2147483647) ||
      !isBetween(launch.grid[1], 65535) || !isBetween(launch.grid[2], 65535))
    return "an impossible grid";
  if (!isBetween(launch.block[0], 1024) || !isBetween(launch.block[1], 1024) ||
      !isBetween(launch.block[2], 64) ||
      launch.threadsPerBlock() > uint64_t(function.code->maxThreads))
    return "an impossible block";
  if (function.code->requiredBlock &&
      *function.code->requiredBlock != launch.block)
    return "another block than .reqntid says";
  if (int64_t(launch.shared) > function.dynamicShared)
    return "more shared memory than allowed";
  return nullptr;
}

EXPORT cuLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned shared, StreamHandle stream,
                      void **parameters, void **extra) {
  Use use(stream->users, "cuLaunchKernel", "a stream");
  Call call("cuLaunchKernel", context);
  if (Code code = checkFunction(call, function))
    return code;
  if (!call.isGood(stream))
    return invalidHandle;
  auto launch = std::make_shared<Launch>();
  launch->grid = {gridX, gridY, gridZ};
  launch->block = {blockX, blockY, blockZ};
  launch->shared = shared;
  launch->module = &function->module->code;
  launch->function = function->code;
  launch->context = threadState.current;
  if (const char *problem = problemOf(*launch, *function, call.world.options))
    return call.violation(cudaInvalidValue, problem);
  if (extra || (!parameters && !function->code->parameters.empty()))
    return call.violation(cudaInvalidValue, "no parameters");
  const PTXFunction &code = *function->code;
  for (size_t i = 0; i < code.parameters.size(); ++i) {
    auto *bytes = static_cast<unsigned char *>(parameters[i]);
    if (!bytes)
      return call.violation(cudaInvalidValue, "a null parameter");
    uint64_t size = code.variables.at(code.parameters[i]).size;
    launch->parameters.emplace_back(bytes, bytes + size);
  }
  Operation operation;
  operation.touches = function->module->memory;
  operation.work = [launch] { return launch->run(); };
  return submit(call, stream, std::move(operation));
}

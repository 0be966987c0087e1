//===- DeviceCode.cpp - The device kernels of a program -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "sluice/CodeGen/SPIRVWords.h"
#include "sluice/Device/Device.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <cstdlib>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::DeviceCodeOptions;
using codegen::DeviceNode;
using codegen::PlanModel;

void driver::applyHint(mlir::ModuleOp graphs, dfg::Target hint) {
  graphs.walk([&](dfg::KernelOp kernel) { kernel.setTarget(hint); });
  graphs.walk([&](dfg::GraphOp graph) { graph.setTarget(hint); });
}

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

static std::string pathOfWorker() {
  SmallString<128> path(toolFolder());
  sys::path::append(path, "sluice-device-codegen");
  return sys::fs::can_execute(path) ? path.str().str() : std::string();
}

static std::string pathOfTranslator() {
  ErrorOr<std::string> found = sys::findProgramByName("llvm-spirv-15");
  return found ? *found : std::string();
}

/// The path of CUDA's math library, if CUDA is installed.
static std::string pathOfLibdevice() {
  SmallVector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(name); folder && *folder)
      folders.push_back(std::string(folder) + "/nvvm/libdevice");
  folders.push_back("/usr/local/cuda/nvvm/libdevice");
  // Debian's package nvidia-cuda-toolkit.
  folders.push_back("/usr/lib/nvidia-cuda-toolkit/libdevice");
  for (const std::string &folder : folders)
    if (std::string path = folder + "/libdevice.10.bc"; sys::fs::exists(path))
      return path;
  return "";
}

/// The driver's own files describe the GPUs of this machine.
static std::string describeGPUs() {
  std::string text;
  std::error_code problem;
  for (sys::fs::directory_iterator gpu("/proc/driver/nvidia/gpus", problem),
       end;
       !problem && gpu != end; gpu.increment(problem))
    if (auto file = MemoryBuffer::getFileAsStream(gpu->path() + "/information"))
      text += (*file)->getBuffer().str();
  if (const char *visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    text += visible;
  return text;
}

std::string driver::describeDeviceTools() {
  std::string text;
  for (const std::string &path :
       {pathOfWorker(), pathOfTranslator(), pathOfLibdevice()})
    text += path + " " + fileStamp(path) + "\n";
  return text + describeGPUs();
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

static bool asksForDevice(const codegen::FlatNode &node) {
  return node.target == dfg::Target::Gpu ||
         node.target == dfg::Target::CpuOrGpu;
}

static bool asksForDevice(ArrayRef<PlanModel> models) {
  return any_of(models, [](const PlanModel &model) {
    return any_of(model.nodes, [](const codegen::FlatNode &node) {
      return asksForDevice(node);
    });
  });
}

std::optional<DeviceCodeOptions>
driver::deviceOptions(const BuildOptions &options, ArrayRef<PlanModel> models,
                      const TargetMachine &machine) {
  const ProgramOptions &program = options.program;
  if (program.isReference || program.isChecked || !asksForDevice(models))
    return std::nullopt;
  DeviceCodeOptions result;
  result.optimizationLevel = program.optimizationLevel;
  result.libdevice = pathOfLibdevice();
  result.translator = pathOfTranslator();
  result.worker = pathOfWorker();
  result.fusesMultiplyAdd = codegen::fusesMultiplyAdd(machine);
  result.keepsNeutral = options.print == Stage::Device;
  if (!options.deviceChip.empty())
    result.chip = options.deviceChip;
  else if (options.findChip)
    if (std::string chip = options.findChip(); !chip.empty())
      result.chip = chip;
  return result;
}

Expected<std::optional<codegen::DeviceProgram>>
driver::emitDevices(Program &program, const BuildOptions &options,
                    ArrayRef<PlanModel> models) {
  auto machine = codegen::createTargetMachine(
      options.program.cpu, options.program.optimizationLevel);
  if (!machine)
    return machine.takeError();
  std::optional<DeviceCodeOptions> device =
      deviceOptions(options, models, **machine);
  if (!device)
    return std::nullopt;
  auto devices = codegen::emitDeviceProgram(*program.code, models, *device);
  if (!devices)
    return devices.takeError();
  return std::move(*devices);
}

//===----------------------------------------------------------------------===//
// What cannot run on a device
//===----------------------------------------------------------------------===//

static SourcePlace placeOfNode(mlir::Location location) {
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file)
    return {};
  return {file.getFilename().str(), file.getLine(), file.getColumn()};
}

/// Removes "file.c:3:14: " from the front of `problem`; unknown if there is
/// none.
static SourcePlace takePlace(StringRef &problem) {
  SmallVector<StringRef> parts;
  static const Regex pattern("^([^:]+):([0-9]+):([0-9]+): ");
  if (!pattern.match(problem, &parts))
    return {};
  SourcePlace place{parts[1].str()};
  (void)parts[2].getAsInteger(10, place.line);
  (void)parts[3].getAsInteger(10, place.column);
  problem = problem.drop_front(parts[0].size());
  return place;
}

void driver::describeHostNodes(ArrayRef<PlanModel> models,
                               const codegen::DeviceProgram &devices,
                               Diagnostics &diagnostics) {
  // Messages that are the same for several nodes of one leaf are reported once.
  std::map<std::tuple<SourcePlace, std::string, std::string>, Diagnostic *>
      given;
  auto remark = [&](const codegen::FlatNode &node, StringRef problem,
                    const std::string &consequence) {
    SourcePlace place = takePlace(problem);
    Diagnostic *&known = given[{place, problem.str(), consequence}];
    if (known && place.isKnown()) {
      known->note(placeOfNode(node.location),
                  "the same holds for '" + node.name + "'");
      return;
    }
    known = &diagnostics.remark(
        place.isKnown() ? place : placeOfNode(node.location),
        "node '" + node.name + "' " + consequence + ": " + problem.str());
  };
  for (const auto &[model, nodes] : zip(models, devices.nodes))
    for (const auto &[node, device] : zip(model.nodes, nodes)) {
      if (asksForDevice(node) && device.entry.empty())
        remark(node, device.problem, "runs on the host");
      for (const codegen::DeviceLack &lack : device.lacks)
        remark(node, lack.problem,
               "runs on the host where a device takes " +
                   std::string(device::formatName(lack.format)));
    }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string spellParameter(const codegen::DeviceParameter &parameter) {
  if (parameter.dataset)
    return "dataset '" + parameter.dataset->getName().str() + "'";
  std::string offset = " at frame offset " + utostr(parameter.frameOffset);
  std::string size = utostr(parameter.size) + " bytes";
  auto access = [&] {
    return dfg::spellAccess(static_cast<dfg::Access>(parameter.access)).str();
  };
  switch (parameter.kind) {
  case SLUICE_DEVICE_VALUE:
    return "value of " + size + offset;
  case SLUICE_DEVICE_POINTER:
    return "memory, " + access() + ", whose address stands" + offset;
  case SLUICE_DEVICE_FRAME:
    return "frame";
  case SLUICE_DEVICE_ARRAY:
    return "array of elements of " + size + ", " + access() +
           ", whose address stands" + offset;
  case SLUICE_DEVICE_EXTENT:
    return "extent " + utostr(parameter.index);
  case SLUICE_DEVICE_LAUNCH:
    return "number of the launch";
  case SLUICE_DEVICE_LOCAL:
    return "local memory " + utostr(parameter.index);
  case SLUICE_DEVICE_FIRST:
    return "first slab";
  case SLUICE_DEVICE_END:
    return "end of the slabs";
  }
  return "unknown";
}

static void printDeviceNode(const codegen::FlatNode &node,
                            const DeviceNode &device) {
  outs() << "  node '" << node.name << "' ";
  if (device.entry.empty()) {
    outs() << "runs on the host"
           << (device.problem.empty() ? "" : ": " + device.problem) << '\n';
    return;
  }
  outs() << "kernel '" << device.entry << "'";
  if (device.gridLevel == SLUICE_NO_INDEX)
    outs() << ", one " << (device.isGrouped ? "group" : "instance");
  else
    outs() << ", " << (device.isGrouped ? "groups" : "instances")
           << " of level " << device.gridLevel;
  if (device.numLaunchLevels)
    outs() << ", a launch for each instance of " << device.numLaunchLevels
           << " levels";
  if (device.numPhases)
    outs() << ", in " << device.numPhases << " phases";
  outs() << '\n';
  for (const codegen::DeviceLack &lack : device.lacks)
    outs() << "    not in " << device::formatName(lack.format) << ": "
           << lack.problem << '\n';
  for (const codegen::DeviceParameter &parameter : device.parameters)
    outs() << "    " << spellParameter(parameter) << '\n';
  for (const SluiceDeviceForward &forward : device.forwards)
    outs() << "    output at frame offset " << forward.to << " is the input at "
           << forward.from << '\n';
}

static void printKernels(ArrayRef<PlanModel> models,
                         const codegen::DeviceProgram &devices) {
  for (const auto &[model, nodes] : zip(models, devices.nodes)) {
    outs() << "device kernels of plan '" << model.name << "'\n";
    for (const auto &[node, device] : zip(model.nodes, nodes))
      printDeviceNode(node, device);
  }
  for (const codegen::DeviceImage &image : devices.images)
    outs() << "image " << device::formatName(image.format)
           << (image.target.empty() ? "" : " for " + image.target) << ", "
           << image.code.size() << " bytes\n";
  if (!devices.neutral.empty())
    outs() << "\nbefore any back end:\n" << devices.neutral;
}

/// Runs a tool on a file that holds `code`.
static Error showSPIRV(StringRef code, const std::string &tool,
                       ArrayRef<std::string> before,
                       ArrayRef<std::string> after) {
  Expected<std::string> path = writeTemporary(code, ".spv");
  if (!path)
    return path.takeError();
  FileRemover remover(*path);
  outs().flush();
  SmallVector<std::string> arguments(before);
  arguments.push_back(*path);
  append_range(arguments, after);
  return runTool(tool, arguments);
}

/// Prints SPIR-V as text with any suitable program of this machine.
static Error printSPIRV(StringRef code) {
  if (ErrorOr<std::string> tool = sys::findProgramByName("spirv-dis"))
    return showSPIRV(code, *tool, {}, {});
  std::string translator = pathOfTranslator();
  if (translator.empty())
    return createStringError("showing SPIR-V as text needs 'spirv-dis' "
                             "(package spirv-tools) or 'llvm-spirv-15'");
  Expected<std::string> readable = codegen::rewriteForOldTranslator(code);
  if (!readable)
    return readable.takeError();
  return showSPIRV(*readable, translator, {"--to-text"}, {"-o", "-"});
}

Error driver::printDeviceStage(Stage stage, ArrayRef<PlanModel> models,
                               const codegen::DeviceProgram &devices) {
  if (stage == Stage::Device) {
    printKernels(models, devices);
    return Error::success();
  }
  SluiceDeviceFormat wanted =
      stage == Stage::PTX ? SLUICE_DEVICE_PTX : SLUICE_DEVICE_SPIRV;
  for (const codegen::DeviceImage &image : devices.images) {
    if (image.format != wanted)
      continue;
    if (wanted == SLUICE_DEVICE_SPIRV)
      return printSPIRV(image.code);
    outs() << StringRef(image.code.c_str());
    return Error::success();
  }
  return createStringError("no node has a device kernel; --print=device says "
                           "why");
}

//===- DeviceProgram.cpp - Device kernels of a program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns all nodes that may run on a device into the images in the program:
// builds each kernel, merges equal ones, runs the back ends, and reports which
// nodes stay on the host and why.
//
//===----------------------------------------------------------------------===//

#include "../KernelEmitter.h"
#include "../ReductionNodes.h"
#include "GroupSizeFunction.h"
#include "KernelBuilder.h"
#include "NeutralForm.h"
#include "Refusal.h"
#include "Targets/DeviceTarget.h"
#include "Touch/Touch.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

#include <map>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

static bool asksForDevice(const FlatNode &node) {
  return node.target == dfg::Target::Gpu ||
         node.target == dfg::Target::CpuOrGpu;
}

void codegen::addLeaves(mlir::Operation *callee, const Module &module,
                        SetVector<Function *> &leaves) {
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    if (Function *leaf = module.getFunction(kernel.getCodeName()))
      leaves.insert(leaf);
    return;
  }
  for (NodeOp child : cast<GraphOp>(callee).getBody().front().getOps<NodeOp>())
    addLeaves(child.resolveCallee(), module, leaves);
}

static SetVector<Function *> leavesOf(const Module &module,
                                      ArrayRef<PlanModel> models) {
  SetVector<Function *> leaves;
  for (const PlanModel &model : models)
    for (const FlatNode &node : model.nodes)
      if (asksForDevice(node))
        addLeaves(NodeOp(node.body).resolveCallee(), module, leaves);
  return leaves;
}

namespace {
class ProgramEmitter {
public:
  ProgramEmitter(Module &module, ArrayRef<PlanModel> models,
                 const DeviceCodeOptions &options)
      : module(module), models(models), options(options) {}

  Expected<DeviceProgram> emit();

private:
  Module &module;
  ArrayRef<PlanModel> models;
  const DeviceCodeOptions &options;
  std::unique_ptr<Module> neutral;
  StringSet<> entries;
  DeviceProgram program;

  std::string entryName(const FlatNode &node);
  Error emitNode(const PlanModel &model, const FlatNode &node,
                 ArrayRef<DeviceNode> known, DeviceNode &device);
  Error emitImages();
  void shareKernels();
  void dropRefused(ArrayRef<KernelProblem> problems);
};
} // namespace

/// A name that every format accepts, unique in the program.
std::string ProgramEmitter::entryName(const FlatNode &node) {
  std::string name = "sluice_";
  for (char c : node.name)
    name += isAlnum(c) ? c : '_';
  std::string unique = name;
  for (unsigned number = 2; !entries.insert(unique).second; ++number)
    unique = name + "_" + std::to_string(number);
  return unique;
}

Error ProgramEmitter::emitNode(const PlanModel &model, const FlatNode &node,
                               ArrayRef<DeviceNode> known, DeviceNode &device) {
  if (node.orderedDims) {
    std::string place = spellLocation(node.location);
    return createStringError(place + (place.empty() ? "" : ": ") + "node '" +
                             node.name +
                             "': its instances run in order, which only the "
                             "host does");
  }
  KernelBuilder builder(*neutral, module, model, node, known, options);
  DeviceNode made;
  Expected<Function *> kernel = builder.build(entryName(node), made);
  if (!kernel)
    return kernel.takeError();
  if (made.isGrouped) {
    Expected<Function *> group = emitGroupFunction(
        module, model, node, known, builder, "sluice." + node.name + ".group");
    if (!group) {
      (*kernel)->eraseFromParent();
      return group.takeError();
    }
    made.group = *group;
  }
  // The memory that a phase touches follows from the previous phase.
  if (!isReduction(node))
    made.touch =
        emitTouch(module, **kernel, made, "sluice." + node.name + ".touch");
  device = std::move(made);
  return Error::success();
}

/// Nodes whose kernels have the same code share one kernel, since drivers take
/// long to build each.
void ProgramEmitter::shareKernels() {
  GlobalNumberState globals;
  std::map<uint64_t, std::vector<Function *>> byHash;
  for (std::vector<DeviceNode> &nodes : program.nodes)
    for (DeviceNode &device : nodes) {
      Function *kernel = neutral->getFunction(device.entry);
      if (device.entry.empty() || !kernel)
        continue;
      std::vector<Function *> &alike = byHash[StructuralHash(*kernel)];
      auto same = find_if(alike, [&](Function *other) {
        return FunctionComparator(kernel, other, &globals).compare() == 0;
      });
      if (same == alike.end()) {
        alike.push_back(kernel);
        continue;
      }
      device.entry = (*same)->getName().str();
      globals.erase(kernel);
      kernel->eraseFromParent();
    }
}

/// Whether some image has the kernel of these problems. SPIR is made from
/// SPIR-V and lacks the same kernels.
static bool isAnywhere(ArrayRef<DeviceImage> images,
                       ArrayRef<DeviceLack> lacks) {
  auto isLacking = [&](SluiceDeviceFormat format) {
    return any_of(lacks, [&](const DeviceLack &lack) {
      return lack.format == format || (format == SLUICE_DEVICE_SPIR &&
                                       lack.format == SLUICE_DEVICE_SPIRV);
    });
  };
  return any_of(images, [&](const DeviceImage &image) {
    return !isLacking(image.format);
  });
}

/// Kernels that all back ends rejected run on the host.
void ProgramEmitter::dropRefused(ArrayRef<KernelProblem> problems) {
  StringMap<std::vector<DeviceLack>> lacks;
  for (const KernelProblem &problem : problems)
    lacks[problem.entry].push_back({problem.format, problem.problem});
  for (std::vector<DeviceNode> &nodes : program.nodes)
    for (DeviceNode &device : nodes) {
      auto found = lacks.find(device.entry);
      if (found == lacks.end())
        continue;
      if (isAnywhere(program.images, found->second)) {
        device.lacks = found->second;
        continue;
      }
      device = DeviceNode();
      device.problem = found->second.front().problem;
    }
}

static std::string hashOf(ArrayRef<DeviceImage> images) {
  SHA256 hash;
  for (const DeviceImage &image : images) {
    uint64_t header[] = {static_cast<uint64_t>(image.format),
                         image.target.size(), image.code.size()};
    hash.update(
        StringRef(reinterpret_cast<const char *>(header), sizeof(header)));
    hash.update(image.target);
    hash.update(image.code);
  }
  return toHex(hash.final(), /*LowerCase=*/true);
}

Error ProgramEmitter::emitImages() {
  std::vector<KernelProblem> problems;
  Expected<std::vector<DeviceImage>> images =
      codegen::emitImages(*neutral, options, problems);
  if (!images)
    return images.takeError();
  program.images = std::move(*images);
  dropRefused(problems);
  program.hash = hashOf(program.images);
  return Error::success();
}

Expected<DeviceProgram> ProgramEmitter::emit() {
  neutral = cloneForDevices(module, leavesOf(module, models).getArrayRef());
  bool hasKernels = false;
  for (const PlanModel &model : models) {
    std::vector<DeviceNode> nodes(model.nodes.size());
    for (auto [index, node] : enumerate(model.nodes)) {
      if (!asksForDevice(node))
        continue;
      if (Error error = emitNode(model, node, nodes, nodes[index]))
        nodes[index].problem = toString(std::move(error));
      else
        hasKernels = true;
    }
    program.nodes.push_back(std::move(nodes));
  }
  shareKernels();
  finishNeutral(*neutral);
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(*neutral, &os))
    return createStringError("the code for devices is not valid, which is a "
                             "defect of sluice: " +
                             problem);
  if (options.keepsNeutral) {
    raw_string_ostream text(program.neutral);
    neutral->print(text, nullptr);
  }
  if (hasKernels)
    if (Error error = emitImages())
      return std::move(error);
  return std::move(program);
}

Expected<DeviceProgram>
codegen::emitDeviceProgram(Module &module, ArrayRef<PlanModel> models,
                           const DeviceCodeOptions &options) {
  return ProgramEmitter(module, models, options).emit();
}

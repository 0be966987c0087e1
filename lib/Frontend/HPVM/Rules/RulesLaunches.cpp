//===- RulesLaunches.cpp - Argument structures of launches and pushes -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch reads its arguments from memory whose type the IR may not know. HPVM
// specifies packed structures; any other layout must be proven. Rules H41 and
// H47 of docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportLayout.h"
#include "../Import/ImportProgram.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

namespace {
class LaunchArguments {
public:
  LaunchArguments(CanonicalProgram &program, ImportedProgram &result)
      : program(program), diagnostics(program.diagnostics), result(result),
        data(program.module.getDataLayout()) {}

  void run();

private:
  RootPorts portsOf(const NodeFunction &root, bool isStream) const;
  std::optional<ArgumentLayout>
  findLayout(CallBase &call, const NodeFunction &root, bool isStream);
  std::optional<ArgumentLayout> chooseLayout(CallBase &call,
                                             const NodeFunction &root,
                                             const RootPorts &ports,
                                             const MemoryEvidence &evidence);
  /// Checks that the memory holds all fields.
  void checkSize(CallBase &call, const NodeFunction &root, uint64_t size,
                 uint64_t available, const SourcePlace &declared);
  SmallVector<const NodeFunction *> streamingRootsOf(CallBase &call) const;
  void addPush(CallBase &call);
  void checkPop(CallBase &call);

  CanonicalProgram &program;
  Diagnostics &diagnostics;
  ImportedProgram &result;
  const DataLayout &data;
};
} // namespace

RootPorts LaunchArguments::portsOf(const NodeFunction &root,
                                   bool isStream) const {
  RootPorts ports;
  for (unsigned i = 0, e = root.numInputs(); i != e; ++i) {
    ports.arguments.push_back(root.inputType(i));
    ports.argumentNames.push_back(root.describeInput(i));
  }
  if (isStream)
    return ports;
  for (unsigned i = 0, e = root.numOutputs(); i != e; ++i) {
    ports.results.push_back(root.outputType(i));
    ports.resultNames.push_back(root.describeOutput(i));
  }
  return ports;
}

/// [H41]: memory that is too small.
void LaunchArguments::checkSize(CallBase &call, const NodeFunction &root,
                                uint64_t size, uint64_t available,
                                const SourcePlace &declared) {
  if (available >= size)
    return;
  auto &error = diagnostics.error(
      placeOf(call),
      "the argument structure has " + std::to_string(available) +
          " bytes, but the arguments" +
          (root.numOutputs() ? " and the result of " : " of ") +
          quoted(root.name()) + " need " + std::to_string(size) +
          "; declare a packed structure with one field for each argument" +
          (root.numOutputs() ? " and one for the result" : ""),
      "H41");
  if (declared.isKnown())
    error.note(declared, "the structure is declared here");
}

/// The end of the last field in bytes.
static uint64_t endOf(const ArgumentLayout &layout, const RootPorts &ports,
                      const DataLayout &data) {
  uint64_t end = 0;
  auto extend = [&](ArrayRef<Type *> types, ArrayRef<uint64_t> offsets) {
    for (unsigned i = 0, e = types.size(); i != e; ++i)
      end = std::max(end, offsets[i] +
                              data.getTypeAllocSize(types[i]).getFixedValue());
  };
  extend(ports.arguments, layout.argumentOffsets);
  extend(ports.results, layout.resultOffsets);
  return end;
}

/// [H41]: the layout that all evidence agrees on.
std::optional<ArgumentLayout>
LaunchArguments::chooseLayout(CallBase &call, const NodeFunction &root,
                              const RootPorts &ports,
                              const MemoryEvidence &evidence) {
  std::optional<ArgumentLayout> chosen;
  const StructureEvidence *witness = nullptr;
  std::string mismatch;
  for (const StructureEvidence &structure : evidence.structures) {
    LayoutMatch match = matchFields(ports, structure, data);
    if (!match.layout) {
      if (mismatch.empty())
        mismatch = match.mismatch;
      continue;
    }
    if (!chosen) {
      chosen = match.layout;
      witness = &structure;
      continue;
    }
    if (chosen->argumentOffsets == match.layout->argumentOffsets &&
        chosen->resultOffsets == match.layout->resultOffsets)
      continue;
    diagnostics
        .error(placeOf(call),
               "the argument structure may be " + witness->name + " or " +
                   structure.name +
                   ", which lay out their fields differently; use one "
                   "structure for all launches of " +
                   quoted(root.name()),
               "H41")
        .note(witness->place, witness->name + " is used here")
        .note(structure.place, structure.name + " is used here");
    return std::nullopt;
  }
  if (chosen) {
    checkSize(call, root, endOf(*chosen, ports, data),
              evidence.size.value_or(chosen->size), witness->place);
    return chosen;
  }
  const StructureEvidence &first = evidence.structures.front();
  uint64_t needed = packedLayout(ports, data).size;
  if (first.size < needed) {
    checkSize(call, root, needed, first.size, first.place);
    return std::nullopt;
  }
  auto &error = diagnostics.error(
      placeOf(call),
      "the argument structure " + first.name + " does not fit " +
          quoted(root.name()) + ": " + mismatch +
          "; declare one field for each argument in order, and one for the "
          "result",
      "H41");
  if (first.place.isKnown())
    error.note(first.place, "the structure is declared here");
  error.note(placeOf(*root.function), quoted(root.name()) + " is defined here");
  return std::nullopt;
}

/// The layout of the structure that `call` passes; empty if it is packed or was
/// rejected.
std::optional<ArgumentLayout>
LaunchArguments::findLayout(CallBase &call, const NodeFunction &root,
                            bool isStream) {
  RootPorts ports = portsOf(root, isStream);
  if (root.isIncomplete || (ports.arguments.empty() && ports.results.empty()))
    return std::nullopt;
  for (Type *type : llvm::concat<Type *>(ports.arguments, ports.results))
    if (!type->isSized() || type->isScalableTy())
      return std::nullopt;
  MemoryEvidence evidence = findEvidence(call.getArgOperand(1), data);
  ArgumentLayout packed = packedLayout(ports, data);
  if (evidence.isNull && packed.size != 0) {
    // A streaming launch only reads arguments that do not stream; there may be
    // none.
    bool readsAll = !isStream || llvm::any_of(root.inputBinds, [](auto &bind) {
      return !bind.isStream;
    });
    if (readsAll)
      diagnostics.error(placeOf(call),
                        "the argument structure is null, but " +
                            quoted(root.name()) + " needs " +
                            std::to_string(packed.size) +
                            " bytes for its arguments" +
                            (ports.results.empty() ? "" : " and its result"),
                        "H41");
    return std::nullopt;
  }
  if (!evidence.structures.empty()) {
    std::optional<ArgumentLayout> chosen =
        chooseLayout(call, root, ports, evidence);
    bool isPacked = chosen &&
                    chosen->argumentOffsets == packed.argumentOffsets &&
                    chosen->resultOffsets == packed.resultOffsets;
    return isPacked ? std::nullopt : chosen;
  }
  if (evidence.size && *evidence.size < packed.size) {
    checkSize(call, root, packed.size, *evidence.size, {});
    return std::nullopt;
  }
  ArgumentLayout natural = naturalLayout(ports, data);
  bool isSame = natural.argumentOffsets == packed.argumentOffsets &&
                natural.resultOffsets == packed.resultOffsets;
  bool fitsPackedOnly =
      evidence.size &&
      *evidence.size < std::max<uint64_t>(endOf(natural, ports, data), 1);
  if (isSame || fitsPackedOnly)
    return std::nullopt;
  diagnostics.error(
      placeOf(call),
      "whether the argument structure of " + quoted(root.name()) +
          " is packed (" + std::to_string(packed.size) + " bytes) or padded (" +
          std::to_string(natural.size) +
          ") cannot be told from this pointer; point to it with a variable of "
          "the structure's type in the function that launches",
      "H41");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// The possible roots of a handle: those of the launches that it provably comes
/// from, otherwise all that this module launches as streams.
SmallVector<const NodeFunction *>
LaunchArguments::streamingRootsOf(CallBase &call) const {
  SmallVector<CallBase *> launches = launchesOf(call.getArgOperand(0));
  SmallVector<const NodeFunction *> roots;
  for (const LaunchCall &launch : program.launches)
    if (launch.isStream && !llvm::is_contained(roots, launch.root) &&
        (launches.empty() || llvm::is_contained(launches, launch.call)))
      roots.push_back(launch.root);
  return roots;
}

void LaunchArguments::addPush(CallBase &call) {
  std::optional<ArgumentLayout> layout;
  bool isFirst = true;
  for (const NodeFunction *root : streamingRootsOf(call)) {
    std::optional<ArgumentLayout> other =
        findLayout(call, *root, /*isStream=*/true);
    if (!isFirst && other != layout)
      diagnostics.error(placeOf(call),
                        "which graph this pushes to is unknown, and the "
                        "structure would be laid out differently for each; "
                        "pass the handle that 'launch' returned directly",
                        "H41");
    layout = other;
    isFirst = false;
  }
  result.pushes.push_back({&call, layout});
}

/// [H47]: popped structures are packed, so they must not be read with another
/// layout.
void LaunchArguments::checkPop(CallBase &call) {
  SmallVector<CallBase *> launches = launchesOf(call.getArgOperand(0));
  for (const NodeFunction *root : streamingRootsOf(call)) {
    if (root->isIncomplete || root->numOutputs() == 0 || launches.empty())
      continue;
    RootPorts all = portsOf(*root, /*isStream=*/false), ports;
    ports.arguments = all.results;
    ports.argumentNames = all.resultNames;
    ArgumentLayout packed = packedLayout(ports, data);
    MemoryEvidence evidence = findEvidence(&call, data);
    if (evidence.structures.empty())
      continue;
    const StructureEvidence &structure = evidence.structures.front();
    LayoutMatch match = matchFields(ports, structure, data);
    std::string problem;
    if (!match.layout)
      problem = match.mismatch;
    else if (match.layout->argumentOffsets != packed.argumentOffsets)
      problem = "it has padding between its fields";
    if (problem.empty())
      continue;
    diagnostics
        .error(placeOf(call),
               "'pop' returns the outputs of " + quoted(root->name()) +
                   " as a packed structure of " + std::to_string(packed.size) +
                   " bytes, but it is read as " + structure.name + ": " +
                   problem +
                   "; declare a packed structure with one field "
                   "for each output",
               "H47")
        .note(structure.place, "the structure is used here");
  }
}

void LaunchArguments::run() {
  for (const LaunchCall &launch : program.launches) {
    LaunchSite site;
    site.call = launch.call;
    site.rootFunction = launch.root->function;
    site.root = launch.root->function->getName().str();
    site.isStream = launch.isStream;
    site.layout = findLayout(*launch.call, *launch.root, launch.isStream);
    result.launches.push_back(std::move(site));
  }
  for (Function *function : program.otherFunctions)
    for (CallBase *call : intrinsicCalls(*function)) {
      IntrinsicKind kind = calledIntrinsic(*call)->kind;
      if (kind == IntrinsicKind::Push)
        addPush(*call);
      else if (kind == IntrinsicKind::Pop)
        checkPop(*call);
    }
}

void sluice::hpvm::checkLaunchArguments(CanonicalProgram &program,
                                        ImportedProgram &result) {
  LaunchArguments(program, result).run();
}

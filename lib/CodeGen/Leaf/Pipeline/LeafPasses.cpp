//===- LeafPasses.cpp - Names and order of the passes over leaves ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything here is made from LeafPasses.def.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/LeafPasses.h"
#include "sluice/CodeGen/InlineMath.h"

#include "../AlignArrays.h"
#include "../BlockLoops.h"
#include "../Borders/ChosenLoads.h"
#include "../Borders/SplitBorders.h"
#include "../CarryLoads.h"
#include "../ChooseStores.h"
#include "../Hints/AskedVectors.h"
#include "../Hints/Extremes.h"
#include "../Hints/Gathers.h"
#include "../Hints/InnerScopes.h"
#include "../Hints/KeepOrder.h"
#include "../Hints/LongSums.h"
#include "../Hints/OrderedSums.h"
#include "../Hints/PartLoads.h"
#include "../Item/NarrowCarried.h"
#include "../JamLoops.h"
#include "../Lanes/PrivateMemory.h"
#include "../Lanes/SeparateFolds.h"
#include "../Lanes/VectorizeLanes.h"
#include "../LiftLoads.h"
#include "../MaskRemainders.h"
#include "../NarrowWraps.h"
#include "../OrderLoads.h"
#include "../Own/FreeRounds.h"
#include "../Own/ScanChains.h"
#include "../ShortenChains.h"
#include "../UnitsAtOnce.h"
#include "../Updates/AloneUpdates.h"
#include "../Updates/Appends.h"
#include "../Updates/LookBeforeExchange.h"
#include "../Updates/PrivateCopies.h"
#include "../Updates/PromoteUpdates.h"
#include "ReleaseLoops.h"
#include "ReportLoops.h"

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

#include <type_traits>

using namespace llvm;

namespace sluice::codegen {

//===----------------------------------------------------------------------===//
// Whether the table is in order
//===----------------------------------------------------------------------===//

namespace {

/// Properties of the code that passes of the table need and give.
enum LeafProperties : unsigned {
  None = 0,
  InstanceLoops = 1, ///< code generation marks loops over instances
  PlainMath = 2,     ///< no call of Sluice's math functions is left
  OrdinaryLoops = 4, ///< loops over instances may be unrolled
  HiddenGathers = 8  ///< functions whose processor seems to lack gathers
};

enum class LeafStage { Shape, Batch, Memory, Workaround };

struct LeafRow {
  StringLiteral name;
  LeafStage stage;
  LeafPoint point;
  unsigned needs, gives;
};

} // namespace

static constexpr LeafRow leafRows[] = {
#define LEAF_PASS(NAME, PASS, STAGE, POINT, WHEN, NEEDS, GIVES)                \
  {NAME, LeafStage::STAGE, LeafPoint::POINT, NEEDS, GIVES},
#include "LeafPasses.def"
};

/// The rows of a point stand together, points are in the order in which they
/// are reached, and every pass finds what it needs.
static constexpr bool areRowsInOrder() {
  unsigned facts = InstanceLoops;
  LeafPoint point = LeafPoint::Item;
  for (const LeafRow &row : leafRows) {
    if (row.point < point || (row.needs & ~facts))
      return false;
    point = row.point;
    facts |= row.gives;
    if (row.gives & OrdinaryLoops)
      facts &= ~InstanceLoops;
  }
  return true;
}
static_assert(areRowsInOrder(), "a pass needs what no pass before it gives");

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

template <typename Pass>
static constexpr bool isModulePass = requires(Pass pass, Module &module,
                                              ModuleAnalysisManager &analyses) {
  pass.run(module, analyses);
};

template <typename Pass>
static void addLeafPass(ModulePassManager &passes, Pass pass) {
  if constexpr (isModulePass<Pass>)
    passes.addPass(std::move(pass));
  else
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(pass)));
}

template <typename Pass>
static void addLeafPass(FunctionPassManager &passes, Pass pass) {
  if constexpr (isModulePass<Pass>)
    llvm_unreachable("a pass over modules at a point for functions");
  else
    passes.addPass(std::move(pass));
}

template <typename Manager>
static void addRows(Manager &passes, LeafPoint point,
                    const LeafPassOptions &options) {
#define LEAF_PASS(NAME, PASS, STAGE, POINT, WHEN, NEEDS, GIVES)                \
  if (point == LeafPoint::POINT && options.WHEN)                               \
    addLeafPass(passes, PASS);
#include "LeafPasses.def"
}

void addLeafPasses(FunctionPassManager &passes, LeafPoint point,
                   const LeafPassOptions &options) {
  addRows(passes, point, options);
}

void addLeafPasses(ModulePassManager &passes, LeafPoint point,
                   const LeafPassOptions &options) {
  addRows(passes, point, options);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The parameters behind the name of a pass, "lanes=4"; false if it has no such
/// parameter.
static bool parseParameters(StringRef name, StringRef text,
                            LeafPassOptions &options) {
  if (text.empty())
    return true;
  if (name == "sluice-vectorize-lanes") {
    unsigned &number =
        text.consume_front("own-") ? options.numOwnLanes : options.numLanes;
    return text.consume_front("lanes=") && !text.getAsInteger(10, number);
  }
  if (name == "sluice-inline-late-math" && text == "no-cleanup") {
    options.isOptimized = false;
    return true;
  }
  return false;
}

/// Adds the pass of that name, with its parameters; false if there is none.
template <typename Manager>
static bool addNamed(StringRef element, Manager &passes) {
  auto [name, rest] = element.split('<');
  if (name.size() != element.size() && !rest.consume_back(">"))
    return false;
  LeafPassOptions options;
  if (!parseParameters(name, rest, options))
    return false;
#define LEAF_PASS(NAME, PASS, STAGE, POINT, WHEN, NEEDS, GIVES)                \
  if (name == NAME) {                                                          \
    if (std::is_same_v<Manager, FunctionPassManager> &&                        \
        isModulePass<decltype(PASS)>)                                          \
      return false;                                                            \
    addLeafPass(passes, PASS);                                                 \
    return true;                                                               \
  }
#include "LeafPasses.def"
  return false;
}

void registerLeafPasses(PassBuilder &builder) {
  if (PassInstrumentationCallbacks *callbacks =
          builder.getPassInstrumentationCallbacks())
    nameLeafPasses(*callbacks);
  using Elements = ArrayRef<PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager &passes, Elements) {
        return addNamed(name, passes);
      });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, Elements) {
        return addNamed(name, passes);
      });
}

void nameLeafPasses(PassInstrumentationCallbacks &callbacks) {
  LeafPassOptions options;
#define LEAF_PASS(NAME, PASS, STAGE, POINT, WHEN, NEEDS, GIVES)                \
  callbacks.addClassToPassName(decltype(PASS)::name(), NAME);
#include "LeafPasses.def"
  (void)options;
}

Error checkPassName(StringRef name) {
  std::string text;
  raw_string_ostream os(text);
  PassBuilder().printPassNames(os);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  StringRef nearest;
  unsigned distance = 4;
  auto isIt = [&](StringRef known) {
    unsigned own = name.edit_distance(known, true, distance);
    if (own < distance) {
      nearest = known;
      distance = own;
    }
    return name == known;
  };
  for (const LeafRow &row : leafRows)
    if (isIt(row.name))
      return Error::success();
  // Headings are not indented; parameters follow the name.
  for (StringRef line : lines)
    if (line.starts_with(" ") && isIt(line.trim().split('<').first))
      return Error::success();
  return createStringError("unknown pass '" + name + "'" +
                           (nearest.empty()
                                ? Twine("; docs/passes.md lists those of "
                                        "leaves")
                                : "; did you mean '" + nearest + "'?"));
}

} // namespace sluice::codegen

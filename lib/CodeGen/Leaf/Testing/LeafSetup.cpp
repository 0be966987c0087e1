//===- LeafSetup.cpp - A leaf to test, and its data -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeafSetup.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "llvm/IR/Constants.h"

#include <random>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::leaftest;

cl::opt<std::string> leaftest::leafName("leaf", cl::init("leaf"),
                                        cl::desc("name of the leaf"));
cl::opt<std::string> leaftest::emit("emit", cl::init("ir"),
                                    cl::desc("item, ir, optimized, run, time"));
cl::opt<unsigned> leaftest::seed("seed", cl::init(1),
                                 cl::desc("random numbers"));
cl::opt<int> leaftest::lanes(
    "lanes", cl::init(-1),
    cl::desc("lanes for instances with loops: so many wherever they are "
             "possible, 0 for none (default: where they pay)"));
cl::opt<Debugging> leaftest::debugging(
    "debugging", cl::desc("what debuggers see"), cl::init(Debugging::Lines),
    cl::values(clEnumValN(Debugging::Lines, "lines", "no variables"),
               clEnumValN(Debugging::Values, "values",
                          "variables where the code has them"),
               clEnumValN(Debugging::Memory, "memory",
                          "all of them; nothing is optimised")));
static cl::opt<std::string>
    levelsText("levels", cl::init("1"),
               cl::desc("extents, outermost level first: 4x4,16x16; ?4 for "
                        "one that code does not know, - for no dimensions"));
static cl::opt<unsigned> numFixed("fixed", cl::init(0),
                                  cl::desc("number of fixed levels"));
static cl::opt<std::string> fixedIds("fixed-ids", cl::init(""),
                                     cl::desc("ids of fixed levels: 1,0,2"));
static cl::opt<int> numUnits("units", cl::init(-1),
                             cl::desc("number of unit levels (default: all, or "
                                      "all but the last with a barrier)"));
static cl::list<std::string>
    ports("in", cl::CommaSeparated,
          cl::desc("input ports: 5, 2.5, i32[64], f32[64] (random numbers), "
                   "zero[64] (bytes, all 0), each with @L behind for one value "
                   "per instance "
                   "of level L, or = before for a constant code knows, or ! "
                   "for a buffer that nothing else points to, whose size in "
                   "bytes is the next port"));
static cl::list<std::string>
    outputs("out", cl::CommaSeparated,
            cl::desc("output ports: last, array@L, both@L, none"));
static cl::opt<bool> implicitBarriers("implicit-barriers", cl::init(true));
static cl::opt<bool> panels("panels", cl::init(true));
static cl::opt<bool> splitGuards("split-guards", cl::init(true));
static cl::opt<bool> fuseGroups("fuse-groups", cl::init(true));
static cl::opt<bool> collectUpdates("collect-updates", cl::init(true));
static cl::opt<bool> reference("reference");
static cl::opt<unsigned> vectorBits("vector-bits", cl::init(512));

static void parseLevels(Setup &setup) {
  SmallVector<StringRef> levels;
  StringRef(levelsText).split(levels, ',');
  for (StringRef text : levels) {
    InstanceLevel level;
    std::array<int64_t, 3> extents{1, 1, 1};
    SmallVector<StringRef> parts;
    if (text != "-")
      text.split(parts, 'x');
    for (StringRef part : parts) {
      bool isKnown = !part.consume_front("?");
      int64_t extent = 0;
      part.getAsInteger(10, extent);
      extents[level.dims] = extent;
      if (isKnown)
        level.extents[level.dims] = extent;
      ++level.dims;
    }
    setup.spec.levels.push_back(level);
    setup.extents.push_back(extents);
  }
  SmallVector<StringRef> ids;
  StringRef(fixedIds).split(ids, ',', -1, false);
  for (unsigned level = 0; level < numFixed; ++level) {
    std::array<int64_t, 3> id{0, 0, 0};
    for (unsigned dim = 0; dim < 3 && 3 * level + dim < ids.size(); ++dim)
      ids[3 * level + dim].getAsInteger(10, id[dim]);
    setup.ids.push_back(id);
  }
}

static void fill(Datum &datum, Type *type, const DataLayout &layout,
                 std::mt19937 &random) {
  uint64_t size = layout.getTypeAllocSize(type);
  for (uint64_t at = 0; at + size <= datum.bytes.size(); at += size) {
    int64_t number = int64_t(random() % 201) - 100;
    float single = float(number) / 7;
    double exact = double(number) / 7;
    const void *source = &number;
    if (type->isFloatTy())
      source = &single;
    else if (type->isDoubleTy())
      source = &exact;
    memcpy(&datum.bytes[at], source, std::min<uint64_t>(size, 8));
  }
}

static Type *elementType(StringRef name, LLVMContext &context) {
  if (name == "f32")
    return Type::getFloatTy(context);
  if (name == "f64")
    return Type::getDoubleTy(context);
  unsigned bits = 8;
  if (name.consume_front("i"))
    name.getAsInteger(10, bits);
  return Type::getIntNTy(context, bits);
}

static Constant *parseScalar(StringRef text, Type *type) {
  if (type->isFloatingPointTy())
    return ConstantFP::get(type, text);
  int64_t number = 0;
  text.getAsInteger(0, number);
  return ConstantInt::get(type, number, true);
}

static void parseInput(Setup &setup, StringRef text, Type *type,
                       std::mt19937 &random) {
  const DataLayout &layout = setup.spec.leaf->getDataLayout();
  InputPort port;
  Datum datum;
  bool isConstant = text.consume_front("=");
  port.noAlias = text.consume_front("!");
  unsigned next = setup.spec.inputs.size() + 1;
  if (port.noAlias && next < setup.spec.leaf->arg_size() &&
      setup.spec.leaf->getArg(next)->getType()->isIntegerTy(64))
    port.bytesPort = next;
  auto [value, level] = text.split('@');
  if (!level.empty()) {
    port.mode = PortMode::PerInstance;
    level.getAsInteger(10, port.level);
    datum.isBuffer = true;
    datum.bytes.resize(
        layout.getTypeAllocSize(type) *
        std::max<int64_t>(1, setup.count(numFixed, port.level + 1)));
    fill(datum, type, layout, random);
  } else if (value.contains('[')) {
    auto [element, count] = value.split('[');
    Type *of = elementType(element, type->getContext());
    uint64_t number = 0;
    count.drop_back().getAsInteger(10, number);
    datum.isBuffer = true;
    datum.bytes.resize(number * layout.getTypeAllocSize(of));
    if (element != "zero")
      fill(datum, of, layout, random);
  } else if (type->isStructTy()) {
    datum.bytes.resize(layout.getTypeAllocSize(type));
    for (char &byte : datum.bytes)
      byte = random() % 100;
  } else {
    Constant *constant = parseScalar(value, type);
    if (isConstant)
      port.constant = constant;
    uint64_t raw = 0; // of a null pointer
    if (auto *integer = dyn_cast<ConstantInt>(constant))
      raw = integer->getZExtValue();
    else if (auto *number = dyn_cast<ConstantFP>(constant))
      raw = number->getValueAPF().bitcastToAPInt().getZExtValue();
    datum.bytes.resize(layout.getTypeAllocSize(type));
    memcpy(datum.bytes.data(), &raw, datum.bytes.size());
  }
  setup.spec.inputs.push_back(port);
  setup.inputs.push_back(std::move(datum));
}

static OutputPort parseOutput(StringRef text) {
  OutputPort port;
  auto [kind, level] = text.split('@');
  level.getAsInteger(10, port.level);
  port.last = kind == "last" || kind == "both";
  port.perInstance = kind == "array" || kind == "both";
  return port;
}

Setup leaftest::makeSetup(Function &leaf) {
  Setup setup;
  setup.spec.leaf = &leaf;
  setup.spec.name = leafName + ".range";
  bool isPlain = debugging == Debugging::Memory;
  setup.spec.options = {.reference = reference || isPlain,
                        .implicitBarriers = implicitBarriers,
                        .leavesToLanes = lanes != 0,
                        .panels = panels,
                        .splitGuards = splitGuards && !isPlain,
                        .fuseGroups = fuseGroups,
                        .collectUpdates = collectUpdates,
                        .debugging = debugging,
                        .vectorBits = vectorBits};
  parseLevels(setup);
  setup.spec.numFixedLevels = numFixed;
  setup.spec.numUnitLevels =
      numUnits >= 0 ? unsigned(numUnits)
                    : setup.spec.levels.size() - mayExecuteBarrier(leaf);
  std::mt19937 random(seed);
  for (Argument &argument : leaf.args()) {
    unsigned index = argument.getArgNo();
    parseInput(setup, index < ports.size() ? StringRef(ports[index]) : "0",
               argument.getType(), random);
  }
  for (const std::string &text : outputs)
    setup.spec.outputs.push_back(parseOutput(text));
  return setup;
}

//===- FakePTXMachine.cpp - Running PTX -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one group after another. Within a group, each thread in turn runs to the
// next barrier. All accesses are checked.
//
//===----------------------------------------------------------------------===//

#include "FakePTX.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

using namespace fake;

namespace {
/// A function that a thread is executing.
struct Frame {
  const PTXFunction *function;
  size_t at = 0;
  std::vector<uint64_t> registers;
  std::vector<unsigned char> params;
  uint64_t localBase = 0;
  const PTXInstruction *call = nullptr; ///< of the caller
};

struct Thread {
  std::array<unsigned, 3> index{};
  std::vector<Frame> frames;
  std::vector<unsigned char> local;
  const PTXInstruction *barrier = nullptr; ///< waits there
};

class Machine {
public:
  Machine(const PTXModule &module, const PTXFunction &entry,
          const PTXLaunch &launch)
      : module(module), entry(entry), launch(launch) {}
  void runBlock(const std::array<unsigned, 3> &block);

private:
  void start(Thread &thread);
  void run(Thread &thread);
  void step(Thread &thread, Frame &frame, const PTXInstruction &i);
  void compute(Frame &frame, const PTXInstruction &i, const Thread &thread);
  void move(Thread &thread, Frame &frame, const PTXInstruction &i);
  void access(Thread &thread, Frame &frame, const PTXInstruction &i);
  void atomic(Thread &thread, Frame &frame, const PTXInstruction &i);
  void enter(Thread &thread, const PTXInstruction &i);
  void leave(Thread &thread);
  void jump(Frame &frame, const std::string &label);
  uint64_t value(const Thread &thread, const Frame &frame,
                 const PTXOperand &operand) const;
  uint64_t addressOf(const Frame &frame, const std::string &symbol,
                     Space &space) const;
  unsigned char *memory(Thread &thread, Frame &frame, const PTXInstruction &i,
                        const PTXOperand &operand, uint64_t size);
  [[noreturn]] void fail(const PTXInstruction &i, const std::string &why) const;

  const PTXModule &module;
  const PTXFunction &entry;
  const PTXLaunch &launch;
  std::array<unsigned, 3> block{};
  std::vector<unsigned char> shared;
  uint64_t numSteps = 0;
};
} // namespace

void Machine::fail(const PTXInstruction &i, const std::string &why) const {
  throw PTXError("kernel '" + entry.name + "': " + why + " at '" + i.text +
                 "'");
}

//===----------------------------------------------------------------------===//
// Values and memory
//===----------------------------------------------------------------------===//

/// The address of a name within its own space.
uint64_t Machine::addressOf(const Frame &frame, const std::string &symbol,
                            Space &space) const {
  const PTXVariable *variable = nullptr;
  if (auto own = frame.function->variables.find(symbol);
      own != frame.function->variables.end())
    variable = &own->second;
  else if (auto array = module.shared.find(symbol);
           array != module.shared.end())
    variable = &array->second;
  else if (auto global = module.globals.find(symbol);
           global != module.globals.end())
    variable = &global->second;
  else
    throw PTXError("unknown name '" + symbol + "'");
  space = variable->space;
  if (space == Space::Local)
    return frame.localBase + variable->offset;
  if (space == Space::Shared && variable->isExternal)
    return (module.sharedSize + 15) & ~uint64_t(15);
  return variable->offset;
}

uint64_t Machine::value(const Thread &thread, const Frame &frame,
                        const PTXOperand &operand) const {
  switch (operand.kind) {
  case PTXOperand::Kind::Register:
    return frame.registers[operand.reg];
  case PTXOperand::Kind::Number:
    return operand.number;
  case PTXOperand::Kind::Special: {
    const std::array<unsigned, 3> *sources[] = {&thread.index, &launch.block,
                                                &block, &launch.grid};
    return (*sources[operand.reg / 3])[operand.reg % 3];
  }
  case PTXOperand::Kind::Symbol: {
    Space space;
    return addressOf(frame, operand.symbol, space);
  }
  default:
    throw PTXError("an operand that is no value");
  }
}

static unsigned char *within(std::vector<unsigned char> &bytes, uint64_t offset,
                             uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset
             ? bytes.data() + offset
             : nullptr;
}

static std::string hexadecimal(uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%#llx", (unsigned long long)value);
  return text;
}

unsigned char *Machine::memory(Thread &thread, Frame &frame,
                               const PTXInstruction &i,
                               const PTXOperand &operand, uint64_t size) {
  Space space = i.space;
  uint64_t address = operand.number;
  if (operand.hasRegister)
    address += frame.registers[operand.reg];
  else if (!operand.symbol.empty())
    address += addressOf(frame, operand.symbol, space);
  if (space == Space::Generic && address >> 60 != 0) {
    space = Space(address >> 60);
    address &= (uint64_t(1) << 60) - 1;
  }
  if (address % size != 0)
    fail(i, "a misaligned address " + hexadecimal(address));
  unsigned char *found =
      space == Space::Shared  ? within(shared, address, size)
      : space == Space::Local ? within(thread.local, address, size)
      : space == Space::Param ? within(frame.params, address, size)
                              : launch.memory(address, size);
  if (!found)
    fail(i, std::to_string(size) + " bytes at " + hexadecimal(address) +
                " that are in no memory");
  return found;
}

static uint64_t load(const unsigned char *from, PTXType type) {
  uint64_t value = 0;
  memcpy(&value, from, type.bits / 8);
  if (type.kind == 's' && type.bits < 64) {
    unsigned shift = 64 - type.bits;
    value = uint64_t(int64_t(value << shift) >> shift);
  }
  return value;
}

void Machine::access(Thread &thread, Frame &frame, const PTXInstruction &i) {
  bool isLoad = i.op == "ld" || i.op == "ldu";
  const PTXOperand &place = i.operands.at(isLoad ? 1 : 0);
  const PTXOperand &other = i.operands.at(isLoad ? 0 : 1);
  PTXType type = i.type();
  uint64_t size = type.bits / 8;
  std::vector<PTXOperand> single;
  if (other.kind != PTXOperand::Kind::List)
    single = {other};
  const auto &values = single.empty() ? other.list : single;
  unsigned char *bytes = memory(thread, frame, i, place, size * values.size());
  for (size_t n = 0; n < values.size(); ++n, bytes += size) {
    if (isLoad) {
      frame.registers[values[n].reg] = load(bytes, type);
      continue;
    }
    uint64_t stored = value(thread, frame, values[n]);
    memcpy(bytes, &stored, size);
  }
}

/// The new value of memory; PTX's operation names are modifiers.
static bool combine(const PTXInstruction &i, uint64_t old, const uint64_t *v,
                    uint64_t &result) {
  PTXInstruction plain;
  plain.types = {i.type()};
  uint64_t sources[8] = {old, v[0]};
  uint64_t limit = truncated(v[0], i.type().bits);
  if (i.has("exch"))
    result = v[0];
  else if (i.has("cas"))
    result = truncated(v[0], i.type().bits) == old ? v[1] : old;
  else if (i.has("inc"))
    result = old >= limit ? 0 : old + 1;
  else if (i.has("dec"))
    result = old == 0 || old > limit ? limit : old - 1;
  else
    for (PTXName op : {PTXName("add"), PTXName("min"), PTXName("max"),
                       PTXName("and"), PTXName("or"), PTXName("xor")})
      if (i.has(op)) {
        plain.op = op;
        return computePTX(plain, sources, 2, result);
      }
  return i.has("exch") || i.has("cas") || i.has("inc") || i.has("dec");
}

void Machine::atomic(Thread &thread, Frame &frame, const PTXInstruction &i) {
  size_t first = i.op == "red" ? 0 : 1;
  PTXType type = i.type();
  unsigned char *bytes =
      memory(thread, frame, i, i.operands.at(first), type.bits / 8);
  uint64_t sources[2] = {};
  for (size_t n = first + 1; n < i.operands.size() && n < first + 3; ++n)
    sources[n - first - 1] = value(thread, frame, i.operands[n]);
  // Kernels on several streams run at the same time.
  static std::mutex atomicity;
  std::lock_guard lock(atomicity);
  uint64_t old = 0, result = 0;
  memcpy(&old, bytes, type.bits / 8);
  if (!combine(i, old, sources, result))
    fail(i, "an unknown instruction");
  memcpy(bytes, &result, type.bits / 8);
  if (first)
    frame.registers[i.operands[0].reg] = old;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// mov and cvta: values, addresses, and halves of registers.
void Machine::move(Thread &thread, Frame &frame, const PTXInstruction &i) {
  const PTXOperand &to = i.operands.at(0), &from = i.operands.at(1);
  unsigned bits = i.type().bits;
  if (to.kind == PTXOperand::Kind::List) {
    uint64_t whole = value(thread, frame, from);
    unsigned part = bits / unsigned(to.list.size());
    for (size_t n = 0; n < to.list.size(); ++n)
      frame.registers[to.list[n].reg] = truncated(whole >> (part * n), part);
    return;
  }
  uint64_t result = 0;
  if (from.kind == PTXOperand::Kind::List) {
    unsigned part = bits / unsigned(from.list.size());
    for (size_t n = 0; n < from.list.size(); ++n)
      result |= truncated(value(thread, frame, from.list[n]), part)
                << (part * n);
  } else {
    result = value(thread, frame, from);
  }
  if (i.op == "cvta" && i.space != Space::Global) {
    uint64_t window = windowOf(i.space);
    result = i.has("to") ? result & ~(uint64_t(15) << 60) : result | window;
  }
  frame.registers[to.reg] =
      i.type().kind == 'p' ? result & 1 : truncated(result, bits);
}

void Machine::compute(Frame &frame, const PTXInstruction &i,
                      const Thread &thread) {
  uint64_t sources[8] = {};
  for (size_t n = 1; n < i.operands.size() && n < 6; ++n)
    sources[n - 1] = value(thread, frame, i.operands[n]);
  uint64_t result = 0;
  if (i.operands.empty() ||
      !computePTX(i, sources, i.operands.size() - 1, result))
    fail(i, "an unknown instruction");
  unsigned bits = i.op == "cvt" ? i.types[0].bits : i.type().bits;
  if (i.has("wide"))
    bits *= 2;
  if (i.op == "setp" || i.op == "testp" || i.type().kind == 'p')
    bits = 1;
  else if (i.op == "popc" || i.op == "clz")
    bits = 32;
  // Conversions to small integers extend them in the larger register.
  bool keepsSign = i.op == "cvt" && i.types[0].kind == 's';
  result = truncated(result, bits);
  if (keepsSign && bits < 64)
    result = uint64_t(int64_t(result << (64 - bits)) >> (64 - bits));
  frame.registers[i.operands[0].reg] = result;
}

void Machine::jump(Frame &frame, const std::string &label) {
  auto found = frame.function->labels.find(label);
  if (found == frame.function->labels.end())
    throw PTXError("unknown label '" + label + "'");
  frame.at = found->second;
}

void Machine::enter(Thread &thread, const PTXInstruction &i) {
  bool hasResult =
      i.operands.size() > 1 && i.operands[0].kind == PTXOperand::Kind::List;
  const std::string &name = i.operands.at(hasResult ? 1 : 0).symbol;
  auto found = module.functions.find(name);
  if (found == module.functions.end())
    fail(i, "an unknown function '" + name + "'");
  const PTXFunction &callee = found->second;
  Frame frame;
  frame.function = &callee;
  frame.registers.resize(callee.numRegisters);
  frame.params.resize(callee.paramSize);
  frame.localBase = (thread.local.size() + 15) & ~uint64_t(15);
  frame.call = &i;
  thread.local.resize(frame.localBase + callee.localSize);
  Frame &caller = thread.frames.back();
  if (i.operands.size() > size_t(hasResult) + 1) {
    const auto &arguments = i.operands[size_t(hasResult) + 1].list;
    for (size_t n = 0; n < callee.parameters.size(); ++n) {
      const PTXVariable &to = callee.variables.at(callee.parameters[n]);
      Space space;
      uint64_t from = addressOf(caller, arguments.at(n).symbol, space);
      memcpy(frame.params.data() + to.offset, caller.params.data() + from,
             to.size);
    }
  }
  thread.frames.push_back(std::move(frame));
}

void Machine::leave(Thread &thread) {
  Frame done = std::move(thread.frames.back());
  thread.frames.pop_back();
  if (thread.frames.empty())
    return;
  thread.local.resize(done.localBase);
  if (!done.function->result)
    return;
  Frame &caller = thread.frames.back();
  const PTXVariable &from = done.function->variables.at(*done.function->result);
  Space space;
  uint64_t to =
      addressOf(caller, done.call->operands[0].list.at(0).symbol, space);
  memcpy(caller.params.data() + to, done.params.data() + from.offset,
         from.size);
}

void Machine::step(Thread &thread, Frame &frame, const PTXInstruction &i) {
  PTXName op = i.op;
  if (op == "ld" || op == "ldu" || op == "st")
    access(thread, frame, i);
  else if (op == "mov" || op == "cvta")
    move(thread, frame, i);
  else if (op == "bra")
    jump(frame, i.operands.at(0).symbol);
  else if (op == "brx")
    jump(frame, frame.function->branchTargets.at(i.operands.at(1).symbol)
                    .at(value(thread, frame, i.operands[0])));
  else if (op == "ret")
    leave(thread);
  else if (op == "exit")
    thread.frames.clear();
  else if (op == "bar" || op == "barrier")
    thread.barrier = &i;
  else if (op == "atom" || op == "red")
    atomic(thread, frame, i);
  else if (op == "call")
    enter(thread, i);
  else if (op == "trap")
    fail(i, "a trap");
  else if (op != "membar" && op != "fence")
    compute(frame, i, thread);
}

//===----------------------------------------------------------------------===//
// Threads and groups
//===----------------------------------------------------------------------===//

void Machine::start(Thread &thread) {
  Frame frame;
  frame.function = &entry;
  frame.registers.resize(entry.numRegisters);
  frame.params = launch.parameters;
  frame.params.resize(entry.paramSize);
  thread.local.resize(entry.localSize);
  thread.frames.push_back(std::move(frame));
}

/// Runs a thread until its next barrier or its end.
void Machine::run(Thread &thread) {
  constexpr uint64_t maxSteps = uint64_t(1) << 33;
  thread.barrier = nullptr;
  while (!thread.frames.empty() && !thread.barrier) {
    Frame &frame = thread.frames.back();
    if (frame.at >= frame.function->body.size()) {
      leave(thread);
      continue;
    }
    const PTXInstruction &i = frame.function->body[frame.at++];
    if (++numSteps > maxSteps)
      fail(i, "it does not end");
    if (i.isGuarded && bool(frame.registers[i.guard] & 1) == i.isNegated)
      continue;
    step(thread, frame, i);
  }
}

void Machine::runBlock(const std::array<unsigned, 3> &number) {
  block = number;
  // Not cleared, as on a real device.
  uint64_t fixed = (module.sharedSize + 15) & ~uint64_t(15);
  shared.assign(fixed + launch.dynamicShared, 0xa5);
  std::vector<Thread> threads;
  for (unsigned z = 0; z < launch.block[2]; ++z)
    for (unsigned y = 0; y < launch.block[1]; ++y)
      for (unsigned x = 0; x < launch.block[0]; ++x) {
        threads.emplace_back().index = {x, y, z};
        start(threads.back());
      }
  for (bool isRunning = true; isRunning;) {
    isRunning = false;
    const PTXInstruction *barrier = nullptr;
    for (Thread &thread : threads) {
      if (thread.frames.empty())
        continue;
      run(thread);
      if (!thread.barrier)
        continue;
      if (barrier && barrier != thread.barrier)
        fail(*thread.barrier, "threads of a group at different barriers");
      barrier = thread.barrier;
      isRunning = true;
    }
    bool hasEnded = std::any_of(threads.begin(), threads.end(),
                                [](auto &t) { return t.frames.empty(); });
    if (barrier && hasEnded)
      fail(*barrier, "only some threads of a group come to a barrier");
  }
}

void fake::runPTX(const PTXModule &module, const PTXFunction &entry,
                  const PTXLaunch &launch) {
  Machine machine(module, entry, launch);
  for (unsigned z = 0; z < launch.grid[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0]; ++x)
        machine.runBlock({x, y, z});
}

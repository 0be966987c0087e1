//===- RandomLeafRun.cpp - Random leaves, instance by instance ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the expressions themselves by the rules of C, without using any of
// the tested code.
//
//===----------------------------------------------------------------------===//

#include "RandomLeaf.h"

#include <bit>
#include <cstdlib>
#include <unordered_map>

using namespace sluice::races;
using Kind = Expression::Kind;

namespace {
/// The program has undefined behaviour.
struct Undefined {};
/// It does not end soon.
struct Endless {};

/// The users that touched a byte in one way: no more than two matter.
struct Users {
  int first = -1, second = -1;
  void add(int user) {
    if (first < 0)
      first = user;
    else if (first != user && second < 0)
      second = user;
  }
  bool hasOther(int user) const {
    return first >= 0 && (first != user || second >= 0);
  }
};

/// How a byte is touched: with which lock, and after how many barriers of which
/// node.
struct Way {
  enum class Kind { Read, Write, Update };
  Kind kind = Kind::Read;
  std::optional<int64_t> lock;
  int node = 0, barriers = 0;
  friend bool operator==(const Way &, const Way &) = default;

  /// Two instances may access it at the same time, which is a race.
  bool conflictsWith(const Way &other) const {
    bool isOrdered = node == other.node && barriers != other.barriers;
    bool keepsApart = lock && other.lock == lock;
    bool isRacy =
        kind == Kind::Write || other.kind == Kind::Write || kind != other.kind;
    return isRacy && !keepsApart && !isOrdered;
  }
};

/// Who touched a byte.
class Place {
public:
  /// True if another one may do so at the same time.
  bool add(int user, const Way &way) {
    bool isRacy = false;
    Users *own = nullptr;
    for (auto &[other, users] : touched) {
      if (other == way)
        own = &users;
      isRacy |= way.conflictsWith(other) && users.hasOther(user);
    }
    if (!own)
      own = &touched.emplace_back(way, Users()).second;
    own->add(user);
    return isRacy;
  }

private:
  std::vector<std::pair<Way, Users>> touched;
};

class Runner {
public:
  Runner(const Scalars &scalars, unsigned contents)
      : scalars(scalars), contents(contents) {}

  void run(const RandomNode &node);
  int64_t extent(const Extent &extent) const {
    return extent.argument ? scalars[*extent.argument] : extent.constant;
  }

  bool isRacy = false;
  int64_t left = 30000000;

private:
  using Wide = __int128;

  static int64_t fit(Wide value, IntType type);
  static Wide number(int64_t value, IntType type) {
    return type.isSigned ? Wide(value) : Wide(uint64_t(value));
  }
  int64_t as(const Expression &value, IntType type) {
    return fit(number(evaluate(value), value.type), type);
  }
  int64_t evaluate(const Expression &value);
  int64_t binary(const Expression &value);
  void run(const std::vector<Statement> &body);
  void touch(const Statement &statement);
  void loop(const Statement &statement);
  void locked(const Statement &statement);
  int64_t loaded(int64_t index) const;

  const Scalars &scalars;
  const unsigned contents;
  Way way;
  std::array<int64_t, 8> ids = {}, extents = {};
  std::array<int64_t, 4> counters = {};
  int instance = 0;
  std::unordered_map<int64_t, Place> places;
};
} // namespace

/// Converts the value to a type; the result has 64 bits, and an unsigned type
/// fills the upper bits with zeros.
int64_t Runner::fit(Wide value, IntType type) {
  if (type.bits == 64)
    return int64_t(uint64_t(value));
  uint64_t bits = uint64_t(value) & ((uint64_t(1) << type.bits) - 1);
  if (type.isSigned && (bits >> (type.bits - 1)))
    bits |= ~((uint64_t(1) << type.bits) - 1);
  return int64_t(bits);
}

int64_t Runner::binary(const Expression &value) {
  const std::string &op = value.op;
  const Expression &left = *value.operands[0], &right = *value.operands[1];
  if (op == "&&")
    return evaluate(left) != 0 && evaluate(right) != 0;
  if (op == "||")
    return evaluate(left) != 0 || evaluate(right) != 0;
  auto promote = [](IntType type) {
    return type.bits < 32 ? IntType{32, true} : type;
  };
  IntType x = promote(left.type), y = promote(right.type), type = x;
  if (op == "<<" || op == ">>") {
    int64_t amount = evaluate(right);
    if (amount < 0 || amount >= type.bits)
      throw Undefined();
    Wide number = Runner::number(as(left, type), type);
    return op == "<<" ? fit(number * (Wide(1) << amount), type)
                      : fit(number >> amount, type);
  }
  if (x.bits == y.bits)
    type.isSigned = x.isSigned && y.isSigned;
  else
    type = x.bits > y.bits ? x : y;
  Wide a = number(as(left, type), type), b = number(as(right, type), type);
  if (op == "<")
    return a < b;
  if (op == "<=")
    return a <= b;
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  Wide result = 0;
  switch (op[0]) {
  case '+':
    result = a + b;
    break;
  case '-':
    result = a - b;
    break;
  case '*':
    result = a * b;
    break;
  case '/':
  case '%':
    if (b == 0)
      throw Undefined();
    result = op == "/" ? a / b : a % b;
    break;
  case '&':
    result = a & b;
    break;
  case '|':
    result = a | b;
    break;
  default:
    result = a ^ b;
  }
  int64_t fitted = fit(result, type);
  if (type.isSigned && fitted != result)
    throw Undefined();
  return fitted;
}

int64_t Runner::evaluate(const Expression &value) {
  if (--left < 0)
    throw Endless();
  switch (value.kind) {
  case Kind::Constant:
    return fit(value.value, value.type);
  case Kind::Id:
    return ids[value.index];
  case Kind::Extent:
    return extents[value.index];
  case Kind::Argument:
    return scalars[value.index];
  case Kind::Counter:
    return counters[value.index];
  case Kind::Binary:
    return binary(value);
  case Kind::Cast:
    return as(*value.operands[0], value.type);
  case Kind::Choice:
    return as(*value.operands[evaluate(*value.operands[0]) ? 1 : 2],
              value.type);
  case Kind::Bits: {
    const Expression &operand = *value.operands[0];
    uint64_t bits = evaluate(operand);
    if (operand.type.bits < 64)
      bits &= (uint64_t(1) << operand.type.bits) - 1;
    return std::popcount(bits);
  }
  case Kind::Loaded:
    return loaded(as(*value.operands[0], {64, true}) & 63);
  }
  return 0;
}

void Runner::touch(const Statement &statement) {
  const Expression &index = *statement.first;
  Wide position = as(index, {64, true});
  Wide begin = position * statement.elementBytes;
  int64_t length = statement.bytes;
  if (statement.second)
    length = as(*statement.second, {64, true});
  // No object is this large.
  Wide most = Wide(1) << 46;
  if (begin > most || begin < -most || length < 0 || length > 4096)
    throw Undefined();
  // An atomic operation at an odd address is undefined.
  if (statement.isAtomic && begin % statement.bytes != 0)
    throw Undefined();
  for (int64_t i = 0; i != length && !isRacy; ++i) {
    --left;
    Place &place = places[2 * (int64_t(begin) + i) + statement.array];
    way.kind = statement.isAtomic  ? Way::Kind::Update
               : statement.isWrite ? Way::Kind::Write
                                   : Way::Kind::Read;
    isRacy |= place.add(instance, way);
    // The rest must be defined, as far as this can be determined.
    if (isRacy)
      left = std::min<int64_t>(left, 3000000);
  }
}

/// Element `index` of the table: all zeros, all ones, or arbitrary numbers.
int64_t Runner::loaded(int64_t index) const {
  const int64_t simple[] = {0, 1, index % 2};
  if (contents < 3)
    return simple[contents];
  uint64_t mixed = (uint64_t(index) + 64 * contents) * 0x9E3779B97F4A7C15u;
  return (mixed >> 40) % (contents % 2 ? 8 : 64);
}

void Runner::locked(const Statement &statement) {
  int64_t number = as(*statement.first, {64, true});
  // No object is this large.
  if (std::abs(number) > int64_t(1) << 40)
    throw Undefined();
  way.lock = number;
  run(statement.body);
  way.lock.reset();
}

void Runner::loop(const Statement &statement) {
  int64_t &counter = counters[statement.counter];
  counter = as(*statement.first, statement.type);
  while (true) {
    Expression now;
    now.kind = Kind::Counter;
    now.type = statement.type;
    now.index = statement.counter;
    Expression comparison;
    comparison.kind = Kind::Binary;
    comparison.op = "<";
    comparison.operands = {std::make_shared<Expression>(now), statement.second};
    if (statement.step < 0)
      std::swap(comparison.operands[0], comparison.operands[1]);
    if (!evaluate(comparison))
      return;
    run(statement.body);
    Wide next = number(counter, statement.type) + statement.step;
    counter = fit(next, statement.type);
    if (statement.type.isSigned && counter != next)
      throw Undefined();
  }
}

void Runner::run(const std::vector<Statement> &body) {
  for (const Statement &statement : body) {
    if (--left < 0)
      throw Endless();
    switch (statement.kind) {
    case Statement::Kind::Access:
    case Statement::Kind::Fill:
      touch(statement);
      break;
    case Statement::Kind::If:
      run(evaluate(*statement.first) ? statement.body : statement.otherwise);
      break;
    case Statement::Kind::Loop:
      loop(statement);
      break;
    case Statement::Kind::Locked:
      locked(statement);
      break;
    case Statement::Kind::Barrier:
      ++way.barriers;
      break;
    case Statement::Kind::Assume:
      if (!evaluate(*statement.first))
        throw Undefined();
      break;
    }
  }
}

void Runner::run(const RandomNode &node) {
  std::vector<std::pair<unsigned, int64_t>> all;
  int64_t count = 1;
  for (unsigned level = 0; level != node.levels.size(); ++level)
    for (unsigned dimension = 0; dimension != node.levels[level].size();
         ++dimension) {
      int64_t number = extent(node.levels[level][dimension]);
      extents[4 * level + dimension] = number;
      all.push_back({4 * level + dimension, number});
      count *= number;
    }
  for (int64_t number = 0; number != count; ++number, ++instance) {
    int64_t rest = number;
    for (auto [index, most] : all) {
      ids[index] = rest % most;
      rest /= most;
    }
    way.barriers = 0;
    run(node.body);
  }
  ++way.node;
}

std::optional<RandomProgram::Outcome>
RandomProgram::execute(const Scalars &scalars, int64_t maxInstances,
                       unsigned contents) const {
  Runner runner(scalars, contents);
  int64_t all = 0;
  for (const RandomNode &node : nodes) {
    int64_t count = 1;
    for (const auto &level : node.levels)
      for (const Extent &extent : level) {
        if (runner.extent(extent) < 1)
          return std::nullopt;
        count *= runner.extent(extent);
      }
    all += count;
  }
  if (all > maxInstances)
    return std::nullopt;
  try {
    for (const RandomNode &node : nodes)
      runner.run(node);
  } catch (const Undefined &) {
    return Outcome::Undefined;
  } catch (const Endless &) {
    if (!runner.isRacy)
      return std::nullopt;
  }
  return runner.isRacy ? Outcome::Racy : Outcome::Free;
}

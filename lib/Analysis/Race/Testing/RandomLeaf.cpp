//===- RandomLeaf.cpp - Random programs of leaves, for tests --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests compare the race check with an execution of all instances. This file
// generates the programs, with and without races.
//
//===----------------------------------------------------------------------===//

#include "RandomLeaf.h"

#include <algorithm>

using namespace sluice::races;
using Kind = Expression::Kind;

//===----------------------------------------------------------------------===//
// Making programs up
//===----------------------------------------------------------------------===//

static constexpr IntType longType = {64, true}, intType = {32, true};
static constexpr IntType scalarTypes[numScalars] = {
    {64, true}, {64, true}, {32, true}, {32, false}, {64, true}};

ExpressionRef sluice::races::make(Kind kind, IntType type, int64_t value,
                                  unsigned index) {
  auto result = std::make_shared<Expression>();
  result->kind = kind;
  result->type = type;
  result->value = value;
  result->index = index;
  return result;
}

/// The type of an operand after C's integer promotions.
static IntType promoted(IntType type) {
  return type.bits < 32 ? intType : type;
}

static IntType common(IntType a, IntType b) {
  a = promoted(a);
  b = promoted(b);
  if (a.bits != b.bits)
    return a.bits > b.bits ? a : b;
  return {a.bits, a.isSigned && b.isSigned};
}

ExpressionRef sluice::races::binary(std::string op, ExpressionRef a,
                                    ExpressionRef b) {
  bool isShift = op == "<<" || op == ">>";
  bool isTruth = op == "<" || op == "<=" || op == "==" || op == "!=" ||
                 op == "&&" || op == "||";
  auto result = make(Kind::Binary, isTruth   ? intType
                                   : isShift ? promoted(a->type)
                                             : common(a->type, b->type));
  result->op = std::move(op);
  result->operands = {std::move(a), std::move(b)};
  return result;
}

ExpressionRef sluice::races::argument(unsigned index) {
  return make(Kind::Argument, scalarTypes[index], 0, index);
}

namespace {
class Maker {
public:
  Maker(std::minstd_rand &random, const RandomNode &node)
      : random(random), node(node) {}

  std::vector<Statement> body(unsigned depth);

private:
  unsigned below(unsigned most) { return random() % most; }
  bool chance(unsigned percent) { return below(100) < percent; }
  int64_t small() {
    static constexpr int64_t numbers[] = {1, 2, 3, 4, 5, 7, 8, 16};
    return numbers[below(8)];
  }
  ExpressionRef constant(int64_t value) {
    return make(Kind::Constant, chance(80) ? intType : longType, value);
  }
  ExpressionRef id();
  ExpressionRef atom();
  ExpressionRef cast(ExpressionRef value);
  ExpressionRef linear();
  ExpressionRef changed(ExpressionRef value);
  ExpressionRef index(unsigned depth);
  ExpressionRef comparison();
  ExpressionRef condition();
  Statement access();
  Statement loop(unsigned depth);

  std::minstd_rand &random;
  const RandomNode &node;
  std::vector<IntType> counters;
};
} // namespace

ExpressionRef Maker::id() {
  unsigned level = below(node.levels.size());
  unsigned dimension = below(node.levels[level].size());
  ExpressionRef result = make(Kind::Id, longType, 0, 4 * level + dimension);
  return chance(50) ? result : cast(result);
}

ExpressionRef Maker::cast(ExpressionRef value) {
  static constexpr IntType types[] = {
      {32, true},  {32, true}, {32, false}, {32, false}, {64, true},
      {64, false}, {8, false}, {16, false}, {8, true},   {16, true}};
  auto result = make(Kind::Cast, types[below(chance(70) ? 6 : 10)]);
  result->operands = {std::move(value)};
  return result;
}

ExpressionRef Maker::atom() {
  unsigned choice = below(100);
  if (!counters.empty() && choice < 30) {
    unsigned number = below(counters.size());
    return make(Kind::Counter, counters[number], 0, number);
  }
  if (choice < 80)
    return id();
  if (choice < 88)
    return constant(below(12));
  if (choice < 93)
    return make(Kind::Extent, longType, 0, 4 * below(node.levels.size()));
  return argument(below(numScalars));
}

/// A sum that usually gives each instance a separate place.
ExpressionRef Maker::linear() {
  ExpressionRef sum;
  int64_t stride = chance(70) ? 1 : small();
  auto add = [&](ExpressionRef value, const Extent &extent) {
    ExpressionRef factor = constant(stride);
    if (stride != 1)
      value = chance(20) && (stride & (stride - 1)) == 0
                  ? binary("<<", value, constant(__builtin_ctzll(stride)))
                  : binary("*", value, factor);
    sum = sum ? binary("+", value, sum) : value;
    stride *= extent.argument ? 16 : extent.constant;
    if (chance(10))
      stride += int64_t(below(3)) - 1;
    stride = std::clamp<int64_t>(stride, 1, 4096);
  };
  for (unsigned number = 0; number != counters.size(); ++number)
    add(make(Kind::Counter, counters[number], 0, number), {4, {}});
  for (unsigned level = node.levels.size(); level-- > 0;)
    for (unsigned dimension = 0; dimension != node.levels[level].size();
         ++dimension) {
      ExpressionRef value = make(Kind::Id, longType, 0, 4 * level + dimension);
      const Extent &extent = node.levels[level][dimension];
      if (chance(40)) {
        value = make(Kind::Cast, chance(50) ? intType : IntType{32, false});
        value->operands = {make(Kind::Id, longType, 0, 4 * level + dimension)};
      }
      add(value, extent);
    }
  if (chance(25))
    sum = binary(chance(70) ? "+" : "-", sum, constant(below(20)));
  return sum;
}

ExpressionRef Maker::changed(ExpressionRef value) {
  static constexpr int64_t masks[] = {1,  2,  3,   6,  7,  12, 15,
                                      31, 63, 255, -2, -4, -8};
  switch (below(14)) {
  case 0:
    return binary("+", value, constant(below(20)));
  case 1:
    return binary("-", value, constant(below(6)));
  case 2:
    return binary("*", value, constant(chance(90) ? small() : -small()));
  case 3:
  case 4:
    return binary("%", value, constant(chance(95) ? small() : 10 + below(90)));
  case 5:
    return binary("/", value, constant(chance(95) ? small() : -small()));
  case 6:
  case 7:
    return binary("&", value, constant(masks[below(13)]));
  case 8:
    return binary(chance(50) ? "|" : "^", value, constant(masks[below(13)]));
  case 9:
    return binary("<<", value, constant(below(chance(90) ? 4 : 31)));
  case 10:
    return binary(">>", value, constant(below(4)));
  case 11:
    return cast(value);
  case 12:
    return binary(chance(60) ? "+" : chance(50) ? "-" : "^", value, atom());
  default: {
    auto result = make(Kind::Choice, {});
    ExpressionRef other = chance(50) ? atom() : changed(value);
    result->type = common(value->type, other->type);
    result->operands = {comparison(), value, other};
    return result;
  }
  }
}

ExpressionRef Maker::index(unsigned depth) {
  if (chance(2)) {
    auto result = make(Kind::Bits, intType);
    result->operands = {id()};
    return result;
  }
  ExpressionRef value = chance(65) ? linear() : atom();
  for (unsigned i = below(depth + 1); i > 0; --i)
    value = changed(value);
  return value;
}

ExpressionRef Maker::comparison() {
  static const char *const operators[] = {"<", "<=", "==", "!="};
  ExpressionRef value = atom();
  for (unsigned i = below(3); i > 0; --i)
    value = binary(chance(60) ? (chance(50) ? "%" : "/") : "&", value,
                   constant(small()));
  ExpressionRef other =
      chance(70) ? constant(chance(60) ? below(4) : below(20)) : atom();
  if (chance(30))
    std::swap(value, other);
  return binary(operators[below(4)], value, other);
}

ExpressionRef Maker::condition() {
  ExpressionRef result = comparison();
  if (chance(30))
    result = binary(chance(70) ? "&&" : "||", result, comparison());
  return result;
}

Statement Maker::access() {
  Statement result;
  result.array = chance(75) ? 0 : 1;
  static constexpr unsigned widths[] = {4, 4, 4, 1, 2, 8};
  result.elementBytes = widths[below(6)];
  result.bytes = chance(90) ? result.elementBytes : widths[below(6)];
  result.isWrite = chance(65);
  result.isAtomic = chance(5);
  if (result.isAtomic)
    result.elementBytes = result.bytes;
  result.first = index(chance(50) ? 1 : 3);
  if (chance(4)) {
    result.kind = Statement::Kind::Fill;
    result.isWrite = true;
    result.isAtomic = false;
    result.second =
        chance(50) ? constant(below(20)) : binary("&", atom(), constant(7));
  }
  return result;
}

Statement Maker::loop(unsigned depth) {
  Statement result;
  result.kind = Statement::Kind::Loop;
  result.type = chance(60)   ? intType
                : chance(50) ? IntType{32, false}
                             : longType;
  result.counter = counters.size();
  result.first = chance(70) ? constant(0) : atom();
  result.second = chance(65) ? constant(1 + below(6)) : atom();
  result.step = chance(80) ? 1 : chance(50) ? int64_t(1 + below(3)) : -1;
  if (result.step < 0) {
    std::swap(result.first, result.second);
    result.type.isSigned = true;
  }
  counters.push_back(result.type);
  result.body = body(depth);
  counters.pop_back();
  return result;
}

std::vector<Statement> Maker::body(unsigned depth) {
  std::vector<Statement> result;
  for (unsigned i = 1 + below(depth == 2 ? 3 : 2); i > 0; --i) {
    unsigned choice = below(100);
    if (depth > 0 && choice < 30) {
      Statement guard;
      guard.kind = Statement::Kind::If;
      guard.first = condition();
      guard.body = body(depth - 1);
      if (chance(20))
        guard.otherwise = body(depth - 1);
      result.push_back(std::move(guard));
    } else if (depth > 0 && choice < 45 && counters.size() < 2) {
      result.push_back(loop(depth - 1));
    } else {
      result.push_back(access());
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Locks and tables
//===----------------------------------------------------------------------===//

/// The number of the lock for an access at `index`.
static ExpressionRef lockFor(const ExpressionRef &index,
                             std::minstd_rand &random) {
  auto constant = [](int64_t value) {
    return make(Kind::Constant, intType, value);
  };
  switch (random() % 10) {
  case 0:
  case 1:
  case 2:
    return constant(0);
  case 3:
    return constant(random() % 2);
  case 4:
    return binary("%", index, constant(1 + random() % 8));
  case 5:
    return binary("&", index, constant(random() % 2 ? 3 : 7));
  case 6:
    return binary("/", index, constant(1 + random() % 4));
  default:
    return index;
  }
}

/// Makes some accesses go through the table, and some hold a lock.
static void addLocks(std::vector<Statement> &body, std::minstd_rand &random) {
  for (Statement &statement : body) {
    bool isAccess = statement.kind == Statement::Kind::Access;
    if (isAccess && random() % 4 == 0) {
      auto loaded = make(Kind::Loaded, intType);
      loaded->operands = {statement.first};
      statement.first = std::move(loaded);
    }
    if (isAccess && random() % 3 != 0) {
      Statement locked;
      locked.kind = Statement::Kind::Locked;
      locked.first = lockFor(statement.first, random);
      locked.body = {std::move(statement)};
      statement = std::move(locked);
    } else {
      addLocks(statement.body, random);
      addLocks(statement.otherwise, random);
    }
  }
}

RandomProgram::RandomProgram(uint64_t seed, RandomStyle style) : style(style) {
  std::minstd_rand random(seed * 2654435761u + 12345);
  random.discard(10);
  if (style == RandomStyle::Shapes) {
    isExtent.fill(true);
    makeShape(nodes.emplace_back(), random);
    return;
  }
  bool hasLocks = style == RandomStyle::Locks;
  auto below = [&](unsigned most) { return unsigned(random() % most); };
  unsigned count = below(100) < 15 ? 2 : 1;
  for (unsigned i = 0; i != count; ++i) {
    RandomNode node;
    unsigned shape = below(10);
    node.levels.resize(shape == 9 ? 2 : 1);
    bool isWide = shape < 6 && below(8) == 0;
    bool isOpen = below(2) == 0;
    for (auto &level : node.levels) {
      level.resize(shape >= 6 && shape < 9 ? 2 : 1);
      for (Extent &extent : level) {
        extent.constant = isWide ? 200 + below(200)
                          : below(6) == 0
                              ? 1
                              : 2 + below(level.size() == 1 ? 30 : 10);
        if (isOpen && below(3) != 0) {
          extent.argument = below(numExtentArguments);
          isExtent[*extent.argument] = true;
        }
      }
    }
    nodes.push_back(std::move(node));
    nodes.back().body = Maker(random, nodes.back()).body(2);
    if (hasLocks)
      addLocks(nodes.back().body, random);
    if (hasLocks && nodes.back().levels.size() == 1 && below(5) == 0) {
      Statement barrier;
      barrier.kind = Statement::Kind::Barrier;
      std::vector<Statement> &body = nodes.back().body;
      body.insert(body.begin() + 1 + below(body.size()), barrier);
    }
  }
}

Scalars RandomProgram::chooseScalars(std::minstd_rand &random,
                                     bool isWide) const {
  static constexpr int64_t extents[] = {
      1,  2,  3,  4,  5,  6,   7,   8,   9,   11,  16,  17, 20,
      32, 33, 40, 64, 65, 100, 128, 129, 200, 257, 300, 513};
  static constexpr int64_t others[] = {
      0,  1,  2,  3,  4,  5,   7,   8,   9,       15,        16,       17,
      30, 64, -1, -2, -3, -16, 255, 256, 1 << 20, INT32_MAX, INT32_MIN};
  auto isExtentAt = [&](unsigned i) {
    return i < numExtentArguments && isExtent[i];
  };
  Scalars scalars;
  if (style == RandomStyle::Shapes) {
    for (unsigned i = 0; i != numScalars; ++i)
      scalars[i] = isExtentAt(i)        ? 1 + random() % 9
                   : random() % 12 == 0 ? -int64_t(random() % 20)
                                        : random() % (isWide ? 60 : 20);
    scalars[3] = uint32_t(scalars[3]);
    return scalars;
  }
  unsigned most = random() % 3 == 0 ? 25 : 13;
  for (unsigned i = 0; i != numScalars; ++i)
    scalars[i] =
        isExtentAt(i) ? extents[random() % most] : others[random() % 23];
  // Extents and other arguments may be any small number.
  for (unsigned i = 0; i != numScalars; ++i)
    if (random() % 4 == 0)
      scalars[i] = isExtentAt(i) && random() % 3 == 0 ? -int64_t(random() % 3)
                                                      : int64_t(random() % 33);
  for (unsigned i = 0; isWide && i != numExtentArguments; ++i)
    if (isExtent[i])
      scalars[i] = 1 + random() % 159;
  scalars[3] = uint32_t(scalars[3]);
  return scalars;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string spell(IntType type) {
  return (type.isSigned ? "i" : "u") + std::to_string(type.bits);
}

static std::string spell(const Expression &value) {
  switch (value.kind) {
  case Kind::Constant:
    return std::to_string(value.value) + (value.type.bits == 64 ? "L" : "");
  case Kind::Id:
    return "id" + std::to_string(value.index);
  case Kind::Extent:
    return "extent" + std::to_string(value.index);
  case Kind::Argument:
    return std::string(1, "nmsuk"[value.index]);
  case Kind::Counter:
    return "k" + std::to_string(value.index);
  case Kind::Binary:
    return "(" + spell(*value.operands[0]) + " " + value.op + " " +
           spell(*value.operands[1]) + ")";
  case Kind::Cast:
    return "(" + spell(value.type) + ")" + spell(*value.operands[0]);
  case Kind::Choice:
    return "(" + spell(*value.operands[0]) + " ? " + spell(*value.operands[1]) +
           " : " + spell(*value.operands[2]) + ")";
  case Kind::Bits:
    return "popcount(" + spell(*value.operands[0]) + ")";
  case Kind::Loaded:
    return "C[" + spell(*value.operands[0]) + " & 63]";
  }
  return "";
}

static std::string spell(const std::vector<Statement> &body,
                         const std::string &indent) {
  std::string result;
  for (const Statement &statement : body) {
    result += indent;
    switch (statement.kind) {
    case Statement::Kind::Access:
    case Statement::Kind::Fill:
      result += std::string(statement.isAtomic ? "atomic " : "") +
                (statement.isWrite ? "write " : "read ") +
                "AB"[statement.array] + "[" + spell(*statement.first) +
                "] of " + std::to_string(statement.elementBytes) + ", " +
                (statement.second ? spell(*statement.second)
                                  : std::to_string(statement.bytes)) +
                " bytes\n";
      break;
    case Statement::Kind::If:
      result += "if " + spell(*statement.first) + "\n" +
                spell(statement.body, indent + "  ");
      if (!statement.otherwise.empty())
        result += indent + "else\n" + spell(statement.otherwise, indent + "  ");
      break;
    case Statement::Kind::Loop:
      result += "for (" + spell(statement.type) + " k" +
                std::to_string(statement.counter) + " = " +
                spell(*statement.first) + "; " +
                (statement.step > 0 ? "< " : "> ") + spell(*statement.second) +
                "; += " + std::to_string(statement.step) + ")\n" +
                spell(statement.body, indent + "  ");
      break;
    case Statement::Kind::Barrier:
      result += "barrier\n";
      break;
    case Statement::Kind::Assume:
      result += "assume " + spell(*statement.first) + "\n";
      break;
    case Statement::Kind::Locked:
      result += "with lock " + spell(*statement.first) + "\n" +
                spell(statement.body, indent + "  ");
      break;
    }
  }
  return result;
}

std::string RandomProgram::text() const {
  std::string result;
  for (const RandomNode &node : nodes) {
    result += "node";
    for (const auto &level : node.levels) {
      result += " [";
      for (const Extent &extent : level)
        result +=
            " " + (extent.argument ? std::string(1, "nm"[*extent.argument])
                                   : std::to_string(extent.constant));
      result += " ]";
    }
    result += "\n" + spell(node.body, "  ");
  }
  return result;
}

std::string RandomProgram::graphs() const {
  const std::string inputs =
      "%A: !llvm.ptr inout, %B: !llvm.ptr inout, %n: i64, %m: i64, %s: i32, "
      "%u: i32, %k: i64, %C: !llvm.ptr in, %L: !llvm.ptr inout";
  const std::string operands =
      "(%A, %B, %n, %m, %s, %u, %k, %C, %L) : (!llvm.ptr, !llvm.ptr, i64, "
      "i64, i32, i32, i64, !llvm.ptr, !llvm.ptr) -> ()\n";
  std::string kernels, graphs, root = "dfg.graph @root(" + inputs + ") {\n";
  unsigned constants = 0;
  auto addNode = [&](std::string &graph, const std::string &callee,
                     const std::vector<Extent> &extents) {
    std::string list;
    for (const Extent &extent : extents) {
      std::string name = "%c" + std::to_string(constants++);
      if (extent.argument)
        name = *extent.argument == 0 ? "%n" : "%m";
      else
        graph += "  " + name + " = arith.constant " +
                 std::to_string(extent.constant) + " : i64\n";
      list += (list.empty() ? "" : ", ") + name;
    }
    graph += "  dfg.node @" + callee + "[" + list + "]" + operands;
  };
  for (auto [number, node] : llvm::enumerate(nodes)) {
    std::string name = "leaf" + std::to_string(number);
    kernels += "dfg.kernel @" + name + "(" + inputs + ")\n";
    if (node.levels.size() == 2) {
      std::string group = "group" + std::to_string(number);
      std::string text = "dfg.graph @" + group + "(" + inputs + ") {\n";
      addNode(text, name, node.levels[1]);
      graphs += text + "  dfg.output\n}\n";
      name = group;
    }
    addNode(root, name, node.levels[0]);
  }
  return kernels + graphs + root + "  dfg.output\n}\n";
}

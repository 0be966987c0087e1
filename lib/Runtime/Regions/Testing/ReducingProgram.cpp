//===- ReducingProgram.cpp - Random programs with shared reductions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every choice follows from the seed.
//
//===----------------------------------------------------------------------===//

#include "ReducingProgram.h"

#include "RegionsTest.h"

#include <cstring>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 29);
}

/// Of very different sizes, so that sums depend on their order.
static double valueFrom(uint64_t bits) {
  const double small = 1.0 + double(bits % 1000003) * 0x1p-20;
  return std::ldexp(bits & 1 ? small : -small, int(bits / 1024 % 24));
}

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void reduceInto(double &into, double value, SluiceReductionKind kind) {
  switch (kind) {
  case SLUICE_REDUCE_SUM:
    into += value;
    return;
  case SLUICE_REDUCE_PRODUCT:
    into *= 1.0 + value * 0x1p-60;
    return;
  case SLUICE_REDUCE_MIN:
    into = std::min(into, value);
    return;
  default:
    into = std::max(into, value);
  }
}

void ReducingProgram::runTask(const SluiceTask *task, const SluiceView *views,
                              const void *closure) {
  const Call &call = *static_cast<const Call *>(closure);
  uint64_t seen = mixed(call.salt, task->point[0]);
  for (size_t a = 0; a < call.uses.size(); ++a) {
    const Use &use = call.uses[a];
    if (use.privilege != SLUICE_PRIVILEGE_READ &&
        use.privilege != SLUICE_PRIVILEGE_READ_WRITE)
      continue;
    forEachElement(views[a], [&](int64_t i) {
      seen = mixed(seen, use.isName ? uint64_t(field<int64_t>(views[a])[i])
                                    : bitsOf(field<double>(views[a])[i]));
    });
  }
  for (size_t a = 0; a < call.uses.size(); ++a) {
    const Use &use = call.uses[a];
    if (use.privilege == SLUICE_PRIVILEGE_READ)
      continue;
    forEachElement(views[a], [&](int64_t i) {
      const uint64_t bits = mixed(seen, uint64_t(i));
      if (use.isName)
        field<int64_t>(views[a])[i] = int64_t(bits % uint64_t(use.count));
      else if (use.privilege == SLUICE_PRIVILEGE_REDUCE)
        reduceInto(field<double>(views[a])[i], valueFrom(bits), use.kind);
      else
        field<double>(views[a])[i] = valueFrom(bits);
    });
  }
}

//===----------------------------------------------------------------------===//
// Roots and partitions
//===----------------------------------------------------------------------===//

template <typename Value> Value ReducingProgram::valueOf(Result<Value> result) {
  EXPECT_EQ(result.status().message(), "");
  return result.ok() ? *result : Value();
}
void ReducingProgram::check(const Status &status) {
  EXPECT_EQ(status.message(), "");
}

/// In two dimensions with rows of three.
void ReducingProgram::addRoot(int64_t count, bool isPlane) {
  const SluiceField fields[] = {
      {"a", SLUICE_F64, 1}, {"b", SLUICE_F64, 1}, {"name", SLUICE_I64, 1}};
  const int64_t extents[] = {isPlane ? count / 3 : count, 3};
  const int rank = isPlane ? 2 : 1;
  TestRoot root = {
      valueOf(program->addRoot("root", rank, extents, 3, fields)), 0, {}, {}};
  root.count = extents[0] * (isPlane ? 3 : 1);
  const uint32_t blocks = valueOf(program->addBlocks(
      "blocks", root.index, SLUICE_NO_PARTITION, 0, 1, &options.numColors));
  root.disjoint.push_back(blocks);
  const int64_t width[] = {1 + pick(2), 0};
  root.aliased.push_back(
      valueOf(program->addHalos("halos", blocks, width, false)));
  if (!isPlane) {
    root.aliased.push_back(addBorder(root, false));
    root.aliased.push_back(addBorder(root, false));
    root.disjoint.push_back(addBorder(root, true));
  }
  // What partitions by name are made of where no task has run.
  auto *names =
      static_cast<int64_t *>(valueOf(program->rootField(root.index, 2)));
  auto *as = static_cast<double *>(valueOf(program->rootField(root.index, 0)));
  auto *bs = static_cast<double *>(valueOf(program->rootField(root.index, 1)));
  for (int64_t i = 0; i < root.count; ++i) {
    names[i] = pick(root.count);
    as[i] = double(pick(100));
    bs[i] = double(pick(100));
  }
  roots.push_back(std::move(root));
}

/// Elements nearby, a few anywhere, and colors without any; or each element in
/// one color at most.
uint32_t ReducingProgram::addBorder(const TestRoot &root, bool isDisjoint) {
  static thread_local std::mt19937 own;
  static thread_local int64_t count, numColors, reach;
  static thread_local bool isApart;
  own.seed(random());
  count = root.count;
  numColors = options.numColors;
  reach = 1 + pick(4);
  isApart = isDisjoint;
  const uint32_t made = valueOf(program->addColoring(
      "border", root.index, SLUICE_NO_PARTITION, 0, 1, &options.numColors,
      [](const int64_t *color, SluiceColoring *elements) {
        const int64_t first = color[0] * count / numColors;
        const int64_t end = (color[0] + 1) * count / numColors;
        if (isApart) {
          if (own() % 5 && first < end)
            elements->add(elements, first, first + 1 + own() % (end - first));
          return;
        }
        if (own() % 6 == 0)
          return;
        const int64_t begin = std::max<int64_t>(0, first - own() % reach);
        elements->add(elements, begin,
                      std::min(count, begin + int64_t(own() % (reach + 2))));
        if (own() % 8 == 0) {
          const auto far = static_cast<int64_t>(own() % count);
          elements->add(elements, far, far + 1);
        }
      }));
  if (isDisjoint)
    check(program->promise(made, true, false));
  return made;
}

/// Of fields that the graphs so far have changed.
void ReducingProgram::addByNames() {
  TestRoot &root = roots[pick(roots.size())];
  if (root.index == 2)
    return;
  switch (pick(3)) {
  case 0:
    root.aliased.push_back(valueOf(program->addImage(
        "image", root.index, root.disjoint[pick(root.disjoint.size())], 2)));
    return;
  case 1:
    root.disjoint.push_back(valueOf(
        program->addPreimage("preimage", root.index, 2, root.disjoint[0])));
    return;
  default:
    root.disjoint.push_back(valueOf(
        program->addByField("field", root.index, 2, 1, &options.numColors)));
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SluiceReductionKind ReducingProgram::pickKind() {
  static constexpr SluiceReductionKind kinds[] = {
      SLUICE_REDUCE_SUM, SLUICE_REDUCE_SUM, SLUICE_REDUCE_PRODUCT,
      SLUICE_REDUCE_MIN, SLUICE_REDUCE_MAX};
  return kinds[pick(5)];
}

SluiceArgument ReducingProgram::use(const TestRoot &root, uint32_t partition,
                                    SluicePrivilege privilege,
                                    uint64_t fields) {
  SluiceArgument made = argument(root.index, privilege, fields, partition);
  made.reduction.kind = SLUICE_REDUCE_SUM;
  return made;
}

SluiceArgument ReducingProgram::scalar(SluicePrivilege privilege) {
  SluiceArgument made = argument(sum, privilege);
  made.reduction.kind = SLUICE_REDUCE_SUM;
  return made;
}

void ReducingProgram::add(int64_t numPoints,
                          std::vector<SluiceArgument> arguments, bool isHost) {
  Call &call = calls.emplace_back();
  call.salt = random();
  for (const SluiceArgument &each : arguments)
    call.uses.push_back(
        {each.privilege, each.reduction.kind, each.fields == Name,
         each.root < roots.size() ? roots[each.root].count : 1});
  SluiceStatement statement = {};
  statement.name = "task";
  statement.body = runTask;
  statement.closure = &call;
  statement.rank = numPoints != 0;
  statement.extents[0] = numPoints;
  statement.isHost = isHost;
  statement.numArguments = static_cast<uint32_t>(arguments.size());
  statement.arguments = arguments.data();
  check(program->addStatement(statement));
}

static int64_t backwards(const SluiceTask *task) {
  return task->extent[0] - 1 - task->point[0];
}
static int64_t next(const SluiceTask *task) {
  return (task->point[0] + 1) % task->extent[0];
}

/// Of one or two arguments, which may have elements in common.
void ReducingProgram::addReduction() {
  const TestRoot &root = roots[pick(roots.size())];
  const uint64_t reduced = 1 + pick(2);
  std::vector<SluiceArgument> arguments;
  const SluiceReductionKind kind = pickKind();
  for (int64_t left = 1 + (pick(3) == 0); left > 0; --left) {
    const auto &from = pick(4) ? root.aliased : root.disjoint;
    arguments.push_back(
        use(root, from[pick(from.size())], SLUICE_PRIVILEGE_REDUCE, reduced));
    arguments.back().reduction.kind = kind;
    if (pick(6) == 0)
      arguments.back().projection = pick(2) ? backwards : next;
  }
  if (pick(3) == 0)
    arguments.push_back(use(root, root.aliased[pick(root.aliased.size())],
                            SLUICE_PRIVILEGE_READ, 3 - reduced));
  if (pick(3) == 0) {
    const TestRoot &other = roots[pick(roots.size())];
    if (other.index != root.index)
      arguments.push_back(use(other, other.aliased[pick(other.aliased.size())],
                              SLUICE_PRIVILEGE_READ, 1 + pick(2)));
  }
  if (pick(4) == 0)
    arguments.push_back(
        scalar(pick(2) ? SLUICE_PRIVILEGE_READ : SLUICE_PRIVILEGE_REDUCE));
  add(options.numColors, arguments, pick(24) == 0);
}

void ReducingProgram::addLaunch() {
  static constexpr SluicePrivilege writes[] = {SLUICE_PRIVILEGE_READ_WRITE,
                                               SLUICE_PRIVILEGE_WRITE_DISCARD,
                                               SLUICE_PRIVILEGE_REDUCE};
  const TestRoot &root = roots[pick(roots.size())];
  const uint64_t written = 1 + pick(2);
  std::vector<SluiceArgument> arguments = {
      use(root, root.disjoint[pick(root.disjoint.size())], writes[pick(3)],
          written),
      use(root, root.aliased[pick(root.aliased.size())], SLUICE_PRIVILEGE_READ,
          3 - written)};
  if (pick(5) == 0)
    arguments.push_back(scalar(SLUICE_PRIVILEGE_READ));
  add(options.numColors, arguments, pick(24) == 0);
}

/// By blocks, or by one task.
void ReducingProgram::addRename() {
  const TestRoot &root = roots[pick(roots.size())];
  const bool isSingle = pick(2) != 0;
  add(isSingle ? 0 : options.numColors,
      {use(root, isSingle ? SLUICE_NO_PARTITION : root.disjoint[0],
           SLUICE_PRIVILEGE_WRITE_DISCARD, Name),
       use(root, isSingle ? SLUICE_NO_PARTITION : root.aliased[0],
           SLUICE_PRIVILEGE_READ, 1 + pick(2))});
}

void ReducingProgram::addSingle() {
  const TestRoot &root = roots[pick(roots.size())];
  if (options.hasOthers && pick(3) == 0) {
    const double value = 0.5;
    return check(program->addFill(
        use(root, SLUICE_NO_PARTITION, SLUICE_PRIVILEGE_READ, 1 + pick(2)),
        &value, 0, nullptr));
  }
  switch (pick(4)) {
  case 0:
    return add(0, {scalar(SLUICE_PRIVILEGE_READ_WRITE)});
  case 1: {
    SluiceArgument part = use(root, root.aliased[pick(root.aliased.size())],
                              SLUICE_PRIVILEGE_REDUCE, 1 + pick(2));
    part.color = pick(options.numColors);
    return add(0, {part});
  }
  default:
    return add(
        0,
        {use(root, SLUICE_NO_PARTITION,
             pick(2) ? SLUICE_PRIVILEGE_READ : SLUICE_PRIVILEGE_READ_WRITE,
             1 + pick(2)),
         scalar(SLUICE_PRIVILEGE_READ)},
        pick(2) != 0);
  }
}

void ReducingProgram::addBody(unsigned depth, int64_t length) {
  for (; length > 0; --length) {
    const int64_t kind = pick(16);
    if (kind < 2 && depth < 2) {
      check(program->beginLoop(pick(4), SLUICE_NO_PARTITION));
      addBody(depth + 1, 1 + pick(4));
      check(program->endLoop());
    } else if (kind < 3) {
      addSingle();
    } else if (kind < 7) {
      addLaunch();
    } else if (kind < 8) {
      addRename();
    } else {
      addReduction();
    }
  }
}

void ReducingProgram::addGraph() {
  check(program->beginGraph("reducing"));
  addBody(0, 2 + pick(5));
}

void ReducingProgram::run(RegionProgram &theProgram,
                          const std::function<void()> &end) {
  program = &theProgram;
  const int64_t n = options.numColors;
  addRoot(options.isTiny ? 40 : n * (1 + pick(4)) + 700 + pick(9), false);
  addRoot(n * (1 + pick(3)) + 800 + pick(9), false);
  addRoot((n * (1 + pick(2)) + 300) * 3, true);
  const SluiceField value = {"value", SLUICE_F64, 1};
  const int64_t one = 1;
  sum = valueOf(program->addRoot("sum", 1, &one, 1, &value));
  for (unsigned g = 0; g < options.numGraphs; ++g) {
    for (int64_t left = g ? pick(3) : 0; left > 0; --left)
      addByNames();
    addGraph();
    end();
  }
}

std::vector<uint64_t> ReducingProgram::takeResults() {
  std::vector<uint64_t> bits;
  auto take = [&](uint32_t root, uint32_t field, int64_t count) {
    check(program->bringEverywhere(root, field));
    const auto *from =
        static_cast<const uint64_t *>(valueOf(program->rootField(root, field)));
    bits.insert(bits.end(), from, from + count);
  };
  for (const TestRoot &root : roots)
    for (uint32_t field = 0; field < 3; ++field)
      take(root.index, field, root.count);
  take(sum, 0, 1);
  return bits;
}

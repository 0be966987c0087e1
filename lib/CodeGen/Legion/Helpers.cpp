//===- Helpers.cpp - Helper functions of a Legion program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small functions for everything that generated programs need beyond Legion's
// interface. A program contains only those that it uses.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

namespace {
struct HelperText {
  Helper helper;
  /// The helpers that this one uses.
  std::vector<Helper> needs;
  const char *text;
};
} // namespace

static const char failText[] = R"(
/// Ends the program with a message.
[[noreturn]] void fail(const std::string &message) {
  fprintf(stderr, "error: %s\n", message.c_str());
  exit(1);
}
)";

static const char boxText[] = R"(
/// The elements 0 <= e < extents.
template <int rank>
Rect<rank> box(const std::array<int64_t, rank> &extents) {
  Rect<rank> result;
  for (int d = 0; d != rank; ++d) {
    result.lo[d] = 0;
    result.hi[d] = extents[d] - 1;
  }
  return result;
}
)";

static const char positionsText[] = R"(
/// Positions count the elements of a box in row-major order.
template <int rank>
int64_t positionOf(const Point<rank> &point,
                   const std::array<int64_t, rank> &extents) {
  int64_t position = 0;
  for (int d = 0; d != rank; ++d)
    position = position * extents[d] + point[d];
  return position;
}

template <int rank>
Point<rank> pointAt(int64_t position,
                    const std::array<int64_t, rank> &extents) {
  Point<rank> point;
  for (int d = rank; d-- != 0; position /= extents[d])
    point[d] = position % extents[d];
  return point;
}
)";

static const char taskText[] = R"(
/// What a task function is told of its place in a launch.
SluiceTask singleTask() {
  return {0, 0, {0, 0, 0}, {1, 1, 1}};
}

SluiceTask taskAt(const DomainPoint &point, const Domain &launch) {
  SluiceTask self = singleTask();
  self.rank = point.get_dim();
  for (int d = 0; d != self.rank; ++d) {
    self.point[d] = point[d];
    self.extent[d] = launch.hi()[d] + 1;
  }
  return self;
}

/// Members of an epoch are told by their argument.
SluiceTask selfOf(const Task *task) {
  if (task->arglen == sizeof(SluiceTask))
    return *static_cast<const SluiceTask *>(task->args);
  return task->is_index_space ? taskAt(task->index_point, task->index_domain)
                              : singleTask();
}
)";

static const char regionViewText[] = R"(
/// A mapped region as task functions see it: bounds, runs where elements are
/// missing from the box, and addresses of element 0 of each field.
template <int rank> class RegionView {
  using Accessor = Realm::AffineAccessor<char, rank, coord_t>;

public:
  /// `first`: one of the region's fields. `extents`: those of its root.
  RegionView(const PhysicalRegion &region, FieldID first,
             const std::array<int64_t, rank> &extents)
      : region(region) {
    const DomainT<rank> elements = region.get_bounds<rank, coord_t>();
    domain.rank = rank;
    domain.count = elements.volume();
    for (int d = 0; d != SLUICE_MAX_RANK; ++d) {
      domain.lower[d] = d < rank && domain.count ? INT64_MAX : 0;
      domain.upper[d] = d < rank ? 0 : 1;
      domain.stride[d] = d == rank - 1;
      domain.extent[d] = d < rank ? extents[d] : 1;
    }
    if (domain.count == 0)
      return;
    const Accessor accessor = accessorOf(region, first);
    for (int d = 0; d != rank; ++d)
      domain.stride[d] = accessor.strides[d] / accessor.strides[rank - 1];
    for (RectInDomainIterator<rank> it(elements); it(); it++)
      addRectangle(*it, elements.dense(), extents);
    if (!elements.dense())
      finishRuns();
  }

  /// The address of the element with coordinates 0, whether or not the region
  /// has it. `other`: where the field is not mapped with the first.
  template <typename T> T *field(FieldID id) const {
    return field<T>(id, region);
  }
  template <typename T>
  T *field(FieldID id, const PhysicalRegion &other) const {
    if (domain.count == 0)
      return nullptr;
    const Accessor accessor = accessorOf(other, id);
    for (int d = 0; d != rank; ++d)
      if (accessor.strides[d] != size_t(domain.stride[d]) * sizeof(T))
        fail("field " + std::to_string(id) + " is laid out with stride " +
             std::to_string(accessor.strides[d]) + " in dimension " +
             std::to_string(d) + ", but its elements are " +
             std::to_string(sizeof(T)) + " bytes and " +
             std::to_string(domain.stride[d]) +
             " apart: the mapper must keep C order, one array per field");
    return reinterpret_cast<T *>(accessor.base);
  }

  SluiceDomain domain = {};

private:
  static Accessor accessorOf(const PhysicalRegion &region, FieldID id) {
    return UnsafeFieldAccessor<char, rank, coord_t, Accessor>(region, id, true)
        .accessor;
  }

  void addRectangle(const Rect<rank> &rectangle, bool isDense,
                    const std::array<int64_t, rank> &extents) {
    for (int d = 0; d != rank; ++d) {
      domain.lower[d] = std::min<int64_t>(domain.lower[d], rectangle.lo[d]);
      domain.upper[d] = std::max<int64_t>(domain.upper[d], rectangle.hi[d] + 1);
    }
    if (isDense)
      return;
    Rect<rank> firsts = rectangle;
    firsts.hi[rank - 1] = firsts.lo[rank - 1];
    const int64_t length = rectangle.hi[rank - 1] - rectangle.lo[rank - 1] + 1;
    for (PointInRectIterator<rank> row(firsts); row(); row++) {
      const int64_t begin = positionOf<rank>(*row, extents);
      runs.push_back({begin, begin + length});
    }
  }

  /// Sorts the runs and joins neighbours.
  void finishRuns() {
    std::sort(runs.begin(), runs.end(),
              [](const SluiceRun &a, const SluiceRun &b) {
                return a.begin < b.begin;
              });
    size_t last = 0;
    for (size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].begin == runs[last].end)
        runs[last].end = runs[i].end;
      else
        runs[++last] = runs[i];
    }
    runs.resize(last + 1);
    domain.runs = runs.data();
    domain.numRuns = runs.size();
  }

  const PhysicalRegion &region;
  std::vector<SluiceRun> runs;
};
)";

static const char colorAtText[] = R"(
/// The color with a linear number.
template <int rank>
Point<rank> colorAt(const char *partition, int64_t color,
                    const std::array<int64_t, rank> &colors) {
  const int64_t count = box<rank>(colors).volume();
  if (color < 0 || color >= count)
    fail("a projection gives color " + std::to_string(color) +
         " of partition '" + partition + "', which has " +
         std::to_string(count) + " colors");
  return pointAt<rank>(color, colors);
}
)";

static const char projectionText[] = R"(
/// Lets Legion call a function from points to colors.
template <int rank,
          Point<rank> (*colorOf)(const DomainPoint &, const Domain &)>
class Projection final : public ProjectionFunctor {
public:
  using ProjectionFunctor::project;
  LogicalRegion project(LogicalPartition partition, const DomainPoint &point,
                        const Domain &launch) override {
    return runtime->get_logical_subregion_by_color(
        partition, DomainPoint(colorOf(point, launch)));
  }
  bool is_functional() const override { return true; }
  unsigned get_depth() const override { return 0; }
};
)";

static const char checkPointsText[] = R"(
template <int rank>
Point<rank> ownColor(const DomainPoint &point, const Domain &) {
  return point;
}

/// What is done to a color: 0 reads, 1 writes, and others are reductions, which
/// only their like may meet.
template <int rank> struct ColorUse {
  Point<rank> (*colorOf)(const DomainPoint &, const Domain &);
  int access;
};

/// Ends the program if a point of a launch changes a color that another point,
/// or another argument of the point, uses.
template <int rank>
void checkPoints(const char *statement, const char *partition,
                 const Domain &launch, const std::array<int64_t, rank> &colors,
                 const std::vector<ColorUse<rank>> &uses) {
  std::vector<int64_t> users(box<rank>(colors).volume(), -1);
  std::vector<int> known(users.size());
  int64_t number = 0;
  for (Domain::DomainPointIterator it(launch); it; it++, ++number)
    for (const ColorUse<rank> &use : uses) {
      const int64_t color = positionOf<rank>(use.colorOf(*it, launch), colors);
      if (users[color] >= 0 &&
          (use.access == 1 || use.access != known[color]))
        fail(std::string("points ") + std::to_string(users[color]) + " and " +
             std::to_string(number) + " of '" + statement +
             "' both use color " + std::to_string(color) +
             " of partition '" + partition + "', and one changes it");
      users[color] = number;
      known[color] = use.access;
    }
}
)";

static const char foldAtomicallyText[] = R"(
/// Folds a value into one that other tasks fold into at the same time.
template <typename T>
void foldAtomically(T &into, const T &value, void (*fold)(T *, const T *)) {
  T before, after;
  __atomic_load(&into, &before, __ATOMIC_RELAXED);
  do {
    after = before;
    fold(&after, &value);
  } while (!__atomic_compare_exchange(&into, &before, &after, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}
)";

static const char arrayReductionText[] = R"(
/// An operator on each value of a field with several per element.
template <typename Operator, size_t count, ReductionOpID id>
struct ArrayReduction {
  using RHS = std::array<typename Operator::RHS, count>;
  using LHS = RHS;
  static constexpr ReductionOpID REDOP_ID = id;
  static const RHS identity;

  template <bool isExclusive> static void fold(RHS &into, const RHS &value) {
    for (size_t i = 0; i != count; ++i)
      Operator::template fold<isExclusive>(into[i], value[i]);
  }
  template <bool isExclusive> static void apply(LHS &into, const RHS &value) {
    for (size_t i = 0; i != count; ++i)
      Operator::template apply<isExclusive>(into[i], value[i]);
  }
};

template <typename Operator, size_t count, ReductionOpID id>
const std::array<typename Operator::RHS, count>
    ArrayReduction<Operator, count, id>::identity = [] {
      RHS values;
      values.fill(Operator::identity);
      return values;
    }();
)";

static const char foldTaskText[] = R"(
/// A scalar with one more value folded into it.
template <typename Operator>
typename Operator::RHS fold_task(const Task *task,
                                 const std::vector<PhysicalRegion> &, Context,
                                 Runtime *) {
  using Value = typename Operator::RHS;
  Value result = task->futures[0].get_result<Value>();
  Operator::template fold<true>(result, task->futures[1].get_result<Value>());
  return result;
}
)";

static const char dependenceText[] = R"(
/// A dependence of an operation on requirement `previous` of the one that was
/// issued `offset` operations before it.
StaticDependence dependence(unsigned offset, unsigned previous,
                            unsigned current, DependenceType type,
                            const std::vector<FieldID> &fields) {
  StaticDependence result(offset, previous, current, type);
  for (FieldID field : fields)
    result.add_field(field);
  return result;
}
)";

static const char mapperText[] = R"(
/// Legion's default mapper, but with arrays in C order: task functions rely on
/// the last dimension's stride being 1.
class RowMajorMapper final : public DefaultMapper {
public:
  using DefaultMapper::DefaultMapper;

  void default_policy_select_constraints(
      MapperContext ctx, LayoutConstraintSet &constraints, Memory memory,
      const RegionRequirement &requirement) override {
    const int rank = requirement.region.get_index_space().get_dim();
    std::vector<DimensionKind> order;
    for (int d = rank; d-- != 0;)
      order.push_back(DimensionKind(LEGION_DIM_X + d));
    order.push_back(LEGION_DIM_F);
    constraints.add_constraint(OrderingConstraint(order, /*contiguous=*/false));
    DefaultMapper::default_policy_select_constraints(ctx, constraints, memory,
                                                     requirement);
  }

  /// The default mapper has one layout per operator; there is one per rank too.
  LayoutConstraintID default_policy_select_layout_constraints(
      MapperContext ctx, Memory memory, const RegionRequirement &requirement,
      MappingKind kind, bool needsCheck, bool &isForced) override {
    if (requirement.privilege != LEGION_REDUCE || kind == COPY_MAPPING)
      return DefaultMapper::default_policy_select_layout_constraints(
          ctx, memory, requirement, kind, needsCheck, isForced);
    isForced = true;
    const int rank = requirement.region.get_index_space().get_dim();
    const auto [layout, isNew] = reductionLayouts.insert(
        {std::make_tuple(memory.kind(), requirement.redop, rank), 0});
    if (isNew) {
      LayoutConstraintSet constraints;
      default_policy_select_constraints(ctx, constraints, memory, requirement);
      layout->second = runtime->register_layout(ctx, constraints);
    }
    return layout->second;
  }

private:
  std::map<std::tuple<Memory::Kind, ReductionOpID, int>, LayoutConstraintID>
      reductionLayouts;
};

void addMappers(Machine machine, Runtime *runtime,
                const std::set<Processor> &processors) {
  for (Processor processor : processors)
    runtime->replace_default_mapper(
        new RowMajorMapper(runtime->get_mapper_runtime(), machine, processor),
        processor);
}
)";

static const HelperText helperTexts[] = {
    {Helper::Fail, {}, failText},
    {Helper::Box, {}, boxText},
    {Helper::Positions, {}, positionsText},
    {Helper::Task, {}, taskText},
    {Helper::RegionView, {Helper::Fail, Helper::Positions}, regionViewText},
    {Helper::Rectangles, {Helper::Box}, nullptr},
    {Helper::Blocks, {Helper::Rectangles}, nullptr},
    {Helper::Halo, {Helper::Rectangles}, nullptr},
    {Helper::Coloring,
     {Helper::Fail, Helper::Positions, Helper::Rectangles},
     nullptr},
    {Helper::ColorAt,
     {Helper::Fail, Helper::Box, Helper::Positions},
     colorAtText},
    {Helper::Projection, {}, projectionText},
    {Helper::CheckPoints,
     {Helper::Fail, Helper::Box, Helper::Positions},
     checkPointsText},
    {Helper::FoldAtomically, {}, foldAtomicallyText},
    {Helper::ArrayReduction, {}, arrayReductionText},
    {Helper::FoldTask, {}, foldTaskText},
    {Helper::Dependence, {}, dependenceText},
    {Helper::Mapper, {}, mapperText}};

void LegionEmitter::use(Helper helper) {
  if (!helpers.insert(helper).second)
    return;
  for (const HelperText &entry : helperTexts)
    if (entry.helper == helper)
      for (Helper needed : entry.needs)
        use(needed);
}

void LegionEmitter::writeHelpers() {
  for (const HelperText &entry : helperTexts)
    if (entry.text && helpers.count(entry.helper))
      os << entry.text;
}

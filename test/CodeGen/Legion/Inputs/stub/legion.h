//===- legion.h - What generated programs use of Legion ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations only, for checking the syntax and the types of generated
// programs where Legion is not installed. Whatever is not declared here,
// generated programs do not use. The meaning of each is Legion's.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TEST_LEGION_STUB_H
#define SLUICE_TEST_LEGION_STUB_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

namespace Realm {

template <int N, typename T> struct Point {
  Point() = default;
  template <typename... Coordinates,
            typename = std::enable_if_t<
                sizeof...(Coordinates) == N &&
                (std::is_convertible_v<Coordinates, T> && ...)>>
  explicit Point(Coordinates... coordinates);
  T &operator[](int dimension);
  const T &operator[](int dimension) const;
};
template <typename T> struct Point<1, T> {
  Point() = default;
  Point(T coordinate);
  T &operator[](int dimension);
  const T &operator[](int dimension) const;
};
template <int N, typename T>
bool operator<(const Point<N, T> &a, const Point<N, T> &b);

template <int N, typename T> struct Rect {
  Rect();
  Rect(const Point<N, T> &lo, const Point<N, T> &hi);
  size_t volume() const;
  Point<N, T> lo, hi;
};

template <int N, typename T> struct IndexSpace {
  bool empty() const;
  bool dense() const;
  size_t volume() const;
  Rect<N, T> bounds;
};

template <typename FT, int N, typename T> struct AffineAccessor {
  uintptr_t base;
  Point<N, size_t> strides;
};

struct Machine {};
struct Processor {
  enum Kind { LOC_PROC };
  bool operator<(const Processor &other) const;
};
struct Memory {
  enum Kind { SYSTEM_MEM };
  Kind kind() const;
};

} // namespace Realm

namespace Legion {

using coord_t = long long;
using FieldID = unsigned;
using TaskID = unsigned;
using TraceID = unsigned;
using Color = unsigned;
using ProjectionID = unsigned;
using ReductionOpID = int;
using LayoutConstraintID = unsigned long;
using Realm::Machine;
using Realm::Memory;
using Realm::Processor;

enum PrivilegeMode {
  LEGION_READ_ONLY,
  LEGION_READ_WRITE,
  LEGION_WRITE_DISCARD,
  LEGION_REDUCE
};
enum CoherenceProperty {
  LEGION_EXCLUSIVE,
  LEGION_ATOMIC,
  LEGION_SIMULTANEOUS,
  LEGION_RELAXED
};
enum PartitionKind { LEGION_DISJOINT_COMPLETE_KIND, LEGION_COMPUTE_KIND };
enum DependenceType { LEGION_TRUE_DEPENDENCE, LEGION_ANTI_DEPENDENCE };
enum DimensionKind { LEGION_DIM_X, LEGION_DIM_F };

//===----------------------------------------------------------------------===//
// Points, domains
//===----------------------------------------------------------------------===//

template <int N, typename T = coord_t> using Point = Realm::Point<N, T>;
template <int N, typename T = coord_t> using Rect = Realm::Rect<N, T>;
template <int N, typename T = coord_t> using DomainT = Realm::IndexSpace<N, T>;

class DomainPoint {
public:
  DomainPoint();
  DomainPoint(coord_t coordinate);
  template <int N, typename T> DomainPoint(const Point<N, T> &point);
  template <int N, typename T> operator Point<N, T>() const;
  int get_dim() const;
  coord_t &operator[](unsigned dimension);
  const coord_t &operator[](unsigned dimension) const;
  bool operator<(const DomainPoint &other) const;
};

class Domain {
public:
  Domain();
  template <int N, typename T> Domain(const Rect<N, T> &rectangle);
  template <int N, typename T> operator DomainT<N, T>() const;
  DomainPoint lo() const;
  DomainPoint hi() const;
  class DomainPointIterator {
  public:
    explicit DomainPointIterator(const Domain &domain);
    operator bool() const;
    DomainPoint &operator*();
    DomainPointIterator operator++(int);
  };
};

template <int N, typename T = coord_t> class PointInRectIterator {
public:
  explicit PointInRectIterator(const Rect<N, T> &rectangle);
  bool operator()() const;
  Point<N, T> operator*() const;
  PointInRectIterator &operator++();
  PointInRectIterator operator++(int);
};
template <int N, typename T = coord_t> class PointInDomainIterator {
public:
  explicit PointInDomainIterator(const DomainT<N, T> &domain);
  bool operator()() const;
  Point<N, T> operator*() const;
  PointInDomainIterator operator++(int);
};
template <int N, typename T = coord_t> class RectInDomainIterator {
public:
  explicit RectInDomainIterator(const DomainT<N, T> &domain);
  bool operator()() const;
  Rect<N, T> operator*() const;
  RectInDomainIterator operator++(int);
};

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

class IndexSpace {
public:
  int get_dim() const;
};
template <int N, typename T = coord_t> class IndexSpaceT : public IndexSpace {
public:
  IndexSpaceT();
  explicit IndexSpaceT(const IndexSpace &space);
};
class IndexPartition {};
template <int N, typename T = coord_t>
class IndexPartitionT : public IndexPartition {};
class FieldSpace {};
class LogicalRegion {
public:
  IndexSpace get_index_space() const;
};
class LogicalPartition {
public:
  IndexPartition get_index_partition() const;
};
class FieldAllocator {
public:
  FieldID allocate_field(size_t size, FieldID field);
};

struct UntypedBuffer {
  UntypedBuffer();
  UntypedBuffer(const void *data, size_t size);
};
struct ArgumentMap {};

class Future {
public:
  template <typename T> T get_result() const;
  template <typename T> static Future from_value(const T &value);
};
class FutureMap {
public:
  Future get_future(const DomainPoint &point) const;
  void wait_all_results() const;
};

class PhysicalRegion {
public:
  void wait_until_valid();
  template <int N, typename T> DomainT<N, T> get_bounds() const;
};

template <PrivilegeMode mode, typename FT, int N, typename T = coord_t>
class FieldAccessor {
public:
  FieldAccessor(const PhysicalRegion &region, FieldID field);
  const FT &operator[](const Point<N, T> &point) const;
};
template <typename FT, int N, typename T, typename A>
class UnsafeFieldAccessor {
public:
  UnsafeFieldAccessor(const PhysicalRegion &region, FieldID field,
                      bool silenceWarnings);
  A accessor;
};

struct Task {
  const void *args;
  size_t arglen;
  bool is_index_space;
  Domain index_domain;
  DomainPoint index_point;
  std::vector<Future> futures;
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename T> struct SluiceStubReduction {
  using LHS = T;
  using RHS = T;
  static constexpr ReductionOpID REDOP_ID = 1;
  static constexpr RHS identity = {};
  template <bool isExclusive> static void apply(LHS &into, RHS value);
  template <bool isExclusive> static void fold(RHS &into, RHS value);
};
template <typename T> struct SumReduction : SluiceStubReduction<T> {};
template <typename T> struct ProdReduction : SluiceStubReduction<T> {};
template <typename T> struct MinReduction : SluiceStubReduction<T> {};
template <typename T> struct MaxReduction : SluiceStubReduction<T> {};
template <typename T> struct AndReduction : SluiceStubReduction<T> {};
template <typename T> struct OrReduction : SluiceStubReduction<T> {};
template <typename T> struct XorReduction : SluiceStubReduction<T> {};

//===----------------------------------------------------------------------===//
// Launchers
//===----------------------------------------------------------------------===//

struct RegionRequirement {
  RegionRequirement(LogicalRegion region, PrivilegeMode privilege,
                    CoherenceProperty coherence, LogicalRegion parent);
  RegionRequirement(LogicalRegion region, ProjectionID projection,
                    PrivilegeMode privilege, CoherenceProperty coherence,
                    LogicalRegion parent);
  RegionRequirement(LogicalPartition partition, ProjectionID projection,
                    PrivilegeMode privilege, CoherenceProperty coherence,
                    LogicalRegion parent);
  RegionRequirement(LogicalRegion region, ReductionOpID operation,
                    CoherenceProperty coherence, LogicalRegion parent);
  RegionRequirement(LogicalRegion region, ProjectionID projection,
                    ReductionOpID operation, CoherenceProperty coherence,
                    LogicalRegion parent);
  RegionRequirement(LogicalPartition partition, ProjectionID projection,
                    ReductionOpID operation, CoherenceProperty coherence,
                    LogicalRegion parent);
  RegionRequirement &add_field(FieldID field);
  LogicalRegion region;
  PrivilegeMode privilege;
  ReductionOpID redop;
};

struct StaticDependence {
  StaticDependence(unsigned offset, unsigned previous, unsigned current,
                   DependenceType type);
  void add_field(FieldID field);
};

struct SluiceStubLauncher {
  void add_region_requirement(const RegionRequirement &requirement);
  void add_future(Future future);
  bool independent_requirements;
  const std::vector<StaticDependence> *static_dependences;
};
struct TaskLauncher : SluiceStubLauncher {
  TaskLauncher(TaskID task, UntypedBuffer argument);
};
struct IndexTaskLauncher : SluiceStubLauncher {
  IndexTaskLauncher(TaskID task, Domain domain, UntypedBuffer argument,
                    ArgumentMap arguments);
};
struct InlineLauncher {
  explicit InlineLauncher(const RegionRequirement &requirement);
};
struct CopyLauncher {
  unsigned add_copy_requirements(const RegionRequirement &from,
                                 const RegionRequirement &to);
  const std::vector<StaticDependence> *static_dependences;
};
struct IndexCopyLauncher : CopyLauncher {
  explicit IndexCopyLauncher(Domain domain);
};
struct FillLauncher {
  FillLauncher(LogicalRegion region, LogicalRegion parent,
               UntypedBuffer value);
  void add_field(FieldID field);
  const std::vector<StaticDependence> *static_dependences;
};
struct IndexFillLauncher {
  IndexFillLauncher(Domain domain, LogicalRegion region, LogicalRegion parent,
                    UntypedBuffer value, ProjectionID projection);
  IndexFillLauncher(Domain domain, LogicalPartition partition,
                    LogicalRegion parent, UntypedBuffer value,
                    ProjectionID projection);
  void add_field(FieldID field);
  const std::vector<StaticDependence> *static_dependences;
};
struct MustEpochLauncher {
  void add_single_task(const DomainPoint &point, const TaskLauncher &launcher);
  Domain launch_domain;
};

struct ProcessorConstraint {
  explicit ProcessorConstraint(Processor::Kind kind);
};
struct TaskVariantRegistrar {
  TaskVariantRegistrar(TaskID task, const char *name);
  TaskVariantRegistrar &add_constraint(const ProcessorConstraint &constraint);
  void set_leaf();
  void set_replicable(bool isReplicable = true);
};

struct OrderingConstraint {
  OrderingConstraint(const std::vector<DimensionKind> &order,
                     bool isContiguous);
};
struct LayoutConstraintSet {
  LayoutConstraintSet &add_constraint(const OrderingConstraint &constraint);
};

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

struct SluiceStubContext;
using Context = SluiceStubContext *;
class Runtime;

class ProjectionFunctor {
public:
  virtual ~ProjectionFunctor();
  virtual LogicalRegion project(LogicalRegion region, const DomainPoint &point,
                                const Domain &launch);
  virtual LogicalRegion project(LogicalPartition partition,
                                const DomainPoint &point,
                                const Domain &launch);
  virtual bool is_functional() const;
  virtual unsigned get_depth() const = 0;
  Runtime *runtime;
};

namespace Mapping {
class Mapper;
class MapperRuntime;
} // namespace Mapping

class Runtime {
public:
  template <int N, typename T>
  IndexSpaceT<N, T> create_index_space(Context ctx, const Rect<N, T> &bounds);
  FieldSpace create_field_space(Context ctx);
  FieldAllocator create_field_allocator(Context ctx, FieldSpace fields);
  LogicalRegion create_logical_region(Context ctx, IndexSpace elements,
                                      FieldSpace fields);
  template <typename T>
  void fill_field(Context ctx, LogicalRegion region, LogicalRegion parent,
                  FieldID field, const T &value);

  template <int N, typename T, int C, typename U>
  IndexPartitionT<N, T> create_partition_by_rectangles(
      Context ctx, IndexSpaceT<N, T> parent,
      const std::map<Point<C, U>, std::vector<Rect<N, T>>> &rectangles,
      IndexSpaceT<C, U> colors, bool intersects, PartitionKind kind);
  IndexPartition create_partition_by_field(Context ctx, LogicalRegion region,
                                           LogicalRegion parent, FieldID field,
                                           IndexSpace colors);
  IndexPartition create_partition_by_image(Context ctx, IndexSpace parent,
                                           LogicalPartition source,
                                           LogicalRegion sourceParent,
                                           FieldID field, IndexSpace colors);
  IndexPartition create_partition_by_preimage(Context ctx,
                                              IndexPartition target,
                                              LogicalRegion region,
                                              LogicalRegion parent,
                                              FieldID field, IndexSpace colors);
  IndexPartition create_partition_by_union(Context ctx, IndexSpace parent,
                                           IndexPartition left,
                                           IndexPartition right,
                                           IndexSpace colors);
  IndexPartition create_partition_by_intersection(Context ctx,
                                                  IndexSpace parent,
                                                  IndexPartition left,
                                                  IndexPartition right,
                                                  IndexSpace colors);
  IndexPartition create_partition_by_difference(Context ctx, IndexSpace parent,
                                                IndexPartition left,
                                                IndexPartition right,
                                                IndexSpace colors);
  IndexPartition create_pending_partition(Context ctx, IndexSpace parent,
                                          IndexSpace colors);
  IndexSpace create_index_space_union(Context ctx, IndexPartition parent,
                                      const DomainPoint &color,
                                      IndexPartition handle);
  bool is_index_partition_disjoint(Context ctx, IndexPartition partition);
  bool is_index_partition_complete(Context ctx, IndexPartition partition);
  Domain get_index_space_domain(Context ctx, IndexSpace space);
  Domain get_index_partition_color_space(Context ctx, IndexPartition partition);
  IndexSpace get_index_subspace(Context ctx, IndexPartition partition,
                                const DomainPoint &color);
  IndexSpace get_parent_index_space(Context ctx, IndexPartition partition);
  LogicalPartition get_logical_partition(Context ctx, LogicalRegion parent,
                                         IndexPartition partition);
  LogicalRegion get_logical_subregion_by_color(Context ctx,
                                               LogicalPartition partition,
                                               const DomainPoint &color);
  LogicalRegion get_logical_subregion_by_color(LogicalPartition partition,
                                               const DomainPoint &color);

  Future execute_task(Context ctx, const TaskLauncher &launcher);
  FutureMap execute_index_space(Context ctx, const IndexTaskLauncher &launcher);
  Future execute_index_space(Context ctx, const IndexTaskLauncher &launcher,
                             ReductionOpID operation);
  FutureMap execute_must_epoch(Context ctx, const MustEpochLauncher &launcher);
  void issue_copy_operation(Context ctx, const CopyLauncher &launcher);
  void issue_copy_operation(Context ctx, const IndexCopyLauncher &launcher);
  void fill_fields(Context ctx, const FillLauncher &launcher);
  void fill_fields(Context ctx, const IndexFillLauncher &launcher);
  PhysicalRegion map_region(Context ctx, const InlineLauncher &launcher);
  void unmap_region(Context ctx, PhysicalRegion region);
  void begin_trace(Context ctx, TraceID trace, bool isLogical, bool isStatic);
  void end_trace(Context ctx, TraceID trace);

  Mapping::MapperRuntime *get_mapper_runtime();
  void replace_default_mapper(Mapping::Mapper *mapper, Processor processor);

  template <typename T, T (*variant)(const Task *,
                                     const std::vector<PhysicalRegion> &,
                                     Context, Runtime *)>
  static void preregister_task_variant(const TaskVariantRegistrar &registrar,
                                       const char *name);
  template <void (*variant)(const Task *, const std::vector<PhysicalRegion> &,
                            Context, Runtime *)>
  static void preregister_task_variant(const TaskVariantRegistrar &registrar,
                                       const char *name);
  static void preregister_projection_functor(ProjectionID id,
                                             ProjectionFunctor *functor);
  template <typename Operator>
  static void register_reduction_op(ReductionOpID id);
  static void set_top_level_task_id(TaskID task);
  static void add_registration_callback(
      void (*callback)(Machine, Runtime *, const std::set<Processor> &));
  static int start(int argc, char **argv);
};

} // namespace Legion

#endif // SLUICE_TEST_LEGION_STUB_H

//===- PartitionHelpers.cpp - Member functions that make partitions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of the generated program's class, which has the context and the
// runtime. A program contains only those that it uses.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

static const char partText[] = R"(
  LogicalRegion part(LogicalPartition partition, const DomainPoint &color) {
    return runtime->get_logical_subregion_by_color(ctx, partition, color);
  }
)";

static const char foldFunctionText[] = R"(
  /// A scalar with a value folded into it, when both are there.
  Future fold(TaskID task, const Future &scalar, const Future &value) {
    TaskLauncher launcher(task, UntypedBuffer());
    launcher.add_future(scalar);
    launcher.add_future(value);
    return runtime->execute_task(ctx, launcher);
  }
)";

static const char wholeFunctionText[] = R"(
  /// The region of all colors of `partition` together.
  LogicalRegion whole(LogicalRegion parent, LogicalPartition partition) {
    const IndexPartition all = runtime->create_pending_partition(
        ctx, parent.get_index_space(), colorSpace<1>({1}));
    runtime->create_index_space_union(ctx, all, 0,
                                      partition.get_index_partition());
    return part(runtime->get_logical_partition(ctx, parent, all), 0);
  }
)";

static const char textOfText[] = R"(
  static std::string textOf(const DomainPoint &point) {
    std::string text;
    for (int d = 0; d != point.get_dim(); ++d)
      text += (d == 0 ? "(" : ", ") + std::to_string(point[d]);
    return text + ')';
  }
)";

static const char constrainText[] = R"(
  /// Ends the program if two parts of a root are not what the program says:
  /// without a common element, or the first within the second.
  void constrain(bool isDisjoint, LogicalRegion first, const char *firstName,
                 LogicalRegion second, const char *secondName) {
    std::set<DomainPoint> elements;
    const Domain outer =
        runtime->get_index_space_domain(ctx, second.get_index_space());
    for (Domain::DomainPointIterator it(outer); it; it++)
      elements.insert(*it);
    const Domain inner =
        runtime->get_index_space_domain(ctx, first.get_index_space());
    for (Domain::DomainPointIterator it(inner); it; it++)
      if ((elements.count(*it) != 0) == isDisjoint)
        fail(std::string("'") + firstName +
             (isDisjoint ? "' and '" : "' is declared a part of '") +
             secondName +
             (isDisjoint ? "' are declared disjoint, but both have element "
                         : "', which does not have element ") +
             textOf(*it));
  }
)";

static const char promiseText[] = R"(
  /// Ends the program if a partition is not what the program says.
  void promise(LogicalPartition partition, const char *name, bool isDisjoint,
               bool isComplete) {
    const IndexPartition index = partition.get_index_partition();
    if ((!isDisjoint || runtime->is_index_partition_disjoint(ctx, index)) &&
        (!isComplete || runtime->is_index_partition_complete(ctx, index)))
      return;
    std::map<DomainPoint, DomainPoint> colorOf;
    const Domain colors = runtime->get_index_partition_color_space(ctx, index);
    for (Domain::DomainPointIterator color(colors); color; color++) {
      const Domain elements = runtime->get_index_space_domain(
          ctx, runtime->get_index_subspace(ctx, index, *color));
      for (Domain::DomainPointIterator it(elements); it; it++) {
        const auto known = colorOf.insert({*it, *color});
        if (isDisjoint && !known.second)
          fail(std::string("partition '") + name +
               "' is declared disjoint, but its colors " +
               textOf(known.first->second) + " and " + textOf(*color) +
               " both have element " + textOf(*it));
      }
    }
    const Domain all = runtime->get_index_space_domain(
        ctx, runtime->get_parent_index_space(ctx, index));
    for (Domain::DomainPointIterator it(all); it; it++)
      if (!colorOf.count(*it))
        fail(std::string("partition '") + name +
             "' is declared complete, but no color has element " +
             textOf(*it));
  }
)";

static const char rectanglesText[] = R"(
  template <int rank>
  IndexSpaceT<rank> colorSpace(const std::array<int64_t, rank> &colors) {
    return runtime->create_index_space(ctx, box<rank>(colors));
  }

  /// The partition that has the elements of `rectangles(color)` in each color,
  /// as far as they are in `parent`.
  template <int rank, int colorRank, typename Function>
  LogicalPartition byRectangles(LogicalRegion parent,
                                const std::array<int64_t, colorRank> &colors,
                                PartitionKind kind, Function rectangles) {
    std::map<Point<colorRank>, std::vector<Rect<rank>>> all;
    for (PointInRectIterator<colorRank> it(box<colorRank>(colors)); it(); it++)
      all[*it] = rectangles(*it);
    const IndexSpaceT<rank> elements(parent.get_index_space());
    const IndexPartition partition = runtime->create_partition_by_rectangles(
        ctx, elements, all, colorSpace<colorRank>(colors),
        /*perform_intersections=*/true, kind);
    return runtime->get_logical_partition(ctx, parent, partition);
  }

  template <int rank> DomainT<rank> elementsOf(LogicalRegion region) {
    return runtime->get_index_space_domain(ctx, region.get_index_space());
  }
)";

static const char blocksText[] = R"(
  /// Color c has the elements c * n / colors <= e < (c + 1) * n / colors of
  /// each dimension.
  template <int rank, int colorRank>
  LogicalPartition blocks(LogicalRegion parent,
                          const std::array<int64_t, colorRank> &colors) {
    const Rect<rank> bounds = elementsOf<rank>(parent).bounds;
    return byRectangles<rank, colorRank>(
        parent, colors, LEGION_DISJOINT_COMPLETE_KIND,
        [&](const Point<colorRank> &color) {
          Rect<rank> block = bounds;
          for (int d = 0; d != colorRank; ++d) {
            const coord_t extent = bounds.hi[d] - bounds.lo[d] + 1;
            block.lo[d] = bounds.lo[d] + color[d] * extent / colors[d];
            block.hi[d] =
                bounds.lo[d] + (color[d] + 1) * extent / colors[d] - 1;
          }
          return std::vector<Rect<rank>>{block};
        });
  }
)";

static const char halosText[] = R"(
  /// The colors of `partition`, `width[d]` elements wider on both sides.
  template <int rank, int colorRank>
  LogicalPartition halos(LogicalRegion parent, LogicalPartition partition,
                         const std::array<int64_t, colorRank> &colors,
                         const std::array<int64_t, rank> &width,
                         bool hasCorners) {
    return byRectangles<rank, colorRank>(
        parent, colors, LEGION_COMPUTE_KIND,
        [&](const Point<colorRank> &color) {
          std::vector<Rect<rank>> rectangles;
          const DomainT<rank> elements =
              elementsOf<rank>(part(partition, color));
          for (RectInDomainIterator<rank> it(elements); it(); it++) {
            Rect<rank> wide = *it;
            for (int d = 0; d != rank; ++d) {
              Rect<rank> arm = *it;
              wide.lo[d] = arm.lo[d] -= width[d];
              wide.hi[d] = arm.hi[d] += width[d];
              if (!hasCorners)
                rectangles.push_back(arm);
            }
            if (hasCorners)
              rectangles.push_back(wide);
          }
          return rectangles;
        });
  }
)";

static const char coloringText[] = R"(
  /// Appends the elements at positions begin <= p < end, row by row.
  template <int rank>
  static void addRows(int64_t begin, int64_t end,
                      const std::array<int64_t, rank> &extents,
                      std::vector<Rect<rank>> &rectangles) {
    while (begin < end) {
      const int64_t row = rank == 1 ? end : extents[rank - 1];
      const int64_t last = std::min(end, (begin / row + 1) * row);
      rectangles.push_back(Rect<rank>(pointAt<rank>(begin, extents),
                                      pointAt<rank>(last - 1, extents)));
      begin = last;
    }
  }

  template <int rank> struct Coloring {
    SluiceColoring base;
    const char *name;
    std::array<int64_t, rank> extents;
    std::vector<Rect<rank>> rectangles;

    static void add(SluiceColoring *self, int64_t begin, int64_t end) {
      Coloring &coloring = *reinterpret_cast<Coloring *>(self);
      const int64_t count = box<rank>(coloring.extents).volume();
      if (begin < 0 || end > count)
        fail(std::string("coloring '") + coloring.name +
             "' adds positions " + std::to_string(begin) + " to " +
             std::to_string(end) + ", but its root has " +
             std::to_string(count) + " elements");
      addRows<rank>(begin, end, coloring.extents, coloring.rectangles);
    }
  };

  template <int rank, int colorRank>
  LogicalPartition coloring(const char *name, LogicalRegion parent,
                            const std::array<int64_t, rank> &extents,
                            const std::array<int64_t, colorRank> &colors,
                            void (*function)(const int64_t *,
                                             SluiceColoring *)) {
    return byRectangles<rank, colorRank>(
        parent, colors, LEGION_COMPUTE_KIND,
        [&](const Point<colorRank> &color) {
          Coloring<rank> result{{Coloring<rank>::add}, name, extents, {}};
          int64_t coordinates[colorRank];
          for (int d = 0; d != colorRank; ++d)
            coordinates[d] = color[d];
          function(coordinates, &result.base);
          return std::move(result.rectangles);
        });
  }
)";

static const char readFieldText[] = R"(
  /// Calls visit(position, value) for every element of a part of `root`.
  template <int rank, typename T, typename Visitor>
  void readField(LogicalRegion region, LogicalRegion root, FieldID field,
                 const std::array<int64_t, rank> &extents, Visitor visit) {
    if (elementsOf<rank>(region).empty())
      return;
    PhysicalRegion mapped = runtime->map_region(
        ctx, InlineLauncher(RegionRequirement(region, LEGION_READ_ONLY,
                                              LEGION_EXCLUSIVE, root)
                                .add_field(field)));
    mapped.wait_until_valid();
    const FieldAccessor<LEGION_READ_ONLY, T, rank> values(mapped, field);
    for (PointInDomainIterator<rank> it(elementsOf<rank>(region)); it(); it++)
      visit(positionOf<rank>(*it, extents), values[*it]);
    runtime->unmap_region(ctx, mapped);
  }

  /// The partition that has the elements at `positions[c]` in color c.
  template <int rank, int colorRank>
  LogicalPartition
  byPositions(LogicalRegion parent, const std::array<int64_t, rank> &extents,
              const std::array<int64_t, colorRank> &colors,
              const std::vector<std::set<int64_t>> &positions) {
    const int64_t count = box<rank>(extents).volume();
    return byRectangles<rank, colorRank>(
        parent, colors, LEGION_COMPUTE_KIND,
        [&](const Point<colorRank> &color) {
          std::vector<Rect<rank>> rectangles;
          int64_t begin = 0, end = 0;
          for (int64_t p : positions[positionOf<colorRank>(color, colors)]) {
            if (p < 0 || p >= count)
              continue;
            if (p != end) {
              addRows<rank>(begin, end, extents, rectangles);
              begin = p;
            }
            end = p + 1;
          }
          addRows<rank>(begin, end, extents, rectangles);
          return rectangles;
        });
  }
)";

static const char byFieldText[] = R"(
  /// Element e has color field[e].
  template <int rank, int colorRank, typename T>
  LogicalPartition byField(LogicalRegion parent, LogicalRegion root,
                           FieldID field,
                           const std::array<int64_t, rank> &extents,
                           const std::array<int64_t, colorRank> &colors) {
    std::vector<std::set<int64_t>> positions(box<colorRank>(colors).volume());
    readField<rank, T>(parent, root, field, extents,
                       [&](int64_t position, int64_t color) {
                         if (color >= 0 && color < int64_t(positions.size()))
                           positions[color].insert(position);
                       });
    return byPositions<rank, colorRank>(parent, extents, colors, positions);
  }
)";

static const char imageText[] = R"(
  /// Color c: the elements that `field` of the elements in color c of `source`
  /// names.
  template <int rank, int sourceRank, int colorRank, typename T>
  LogicalPartition image(LogicalRegion parent,
                         const std::array<int64_t, rank> &extents,
                         LogicalPartition source, LogicalRegion sourceRoot,
                         FieldID field,
                         const std::array<int64_t, sourceRank> &sourceExtents,
                         const std::array<int64_t, colorRank> &colors) {
    std::vector<std::set<int64_t>> positions(box<colorRank>(colors).volume());
    for (PointInRectIterator<colorRank> it(box<colorRank>(colors)); it();
         it++) {
      std::set<int64_t> &named = positions[positionOf<colorRank>(*it, colors)];
      readField<sourceRank, T>(
          part(source, *it), sourceRoot, field, sourceExtents,
          [&](int64_t, int64_t position) { named.insert(position); });
    }
    return byPositions<rank, colorRank>(parent, extents, colors, positions);
  }
)";

static const char preimageText[] = R"(
  /// Color c: the elements whose `field` names an element in color c of
  /// `target`.
  template <int rank, int targetRank, int colorRank, typename T>
  LogicalPartition
  preimage(LogicalRegion parent, LogicalRegion root, FieldID field,
           const std::array<int64_t, rank> &extents, LogicalPartition target,
           const std::array<int64_t, targetRank> &targetExtents,
           const std::array<int64_t, colorRank> &colors) {
    std::multimap<int64_t, int64_t> colorsOf;
    for (PointInRectIterator<colorRank> color(box<colorRank>(colors)); color();
         color++)
      for (PointInDomainIterator<targetRank> it(
               elementsOf<targetRank>(part(target, *color)));
           it(); it++)
        colorsOf.insert({positionOf<targetRank>(*it, targetExtents),
                         positionOf<colorRank>(*color, colors)});
    std::vector<std::set<int64_t>> positions(box<colorRank>(colors).volume());
    readField<rank, T>(parent, root, field, extents,
                       [&](int64_t position, int64_t named) {
                         const auto range = colorsOf.equal_range(named);
                         for (auto it = range.first; it != range.second; ++it)
                           positions[it->second].insert(position);
                       });
    return byPositions<rank, colorRank>(parent, extents, colors, positions);
  }
)";

void LegionEmitter::writePartitionHelpers() {
  os << partText;
  if (helpers.count(Helper::FoldTask))
    os << foldFunctionText;
  if (helpers.count(Helper::Rectangles))
    os << rectanglesText;
  if (!wholes.empty())
    os << wholeFunctionText;
  if (hasPromises || hasConstraints)
    os << textOfText;
  if (hasConstraints)
    os << constrainText;
  if (hasPromises)
    os << promiseText;
  if (helpers.count(Helper::Blocks))
    os << blocksText;
  if (helpers.count(Helper::Halo))
    os << halosText;
  if (helpers.count(Helper::Coloring))
    os << coloringText;
  if (!dataHelpers.empty())
    os << readFieldText;
  if (dataHelpers.count("byField"))
    os << byFieldText;
  if (dataHelpers.count("image"))
    os << imageText;
  if (dataHelpers.count("preimage"))
    os << preimageText;
}

//===- Parts.cpp - Parts of datasets --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a part becomes a part of the dataset that owns the memory: its
// ranges are composed here, so that later phases only see parts of datasets.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "sluice/Base/Text.h"

using namespace sluice;

static constexpr int64_t wholeExtent = std::numeric_limits<int64_t>::max();

static std::string rangeText(const Range &range) {
  std::string end = range.end == wholeExtent ? "" : std::to_string(range.end);
  return range.step == 1
             ? concat('[', range.begin, ':', end, ']')
             : concat('[', range.begin, ':', end, ':', range.step, ']');
}

/// The reason why `range` is not a valid range of a dimension with `extent`
/// elements; empty if it is.
static std::string rangeProblem(const Range &range, int64_t extent) {
  int64_t end = range.end == wholeExtent ? extent : range.end;
  if (range.step < 1)
    return concat("has the step ", range.step, ", expected at least 1");
  if (range.begin < 0)
    return concat("begins at ", range.begin, ", before the first element");
  if (end > extent)
    return concat("ends at ", end, ", but the dimension has ",
                  countOf(extent, "element", "elements"));
  if (range.begin >= end)
    return concat("has no elements: it begins at ", range.begin,
                  " and ends before ", end);
  return "";
}

/// The problem of a part as a whole; empty if its ranges can be checked.
static std::string partProblem(const TaskGraphModel &model,
                               const ValueImpl *dat, size_t numRanges) {
  if (!dat)
    return "the dataset of this part belongs to no graph";
  if (dat->graph != &model)
    return concat("the dataset of this part belongs to graph ",
                  quoted(dat->graph->name), ", not to ", quoted(model.name));
  if (dat->isBad)
    return "";
  if (numRanges != dat->shape.size())
    return concat("a part of a dataset of ",
                  countOf(dat->shape.size(), "dimension", "dimensions"),
                  " needs as many ranges, but ", numRanges,
                  numRanges == 1 ? " is" : " are", " given");
  return "";
}

/// Adds dimension `dimension` of `part`, which is `range` of that of `dat`.
static void addRange(ValueImpl &part, const ValueImpl &dat, size_t dimension,
                     const Range &range) {
  int64_t end = std::min(range.end, dat.shape[dimension]);
  int64_t size = (end - range.begin - 1) / range.step + 1;
  bool isPart = dat.kind == ValueImpl::Kind::Part;
  int64_t offset = isPart ? dat.offsets[dimension] : 0;
  int64_t step = isPart ? dat.steps[dimension] : 1;
  part.shape.push_back(size);
  part.offsets.push_back(offset + range.begin * step);
  part.steps.push_back(size == 1 ? 1 : range.step * step);
}

Dat &TaskGraph::createSubDat(Dat &dat, std::vector<Range> ranges, Place place) {
  Dat &result = addValue<Dat>(*model, ValueImpl::Kind::Part, place);
  ValueImpl &part = *result.getImpl();
  ValueImpl *whole = livingValue(&dat);
  std::string problem = partProblem(*model, whole, ranges.size());
  part.isBad = !problem.empty() || whole->isBad;
  if (!problem.empty()) {
    Diagnostic &error = model->error(place, problem);
    if (whole)
      error.notes.push_back({whole->place, "the dataset is created here"});
  }
  if (part.isBad)
    return result;
  part.base = &whole->owner();
  part.whole = whole;
  part.type = whole->type;
  for (size_t dimension = 0; dimension < ranges.size(); ++dimension) {
    const Range &range = ranges[dimension];
    problem = rangeProblem(range, whole->shape[dimension]);
    if (problem.empty()) {
      addRange(part, *whole, dimension, range);
      continue;
    }
    model
        ->error(place, concat("range ", rangeText(range), " of dimension ",
                              dimension, ' ', problem))
        .notes.push_back({whole->place, "the dataset is created here"});
    part.isBad = true;
    part.shape.push_back(1); // dimensions keep their numbers
    part.offsets.push_back(0);
    part.steps.push_back(1);
  }
  return result;
}

//===- RootMemory.cpp - The memory of a graph, for its record -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field of a view is identified by its address: views of parts have the
// address of the whole field.
//
//===----------------------------------------------------------------------===//

#include "RootMemory.h"

#include "../Builtins.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <map>

using namespace sluice;
using namespace sluice::regions;

namespace {
struct FieldBytes {
  uint64_t start, size, elementBytes;
};

class FieldViews {
public:
  FieldViews(std::span<const std::unique_ptr<Root>> roots,
             const Expansion &expansion) {
    for (const std::unique_ptr<Root> &root : roots)
      for (uint32_t i = 0; i < root->fields.size(); ++i) {
        const Field &field = root->fields[i];
        fields[root->base(i)] = {reinterpret_cast<uint64_t>(field.memory.get()),
                                 root->shape.count() * field.elementBytes(),
                                 field.elementBytes()};
      }
    for (const auto &block : expansion.blocks)
      for (const auto &launch : block)
        launches.push_back(launch.get());
  }

  /// Returns true if the task uses no other memory.
  bool addWritten(uint32_t task, std::vector<ByteRange> &ranges) const {
    auto next = std::upper_bound(launches.begin(), launches.end(), task,
                                 [](uint32_t task, const RegionLaunch *one) {
                                   return task < one->firstTask;
                                 });
    const RegionLaunch &launch = **std::prev(next);
    const size_t numArguments =
        launch.numPoints ? launch.views.size() / launch.numPoints : 0;
    const SluiceView *views =
        launch.views.data() + (task - launch.firstTask) * numArguments;
    bool isAll = numArguments != 0;
    for (size_t a = 0; a < numArguments; ++a)
      for (size_t i = 0; i < launch.pointers[a].size(); ++i)
        isAll &= addField(views[a], i, ranges);
    // Tasks that fold private copies find the roots by themselves.
    if (!numArguments)
      for (const auto &[base, field] : fields)
        ranges.push_back({field.start, field.start + field.size});
    return isAll;
  }

private:
  /// Returns false if it is a private copy.
  bool addField(const SluiceView &view, size_t index,
                std::vector<ByteRange> &ranges) const {
    auto found = fields.find(view.fields[index]);
    if (found == fields.end())
      return false;
    const FieldBytes &field = found->second;
    forEachSpan(*view.domain, [&](int64_t begin, int64_t end) {
      ranges.push_back({field.start + begin * field.elementBytes,
                        field.start + end * field.elementBytes});
    });
    return true;
  }

  std::map<const void *, FieldBytes> fields;
  std::vector<const RegionLaunch *> launches;
};
} // namespace

TableMemory
sluice::regions::rootMemory(std::span<const std::unique_ptr<Root>> roots,
                            const Expansion &expansion) {
  TableMemory memory;
  for (const std::unique_ptr<Root> &root : roots)
    for (const Field &field : root->fields)
      memory.given.push_back({concat(root->name, ".", field.name),
                              typeName(field.type),
                              reinterpret_cast<uint64_t>(field.memory.get()),
                              root->shape.count() * field.elementBytes(),
                              SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT});
  memory.written = [views = FieldViews(roots, expansion)](
                       uint32_t task, std::vector<ByteRange> &ranges) {
    return views.addWritten(task, ranges);
  };
  return memory;
}

//===- ColorSets.h - The elements of each color ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on thousands of ranks has partitions with thousands of colors, but
// each rank needs only a few of them. Blocks and halos follow from the number
// of the color, so they are computed on request.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORSETS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORSETS_H

#include "ElementSet.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace sluice::regions {

/// The elements of a set in the form for task functions; refers to the set's
/// runs.
SluiceDomain domainOf(const Shape &shape, const ElementSet &set);

/// Sets that are computed from their color. Thread-safe; returned references
/// stay valid.
class SetsOnDemand {
public:
  using Function = std::function<ElementSet(uint32_t color)>;
  struct Entry {
    ElementSet set;
    SluiceDomain domain;
  };
  SetsOnDemand(const Shape &shape, size_t count, Function function)
      : shape(shape), count(count), function(std::move(function)) {}

  const Entry &get(uint32_t color);
  size_t size() const { return count; }
  /// The number of sets that have been computed.
  size_t numComputed() const { return entries.size(); }

private:
  const Shape shape;
  const size_t count;
  const Function function;
  std::mutex mutex;
  std::unordered_map<uint32_t, std::unique_ptr<Entry>> entries;
};

/// A list of sets that are stored or computed on demand.
class ColorSets {
public:
  ColorSets() = default;
  explicit ColorSets(std::vector<ElementSet> sets) : given(std::move(sets)) {}
  explicit ColorSets(std::shared_ptr<SetsOnDemand> onDemand)
      : onDemand(std::move(onDemand)) {}

  size_t size() const { return onDemand ? onDemand->size() : given.size(); }
  const ElementSet &operator[](size_t color) const {
    return onDemand ? onDemand->get(color).set : given[color];
  }
  /// Iterates over all sets, which takes time and memory if there are many.
  class Iterator {
  public:
    Iterator(const ColorSets &sets, size_t color) : sets(sets), color(color) {}
    const ElementSet &operator*() const { return sets[color]; }
    void operator++() { ++color; }
    bool operator!=(const Iterator &other) const {
      return color != other.color;
    }

  private:
    const ColorSets &sets;
    size_t color;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  /// For stored sets.
  ElementSet &at(size_t color) { return given[color]; }
  void resize(size_t count) { given.resize(count); }
  void clear() { given.clear(); }
  void push_back(ElementSet set) { given.push_back(std::move(set)); }
  template <typename... Arguments> void emplace_back(Arguments &&...arguments) {
    given.emplace_back(std::forward<Arguments>(arguments)...);
  }

  /// Null if the sets are stored.
  SetsOnDemand *demanded() const { return onDemand.get(); }

private:
  std::vector<ElementSet> given;
  std::shared_ptr<SetsOnDemand> onDemand;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_COLORSETS_H

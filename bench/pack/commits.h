//===- commits.h - Rows about commits instead of packs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `commit:LAYOUT` times the commit alone, of types made just before; LAYOUT
// may be `vectors`, `structs` or `lists` of distinct.h, each type being new.
// `first:LAYOUT` times the commit with the first two packs of one instance,
// which is where a library pays that puts work off. `many` makes, commits,
// packs three times and frees 40,000 distinct types, and fails if the process
// has grown by that.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_COMMITS_H
#define SLUICE_BENCH_PACK_COMMITS_H

#include "distinct.h"
#include "rows.h"

#include <unistd.h>

namespace bench {

/// The memory this process has in use, in bytes.
inline int64_t residentBytes() {
  long pages = 0, resident = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return int64_t(resident) * sysconf(_SC_PAGESIZE);
}

constexpr int manyTypes = 40000;
constexpr int packsOfMany = 3;
constexpr int64_t mayGrow = 4 << 20; ///< of the allocator, between two runs

/// `Api` makes types and has, besides, `commit`, `forget` (frees all types it
/// made) and `pack`.
template <class Api> class Commits {
public:
  int serve() {
    self = this;
    BenchRow rows[] = {row("commit"), row("many"), row("first")};
    rows[0].run = [] { self->commitSome(); };
    rows[0].verify = [] { return self->packOne(); };
    rows[0].measure = [] { return self->commitSome(); };
    rows[2].run = [] { self->commitAndPackSome(); };
    rows[2].verify = rows[0].verify;
    rows[2].measure = [] { return self->commitAndPackSome(); };
    rows[1].run = [] { self->commitMany(); };
    rows[1].verify = [] { return self->verifyMany(); };
    rows[1].repetitions = 1;
    in.allocate(64 << 20);
    in.number(1);
    out.allocate(outBytes);
    return benchServe(rows, 3);
  }

private:
  static constexpr int64_t outBytes = 4 << 20;

  static BenchRow row(const char *name) {
    BenchRow made = {};
    made.name = name;
    made.work = 1;
    made.allocate = [] {};
    made.reset = [] { self->out.clear(); };
    made.release = [] {};
    return made;
  }

  /// The type to commit next: distinct, or the layout again.
  Instances<typename Api::Type> next() {
    if (const Kind *kind = kindNamed(benchParameters))
      return {makeDistinct(api, *kind, number++), 1};
    return makeLayout(api, benchParameters);
  }

  /// Seconds of `act` for one new type. Types are made and freed outside of
  /// the time, and few at a time, as a program has them.
  template <class Act> double timeOfOne(const Act &act) {
    constexpr int atOnce = 16;
    double passed = 0;
    int64_t done = 0;
    const double start = benchSeconds();
    do {
      std::vector<Instances<typename Api::Type>> made;
      for (int i = 0; i < atOnce; ++i)
        made.push_back(next());
      const double begin = benchSeconds();
      for (Instances<typename Api::Type> &one : made)
        act(one);
      passed += benchSeconds() - begin;
      done += atOnce;
      api.forget();
    } while (benchSeconds() - start < roundSeconds);
    return passed / static_cast<double>(done);
  }

  double commitSome() {
    return timeOfOne([this](auto &made) { api.commit(made.type); });
  }

  double commitAndPackSome() {
    return timeOfOne([this](auto &made) {
      api.commit(made.type);
      for (int pack = 0; pack < 2; ++pack)
        api.pack(in.data(), made, out.data(), outBytes);
    });
  }

  /// Commits one type and packs with it.
  const char *packOne() {
    Places places;
    const int used = number;
    auto layout = next();
    Instances<Places::Type> expected;
    if (const Kind *kind = kindNamed(benchParameters))
      expected = {makeDistinct(places, *kind, used), 1};
    else
      expected = makeLayout(places, benchParameters);
    api.commit(layout.type);
    const char *wrong = packAndCompare(layout, expected);
    api.forget();
    return wrong;
  }

  const char *packAndCompare(const Instances<typename Api::Type> &layout,
                             const Instances<Places::Type> &expected) {
    std::vector<std::byte> packed(static_cast<size_t>(packedBytes(expected)));
    packByDefinition(expected, in.data(), packed.data());
    api.pack(in.data(), layout, out.data(),
             static_cast<int64_t>(packed.size()));
    for (size_t at = 0; at < packed.size(); ++at)
      if (packed[at] != out.data()[at])
        return benchWrong("packed", static_cast<long>(at),
                          static_cast<double>(packed[at]),
                          static_cast<double>(out.data()[at]));
    return nullptr;
  }

  static Kind kindOf(int index) { return static_cast<Kind>(index % numKinds); }

  /// Half of the types live at the same time.
  void commitMany() {
    int64_t at = 0;
    for (int i = 0; i < manyTypes; ++i) {
      Instances<typename Api::Type> made = {makeDistinct(api, kindOf(i), i), 1};
      api.commit(made.type);
      for (int pack = 0; pack < packsOfMany; ++pack)
        api.pack(in.data(), made, out.data() + at, 64);
      at = (at + 64) % (2 << 20);
      if (i == manyTypes / 2)
        api.forget();
    }
    api.forget();
  }

  /// Looks at what the last types left, and that a second run takes no more
  /// memory than the first one.
  const char *verifyMany() {
    Places places;
    const int64_t slots = (2 << 20) / 64;
    for (int i = manyTypes - 1; i >= manyTypes - 1000; --i) {
      Instances<Places::Type> expected = {makeDistinct(places, kindOf(i), i),
                                          1};
      std::byte packed[64];
      packByDefinition(expected, in.data(), packed);
      const std::byte *found = out.data() + (i % slots) * 64;
      if (std::memcmp(packed, found,
                      static_cast<size_t>(packedBytes(expected))) != 0)
        return benchWrong("layout", i, static_cast<double>(packed[0]),
                          static_cast<double>(found[0]));
    }
    const int64_t before = residentBytes();
    commitMany();
    const int64_t after = residentBytes();
    if (after - before > mayGrow)
      return benchWrong("bytes in use", manyTypes, static_cast<double>(before),
                        static_cast<double>(after));
    return nullptr;
  }

  static inline Commits *self = nullptr;
  Api api;
  Buffer in, out;
  int number = 0;
};

} // namespace bench

#endif // SLUICE_BENCH_PACK_COMMITS_H

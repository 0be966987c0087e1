//===- particles.cpp - Send particles without writing their layout --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `layoutOf<Particle>()` finds the fields of a struct; an indexed layout of it
// picks the particles that leave. They are packed without padding and unpacked
// at the end of another array. Link with -lSluicePack, C++20.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Reflect.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum class Kind : unsigned char { Gas, Star };

struct Orbit {
  float eccentricity;
  bool isBound;
};

struct Particle {
  Kind kind;
  double position[3];
  std::array<double, 3> velocity;
  Orbit orbit;
  int id;
};

static std::vector<Particle> makeParticles(int count) {
  std::vector<Particle> particles(static_cast<size_t>(count));
  for (int i = 0; i != count; ++i) {
    Particle &particle = particles[size_t(i)];
    particle.kind = i % 3 ? Kind::Gas : Kind::Star;
    for (int k = 0; k != 3; ++k) {
      particle.position[k] = i + 0.25 * k;
      particle.velocity[size_t(k)] = -i - 0.5 * k;
    }
    particle.orbit = {0.001f * float(i), i % 2 == 0};
    particle.id = i;
  }
  return particles;
}

static bool isEqual(const Particle &a, const Particle &b) {
  return a.kind == b.kind && !memcmp(a.position, b.position, 24) &&
         a.velocity == b.velocity &&
         a.orbit.eccentricity == b.orbit.eccentricity &&
         a.orbit.isBound == b.orbit.isBound && a.id == b.id;
}

int main() {
  std::vector<Particle> mine = makeParticles(1000);
  std::vector<int> leaving;
  for (int i = 0; i < 1000; i += 1 + i % 7)
    leaving.push_back(i);
  auto count = static_cast<int64_t>(leaving.size());

  auto particle = sluice::layoutOf<Particle>();
  farc::IndexedBlockDatatype chosen(count, 1, leaving.data(), particle.get());
  farc::ContiguousDatatype arriving(count, particle.get());
  farc::DDT_Commit(&chosen);
  farc::DDT_Commit(&arriving);
  std::vector<char> buffer(static_cast<size_t>(chosen.getSize()));
  farc::DDT_Pack(mine.data(), buffer.data(), &chosen, 1);

  std::vector<Particle> theirs(10 + leaving.size());
  farc::DDT_Unpack(buffer.data(), &theirs[10], &arriving, 1);

  printf("%s\n", particle->toString().c_str());
  printf("%zu of %zu particles: %zu bytes, with padding they have %zu\n",
         leaving.size(), mine.size(), buffer.size(),
         leaving.size() * sizeof(Particle));
  for (size_t i = 0; i != leaving.size(); ++i)
    if (!isEqual(theirs[10 + i], mine[size_t(leaving[i])])) {
      fprintf(stderr, "particles: particle %d arrived changed\n", leaving[i]);
      return EXIT_FAILURE;
    }
  printf("pack-cpp: ok\n");
}

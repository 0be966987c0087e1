//===- openmp-for.cpp - The mesh in parallel loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region, with a barrier after each loop. Cells gather from the
// faces that touch them, which needs no atomic additions.
//
//===----------------------------------------------------------------------===//

#include "../../mesh.h"
#include "../problem.h"

#include <omp.h>

using namespace bench;

namespace {
struct OwnMesh : Mesh {
  explicit OwnMesh(const Sizes &sizes) // CELLS:FACES:PIECES:STEPS
      : ends(2 * sizes[1]), areas(sizes[1]), flows(sizes[1]),
        ofCells(5 * sizes[0]), first(2 * sizes[0] + 1), touching(sizes[1]) {
    numCells = sizes[0];
    numFaces = sizes[1];
    steps = sizes[3];
    left = ends.get();
    right = ends.get() + numFaces;
    area = areas.get();
    flow = flows.get();
    double **fields[] = {&density, &energy, &massIn, &energyIn, &volume};
    for (int64_t i = 0; i < 5; ++i)
      *fields[i] = ofCells.get() + i * numCells;
    makeMeshFaces(ends.get(), ends.get() + numFaces, areas.get(), numFaces,
                  numCells);
    findTouching();
  }
  /// What cells begin <= i < end gain, and their new state.
  void gather(int64_t begin, int64_t end) {
    const int64_t *firstLeft = first.get(), *firstRight = firstLeft + numCells;
    for (int64_t i = begin; i < end; ++i) {
      double mass = 0;
      for (int64_t f = firstLeft[i]; f < firstLeft[i + 1]; ++f)
        mass -= flow[f];
      for (int64_t t = firstRight[i]; t < firstRight[i + 1]; ++t)
        mass += flow[touching.get()[t - numFaces]];
      density[i] += mass / volume[i];
      energy[i] += 0.5 * mass / volume[i];
    }
  }

private:
  void findTouching() {
    int64_t *starts = first.get();
    for (int64_t f = 0; f < numFaces; ++f) {
      ++starts[left[f] + 1];
      ++starts[numCells + right[f] + 1];
    }
    for (int64_t i = 0; i < 2 * numCells; ++i)
      starts[i + 1] += starts[i];
    std::vector<int64_t> next(starts + numCells, starts + 2 * numCells);
    for (int64_t f = 0; f < numFaces; ++f)
      touching.get()[next[right[f]]++ - numFaces] = f;
  }

  Array<int64_t> ends;
  Array<double> areas, flows, ofCells;
  /// Faces with cell i on their left begin at first[i], and those with it on
  /// their right at touching[first[numCells + i] - numFaces].
  Array<int64_t> first, touching;
};
} // namespace

/// The part of `count` that is the thread's.
static int64_t partOf(int64_t count, int64_t number) {
  return number * count / omp_get_num_threads();
}

static void run(OwnMesh &mesh) {
  double step = 1.0e30;
#pragma omp parallel
  {
    const int64_t own = omp_get_thread_num();
    const int64_t cell = partOf(mesh.numCells, own),
                  endCell = partOf(mesh.numCells, own + 1),
                  face = partOf(mesh.numFaces, own),
                  endFace = partOf(mesh.numFaces, own + 1);
    for (int64_t n = 0; n < mesh.steps; ++n) {
      const double least =
          limitCells(mesh.density, mesh.energy, mesh.volume, cell, endCell);
#pragma omp critical
      step = std::min(step, least);
#pragma omp barrier
      fluxFaces(mesh.left, mesh.right, mesh.area, mesh.density, mesh.energy,
                step, mesh.flow, face, endFace);
#pragma omp barrier
#pragma omp master
      step = 1.0e30;
      mesh.gather(cell, endCell);
#pragma omp barrier
    }
  }
}

int main() { return serveProblem<OwnMesh, run>("mesh"); }

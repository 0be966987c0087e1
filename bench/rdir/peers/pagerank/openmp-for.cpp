//===- openmp-for.cpp - The ranks in parallel loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parallel region. The loop over links is in pieces of as many links each,
// so that a static schedule is fair.
//
//===----------------------------------------------------------------------===//

#include "../../pagerank.h"
#include "../problem.h"

using namespace bench;

namespace {
struct Pages {
  explicit Pages(const Sizes &sizes) // PAGES:LINKS:PIECES:STEPS
      : numPages(sizes[0]), numLinks(sizes[1]), steps(sizes[3]), from(numLinks),
        to(numLinks), degree(numPages), rank(numPages), next(numPages) {
    makeSortedLinks(from.get(), to.get(), numLinks, numPages);
    countLinks(from.get(), numLinks, degree.get(), numPages);
    for (int64_t piece = 0; piece <= sizes[2]; ++piece) {
      firstLink.push_back(firstLinkOf(piece, sizes[2], to.get(), numLinks));
      firstPage.push_back(
          firstPageOf(piece, sizes[2], to.get(), numLinks, numPages));
    }
  }
  void gatherOfPiece(int64_t piece) {
    startRanks(next.get(), firstPage[piece], firstPage[piece + 1], numPages);
    gatherRanks(from.get(), to.get(), firstLink[piece], firstLink[piece + 1],
                rank.get(), degree.get(), next.get());
  }
  void reset() {}
  const char *verify() {
    return verifyRanks(rank.get(), from.get(), to.get(), numLinks, degree.get(),
                       numPages, steps, bound);
  }

  static constexpr double bound = 1.0e-9;
  int64_t numPages, numLinks, steps;
  Array<int64_t> from, to, degree;
  Array<double> rank, next;
  std::vector<int64_t> firstLink, firstPage; ///< by pieces
};
} // namespace

static void run(Pages &pages) {
  const int64_t numPages = pages.numPages;
  const int64_t numPieces = int64_t(pages.firstLink.size()) - 1;
  double *rank = pages.rank.get(), *next = pages.next.get();
  double change = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < numPages; ++i)
      rank[i] = 1.0 / double(numPages);
    bool isGoing = true;
    for (int64_t step = 0; step < pages.steps && isGoing; ++step) {
#pragma omp for schedule(static)
      for (int64_t piece = 0; piece < numPieces; ++piece)
        pages.gatherOfPiece(piece);
#pragma omp single
      change = 0;
#pragma omp for schedule(static) reduction(max : change)
      for (int64_t piece = 0; piece < numPieces; ++piece)
        change = std::max(change,
                          advanceRanks(next, rank, piece * numPages / numPieces,
                                       (piece + 1) * numPages / numPieces));
      isGoing = change > Pages::bound;
    }
  }
}

int main() { return serveProblem<Pages, run>("pagerank"); }

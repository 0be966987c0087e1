#include "partitions.rdir.h"

#include <cstdio>

/// Walks over the elements of a region as a task may: by runs, or the box.
template <typename Visit>
static void forEach(const SluiceDomain *part, Visit visit) {
  if (part->runs) {
    for (int64_t r = 0; r < part->numRuns; ++r)
      for (int64_t p = part->runs[r].begin; p < part->runs[r].end; ++p)
        visit(p);
    return;
  }
  for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
    for (int64_t j = part->lower[1]; j < part->upper[1]; ++j)
      for (int64_t k = part->lower[2]; k < part->upper[2]; ++k)
        visit(i * part->stride[0] + j * part->stride[1] + k * part->stride[2]);
}

static int64_t describe(const int64_t *mark, const SluiceDomain *part) {
  int64_t hash = part->count;
  for (int d = 0; d < part->rank; ++d)
    hash = hash * 31 + part->lower[d] * 7 + part->upper[d];
  forEach(part, [&](int64_t p) { hash = (hash * 33 + mark[p]) % 1000000007; });
  return hash;
}

void startLine(const SluiceTask *, int32_t *piece, int64_t *to, int64_t *mark,
               const SluiceDomain *part, int64_t n, int64_t pieces) {
  forEach(part, [&](int64_t p) {
    piece[p] = int32_t(p * p % pieces);
    to[p] = (p * 5 + 3) % n;
    mark[p] = p + 1;
  });
}
void startSquare(const SluiceTask *, int64_t *mark, const SluiceDomain *part) {
  forEach(part, [&](int64_t p) { mark[p] = p + 1; });
}
void startCube(const SluiceTask *, int64_t *mark, const SluiceDomain *part) {
  forEach(part, [&](int64_t p) { mark[p] = p + 1; });
}
void stripes(const int64_t *color, SluiceColoring *elements) {
  for (int64_t e = *color; e < 10; e += 5)
    elements->add(elements, e, e + 1);
}
void describe1(const SluiceTask *, const int64_t *mark,
               const SluiceDomain *part, int64_t *row,
               const SluiceDomain *at) {
  row[at->lower[0]] = describe(mark, part);
}
void describe2(const SluiceTask *, const int64_t *mark,
               const SluiceDomain *part, int64_t *row,
               const SluiceDomain *at) {
  row[at->lower[0] * at->stride[0] + at->lower[1]] = describe(mark, part);
}
void describe3(const SluiceTask *, const int64_t *mark,
               const SluiceDomain *part, int64_t *row,
               const SluiceDomain *at) {
  row[at->lower[0] * at->stride[0] + at->lower[1] * at->stride[1] +
      at->lower[2]] = describe(mark, part);
}
static void print(const char *name, const int64_t *row,
                  const SluiceDomain *rows) {
  std::printf("%s", name);
  forEach(rows, [&](int64_t p) { std::printf(" %lld", (long long)row[p]); });
  std::printf("\n");
}
void print_lines(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("lines", row, at);
}
void print_wide(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("wide", row, at);
}
void print_owned(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("owned", row, at);
}
void print_widest(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("widest", row, at);
}
void print_byPiece(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("byPiece", row, at);
}
void print_reached(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("reached", row, at);
}
void print_reaching(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("reaching", row, at);
}
void print_ghost(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("ghost", row, at);
}
void print_both(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("both", row, at);
}
void print_either(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("either", row, at);
}
void print_squares(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("squares", row, at);
}
void print_boxes(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("boxes", row, at);
}
void print_crosses(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("crosses", row, at);
}
void print_inner(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("inner", row, at);
}
void print_cubes(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("cubes", row, at);
}
void print_cubeCrosses(const SluiceTask *, const int64_t *row, const SluiceDomain *at) {
  print("cubeCrosses", row, at);
}

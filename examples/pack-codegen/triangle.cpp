//===- triangle.cpp - A datatype that generates its own code --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no type for a triangle of a matrix but an indexed one with a line for
// each row. Here it is a class of its own: it says what it occupies, and emits
// the loop that packs it, whose inner length changes with every row. The result
// is a layout like any other, and may be a part of larger ones.
//
//===----------------------------------------------------------------------===//

#include "sluice/PackJIT/Codegen.h"

#include <cstdio>
#include <cstring>
#include <vector>

using llvm::Value;

/// The lower triangle, diagonal included, of an order x order matrix of
/// doubles, row after row.
class LowerTriangle : public farc::Datatype {
public:
  explicit LowerTriangle(int64_t order) : order(order) {}

  Datatype *clone() const override { return new LowerTriangle(order); }
  int64_t getSize() const override { return order * (order + 1) / 2 * 8; }
  int64_t getLowerBound() const override { return 0; }
  int64_t getUpperBound() const override { return order * order * 8; }
  int64_t getTrueLowerBound() const override { return 0; }
  int64_t getTrueUpperBound() const override { return getUpperBound(); }
  std::string toString(bool) const override {
    return "triangle(" + std::to_string(order) + ")";
  }

  void packCodegen(Value *in, Value *count, Value *out) const override {
    emitRows(count, [&](Value *full, Value *dense, Value *bytes) {
      copy(farc::codegenOffset(out, dense), farc::codegenOffset(in, full),
           bytes);
    });
  }
  void unpackCodegen(Value *in, Value *count, Value *out) const override {
    emitRows(count, [&](Value *full, Value *dense, Value *bytes) {
      copy(farc::codegenOffset(out, full), farc::codegenOffset(in, dense),
           bytes);
    });
  }

private:
  static void copy(Value *to, Value *from, Value *bytes) {
    farc::codegenBuilder().CreateMemCpy(to, llvm::Align(1), from,
                                        llvm::Align(1), bytes);
  }

  /// For each row of each matrix: its place in the matrix, its place among the
  /// packed rows, and its length, all in bytes.
  template <typename Row> void emitRows(Value *count, Row row) const {
    farc::codegenLoop(count, [&](Value *matrix) {
      auto &builder = farc::codegenBuilder();
      auto number = [&](int64_t value) { return builder.getInt64(value); };
      Value *fullBegin = builder.CreateMul(matrix, number(getExtent()));
      Value *denseBegin = builder.CreateMul(matrix, number(getSize()));
      farc::codegenLoop(number(order), [&](Value *i) {
        Value *next = builder.CreateAdd(i, number(1));
        Value *full = builder.CreateMul(i, number(order * 8));
        // Before row i lie 8 * i * (i + 1) / 2 bytes.
        Value *dense = builder.CreateMul(builder.CreateMul(i, next), number(4));
        row(builder.CreateAdd(fullBegin, full),
            builder.CreateAdd(denseBegin, dense),
            builder.CreateMul(next, number(8)));
      });
    });
  }

  int64_t order;
};

static bool isRight(const std::vector<double> &packed,
                    const std::vector<double> &matrices, int64_t order) {
  size_t next = 0;
  for (size_t begin = 0; begin != matrices.size();
       begin += static_cast<size_t>(order * order))
    for (int64_t row = 0; row != order; ++row)
      for (int64_t column = 0; column <= row; ++column)
        if (packed[next++] !=
            matrices[begin + static_cast<size_t>(row * order + column)])
          return false;
  return next == packed.size();
}

int main() {
  constexpr int64_t order = 30, number = 4;
  std::vector<double> matrices(order * order * number);
  for (size_t i = 0; i != matrices.size(); ++i)
    matrices[i] = static_cast<double>(i);

  // All four matrices, and a vector of the first and the third.
  LowerTriangle triangle(order);
  farc::VectorDatatype others(2, 1, 2, &triangle);
  try {
    farc::DDT_Commit(&triangle, true);
    farc::DDT_Commit(&others, true);
  } catch (const farc::Error &error) {
    std::printf("cannot compile: %s\n", error.what());
    return 1;
  }
  std::vector<double> packed(order * (order + 1) / 2 * number);
  farc::DDT_Pack(matrices.data(), packed.data(), &triangle, number);
  if (!isRight(packed, matrices, order)) {
    std::puts("pack-codegen: the triangles differ");
    return 1;
  }

  std::vector<double> first(packed.size() / 2), back(matrices.size(), -1);
  farc::DDT_Pack(matrices.data(), first.data(), &others, 1);
  farc::DDT_Unpack(first.data(), back.data(), &others, 1);
  for (size_t i = 0; i != back.size(); ++i) {
    size_t matrix = i / (order * order), row = i / order % order;
    bool isPart = matrix % 2 == 0 && i % order <= row;
    if (back[i] != (isPart ? matrices[i] : -1)) {
      std::printf("pack-codegen: element %zu differs\n", i);
      return 1;
    }
  }
  std::printf("%s: %lld bytes of %lld\n", triangle.toString(false).c_str(),
              static_cast<long long>(triangle.getSize()),
              static_cast<long long>(triangle.getExtent()));
  std::puts("pack-codegen: ok");
}

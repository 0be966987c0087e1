//===- spmv.cpp - Sparse matrix times vector ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for the largest eigenvalue of a symmetric matrix by the power method:
// a leaf replicated over the rows of the matrix, which is stored by compressed
// rows, multiplies it with a vector; the host normalises the product and
// launches again. Each product is compared with one over the list of entries.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// One row's product.
void multiplyRow(int *RowStarts, size_t RowStartsBytes, int *Columns,
                 size_t ColumnsBytes, double *Values, size_t ValuesBytes,
                 double *X, size_t XBytes, double *Y, size_t YBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, RowStarts, Columns, Values, X, 1, Y);
  long Row = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double Sum = 0.0;
  for (int Entry = RowStarts[Row]; Entry < RowStarts[Row + 1]; ++Entry)
    Sum += Values[Entry] * X[Columns[Entry]];
  Y[Row] = Sum;
}

void multiplyRoot(int *RowStarts, size_t RowStartsBytes, int *Columns,
                  size_t ColumnsBytes, double *Values, size_t ValuesBytes,
                  double *X, size_t XBytes, double *Y, size_t YBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, RowStarts, Columns, Values, X, 1, Y);
  void *Rows = __hpvm__createNodeND(1, multiplyRow, YBytes / sizeof(double));
  __hpvm__bindIn(Rows, 0, 0, 0);
  __hpvm__bindIn(Rows, 1, 1, 0);
  __hpvm__bindIn(Rows, 2, 2, 0);
  __hpvm__bindIn(Rows, 3, 3, 0);
  __hpvm__bindIn(Rows, 4, 4, 0);
  __hpvm__bindIn(Rows, 5, 5, 0);
  __hpvm__bindIn(Rows, 6, 6, 0);
  __hpvm__bindIn(Rows, 7, 7, 0);
  __hpvm__bindIn(Rows, 8, 8, 0);
  __hpvm__bindIn(Rows, 9, 9, 0);
}

struct __attribute__((packed)) Arguments {
  int *RowStarts;
  size_t RowStartsBytes;
  int *Columns;
  size_t ColumnsBytes;
  double *Values;
  size_t ValuesBytes;
  double *X;
  size_t XBytes;
  double *Y;
  size_t YBytes;
};

/// The entries of a matrix by row and column.
struct Entries {
  int Size = 0;
  std::map<std::pair<int, int>, double> Values;
};

[[noreturn]] static void fail(const std::string &Path, const char *What) {
  std::fprintf(stderr, "spmv: '%s': %s\n", Path.c_str(), What);
  std::exit(1);
}

/// Read a MatrixMarket file that stores one half of a symmetric matrix.
static Entries readSymmetric(const std::string &Path) {
  std::ifstream File(Path);
  std::string Line;
  if (!std::getline(File, Line))
    fail(Path, "cannot be read");
  if (Line != "%%MatrixMarket matrix coordinate real symmetric")
    fail(Path, "is not a symmetric real MatrixMarket matrix");
  while (File.peek() == '%')
    std::getline(File, Line);

  Entries Matrix;
  int Columns = 0, Count = 0;
  File >> Matrix.Size >> Columns >> Count;
  for (int Entry = 0; Entry != Count; ++Entry) {
    int Row = 0, Column = 0;
    double Value = 0.0;
    File >> Row >> Column >> Value;
    if (Row < 1 || Row > Matrix.Size || Column < 1 || Column > Matrix.Size)
      fail(Path, "has an entry outside the matrix");
    Matrix.Values[{Row - 1, Column - 1}] = Value;
    Matrix.Values[{Column - 1, Row - 1}] = Value;
  }
  if (!File || Columns != Matrix.Size)
    fail(Path, "is shorter than it says, or not square");
  return Matrix;
}

/// The matrix by compressed rows.
struct CompressedRows {
  std::vector<int> RowStarts, Columns;
  std::vector<double> Values;

  explicit CompressedRows(const Entries &Matrix)
      : RowStarts(Matrix.Size + 1, 0) {
    for (auto [Place, Value] : Matrix.Values) {
      ++RowStarts[Place.first + 1];
      Columns.push_back(Place.second);
      Values.push_back(Value);
    }
    for (int Row = 0; Row != Matrix.Size; ++Row)
      RowStarts[Row + 1] += RowStarts[Row];
  }
};

static std::vector<double> plainProduct(const Entries &Matrix,
                                        const std::vector<double> &X) {
  std::vector<double> Y(Matrix.Size, 0.0);
  for (auto [Place, Value] : Matrix.Values)
    Y[Place.first] += Value * X[Place.second];
  return Y;
}

/// Report the first row that differs, if any.
static bool agree(const std::vector<double> &Graph,
                  const std::vector<double> &Plain) {
  for (size_t Row = 0; Row != Plain.size(); ++Row)
    if (Graph[Row] != Plain[Row]) {
      std::fprintf(stderr,
                   "spmv: expected %.17g, but the graph gave %.17g in row "
                   "%zu\n",
                   Plain[Row], Graph[Row], Row);
      return false;
    }
  return true;
}

static double norm(const std::vector<double> &Values) {
  double Sum = 0.0;
  for (double Value : Values)
    Sum += Value * Value;
  return std::sqrt(Sum);
}

template <typename T> static size_t bytesOf(const std::vector<T> &Values) {
  return Values.size() * sizeof(T);
}

int main(int Count, char **Words) {
  if (Count != 2) {
    std::fputs("usage: spmv MATRIX.mtx\n", stderr);
    return 2;
  }
  Entries Matrix = readSymmetric(Words[1]);
  CompressedRows Rows(Matrix);
  std::vector<double> X(Matrix.Size, 1.0), Y(Matrix.Size);
  Arguments Args = {Rows.RowStarts.data(),
                    bytesOf(Rows.RowStarts),
                    Rows.Columns.data(),
                    bytesOf(Rows.Columns),
                    Rows.Values.data(),
                    bytesOf(Rows.Values),
                    X.data(),
                    bytesOf(X),
                    Y.data(),
                    bytesOf(Y)};

  __hpvm__init();
  llvm_hpvm_track_mem(Args.RowStarts, Args.RowStartsBytes);
  llvm_hpvm_track_mem(Args.Columns, Args.ColumnsBytes);
  llvm_hpvm_track_mem(Args.Values, Args.ValuesBytes);
  llvm_hpvm_track_mem(Args.X, Args.XBytes);
  llvm_hpvm_track_mem(Args.Y, Args.YBytes);

  bool Agree = true;
  double Last = 0.0, Eigenvalue = 0.0;
  int Products = 0;
  do {
    Last = Eigenvalue;
    llvm_hpvm_request_mem(Args.X, Args.XBytes); // the host writes it
    double Length = norm(X);
    for (double &Value : X)
      Value /= Length;
    void *Graph = __hpvm__launch(0, multiplyRoot, &Args);
    __hpvm__wait(Graph);
    llvm_hpvm_request_mem(Args.Y, Args.YBytes);
    Agree = agree(Y, plainProduct(Matrix, X));
    Eigenvalue = norm(Y);
    X = Y;
    ++Products;
  } while (Agree && std::abs(Eigenvalue - Last) > 1e-9 * Eigenvalue);

  for (void *Memory :
       {static_cast<void *>(Args.RowStarts), static_cast<void *>(Args.Columns),
        static_cast<void *>(Args.Values), static_cast<void *>(Args.X),
        static_cast<void *>(Args.Y)})
    llvm_hpvm_untrack_mem(Memory);
  __hpvm__cleanup();
  if (!Agree)
    return 1;
  std::printf("%d rows, %zu entries: largest eigenvalue %.2f after %d "
              "products\n",
              Matrix.Size, Rows.Values.size(), Eigenvalue, Products);
  std::printf("spmv: ok\n");
}

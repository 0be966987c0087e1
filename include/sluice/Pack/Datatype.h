//===- Datatype.h - Data layouts as trees of classes, namespace farc ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LibPack's core interface: a layout is a tree whose leaves are primitive
// types, built by constructors with the meaning of MPI's (MPI 3.1, chapter 4).
// Every class keeps its arguments, for envelope and contents, and a clone of
// each type it is given, so that those may be deleted at once. All sizes,
// extents and bounds are 64-bit bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_DATATYPE_H
#define SLUICE_PACK_DATATYPE_H

#include "sluice/Pack/Form.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace llvm {
class Value;
} // namespace llvm

namespace sluice::pack {
class Packer;
} // namespace sluice::pack

namespace farc {

/// An impossible argument, arithmetic beyond 64 bits, or a call at the wrong
/// time. The message names the values.
class Error : public std::runtime_error {
public:
  enum Kind {
    ARGUMENT,
    OVERFLOW_64,
    NOT_COMMITTED,
    NO_COMPILER,
    TRUNCATED,
    UNSUPPORTED
  };
  Error(Kind kind, const std::string &message)
      : std::runtime_error(message), kind(kind) {}
  Kind getKind() const { return kind; }

private:
  Kind kind;
};

enum DatatypeName {
  PRIMITIVE,
  CONTIGUOUS,
  VECTOR,
  HVECTOR,
  INDEXEDBLOCK,
  HINDEXED,
  STRUCT,
  RESIZED,
  INDEXED,
  HINDEXEDBLOCK,
  SUBARRAY,
  DARRAY,
  DUP,
  USER
};

/// Array orders and distributions of SUBARRAY and DARRAY.
enum Order { ORDER_C, ORDER_FORTRAN };
enum Distribution { DISTRIBUTE_NONE, DISTRIBUTE_BLOCK, DISTRIBUTE_CYCLIC };
/// The distribution argument that lets the library choose the block size.
inline constexpr int64_t DISTRIBUTE_DFLT_DARG = -1;

class Datatype;

/// What a constructor was given, as MPI_Type_get_contents lists it. The types
/// are clones owned by this struct.
struct Contents {
  std::vector<int64_t> integers;
  std::vector<int64_t> addresses;
  std::vector<std::unique_ptr<Datatype>> datatypes;
};

/// How many of each get_contents would give.
struct Envelope {
  DatatypeName combiner;
  int64_t integers;
  int64_t addresses;
  int64_t datatypes;
};

class PrimitiveDatatype;

/// Base of all layouts. Instances are immutable but for commit; different
/// threads may use one. A subclass outside this library overrides clone, the
/// sizes and bounds, and both codegen methods, and needs the JIT library.
class Datatype {
public:
  enum CompilationType { PACK, UNPACK, PACK_UNPACK };

  Datatype();
  virtual ~Datatype();
  Datatype(const Datatype &) = delete;
  Datatype &operator=(const Datatype &) = delete;

  /// A deep copy, not committed, owned by the caller.
  virtual Datatype *clone() const = 0;

  virtual int64_t getSize() const = 0;
  virtual int64_t getLowerBound() const = 0;
  virtual int64_t getUpperBound() const = 0;
  virtual int64_t getTrueLowerBound() const = 0;
  virtual int64_t getTrueUpperBound() const = 0;
  virtual int64_t getExtent() const {
    return getUpperBound() - getLowerBound();
  }
  virtual int64_t getTrueExtent() const {
    return getTrueUpperBound() - getTrueLowerBound();
  }
  virtual DatatypeName getDatatypeName() const { return USER; }
  /// Lent; live as long as this type.
  virtual std::vector<const Datatype *> getSubtypes() const { return {}; }
  virtual Envelope getEnvelope() const;
  virtual Contents getContents() const;

  /// The textual form that `parseDatatypes` reads; a summary cuts long lists.
  virtual std::string toString(bool summary = false) const = 0;
  void print(bool summary = false) const;

  /// Emits LLVM IR at the insertion point of the function being compiled: code
  /// that packs (unpacks) `count` instances from `inbuf` to `outbuf`, and
  /// changes none of the three values. See sluice/PackJIT/Codegen.h.
  virtual void packCodegen(llvm::Value *inbuf, llvm::Value *count,
                           llvm::Value *outbuf) const;
  virtual void unpackCodegen(llvm::Value *inbuf, llvm::Value *count,
                             llvm::Value *outbuf) const;

  /// One instance in normal form. The default is a custom form that is packed
  /// by the code this class generates.
  virtual sluice::pack::PlacedForm normalForm() const;
  /// Calls `visit(offset, primitive, count)` for runs of equal primitive
  /// elements in pack order: the type map. Used by external32.
  using ElementVisitor =
      std::function<void(int64_t, const PrimitiveDatatype &, int64_t)>;
  virtual void forEachElement(int64_t offset, const ElementVisitor &) const;

  /// Null before commit.
  const std::shared_ptr<sluice::pack::Packer> &getPacker() const {
    return packer;
  }

private:
  friend void DDT_Commit(Datatype *, bool);
  std::shared_ptr<sluice::pack::Packer> packer;
};

class PrimitiveDatatype : public Datatype {
public:
  /// All basic types of MPI 3.1, C's and Fortran's.
  enum PrimitiveType {
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    SIGNED_CHAR,
    UNSIGNED_CHAR,
    WCHAR,
    SHORT,
    UNSIGNED_SHORT,
    UNSIGNED,
    LONG,
    UNSIGNED_LONG,
    LONG_LONG,
    UNSIGNED_LONG_LONG,
    LONG_DOUBLE,
    C_BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    AINT,
    COUNT,
    OFFSET,
    C_FLOAT_COMPLEX,
    C_DOUBLE_COMPLEX,
    C_LONG_DOUBLE_COMPLEX,
    PACKED,
    FORTRAN_INTEGER,
    FORTRAN_REAL,
    FORTRAN_DOUBLE_PRECISION,
    FORTRAN_COMPLEX,
    FORTRAN_DOUBLE_COMPLEX,
    FORTRAN_LOGICAL,
    FORTRAN_CHARACTER,
    INTEGER1,
    INTEGER2,
    INTEGER4,
    INTEGER8,
    INTEGER16,
    REAL2,
    REAL4,
    REAL8,
    REAL16,
    COMPLEX8,
    COMPLEX16,
    COMPLEX32
  };
  static constexpr int PrimitiveTypeCount = COMPLEX32 + 1;

  explicit PrimitiveDatatype(PrimitiveType type);
  // ... overrides
};

// The other classes follow here:
//   ContiguousDatatype(int64_t count, const Datatype *base)
//   VectorDatatype(count, blocklen, stride, base)
//   HVectorDatatype(count, blocklen, strideBytes, base)
//   IndexedDatatype(count, const int64_t *blocklens, const int64_t *displs,
//   base) HIndexedDatatype(count, const int64_t *blocklens, const int64_t
//   *displsBytes, base) IndexedBlockDatatype(count, blocklen, const int64_t
//   *displs, base) HIndexedBlockDatatype(count, blocklen, const int64_t
//   *displsBytes, base) StructDatatype(count, const int64_t *blocklens, const
//   int64_t *displsBytes, const Datatype *const *types) ResizedDatatype(base,
//   lb, extent) SubarrayDatatype(ndims, const int64_t *sizes, subsizes, starts,
//   Order, base) DarrayDatatype(size, rank, ndims, gsizes, const Distribution
//   *, dargs, psizes, Order, base) DupDatatype(base)
// with overloads that take `const int *` (blocklens, displacements) and
// `const long *`, as LibPack's programs pass them, and `Datatype *`/`Datatype
// **`.

/// A mistake in the text of a type. The message has the place in front:
/// "2:7: expected a type, found ')'".
class ParseError : public Error {
public:
  /// Line and column count from 1; `reason` is the message without the place.
  ParseError(int64_t line, int64_t column, const std::string &reason)
      : Error(ARGUMENT, std::to_string(line) + ":" + std::to_string(column) +
                            ": " + reason),
        line(line), column(column), reason(reason) {}
  int64_t getLine() const { return line; }
  int64_t getColumn() const { return column; }
  const std::string &getReason() const { return reason; }

private:
  int64_t line;
  int64_t column;
  std::string reason;
};

/// Reads `datatype+` in ddtplayer's grammar with our additions; ranges multiply
/// out. Throws ParseError, also for arguments that a constructor refuses.
std::vector<std::unique_ptr<Datatype>> parseDatatypes(const std::string &text);

void DDT_Init();
void DDT_Finalize();
/// Makes `ddt` usable for packing. A ready-made kernel serves at once;
/// `synchronously` compiles before it returns, as LibPack's text has it.
void DDT_Commit(Datatype *ddt, bool synchronously = false);
void DDT_Free(Datatype *ddt);
void DDT_Pack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
void DDT_Unpack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
/// Bytes [position, position + length) of the packed stream.
void DDT_Pack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                      int64_t count, int64_t position, int64_t length);
void DDT_Unpack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                        int64_t count, int64_t position, int64_t length);

} // namespace farc

#endif // SLUICE_PACK_DATATYPE_H

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

#include "sluice/Pack/ArrayDatatypes.h"
#include "sluice/Pack/DatatypeBase.h"
#include "sluice/Pack/IndexedDatatypes.h"
#include "sluice/Pack/PrimitiveDatatype.h"
#include "sluice/Pack/StridedDatatypes.h"

namespace farc {

/// A mistake in the text of a type. The message has the place in front:
/// "2:7: expected a type, found ')'".
class ParseError : public Error {
public:
  /// Line and column count from 1; `reason` is the message without the place.
  ParseError(int64_t line, int64_t column, const std::string &reason)
      : Error(ARGUMENT, std::to_string(line) + ":" + std::to_string(column) +
                            ": " + reason),
        line(line), column(column), reason(reason) {}
  /// Where it is, from 1 on.
  ///@{
  int64_t getLine() const { return line; }
  int64_t getColumn() const { return column; }
  ///@}
  /// The message without the place.
  const std::string &getReason() const { return reason; }

private:
  int64_t line;
  int64_t column;
  std::string reason;
};

/// Reads `datatype+` in ddtplayer's grammar with our additions; ranges multiply
/// out. Throws ParseError, also for arguments that a constructor refuses.
std::vector<std::unique_ptr<Datatype>> parseDatatypes(const std::string &text);

/// Nothing needs it; programs written for LibPack call it first.
void DDT_Init();
/// Ends the threads that compile and pack. They start again when needed.
void DDT_Finalize();
/// Makes `ddt` usable for packing. A ready-made kernel serves at once;
/// `synchronously` compiles before it returns, as LibPack's text has it, where
/// there is a compiler. Types with a part of a user's own class are always
/// compiled, and are an error without a compiler.
void DDT_Commit(Datatype *ddt, bool synchronously = false);
/// Deletes `ddt`, committed or not; null is fine.
void DDT_Free(Datatype *ddt);
/// Copies `count` instances to consecutive bytes at `outbuf`, and back. The
/// type must be committed.
///@{
void DDT_Pack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
void DDT_Unpack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
///@}
/// Bytes [position, position + length) of the packed stream.
///@{
void DDT_Pack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                      int64_t count, int64_t position, int64_t length);
void DDT_Unpack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                        int64_t count, int64_t position, int64_t length);

///@}
/// The layout that packing `ddt` follows.
sluice::pack::Layout layoutOf(const Datatype &ddt);

} // namespace farc

#endif // SLUICE_PACK_DATATYPE_H

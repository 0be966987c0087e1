//===- Datatype.h - Data layouts as trees of classes, namespace farc ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LibPack's core interface: a layout is a tree with primitive types as leaves,
// built by constructors with the meaning of MPI's (MPI 3.1, chapter 4). Every
// class keeps its arguments, for envelope and contents, and a clone of each
// argument type, so that the argument types may be deleted at once. All sizes,
// extents and bounds are 64-bit numbers of bytes.
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

/// An error in the text of a type. The message begins with the place: "2:7:
/// expected a type, found ')'".
class ParseError : public Error {
public:
  /// Line and column count from 1; `reason` is the message without the place.
  ParseError(int64_t line, int64_t column, const std::string &reason)
      : Error(ARGUMENT, std::to_string(line) + ":" + std::to_string(column) +
                            ": " + reason),
        line(line), column(column), reason(reason) {}
  /// The place of the error; numbers start from 1.
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

/// Parses `datatype+` in ddtplayer's grammar with Sluice's extensions; expands
/// ranges. Throws ParseError, also for arguments that a constructor refuses.
std::vector<std::unique_ptr<Datatype>> parseDatatypes(const std::string &text);

/// Optional; programs written for LibPack call it first.
void DDT_Init();
/// Ends the threads that compile and pack. They start again when needed.
void DDT_Finalize();
/// Makes `ddt` usable for packing. A ready-made kernel is used at first. With
/// `synchronously`, compiles the layout's code before it returns, as LibPack
/// specifies, if there is a compiler. Types that contain a user-defined class
/// are always compiled, and are an error without a compiler.
void DDT_Commit(Datatype *ddt, bool synchronously = false);
/// Deletes `ddt`, committed or not; `ddt` may be null.
void DDT_Free(Datatype *ddt);
/// Packs `count` instances to consecutive bytes at `outbuf`, or unpacks them.
/// The type must be committed.
///@{
void DDT_Pack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
void DDT_Unpack(const void *inbuf, void *outbuf, Datatype *ddt, int64_t count);
///@}
/// Packs or unpacks bytes [position, position + length) of the packed stream.
///@{
void DDT_Pack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                      int64_t count, int64_t position, int64_t length);
void DDT_Unpack_partial(const void *inbuf, void *outbuf, Datatype *ddt,
                        int64_t count, int64_t position, int64_t length);

///@}
/// The layout that packing `ddt` uses.
sluice::pack::Layout layoutOf(const Datatype &ddt);

} // namespace farc

#endif // SLUICE_PACK_DATATYPE_H

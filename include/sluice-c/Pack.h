//===- Pack.h - Data layouts for C, C++ and Fortran -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LibPack's C interface, extended: constructors with the meaning of MPI's (MPI
// 3.1, chapter 4), packing by code that is generated for the layout, and a
// textual form. It does not need MPI; link libSluicePack. docs/pack.md
// introduces it.
//
// Every function returns LPK_SUCCESS or an error code; LPK_Last_error describes
// the error. A function that fails creates, frees and commits nothing. All
// functions may be called from any thread, also at the same time with the same
// handle.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_PACK_H
#define SLUICE_C_PACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A layout. Constructors and LPK_From_text create a handle, and LPK_Free frees
/// it; a freed handle never becomes valid again. A handle may be printed and
/// compared, but it is not an address: do not dereference it.
typedef void *LPK_Datatype;
/// No layout.
#define LPK_DATATYPE_NULL ((LPK_Datatype)0)

/// Addresses and distances in bytes.
typedef long LPK_Aint;
/// Counts, sizes and positions.
typedef int64_t LPK_Count;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Return values.
enum {
  /// Success.
  LPK_SUCCESS = 0,
  /// A value that is never valid: a negative count, a null pointer.
  LPK_ERR_ARGUMENT = 1,
  /// A handle that is null, freed, or was never valid.
  LPK_ERR_HANDLE = 2,
  /// A size or bound that does not fit into 64 bits, or into the requested
  /// type.
  LPK_ERR_OVERFLOW = 3,
  /// Packing with a layout before LPK_Commit or LPK_Compile.
  LPK_ERR_NOT_COMMITTED = 4,
  /// A layout that needs generated code, but no compiler was found.
  LPK_ERR_NO_COMPILER = 5,
  /// A buffer or an array that is too small, or a part beyond the end of the
  /// data.
  LPK_ERR_TRUNCATED = 6,
  /// An operation that this layout does not support.
  LPK_ERR_UNSUPPORTED = 7,
  /// Out of memory.
  LPK_ERR_MEMORY = 8,
  /// An internal error; please report it.
  LPK_ERR_INTERNAL = 9
};

/// A sentence for an error code. Valid forever.
const char *LPK_Error_string(int code);
/// Describes this thread's last failed call; "" if no call failed. Valid until
/// this thread's next failed call.
const char *LPK_Last_error(void);

//===----------------------------------------------------------------------===//
// Basic types
//===----------------------------------------------------------------------===//

/// One of the constants below.
typedef int LPK_Primitivetype;

/// The basic types, named as MPI's: those of C, of MPI itself, and of Fortran.
///@{
#define LPK_CHAR 0
#define LPK_SIGNED_CHAR 1
#define LPK_UNSIGNED_CHAR 2
#define LPK_BYTE 3
#define LPK_WCHAR 4
#define LPK_SHORT 5
#define LPK_UNSIGNED_SHORT 6
#define LPK_INT 7
#define LPK_UNSIGNED 8
#define LPK_LONG 9
#define LPK_UNSIGNED_LONG 10
#define LPK_FLOAT 11
#define LPK_DOUBLE 12
#define LPK_LONG_DOUBLE 13
#define LPK_LONG_LONG_INT 14
#define LPK_UNSIGNED_LONG_LONG 15
#define LPK_LONG_LONG 16
#define LPK_C_BOOL 17
#define LPK_INT8_T 18
#define LPK_INT16_T 19
#define LPK_INT32_T 20
#define LPK_INT64_T 21
#define LPK_UINT8_T 22
#define LPK_UINT16_T 23
#define LPK_UINT32_T 24
#define LPK_UINT64_T 25
#define LPK_AINT 26
#define LPK_COUNT 27
#define LPK_OFFSET 28
#define LPK_C_FLOAT_COMPLEX 29
#define LPK_C_COMPLEX LPK_C_FLOAT_COMPLEX
#define LPK_C_DOUBLE_COMPLEX 30
#define LPK_C_LONG_DOUBLE_COMPLEX 31
#define LPK_PACKED 32
#define LPK_INTEGER 33
#define LPK_REAL 34
#define LPK_DOUBLE_PRECISION 35
#define LPK_COMPLEX 36
#define LPK_DOUBLE_COMPLEX 37
#define LPK_LOGICAL 38
#define LPK_CHARACTER 39
#define LPK_INTEGER1 40
#define LPK_INTEGER2 41
#define LPK_INTEGER4 42
#define LPK_INTEGER8 43
#define LPK_INTEGER16 44
#define LPK_REAL2 45
#define LPK_REAL4 46
#define LPK_REAL8 47
#define LPK_REAL16 48
#define LPK_COMPLEX8 49
#define LPK_COMPLEX16 50
#define LPK_COMPLEX32 51
///@}
/// The number of basic types; they count from 0.
#define LPK_PRIMITIVE_COUNT 52

//===----------------------------------------------------------------------===//
// Constructors. A layout keeps what it needs of its component types, so they
// may be freed at once. Displacements of the H forms and of structs and the
// stride of Hvector are in bytes; others are in extents of the old type. Forms
// that end in _c take arrays of 64-bit numbers.
//===----------------------------------------------------------------------===//

/// A basic type.
int LPK_Primitive(LPK_Primitivetype primitivetype, LPK_Datatype *newtype);
/// `count` instances, one after another.
int LPK_Contiguous(LPK_Count count, LPK_Datatype oldtype,
                   LPK_Datatype *newtype);
/// Blocks of `blocklen` instances, `stride` extents apart.
int LPK_Vector(LPK_Count count, LPK_Count blocklen, LPK_Count stride,
               LPK_Datatype oldtype, LPK_Datatype *newtype);
/// Blocks of `blocklen` instances, `stride` bytes apart.
int LPK_Hvector(LPK_Count count, LPK_Count blocklen, LPK_Aint stride,
                LPK_Datatype oldtype, LPK_Datatype *newtype);
/// Blocks of individual lengths, at displacements in extents.
///@{
int LPK_Indexed(LPK_Count count, const int blocklens[],
                const int displacements[], LPK_Datatype oldtype,
                LPK_Datatype *newtype);
int LPK_Indexed_c(LPK_Count count, const LPK_Count blocklens[],
                  const LPK_Count displacements[], LPK_Datatype oldtype,
                  LPK_Datatype *newtype);
///@}
/// Blocks of individual lengths, at displacements in bytes.
///@{
int LPK_Hindexed(LPK_Count count, const int blocklens[],
                 const LPK_Aint displacements[], LPK_Datatype oldtype,
                 LPK_Datatype *newtype);
int LPK_Hindexed_c(LPK_Count count, const LPK_Count blocklens[],
                   const LPK_Count displacements[], LPK_Datatype oldtype,
                   LPK_Datatype *newtype);
///@}
/// Blocks of equal length, at displacements in extents.
///@{
int LPK_Indexed_block(LPK_Count count, LPK_Count blocklen,
                      const int displacements[], LPK_Datatype oldtype,
                      LPK_Datatype *newtype);
int LPK_Indexed_block_c(LPK_Count count, LPK_Count blocklen,
                        const LPK_Count displacements[], LPK_Datatype oldtype,
                        LPK_Datatype *newtype);
///@}
/// Blocks of equal length, at displacements in bytes.
///@{
int LPK_Hindexed_block(LPK_Count count, LPK_Count blocklen,
                       const LPK_Aint displacements[], LPK_Datatype oldtype,
                       LPK_Datatype *newtype);
int LPK_Hindexed_block_c(LPK_Count count, LPK_Count blocklen,
                         const LPK_Count displacements[], LPK_Datatype oldtype,
                         LPK_Datatype *newtype);
///@}
/// Blocks of individual lengths and types, at displacements in bytes.
///@{
int LPK_Struct(LPK_Count count, const int blocklens[],
               const LPK_Aint displacements[], const LPK_Datatype oldtypes[],
               LPK_Datatype *newtype);
int LPK_Struct_c(LPK_Count count, const LPK_Count blocklens[],
                 const LPK_Count displacements[], const LPK_Datatype oldtypes[],
                 LPK_Datatype *newtype);
///@}
/// The old type with another lower bound and extent, in bytes.
int LPK_Resized(LPK_Datatype oldtype, LPK_Aint lowerbound, LPK_Aint extent,
                LPK_Datatype *newtype);
/// A duplicate; envelope and contents show that it is one.
int LPK_Dup(LPK_Datatype oldtype, LPK_Datatype *newtype);

/// Array orders.
enum { LPK_ORDER_C = 0, LPK_ORDER_FORTRAN = 1 };
/// Distributions, and the argument that leaves the block size to the library.
enum {
  LPK_DISTRIBUTE_NONE = 0,
  LPK_DISTRIBUTE_BLOCK = 1,
  LPK_DISTRIBUTE_CYCLIC = 2,
  LPK_DISTRIBUTE_DFLT_DARG = -1
};

/// The block of `subsizes` elements that starts at `starts` in an array of
/// `sizes`; its extent is that of the whole array.
///@{
int LPK_Subarray(int dimensions, const int sizes[], const int subsizes[],
                 const int starts[], int order, LPK_Datatype oldtype,
                 LPK_Datatype *newtype);
int LPK_Subarray_c(int dimensions, const LPK_Count sizes[],
                   const LPK_Count subsizes[], const LPK_Count starts[],
                   int order, LPK_Datatype oldtype, LPK_Datatype *newtype);
///@}
/// The share of process `rank` of `size` in an array of `gsizes` elements that
/// is distributed over a grid of `psizes` processes; `dargs` are block sizes.
///@{
int LPK_Darray(int size, int rank, int dimensions, const int gsizes[],
               const int distributions[], const int dargs[], const int psizes[],
               int order, LPK_Datatype oldtype, LPK_Datatype *newtype);
int LPK_Darray_c(LPK_Count size, LPK_Count rank, int dimensions,
                 const LPK_Count gsizes[], const int distributions[],
                 const LPK_Count dargs[], const LPK_Count psizes[], int order,
                 LPK_Datatype oldtype, LPK_Datatype *newtype);
///@}

/// Reads one type in the grammar of docs/pack.md.
int LPK_From_text(const char *text, LPK_Datatype *newtype);

//===----------------------------------------------------------------------===//
// Lifetime of a layout
//===----------------------------------------------------------------------===//

/// Optional; programs written for LibPack call them. Finalize ends the
/// library's threads, which start again when needed.
///@{
int LPK_Init(void);
int LPK_Finalize(void);
///@}
/// Makes the layout usable for packing at once, with a ready-made kernel. The
/// library generates code for the layout after some use.
int LPK_Commit(LPK_Datatype *datatype);
/// Commits and, if there is a compiler, compiles the layout's own code before
/// it returns. As in LibPack's programs, the handle itself may be passed in
/// place of its address.
int LPK_Compile(LPK_Datatype *datatype);
/// Frees the layout and sets the handle to LPK_DATATYPE_NULL. Calls in progress
/// in other threads complete normally. Here, too, the handle itself may be
/// passed.
int LPK_Free(LPK_Datatype *datatype);

//===----------------------------------------------------------------------===//
// Packing. As in MPI, the address of a buffer is that of displacement 0.
//===----------------------------------------------------------------------===//

/// The packed size of `count` instances, in bytes.
int LPK_Pack_size(LPK_Count count, LPK_Datatype datatype, LPK_Count *size);
/// Packs `incount` instances, one after another, or unpacks them.
///@{
int LPK_Pack(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
             void *outbuf);
int LPK_Unpack(const void *inbuf, void *outbuf, LPK_Count outcount,
               LPK_Datatype outtype);
///@}

/// Like MPI_Pack: packs to `outbuf` at `*position` and advances the position.
/// It is an error if `outsize` bytes do not suffice.
int LPK_Pack_into(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                  void *outbuf, LPK_Count outsize, LPK_Count *position);
/// Like MPI_Unpack: unpacks from `inbuf` at `*position` and advances the
/// position.
int LPK_Unpack_from(const void *inbuf, LPK_Count insize, LPK_Count *position,
                    void *outbuf, LPK_Count outcount, LPK_Datatype outtype);

/// Packs or unpacks only the bytes [position, position + length) of the packed
/// stream; `outbuf` receives, or `inbuf` holds, only these bytes.
///@{
int LPK_Pack_partial(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                     LPK_Count position, LPK_Count length, void *outbuf);
int LPK_Unpack_partial(const void *inbuf, LPK_Count position, LPK_Count length,
                       void *outbuf, LPK_Count outcount, LPK_Datatype outtype);
///@}

/// Copies from one layout straight into another of the same total size. The
/// buffers must not overlap.
int LPK_Transpack(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                  void *outbuf, LPK_Count outcount, LPK_Datatype outtype);

/// MPI's portable format "external32" (MPI 3.1, section 13.5.2). These
/// functions also accept layouts that are not committed.
///@{
int LPK_Pack_external_size(LPK_Count count, LPK_Datatype datatype,
                           LPK_Count *size);
int LPK_Pack_external(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                      void *outbuf, LPK_Count outsize, LPK_Count *position);
int LPK_Unpack_external(const void *inbuf, LPK_Count insize,
                        LPK_Count *position, void *outbuf, LPK_Count outcount,
                        LPK_Datatype outtype);
///@}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The lower bound and the extent in bytes, including gaps at the ends.
int LPK_Get_extent(LPK_Datatype datatype, LPK_Aint *lowerbound,
                   LPK_Aint *extent);
/// The lower bound and the extent of the layout's data, without gaps at the
/// ends.
int LPK_Get_true_extent(LPK_Datatype datatype, LPK_Aint *lowerbound,
                        LPK_Aint *extent);
/// The number of bytes of an instance that are copied. LPK_ERR_OVERFLOW if it
/// does not fit into an int.
int LPK_Get_size(LPK_Datatype datatype, int *size);
/// The same, as a 64-bit number.
int LPK_Get_size_x(LPK_Datatype datatype, LPK_Count *size);

/// The constructor that made a layout.
enum {
  LPK_COMBINER_NAMED = 0,
  LPK_COMBINER_CONTIGUOUS = 1,
  LPK_COMBINER_VECTOR = 2,
  LPK_COMBINER_HVECTOR = 3,
  LPK_COMBINER_INDEXED_BLOCK = 4,
  LPK_COMBINER_HINDEXED = 5,
  LPK_COMBINER_STRUCT = 6,
  LPK_COMBINER_RESIZED = 7,
  LPK_COMBINER_INDEXED = 8,
  LPK_COMBINER_HINDEXED_BLOCK = 9,
  LPK_COMBINER_SUBARRAY = 10,
  LPK_COMBINER_DARRAY = 11,
  LPK_COMBINER_DUP = 12
};

/// The numbers of integers, addresses and types that LPK_Get_contents returns.
///@{
int LPK_Get_envelope(LPK_Datatype datatype, int *integers, int *addresses,
                     int *datatypes, int *combiner);
int LPK_Get_envelope_c(LPK_Datatype datatype, LPK_Count *integers,
                       LPK_Count *addresses, LPK_Count *datatypes,
                       int *combiner);
///@}
/// The arguments of the constructor, in the order of MPI_Type_get_contents. The
/// types are new handles, which the caller frees. It is an error if an array is
/// too small or a number does not fit.
///@{
int LPK_Get_contents(LPK_Datatype datatype, int maxintegers, int maxaddresses,
                     int maxdatatypes, int integers[], LPK_Aint addresses[],
                     LPK_Datatype datatypes[]);
int LPK_Get_contents_c(LPK_Datatype datatype, LPK_Count maxintegers,
                       LPK_Count maxaddresses, LPK_Count maxdatatypes,
                       LPK_Count integers[], LPK_Count addresses[],
                       LPK_Datatype datatypes[]);
///@}
/// The basic type of a layout; an error if the layout is not a basic type.
int LPK_Get_primitive(LPK_Datatype datatype, LPK_Primitivetype *primitivetype);

/// Writes the textual form and a final 0 to `buffer`. `*length`, if not null,
/// receives the length without the 0, even if `size` is too small. A `size`
/// that is too small is an error unless it is 0.
int LPK_To_text(LPK_Datatype datatype, char *buffer, LPK_Count size,
                LPK_Count *length);
/// The same for the name of the kernel that currently packs this layout.
int LPK_Kernel_name(LPK_Datatype datatype, char *buffer, LPK_Count size,
                    LPK_Count *length);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_PACK_H

!===- pack_constructors.f90 - Constructors of layouts ---------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The constructors of sluice-c/Pack.h with ierror as in MPI. Counts and lists
! may be default integers or of kind LPK_COUNT_KIND; addresses are always of
! that kind.
!
!===----------------------------------------------------------------------===!

module sluice_pack_constructors
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use sluice_pack_base
  implicit none
  private
  public :: LPK_Primitive, LPK_Contiguous, LPK_Vector, LPK_Hvector, &
      LPK_Indexed, LPK_Hindexed, LPK_Indexed_block, LPK_Hindexed_block, &
      LPK_Struct, LPK_Resized, LPK_Dup, LPK_Subarray, LPK_Darray

  !> A basic type, e.g. LPK_DOUBLE_PRECISION.
  interface LPK_Primitive
    module procedure lpk_primitive
  end interface
  !> `count` instances, one after another.
  interface LPK_Contiguous
    module procedure lpk_contiguous_i4, lpk_contiguous_i8
  end interface
  !> Blocks at a constant stride, in extents of the old type.
  interface LPK_Vector
    module procedure lpk_vector_i4, lpk_vector_i8
  end interface
  !> Blocks at a constant stride, in bytes.
  interface LPK_Hvector
    module procedure lpk_hvector_i4, lpk_hvector_i8
  end interface
  !> Listed blocks; displacements in extents, the first element is at 0.
  interface LPK_Indexed
    module procedure lpk_indexed_i4, lpk_indexed_i8
  end interface
  !> Listed blocks; displacements in bytes.
  interface LPK_Hindexed
    module procedure lpk_hindexed_i4, lpk_hindexed_i8
  end interface
  !> Listed blocks of one length; displacements in extents.
  interface LPK_Indexed_block
    module procedure lpk_indexed_block_i4, lpk_indexed_block_i8
  end interface
  !> Listed blocks of one length; displacements in bytes.
  interface LPK_Hindexed_block
    module procedure lpk_hindexed_block_i4, lpk_hindexed_block_i8
  end interface
  !> Blocks of different types; displacements in bytes.
  interface LPK_Struct
    module procedure lpk_struct_i4, lpk_struct_i8
  end interface
  !> The old type with other bounds.
  interface LPK_Resized
    module procedure lpk_resized
  end interface
  !> A duplicate.
  interface LPK_Dup
    module procedure lpk_dup
  end interface
  !> A block of an array; starts count from 0.
  interface LPK_Subarray
    module procedure lpk_subarray_i4, lpk_subarray_i8
  end interface
  !> One process's part of a distributed array.
  interface LPK_Darray
    module procedure lpk_darray_i4, lpk_darray_i8
  end interface

  interface
    function c_primitive(primitivetype, newtype) bind(C, &
        name='LPK_Primitive')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(c_int), value :: primitivetype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_primitive
    end function
    function c_contiguous(count, oldtype, newtype) bind(C, &
        name='LPK_Contiguous')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_contiguous
    end function
    function c_vector(count, blocklen, stride, oldtype, newtype) bind(C, &
        name='LPK_Vector')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), value :: blocklen
      integer(LPK_COUNT_KIND), value :: stride
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_vector
    end function
    function c_hvector(count, blocklen, stride, oldtype, newtype) bind(C, &
        name='LPK_Hvector')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), value :: blocklen
      integer(LPK_COUNT_KIND), value :: stride
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_hvector
    end function
    function c_indexed(count, blocklens, displacements, oldtype, &
        newtype) bind(C, name='LPK_Indexed_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), intent(in) :: blocklens(*)
      integer(LPK_COUNT_KIND), intent(in) :: displacements(*)
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_indexed
    end function
    function c_hindexed(count, blocklens, displacements, oldtype, &
        newtype) bind(C, name='LPK_Hindexed_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), intent(in) :: blocklens(*)
      integer(LPK_COUNT_KIND), intent(in) :: displacements(*)
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_hindexed
    end function
    function c_indexed_block(count, blocklen, displacements, oldtype, &
        newtype) bind(C, name='LPK_Indexed_block_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), value :: blocklen
      integer(LPK_COUNT_KIND), intent(in) :: displacements(*)
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_indexed_block
    end function
    function c_hindexed_block(count, blocklen, displacements, oldtype, &
        newtype) bind(C, name='LPK_Hindexed_block_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), value :: blocklen
      integer(LPK_COUNT_KIND), intent(in) :: displacements(*)
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_hindexed_block
    end function
    function c_struct(count, blocklens, displacements, oldtypes, &
        newtype) bind(C, name='LPK_Struct_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      integer(LPK_COUNT_KIND), intent(in) :: blocklens(*)
      integer(LPK_COUNT_KIND), intent(in) :: displacements(*)
      type(c_ptr), intent(in) :: oldtypes(*)
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_struct
    end function
    function c_resized(oldtype, lowerbound, extent, newtype) bind(C, &
        name='LPK_Resized')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: oldtype
      integer(LPK_COUNT_KIND), value :: lowerbound
      integer(LPK_COUNT_KIND), value :: extent
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_resized
    end function
    function c_dup(oldtype, newtype) bind(C, name='LPK_Dup')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_dup
    end function
    function c_subarray(dimensions, sizes, subsizes, starts, order, oldtype, &
        newtype) bind(C, name='LPK_Subarray_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(c_int), value :: dimensions
      integer(LPK_COUNT_KIND), intent(in) :: sizes(*)
      integer(LPK_COUNT_KIND), intent(in) :: subsizes(*)
      integer(LPK_COUNT_KIND), intent(in) :: starts(*)
      integer(c_int), value :: order
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_subarray
    end function
    function c_darray(size, rank, dimensions, gsizes, distributions, dargs, &
        psizes, order, oldtype, newtype) bind(C, name='LPK_Darray_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: size
      integer(LPK_COUNT_KIND), value :: rank
      integer(c_int), value :: dimensions
      integer(LPK_COUNT_KIND), intent(in) :: gsizes(*)
      integer(c_int), intent(in) :: distributions(*)
      integer(LPK_COUNT_KIND), intent(in) :: dargs(*)
      integer(LPK_COUNT_KIND), intent(in) :: psizes(*)
      integer(c_int), value :: order
      type(c_ptr), value :: oldtype
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_darray
    end function
  end interface

contains

  subroutine lpk_primitive(primitivetype, newtype, ierror)
    integer(c_int), intent(in) :: primitivetype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_primitive(primitivetype, newtype%handle), ierror)
  end subroutine

  subroutine lpk_contiguous_i4(count, oldtype, newtype, ierror)
    integer(c_int), intent(in) :: count
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_contiguous_i8(int(count, LPK_COUNT_KIND), oldtype, newtype, &
        code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_contiguous_i8(count, oldtype, newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_contiguous(count, oldtype%handle, newtype%handle), ierror)
  end subroutine

  subroutine lpk_vector_i4(count, blocklen, stride, oldtype, newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklen
    integer(c_int), intent(in) :: stride
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_vector_i8(int(count, LPK_COUNT_KIND), int(blocklen, &
        LPK_COUNT_KIND), int(stride, LPK_COUNT_KIND), oldtype, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_vector_i8(count, blocklen, stride, oldtype, newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: stride
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_vector(count, blocklen, stride, oldtype%handle, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_hvector_i4(count, blocklen, stride, oldtype, newtype, &
      ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: stride
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_hvector_i8(int(count, LPK_COUNT_KIND), int(blocklen, &
        LPK_COUNT_KIND), stride, oldtype, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_hvector_i8(count, blocklen, stride, oldtype, newtype, &
      ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: stride
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_hvector(count, blocklen, stride, oldtype%handle, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_indexed_i4(count, blocklens, displacements, oldtype, &
      newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklens(:)
    integer(c_int), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_indexed_i8(int(count, LPK_COUNT_KIND), int(blocklens, &
        LPK_COUNT_KIND), int(displacements, LPK_COUNT_KIND), oldtype, &
        newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_indexed_i8(count, blocklens, displacements, oldtype, &
      newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklens(:)
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_indexed(count, blocklens, displacements, oldtype%handle, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_hindexed_i4(count, blocklens, displacements, oldtype, &
      newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklens(:)
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_hindexed_i8(int(count, LPK_COUNT_KIND), int(blocklens, &
        LPK_COUNT_KIND), displacements, oldtype, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_hindexed_i8(count, blocklens, displacements, oldtype, &
      newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklens(:)
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_hindexed(count, blocklens, displacements, oldtype%handle, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_indexed_block_i4(count, blocklen, displacements, oldtype, &
      newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklen
    integer(c_int), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_indexed_block_i8(int(count, LPK_COUNT_KIND), int(blocklen, &
        LPK_COUNT_KIND), int(displacements, LPK_COUNT_KIND), oldtype, &
        newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_indexed_block_i8(count, blocklen, displacements, oldtype, &
      newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_indexed_block(count, blocklen, displacements, &
        oldtype%handle, newtype%handle), ierror)
  end subroutine

  subroutine lpk_hindexed_block_i4(count, blocklen, displacements, oldtype, &
      newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_hindexed_block_i8(int(count, LPK_COUNT_KIND), int(blocklen, &
        LPK_COUNT_KIND), displacements, oldtype, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_hindexed_block_i8(count, blocklen, displacements, oldtype, &
      newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklen
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_hindexed_block(count, blocklen, displacements, &
        oldtype%handle, newtype%handle), ierror)
  end subroutine

  subroutine lpk_struct_i4(count, blocklens, displacements, oldtypes, &
      newtype, ierror)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(in) :: blocklens(:)
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtypes(:)
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_struct_i8(int(count, LPK_COUNT_KIND), int(blocklens, &
        LPK_COUNT_KIND), displacements, oldtypes, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_struct_i8(count, blocklens, displacements, oldtypes, &
      newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    integer(LPK_COUNT_KIND), intent(in) :: blocklens(:)
    integer(LPK_COUNT_KIND), intent(in) :: displacements(:)
    type(LPK_Datatype), intent(in) :: oldtypes(:)
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_struct(count, blocklens, displacements, oldtypes%handle, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_resized(oldtype, lowerbound, extent, newtype, ierror)
    type(LPK_Datatype), intent(in) :: oldtype
    integer(LPK_COUNT_KIND), intent(in) :: lowerbound
    integer(LPK_COUNT_KIND), intent(in) :: extent
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_resized(oldtype%handle, lowerbound, extent, &
        newtype%handle), ierror)
  end subroutine

  subroutine lpk_dup(oldtype, newtype, ierror)
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_dup(oldtype%handle, newtype%handle), ierror)
  end subroutine

  subroutine lpk_subarray_i4(dimensions, sizes, subsizes, starts, order, &
      oldtype, newtype, ierror)
    integer(c_int), intent(in) :: dimensions
    integer(c_int), intent(in) :: sizes(:)
    integer(c_int), intent(in) :: subsizes(:)
    integer(c_int), intent(in) :: starts(:)
    integer(c_int), intent(in) :: order
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_subarray_i8(dimensions, int(sizes, LPK_COUNT_KIND), &
        int(subsizes, LPK_COUNT_KIND), int(starts, LPK_COUNT_KIND), order, &
        oldtype, newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_subarray_i8(dimensions, sizes, subsizes, starts, order, &
      oldtype, newtype, ierror)
    integer(c_int), intent(in) :: dimensions
    integer(LPK_COUNT_KIND), intent(in) :: sizes(:)
    integer(LPK_COUNT_KIND), intent(in) :: subsizes(:)
    integer(LPK_COUNT_KIND), intent(in) :: starts(:)
    integer(c_int), intent(in) :: order
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_subarray(dimensions, sizes, subsizes, starts, order, &
        oldtype%handle, newtype%handle), ierror)
  end subroutine

  subroutine lpk_darray_i4(size, rank, dimensions, gsizes, distributions, &
      dargs, psizes, order, oldtype, newtype, ierror)
    integer(c_int), intent(in) :: size
    integer(c_int), intent(in) :: rank
    integer(c_int), intent(in) :: dimensions
    integer(c_int), intent(in) :: gsizes(:)
    integer(c_int), intent(in) :: distributions(:)
    integer(c_int), intent(in) :: dargs(:)
    integer(c_int), intent(in) :: psizes(:)
    integer(c_int), intent(in) :: order
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_darray_i8(int(size, LPK_COUNT_KIND), int(rank, LPK_COUNT_KIND), &
        dimensions, int(gsizes, LPK_COUNT_KIND), distributions, int(dargs, &
        LPK_COUNT_KIND), int(psizes, LPK_COUNT_KIND), order, oldtype, &
        newtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_darray_i8(size, rank, dimensions, gsizes, distributions, &
      dargs, psizes, order, oldtype, newtype, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: size
    integer(LPK_COUNT_KIND), intent(in) :: rank
    integer(c_int), intent(in) :: dimensions
    integer(LPK_COUNT_KIND), intent(in) :: gsizes(:)
    integer(c_int), intent(in) :: distributions(:)
    integer(LPK_COUNT_KIND), intent(in) :: dargs(:)
    integer(LPK_COUNT_KIND), intent(in) :: psizes(:)
    integer(c_int), intent(in) :: order
    type(LPK_Datatype), intent(in) :: oldtype
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_darray(size, rank, dimensions, gsizes, distributions, &
        dargs, psizes, order, oldtype%handle, newtype%handle), ierror)
  end subroutine

end module

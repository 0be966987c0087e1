!===- pack_packing.f90 - Committing and packing ---------------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Buffers may be arrays of any type and rank: they are passed by their
! address. An array section that is not contiguous is copied by the compiler.
! The directive lets any rank stand for a buffer.
!
!===----------------------------------------------------------------------===!

module sluice_pack_packing
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use sluice_pack_base
  implicit none
  private
  public :: LPK_Commit, LPK_Compile, LPK_Free, LPK_Pack_size, LPK_Pack, &
      LPK_Unpack, LPK_Pack_into, LPK_Unpack_from, LPK_Pack_partial, &
      LPK_Unpack_partial, LPK_Transpack, LPK_Pack_external_size, &
      LPK_Pack_external, LPK_Unpack_external

  !> Makes a layout usable for packing at once.
  interface LPK_Commit
    module procedure lpk_commit
  end interface
  !> Commits, and compiles code of its own first.
  interface LPK_Compile
    module procedure lpk_compile
  end interface
  !> Frees the layout; the handle becomes null.
  interface LPK_Free
    module procedure lpk_free
  end interface
  !> The bytes of `count` packed instances.
  interface LPK_Pack_size
    module procedure lpk_pack_size_i4, lpk_pack_size_i8
  end interface
  !> Packs to the beginning of outbuf.
  interface LPK_Pack
    module procedure lpk_pack_i4, lpk_pack_i8
  end interface
  !> Unpacks from the beginning of inbuf.
  interface LPK_Unpack
    module procedure lpk_unpack_i4, lpk_unpack_i8
  end interface
  !> As MPI_Pack: packs from byte `position` on and advances it.
  interface LPK_Pack_into
    module procedure lpk_pack_into_i4, lpk_pack_into_i8
  end interface
  !> As MPI_Unpack: unpacks from byte `position` on and advances it.
  interface LPK_Unpack_from
    module procedure lpk_unpack_from_i4, lpk_unpack_from_i8
  end interface
  !> Only `length` bytes of the packed stream from `position` on.
  interface LPK_Pack_partial
    module procedure lpk_pack_partial_i4, lpk_pack_partial_i8
  end interface
  !> Only `length` bytes of the packed stream from `position` on.
  interface LPK_Unpack_partial
    module procedure lpk_unpack_partial_i4, lpk_unpack_partial_i8
  end interface
  !> Copies from one layout straight into another.
  interface LPK_Transpack
    module procedure lpk_transpack_i4, lpk_transpack_i8
  end interface
  !> The bytes of `count` instances in external32.
  interface LPK_Pack_external_size
    module procedure lpk_pack_external_size_i4, lpk_pack_external_size_i8
  end interface
  !> Packs in external32, as Pack_into.
  interface LPK_Pack_external
    module procedure lpk_pack_external_i4, lpk_pack_external_i8
  end interface
  !> Unpacks external32, as Unpack_from.
  interface LPK_Unpack_external
    module procedure lpk_unpack_external_i4, lpk_unpack_external_i8
  end interface

  interface
    function c_commit(datatype) bind(C, name='LPK_Commit')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), intent(inout) :: datatype
      integer(c_int) :: c_commit
    end function
    function c_compile(datatype) bind(C, name='LPK_Compile')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), intent(inout) :: datatype
      integer(c_int) :: c_compile
    end function
    function c_free(datatype) bind(C, name='LPK_Free')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), intent(inout) :: datatype
      integer(c_int) :: c_free
    end function
    function c_pack_size(count, datatype, size) bind(C, name='LPK_Pack_size')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: size
      integer(c_int) :: c_pack_size
    end function
    function c_pack(inbuf, incount, intype, outbuf) bind(C, name='LPK_Pack')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: incount
      type(c_ptr), value :: intype
      type(*) :: outbuf(*)
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_pack
    end function
    function c_unpack(inbuf, outbuf, outcount, outtype) bind(C, &
        name='LPK_Unpack')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outcount
      type(c_ptr), value :: outtype
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_unpack
    end function
    function c_pack_into(inbuf, incount, intype, outbuf, outsize, &
        position) bind(C, name='LPK_Pack_into')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: incount
      type(c_ptr), value :: intype
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outsize
      integer(LPK_COUNT_KIND), intent(inout) :: position
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_pack_into
    end function
    function c_unpack_from(inbuf, insize, position, outbuf, outcount, &
        outtype) bind(C, name='LPK_Unpack_from')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: insize
      integer(LPK_COUNT_KIND), intent(inout) :: position
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outcount
      type(c_ptr), value :: outtype
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_unpack_from
    end function
    function c_pack_partial(inbuf, incount, intype, position, length, &
        outbuf) bind(C, name='LPK_Pack_partial')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: incount
      type(c_ptr), value :: intype
      integer(LPK_COUNT_KIND), value :: position
      integer(LPK_COUNT_KIND), value :: length
      type(*) :: outbuf(*)
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_pack_partial
    end function
    function c_unpack_partial(inbuf, position, length, outbuf, outcount, &
        outtype) bind(C, name='LPK_Unpack_partial')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: position
      integer(LPK_COUNT_KIND), value :: length
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outcount
      type(c_ptr), value :: outtype
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_unpack_partial
    end function
    function c_transpack(inbuf, incount, intype, outbuf, outcount, &
        outtype) bind(C, name='LPK_Transpack')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: incount
      type(c_ptr), value :: intype
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outcount
      type(c_ptr), value :: outtype
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_transpack
    end function
    function c_pack_external_size(count, datatype, size) bind(C, &
        name='LPK_Pack_external_size')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      integer(LPK_COUNT_KIND), value :: count
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: size
      integer(c_int) :: c_pack_external_size
    end function
    function c_pack_external(inbuf, incount, intype, outbuf, outsize, &
        position) bind(C, name='LPK_Pack_external')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: incount
      type(c_ptr), value :: intype
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outsize
      integer(LPK_COUNT_KIND), intent(inout) :: position
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_pack_external
    end function
    function c_unpack_external(inbuf, insize, position, outbuf, outcount, &
        outtype) bind(C, name='LPK_Unpack_external')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(*), intent(in) :: inbuf(*)
      integer(LPK_COUNT_KIND), value :: insize
      integer(LPK_COUNT_KIND), intent(inout) :: position
      type(*) :: outbuf(*)
      integer(LPK_COUNT_KIND), value :: outcount
      type(c_ptr), value :: outtype
      !GCC$ attributes no_arg_check :: inbuf, outbuf
      integer(c_int) :: c_unpack_external
    end function
  end interface

contains

  subroutine lpk_commit(datatype, ierror)
    type(LPK_Datatype), intent(inout) :: datatype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_commit(datatype%handle), ierror)
  end subroutine

  subroutine lpk_compile(datatype, ierror)
    type(LPK_Datatype), intent(inout) :: datatype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_compile(datatype%handle), ierror)
  end subroutine

  subroutine lpk_free(datatype, ierror)
    type(LPK_Datatype), intent(inout) :: datatype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_free(datatype%handle), ierror)
  end subroutine

  subroutine lpk_pack_size_i4(count, datatype, size, ierror)
    integer(c_int), intent(in) :: count
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: size_c
    integer(c_int) :: code

    size_c = size
    call lpk_pack_size_i8(int(count, LPK_COUNT_KIND), datatype, size_c, code)
    if (code == LPK_SUCCESS) then
      if (abs(size_c) > huge(size)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      size = int(size_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_size_i8(count, datatype, size, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack_size(count, datatype%handle, size), ierror)
  end subroutine

  subroutine lpk_pack_i4(inbuf, incount, intype, outbuf, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_pack_i8(inbuf, int(incount, LPK_COUNT_KIND), intype, outbuf, &
        code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_i8(inbuf, incount, intype, outbuf, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack(inbuf, incount, intype%handle, outbuf), ierror)
  end subroutine

  subroutine lpk_unpack_i4(inbuf, outbuf, outcount, outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_unpack_i8(inbuf, outbuf, int(outcount, LPK_COUNT_KIND), outtype, &
        code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_unpack_i8(inbuf, outbuf, outcount, outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_unpack(inbuf, outbuf, outcount, outtype%handle), ierror)
  end subroutine

  subroutine lpk_pack_into_i4(inbuf, incount, intype, outbuf, outsize, &
      position, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outsize
    integer(c_int), intent(inout) :: position
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: position_c
    integer(c_int) :: code

    position_c = position
    call lpk_pack_into_i8(inbuf, int(incount, LPK_COUNT_KIND), intype, &
        outbuf, int(outsize, LPK_COUNT_KIND), position_c, code)
    if (code == LPK_SUCCESS) then
      if (abs(position_c) > huge(position)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      position = int(position_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_into_i8(inbuf, incount, intype, outbuf, outsize, &
      position, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outsize
    integer(LPK_COUNT_KIND), intent(inout) :: position
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack_into(inbuf, incount, intype%handle, outbuf, outsize, &
        position), ierror)
  end subroutine

  subroutine lpk_unpack_from_i4(inbuf, insize, position, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: insize
    integer(c_int), intent(inout) :: position
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: position_c
    integer(c_int) :: code

    position_c = position
    call lpk_unpack_from_i8(inbuf, int(insize, LPK_COUNT_KIND), position_c, &
        outbuf, int(outcount, LPK_COUNT_KIND), outtype, code)
    if (code == LPK_SUCCESS) then
      if (abs(position_c) > huge(position)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      position = int(position_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_unpack_from_i8(inbuf, insize, position, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: insize
    integer(LPK_COUNT_KIND), intent(inout) :: position
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_unpack_from(inbuf, insize, position, outbuf, outcount, &
        outtype%handle), ierror)
  end subroutine

  subroutine lpk_pack_partial_i4(inbuf, incount, intype, position, length, &
      outbuf, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    integer(c_int), intent(in) :: position
    integer(c_int), intent(in) :: length
    type(*) :: outbuf(*)
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_pack_partial_i8(inbuf, int(incount, LPK_COUNT_KIND), intype, &
        int(position, LPK_COUNT_KIND), int(length, LPK_COUNT_KIND), outbuf, &
        code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_partial_i8(inbuf, incount, intype, position, length, &
      outbuf, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    integer(LPK_COUNT_KIND), intent(in) :: position
    integer(LPK_COUNT_KIND), intent(in) :: length
    type(*) :: outbuf(*)
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack_partial(inbuf, incount, intype%handle, position, &
        length, outbuf), ierror)
  end subroutine

  subroutine lpk_unpack_partial_i4(inbuf, position, length, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: position
    integer(c_int), intent(in) :: length
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_unpack_partial_i8(inbuf, int(position, LPK_COUNT_KIND), &
        int(length, LPK_COUNT_KIND), outbuf, int(outcount, LPK_COUNT_KIND), &
        outtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_unpack_partial_i8(inbuf, position, length, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: position
    integer(LPK_COUNT_KIND), intent(in) :: length
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_unpack_partial(inbuf, position, length, outbuf, outcount, &
        outtype%handle), ierror)
  end subroutine

  subroutine lpk_transpack_i4(inbuf, incount, intype, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code

    call lpk_transpack_i8(inbuf, int(incount, LPK_COUNT_KIND), intype, &
        outbuf, int(outcount, LPK_COUNT_KIND), outtype, code)
    call finish(code, ierror)
  end subroutine

  subroutine lpk_transpack_i8(inbuf, incount, intype, outbuf, outcount, &
      outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_transpack(inbuf, incount, intype%handle, outbuf, outcount, &
        outtype%handle), ierror)
  end subroutine

  subroutine lpk_pack_external_size_i4(count, datatype, size, ierror)
    integer(c_int), intent(in) :: count
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: size_c
    integer(c_int) :: code

    size_c = size
    call lpk_pack_external_size_i8(int(count, LPK_COUNT_KIND), datatype, &
        size_c, code)
    if (code == LPK_SUCCESS) then
      if (abs(size_c) > huge(size)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      size = int(size_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_external_size_i8(count, datatype, size, ierror)
    integer(LPK_COUNT_KIND), intent(in) :: count
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack_external_size(count, datatype%handle, size), ierror)
  end subroutine

  subroutine lpk_pack_external_i4(inbuf, incount, intype, outbuf, outsize, &
      position, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outsize
    integer(c_int), intent(inout) :: position
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: position_c
    integer(c_int) :: code

    position_c = position
    call lpk_pack_external_i8(inbuf, int(incount, LPK_COUNT_KIND), intype, &
        outbuf, int(outsize, LPK_COUNT_KIND), position_c, code)
    if (code == LPK_SUCCESS) then
      if (abs(position_c) > huge(position)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      position = int(position_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_pack_external_i8(inbuf, incount, intype, outbuf, outsize, &
      position, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: incount
    type(LPK_Datatype), intent(in) :: intype
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outsize
    integer(LPK_COUNT_KIND), intent(inout) :: position
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_pack_external(inbuf, incount, intype%handle, outbuf, &
        outsize, position), ierror)
  end subroutine

  subroutine lpk_unpack_external_i4(inbuf, insize, position, outbuf, &
      outcount, outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(c_int), intent(in) :: insize
    integer(c_int), intent(inout) :: position
    type(*) :: outbuf(*)
    integer(c_int), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: position_c
    integer(c_int) :: code

    position_c = position
    call lpk_unpack_external_i8(inbuf, int(insize, LPK_COUNT_KIND), &
        position_c, outbuf, int(outcount, LPK_COUNT_KIND), outtype, code)
    if (code == LPK_SUCCESS) then
      if (abs(position_c) > huge(position)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      position = int(position_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_unpack_external_i8(inbuf, insize, position, outbuf, &
      outcount, outtype, ierror)
    type(*), intent(in) :: inbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: insize
    integer(LPK_COUNT_KIND), intent(inout) :: position
    type(*) :: outbuf(*)
    integer(LPK_COUNT_KIND), intent(in) :: outcount
    type(LPK_Datatype), intent(in) :: outtype
    !GCC$ attributes no_arg_check :: inbuf, outbuf
    integer(c_int), intent(out), optional :: ierror

    call finish(c_unpack_external(inbuf, insize, position, outbuf, outcount, &
        outtype%handle), ierror)
  end subroutine

end module

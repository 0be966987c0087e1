!===- pack_queries.f90 - Questions about layouts --------------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Sizes, bounds, envelopes and contents.
!
!===----------------------------------------------------------------------===!

module sluice_pack_queries
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use sluice_pack_base
  implicit none
  private
  public :: LPK_Get_extent, LPK_Get_true_extent, LPK_Get_size, &
      LPK_Get_envelope, LPK_Get_contents, LPK_Get_primitive

  !> The bounds.
  interface LPK_Get_extent
    module procedure lpk_get_extent
  end interface
  !> The bounds of the bytes.
  interface LPK_Get_true_extent
    module procedure lpk_get_true_extent
  end interface
  !> The bytes that are packed.
  interface LPK_Get_size
    module procedure lpk_get_size_i4, lpk_get_size_i8
  end interface
  !> How the layout was made, and how much Get_contents gives.
  interface LPK_Get_envelope
    module procedure lpk_get_envelope_i4, lpk_get_envelope_i8
  end interface
  !> The arguments of the constructor; free the types.
  interface LPK_Get_contents
    module procedure lpk_get_contents_i4, lpk_get_contents_i8
  end interface
  !> Which basic type this is.
  interface LPK_Get_primitive
    module procedure lpk_get_primitive
  end interface

  interface
    function c_get_extent(datatype, lowerbound, extent) bind(C, &
        name='LPK_Get_extent')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: lowerbound
      integer(LPK_COUNT_KIND), intent(inout) :: extent
      integer(c_int) :: c_get_extent
    end function
    function c_get_true_extent(datatype, lowerbound, extent) bind(C, &
        name='LPK_Get_true_extent')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: lowerbound
      integer(LPK_COUNT_KIND), intent(inout) :: extent
      integer(c_int) :: c_get_true_extent
    end function
    function c_get_size(datatype, size) bind(C, name='LPK_Get_size_x')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: size
      integer(c_int) :: c_get_size
    end function
    function c_get_envelope(datatype, integers, addresses, datatypes, &
        combiner) bind(C, name='LPK_Get_envelope_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), intent(inout) :: integers
      integer(LPK_COUNT_KIND), intent(inout) :: addresses
      integer(LPK_COUNT_KIND), intent(inout) :: datatypes
      integer(c_int), intent(inout) :: combiner
      integer(c_int) :: c_get_envelope
    end function
    function c_get_contents(datatype, maxintegers, maxaddresses, &
        maxdatatypes, integers, addresses, datatypes) bind(C, &
        name='LPK_Get_contents_c')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(LPK_COUNT_KIND), value :: maxintegers
      integer(LPK_COUNT_KIND), value :: maxaddresses
      integer(LPK_COUNT_KIND), value :: maxdatatypes
      integer(LPK_COUNT_KIND), intent(inout) :: integers(*)
      integer(LPK_COUNT_KIND), intent(inout) :: addresses(*)
      type(c_ptr), intent(inout) :: datatypes(*)
      integer(c_int) :: c_get_contents
    end function
    function c_get_primitive(datatype, primitivetype) bind(C, &
        name='LPK_Get_primitive')
      import :: c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      integer(c_int), intent(inout) :: primitivetype
      integer(c_int) :: c_get_primitive
    end function
  end interface

contains

  subroutine lpk_get_extent(datatype, lowerbound, extent, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: lowerbound
    integer(LPK_COUNT_KIND), intent(inout) :: extent
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_extent(datatype%handle, lowerbound, extent), ierror)
  end subroutine

  subroutine lpk_get_true_extent(datatype, lowerbound, extent, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: lowerbound
    integer(LPK_COUNT_KIND), intent(inout) :: extent
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_true_extent(datatype%handle, lowerbound, extent), &
        ierror)
  end subroutine

  subroutine lpk_get_size_i4(datatype, size, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: size_c
    integer(c_int) :: code

    size_c = size
    call lpk_get_size_i8(datatype, size_c, code)
    if (code == LPK_SUCCESS) then
      if (abs(size_c) > huge(size)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      size = int(size_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_get_size_i8(datatype, size, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: size
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_size(datatype%handle, size), ierror)
  end subroutine

  subroutine lpk_get_envelope_i4(datatype, integers, addresses, datatypes, &
      combiner, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(inout) :: integers
    integer(c_int), intent(inout) :: addresses
    integer(c_int), intent(inout) :: datatypes
    integer(c_int), intent(inout) :: combiner
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: integers_c
    integer(LPK_COUNT_KIND) :: addresses_c
    integer(LPK_COUNT_KIND) :: datatypes_c
    integer(c_int) :: code

    integers_c = integers
    addresses_c = addresses
    datatypes_c = datatypes
    call lpk_get_envelope_i8(datatype, integers_c, addresses_c, datatypes_c, &
        combiner, code)
    if (code == LPK_SUCCESS) then
      if (abs(integers_c) > huge(integers)) &
        code = too_large
      if (abs(addresses_c) > huge(addresses)) &
        code = too_large
      if (abs(datatypes_c) > huge(datatypes)) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      integers = int(integers_c, c_int)
      addresses = int(addresses_c, c_int)
      datatypes = int(datatypes_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_get_envelope_i8(datatype, integers, addresses, datatypes, &
      combiner, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(inout) :: integers
    integer(LPK_COUNT_KIND), intent(inout) :: addresses
    integer(LPK_COUNT_KIND), intent(inout) :: datatypes
    integer(c_int), intent(inout) :: combiner
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_envelope(datatype%handle, integers, addresses, &
        datatypes, combiner), ierror)
  end subroutine

  subroutine lpk_get_contents_i4(datatype, maxintegers, maxaddresses, &
      maxdatatypes, integers, addresses, datatypes, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(in) :: maxintegers
    integer(c_int), intent(in) :: maxaddresses
    integer(c_int), intent(in) :: maxdatatypes
    integer(c_int), intent(inout) :: integers(:)
    integer(LPK_COUNT_KIND), intent(inout) :: addresses(:)
    type(LPK_Datatype), intent(inout) :: datatypes(:)
    integer(c_int), intent(out), optional :: ierror
    integer(LPK_COUNT_KIND) :: integers_c(size(integers))
    integer(c_int) :: code

    integers_c = integers
    call lpk_get_contents_i8(datatype, int(maxintegers, LPK_COUNT_KIND), &
        int(maxaddresses, LPK_COUNT_KIND), int(maxdatatypes, LPK_COUNT_KIND), &
        integers_c, addresses, datatypes, code)
    if (code == LPK_SUCCESS) then
      if (any(abs(integers_c) > huge(integers))) &
        code = too_large
    end if
    if (code == LPK_SUCCESS) then
      integers = int(integers_c, c_int)
    end if
    call finish(code, ierror)
  end subroutine

  subroutine lpk_get_contents_i8(datatype, maxintegers, maxaddresses, &
      maxdatatypes, integers, addresses, datatypes, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(LPK_COUNT_KIND), intent(in) :: maxintegers
    integer(LPK_COUNT_KIND), intent(in) :: maxaddresses
    integer(LPK_COUNT_KIND), intent(in) :: maxdatatypes
    integer(LPK_COUNT_KIND), intent(inout) :: integers(:)
    integer(LPK_COUNT_KIND), intent(inout) :: addresses(:)
    type(LPK_Datatype), intent(inout) :: datatypes(:)
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_contents(datatype%handle, maxintegers, maxaddresses, &
        maxdatatypes, integers, addresses, datatypes%handle), ierror)
  end subroutine

  subroutine lpk_get_primitive(datatype, primitivetype, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    integer(c_int), intent(inout) :: primitivetype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_get_primitive(datatype%handle, primitivetype), ierror)
  end subroutine

end module

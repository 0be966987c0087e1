!===- pack_text.f90 - Layouts as text ------------------------------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fortran's strings have a length and no final 0, so these are not generated.
!
!===----------------------------------------------------------------------===!

module sluice_pack_text
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_ptr
  use sluice_pack_base
  implicit none
  private
  public :: LPK_From_text, LPK_Init, LPK_Finalize, LPK_Kernel_name, LPK_To_text

  interface
    function c_init() bind(C, name='LPK_Init')
      import :: c_int
      integer(c_int) :: c_init
    end function
    function c_finalize() bind(C, name='LPK_Finalize')
      import :: c_int
      integer(c_int) :: c_finalize
    end function
    function c_from_text(text, newtype) bind(C, name='LPK_From_text')
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(inout) :: newtype
      integer(c_int) :: c_from_text
    end function
    function c_to_text(datatype, buffer, size, length) &
        bind(C, name='LPK_To_text')
      import :: c_char, c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      character(kind=c_char), intent(inout) :: buffer(*)
      integer(LPK_COUNT_KIND), value :: size
      integer(LPK_COUNT_KIND), intent(inout) :: length
      integer(c_int) :: c_to_text
    end function
    function c_kernel_name(datatype, buffer, size, length) &
        bind(C, name='LPK_Kernel_name')
      import :: c_char, c_int, c_ptr, LPK_COUNT_KIND
      type(c_ptr), value :: datatype
      character(kind=c_char), intent(inout) :: buffer(*)
      integer(LPK_COUNT_KIND), value :: size
      integer(LPK_COUNT_KIND), intent(inout) :: length
      integer(c_int) :: c_kernel_name
    end function
  end interface

contains

  !> Nothing needs it.
  subroutine LPK_Init(ierror)
    integer(c_int), intent(out), optional :: ierror

    call finish(c_init(), ierror)
  end subroutine

  !> Ends the threads of the library.
  subroutine LPK_Finalize(ierror)
    integer(c_int), intent(out), optional :: ierror

    call finish(c_finalize(), ierror)
  end subroutine

  !> Reads one type, e.g. 'vec(2 3 5)[double]'.
  subroutine LPK_From_text(text, newtype, ierror)
    character(*), intent(in) :: text
    type(LPK_Datatype), intent(inout) :: newtype
    integer(c_int), intent(out), optional :: ierror

    call finish(c_from_text(text//c_null_char, newtype%handle), ierror)
  end subroutine

  !> The textual form.
  subroutine LPK_To_text(datatype, text, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    character(:), allocatable, intent(out) :: text
    integer(c_int), intent(out), optional :: ierror
    character(kind=c_char) :: none(1)
    integer(LPK_COUNT_KIND) :: length
    integer(c_int) :: code
    integer :: status

    length = 0
    code = c_to_text(datatype%handle, none, 0_LPK_COUNT_KIND, length)
    allocate (character(length + 1) :: text, stat=status)
    if (status /= 0) error stop no_memory
    if (code == LPK_SUCCESS) &
      code = c_to_text(datatype%handle, text, length + 1, length)
    text = text(:length)
    call finish(code, ierror)
  end subroutine

  !> The name of the kernel that packs this layout now.
  subroutine LPK_Kernel_name(datatype, text, ierror)
    type(LPK_Datatype), intent(in) :: datatype
    character(:), allocatable, intent(out) :: text
    integer(c_int), intent(out), optional :: ierror
    character(kind=c_char) :: name(1000)
    integer(LPK_COUNT_KIND) :: length
    integer(c_int) :: code
    integer :: i, status

    length = 0
    code = c_kernel_name(datatype%handle, name, 1000_LPK_COUNT_KIND, length)
    if (code /= LPK_SUCCESS) length = 0
    allocate (character(length) :: text, stat=status)
    if (status /= 0) error stop no_memory
    do i = 1, int(length)
      text(i:i) = name(i)
    end do
    call finish(code, ierror)
  end subroutine

end module

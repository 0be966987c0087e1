!===- fortran.f90 - Every procedure of the Fortran module ----------------===!
!
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Each generic procedure once for default integers and once for large counts.
!
!===----------------------------------------------------------------------===!

program fortran
  use sluice_pack
  implicit none
  integer, parameter :: K = LPK_COUNT_KIND
  type(LPK_Datatype) :: real8, t, none
  integer :: code

  call LPK_Init()
  call LPK_Primitive(LPK_DOUBLE_PRECISION, real8)
  call constructors()
  call questions()
  call packing()
  call external32()
  call errors()
  call LPK_Free(real8)
  call LPK_Finalize()
  print '(a)', 'fortran: ok'

contains

  !> Compares the text of `t` and frees it.
  subroutine expect(text)
    character(*), intent(in) :: text
    character(:), allocatable :: found

    call LPK_To_text(t, found)
    call must(found == text//'[fortran_double_precision]' .or. found == text, &
              text//' is '//found)
    call LPK_Free(t)
  end subroutine

  subroutine must(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    print '(2a)', 'fortran: ', what
    error stop 1
  end subroutine

  subroutine constructors()
    call LPK_Contiguous(3, real8, t)
    call expect('ctg(3)')
    call LPK_Contiguous(3000000000_K, real8, t)
    call expect('ctg(3000000000)')
    call LPK_Vector(2, 3, -5, real8, t)
    call expect('vec(2 3 -5)')
    call LPK_Vector(2_K, 3_K, -5_K, real8, t)
    call expect('vec(2 3 -5)')
    call LPK_Hvector(2, 3, 50_K, real8, t)
    call expect('hvec(2 3 50)')
    call LPK_Hvector(2_K, 3_K, 50_K, real8, t)
    call expect('hvec(2 3 50)')
    call LPK_Indexed(2, [1, 2], [0, 9], real8, t)
    call expect('idx(0,1 9,2)')
    call LPK_Indexed(2_K, [1_K, 2_K], [0_K, 9_K], real8, t)
    call expect('idx(0,1 9,2)')
    call LPK_Hindexed(2, [1, 2], [0_K, 9_K], real8, t)
    call expect('hidx(0,1 9,2)')
    call LPK_Hindexed(2_K, [1_K, 2_K], [0_K, 9_K], real8, t)
    call expect('hidx(0,1 9,2)')
    call LPK_Indexed_block(2, 4, [0, 9], real8, t)
    call expect('idxb(4: 0 9)')
    call LPK_Indexed_block(2_K, 4_K, [0_K, 9_K], real8, t)
    call expect('idxb(4: 0 9)')
    call LPK_Hindexed_block(2, 4, [0_K, 9_K], real8, t)
    call expect('hidxb(4: 0 9)')
    call LPK_Hindexed_block(2_K, 4_K, [0_K, 9_K], real8, t)
    call expect('hidxb(4: 0 9)')
    call LPK_Resized(real8, -8_K, 24_K, t)
    call expect('resized(-8,24)')
    call LPK_Dup(real8, t)
    call expect('dup')
    call LPK_Subarray(2, [4, 5], [2, 3], [1, 2], LPK_ORDER_FORTRAN, real8, t)
    call expect('subarray(fortran: 4,2,1 5,3,2)')
    call LPK_Subarray(1, [4_K], [2_K], [1_K], LPK_ORDER_C, real8, t)
    call expect('subarray(c: 4,2,1)')
    call LPK_Darray(4, 1, 1, [9], [LPK_DISTRIBUTE_CYCLIC], [2], [4], &
                    LPK_ORDER_C, real8, t)
    call expect('darray(c 4 1: 9,cyclic(2),4)')
    call LPK_Darray(4_K, 1_K, 1, [9_K], [LPK_DISTRIBUTE_BLOCK], &
                    [int(LPK_DISTRIBUTE_DFLT_DARG, K)], [4_K], LPK_ORDER_C, &
                    real8, t)
    call expect('darray(c 4 1: 9,block,4)')
    call LPK_Struct(2, [1, 2], [0_K, 16_K], [real8, real8], t)
    call expect('struct(0,1[fortran_double_precision] '// &
                '16,2[fortran_double_precision])')
    call LPK_Struct(1_K, [3_K], [8_K], [real8], t)
    call expect('struct(8,3[fortran_double_precision])')
    call LPK_From_text('vec(2 3 5)[fortran_double_precision]', t)
    call expect('vec(2 3 5)')
  end subroutine

  subroutine questions()
    integer(K) :: lower, extent, size8, places(2), numbers8(3)
    integer :: size4, counts(4), numbers(3), number, combiner
    integer(K) :: counts8(3)
    type(LPK_Datatype) :: parts(2)

    call LPK_From_text('resized(-8,80)[struct(0,1[int] 16,2[real8])]', t)
    call LPK_Get_extent(t, lower, extent)
    call must(lower == -8 .and. extent == 80, 'extent')
    call LPK_Get_true_extent(t, lower, extent)
    call must(lower == 0 .and. extent == 32, 'true extent')
    call LPK_Get_size(t, size4)
    call LPK_Get_size(t, size8)
    call must(size4 == 20 .and. size8 == 20, 'size')
    call LPK_Free(t)
    call LPK_From_text('struct(0,1[int] 16,2[real8])', t)
    call LPK_Get_envelope(t, counts(1), counts(2), counts(3), combiner)
    call must(all(counts(:3) == [3, 2, 2]) .and. &
              combiner == LPK_COMBINER_STRUCT, 'envelope')
    call LPK_Get_envelope(t, counts8(1), counts8(2), counts8(3), combiner)
    call must(all(counts8 == [3, 2, 2]), 'large envelope')
    call LPK_Get_contents(t, 3, 2, 2, numbers, places, parts)
    call must(all(numbers == [2, 1, 2]) .and. all(places == [0, 16]), &
              'contents')
    call LPK_Get_primitive(parts(1), number)
    call must(number == LPK_INT, 'first type')
    call LPK_Free(parts(1))
    call LPK_Free(parts(2))
    call LPK_Get_contents(t, 3_K, 2_K, 2_K, numbers8, places, parts)
    call must(all(numbers8 == [2, 1, 2]), 'large contents')
    call LPK_Get_primitive(parts(2), number)
    call must(number == LPK_REAL8, 'second type')
    call LPK_Free(parts(1))
    call LPK_Free(parts(2))
    call LPK_Free(t)
  end subroutine

  subroutine packing()
    real(kind(1d0)) :: in(3, 4), out(8), back(3, 4)
    character(:), allocatable :: name
    type(LPK_Datatype) :: two
    integer :: size4, position, i
    integer(K) :: size8, position8

    in = reshape([(dble(i), i=1, 12)], [3, 4])
    call LPK_Vector(2, 1, 3, real8, t)
    call LPK_Compile(t)
    call LPK_Kernel_name(t, name)
    call must(len(name) > 0, 'kernel name')
    call LPK_Pack_size(2, t, size4)
    call LPK_Pack_size(2_K, t, size8)
    call must(size4 == 32 .and. size8 == 32, 'pack size')
    out = 0
    call LPK_Pack(in, 2, t, out)
    call must(all(out == [1d0, 4d0, 5d0, 8d0, 0d0, 0d0, 0d0, 0d0]), 'pack')
    call LPK_Pack(in(2, 2), 1_K, t, out)
    call must(all(out(:2) == [5d0, 8d0]), 'pack from an element')
    back = 0
    call LPK_Unpack(out, back, 1, t)
    call LPK_Unpack(out, back(1, 3), 1_K, t)
    call must(back(1, 2) == 8 .and. back(1, 4) == 8, 'unpack')
    position = 8
    call LPK_Pack_into(in, 1, t, out, 64, position)
    position8 = position
    call LPK_Pack_into(in, 1_K, t, out, 64_K, position8)
    call must(position == 24 .and. position8 == 40, 'positions')
    call must(all(out(2:5) == [1d0, 4d0, 1d0, 4d0]), 'pack into')
    position = 8
    call LPK_Unpack_from(out, 64, position, back, 1, t)
    position8 = position
    call LPK_Unpack_from(out, 64_K, position8, back(2, 1), 1_K, t)
    call must(position8 == 40 .and. back(2, 2) == 4, 'unpack from')
    call LPK_Pack_partial(in, 2, t, 8, 16, out)
    call must(all(out(:2) == [4d0, 5d0]), 'pack partial')
    call LPK_Pack_partial(in, 2_K, t, 16_K, 16_K, out)
    call must(all(out(:2) == [5d0, 8d0]), 'large pack partial')
    back = 0
    call LPK_Unpack_partial(out, 8, 8, back, 1, t)
    call must(back(1, 2) == 5, 'unpack partial')
    call LPK_Unpack_partial(out, 0_K, 8_K, back, 1_K, t)
    call must(back(1, 1) == 5, 'large unpack partial')
    call LPK_Contiguous(2, real8, two)
    call LPK_Commit(two)
    call LPK_Transpack(in, 2, t, out, 2, two)
    call must(all(out(:4) == [1d0, 4d0, 5d0, 8d0]), 'transpack')
    call LPK_Transpack(in, 1_K, t, out(5), 1_K, two)
    call must(out(6) == 4, 'large transpack')
    call LPK_Free(two)
    call LPK_Free(t)
  end subroutine

  subroutine external32()
    character :: bytes(16)
    real(kind(1d0)) :: back(2)
    integer :: size4, position
    integer(K) :: size8, position8

    call LPK_Pack_external_size(2, real8, size4)
    call LPK_Pack_external_size(2_K, real8, size8)
    call must(size4 == 16 .and. size8 == 16, 'external size')
    position = 0
    call LPK_Pack_external([1d0], 1, real8, bytes, 16, position)
    position8 = position
    call LPK_Pack_external([2d0], 1_K, real8, bytes, 16_K, position8)
    call must(position8 == 16 .and. ichar(bytes(1)) == 63 .and. &
              ichar(bytes(9)) == 64, 'pack external')
    position = 0
    call LPK_Unpack_external(bytes, 16, position, back, 1, real8)
    position8 = position
    call LPK_Unpack_external(bytes, 16_K, position8, back(2), 1_K, real8)
    call must(all(back == [1d0, 2d0]), 'unpack external')
  end subroutine

  subroutine errors()
    integer :: small

    call LPK_Contiguous(-1, real8, t, code)
    call must(code == LPK_ERR_ARGUMENT, 'negative count')
    call must(LPK_Last_error() == &
              'ctg: the count must not be negative, but is -1', &
              LPK_Last_error())
    call must(LPK_Error_string(code) == 'an argument can never be right', &
              'sentence')
    call LPK_Dup(none, t, code)
    call must(code == LPK_ERR_HANDLE, 'null handle')
    call LPK_Contiguous(3000000000_K, real8, t)
    call LPK_Get_size(t, small, code)
    call must(code == LPK_ERR_OVERFLOW, 'size beyond an integer')
    call LPK_Free(t)
  end subroutine

end program

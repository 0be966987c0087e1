module {
  rdir.parameter @n : i64 = 240
  rdir.parameter @tiles : i64 = 6
  rdir.root @matrix [@n, @n] {value : f64}
  rdir.partition @a of @matrix [@tiles, @tiles] disjoint complete by blocks
  rdir.graph @main {
    %matrix_0 = rdir.region @matrix initial
    %0 = rdir.open reads(%matrix_0) writes(%a_0)
    %a_0 = rdir.region @a
    %1 = rdir.task @start over [@tiles, @tiles] reads(%a_0) writes(%a_1)
    %a_1 = rdir.region @a
    %2 = rdir.close reads(%matrix_0, %a_1) writes(%matrix_1)
    %matrix_1 = rdir.region @matrix
    %3 = rdir.loop %k in @tiles reads(%matrix_1) writes(%matrix_2) {
      %matrix_0_0 = rdir.region @matrix
      %5 = rdir.open reads(%matrix_0_0) writes(%a_0_1)
      %a_0_1 = rdir.region @a
      %6 = rdir.task @factor over [1] reads(%a_0_1 by [%k, %k]) writes(%a_1_2 by [%k, %k])
      %a_1_2 = rdir.region @a
      %7 = rdir.task @solve over [@tiles - %k - 1] reads(%a_1_2 by [%k, %k], %a_1_2 by [i + %k + 1, %k]) writes(%a_2 by [i + %k + 1, %k])
      %a_2 = rdir.region @a
      %8 = rdir.close reads(%matrix_0_0, %a_2) writes(%matrix_1_3)
      %matrix_1_3 = rdir.region @matrix
      %9 = rdir.loop %j in @tiles - %k - 1 reads(%matrix_1_3) writes(%matrix_2_4) {
        %matrix_0_5 = rdir.region @matrix
        %10 = rdir.open reads(%matrix_0_5) writes(%a_0_6)
        %a_0_6 = rdir.region @a
        %11 = rdir.task @update over [@tiles - %k - %j - 1] reads(%a_0_6 by [i + %j + %k + 1, %k], %a_0_6 by [%j + %k + 1, %k], %a_0_6 by [i + %j + %k + 1, %j + %k + 1]) writes(%a_1_7 by [i + %j + %k + 1, %j + %k + 1])
        %a_1_7 = rdir.region @a
      }
      %matrix_2_4 = rdir.region @matrix
    }
    %matrix_2 = rdir.region @matrix
    %4 = rdir.host @compare reads(%matrix_2) with(@n)
  }
}

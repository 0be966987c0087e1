// What rules say about parts of one root: red and black elements of tiles, and
// what is in no halo of another tile.
rdir.parameter @n : i64 = 64
rdir.root @grid [@n, @n] {value : f64}
rdir.partition @tiles of @grid [4, 4] disjoint complete by blocks
rdir.partition @halos of @grid [4, 4] aliased complete by halo(@tiles, [1, 1], axes)
rdir.partition @colors of @grid [2] disjoint complete by color([i + j mod 2])
rdir.partition @red of @grid [4, 4] disjoint incomplete by intersection(@tiles, @colors[0])
rdir.partition @black of @grid [4, 4] disjoint incomplete by intersection(@tiles, @colors[1])
rdir.partition @nearRed of @grid [4, 4] aliased incomplete by intersection(@halos, @colors[0])
rdir.partition @nearBlack of @grid [4, 4] aliased incomplete by intersection(@halos, @colors[1])
rdir.partition @rims of @grid [4, 4] aliased incomplete by difference(@halos, @tiles)
rdir.partition @inner of @grid [4, 4] disjoint incomplete by difference(@tiles, @rims whole)
rdir.partition @shares of @grid [4, 4, 2] disjoint incomplete by blocks(@inner)
rdir.graph @main {
  rdir.loop 10 {
    rdir.task @relaxRed over [4, 4] reads(@nearBlack) writes(@red)
    rdir.task @relaxBlack over [4, 4] reads(@nearRed) writes(@black)
  }
  rdir.task @smooth over [4, 4] reads(@rims) writes(@inner)
  rdir.task @share over [4, 4, 2] reads(@rims[i, j]) writes(@shares)
}

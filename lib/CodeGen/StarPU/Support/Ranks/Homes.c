//===- Homes.c - Homes ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The owner of each element of a root. An element belongs to the rank of the
// color through which a graph writes it. Colors are distributed to ranks as in
// Sluice's own runtime.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceHomes {
  SluicePartition now;    /* a color for each rank */
  SluicePartition before; /* the same, before the present graph; or none */
  SluiceSet *elements;    /* of each atom of the present graph */
  SluicePart *parts;      /* of the present graph: atom * numFields + field */
} SluiceHomes;

static int sluiceRankOfColor(SluicePartition *partition, int64_t color) {
  if (!partition->ranks) {
    partition->ranks =
        sluiceAllocate(partition->name, partition->numColors, sizeof(uint32_t));
    sluiceDealColors(sluiceRegions, partition->number, (uint32_t)sluiceNumRanks,
                     partition->ranks);
  }
  return (int)partition->ranks[color];
}

/* The access whose color decides where points run; -1: none. */
static int sluiceMainAccess(const SluiceLaunch *launch) {
  int found = -1;
  for (int a = 0; a < launch->numAccesses; ++a)
    if (launch->accesses[a].partition->numColors != 1 &&
        (found < 0 || (launch->accesses[a].mode != STARPU_R &&
                       launch->accesses[found].mode == STARPU_R)))
      found = a;
  return found;
}

/* Chooses the rank that runs each point. */
static void sluicePlacePoints(SluiceLaunch *launch) {
  int a = sluiceMainAccess(launch);
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    SluicePoint *point = &launch->points[p];
    if (launch->isHost)
      point->rank = 0;
    else if (a >= 0)
      point->rank =
          sluiceRankOfColor(launch->accesses[a].partition, point->colors[a]);
    else
      point->rank = (int)(p * sluiceNumRanks / launch->numPoints);
  }
}

/* A color for each rank. */
static void sluiceBeginRankColors(SluicePartition *partition,
                                  SluiceRoot *root) {
  partition->name = root->name;
  partition->rank = 1;
  partition->colors[0] = partition->numColors = sluiceNumRanks;
  sluiceAllocateColors(partition, root);
}

static int sluiceIsDisjoint(const SluicePartition *partition) {
  SluiceSet all = {0};
  int64_t count = 0;
  for (int64_t c = 0; c < partition->numColors; ++c) {
    sluiceAddSet(&all, &partition->sets[c]);
    count += partition->sets[c].count;
  }
  sluiceFinishSet(&all);
  int isDisjoint = count == all.count;
  sluiceFreeSet(&all);
  return isDisjoint;
}

/* Gives the elements of each color that are left to the color's rank; a single
   color goes to `rank`. */
static void sluiceClaim(SluiceHomes *homes, SluiceSet *rest,
                        SluicePartition *partition, int rank) {
  SluiceSet taken = {0}, left = {0};
  for (int64_t c = 0; c < partition->numColors; ++c) {
    if (partition->numColors != 1)
      rank = sluiceRankOfColor(partition, c);
    sluiceIntersect(&homes->now.sets[rank], rest, &partition->sets[c]);
    sluiceAddSet(&taken, &partition->sets[c]);
  }
  sluiceFinishSet(&taken);
  sluiceSubtract(&left, rest, &taken);
  sluiceFreeSet(&taken);
  sluiceFreeSet(rest);
  *rest = left;
}

/* Those that nobody claims stay where they were, at first in equal parts. */
static void sluiceClaimRest(SluiceHomes *homes, const SluiceSet *rest,
                            const SluiceRoot *root) {
  for (int64_t r = 0; r < sluiceNumRanks; ++r) {
    SluiceRun run = {(r * root->count + sluiceNumRanks - 1) / sluiceNumRanks,
                     ((r + 1) * root->count + sluiceNumRanks - 1) /
                         sluiceNumRanks};
    SluiceSet equal = {.runs = &run, .numRuns = run.begin < run.end};
    sluiceIntersect(&homes->now.sets[r], rest,
                    homes->before.sets ? &homes->before.sets[r] : &equal);
    sluiceFinishSet(&homes->now.sets[r]);
  }
}

/* Where the elements of a root are to be in this graph: through the first
   disjoint partition that writes them, else with the task that does. */
static void sluiceChooseHomes(SluiceRoot *root, SluiceLaunch *const *launches,
                              int numLaunches) {
  if (!root->homes)
    root->homes = sluiceAllocate(root->name, 1, sizeof(SluiceHomes));
  SluiceHomes *homes = root->homes;
  SluiceRun all = {0, root->count};
  SluiceSet rest = {0};
  SluicePartition *last = NULL;
  sluiceAddRun(&rest, all.begin, all.end);
  sluiceBeginRankColors(&homes->now, root);
  for (int isSingle = 0; isSingle < 2; ++isSingle)
    for (int i = 0; i < numLaunches; ++i)
      for (int a = 0; a < launches[i]->numAccesses; ++a) {
        const SluiceRegionAccess *access = &launches[i]->accesses[a];
        SluicePartition *partition = access->partition;
        if (partition->root != root || partition == last ||
            access->mode == STARPU_R || access->mode == STARPU_REDUX ||
            (partition->numColors == 1) != isSingle || rest.numRuns == 0 ||
            launches[i]->numPoints == 0 ||
            (!isSingle && !sluiceIsDisjoint(partition)))
          continue;
        sluiceClaim(homes, &rest, partition, launches[i]->points[0].rank);
        last = partition;
      }
  sluiceClaimRest(homes, &rest, root);
  sluiceFreeSet(&rest);
}

/* Makes the parts of a root: a field of each atom is one. */
static void sluiceMakeRootParts(SluiceRoot *root) {
  SluiceHomes *homes = root->homes;
  homes->parts = sluiceAllocate(root->name, root->numAtoms * root->numFields,
                                sizeof(SluicePart));
  for (int64_t atom = 0; atom < root->numAtoms; ++atom) {
    sluiceFinishSet(&homes->elements[atom]);
    for (int f = 0; f < root->numFields; ++f)
      homes->parts[atom * root->numFields + f] =
          (SluicePart){.memory = root->memory[f],
                       .set = &homes->elements[atom],
                       .size = sluiceElementSize(&root->fields[f]),
                       .tag = sluiceNumTags++};
  }
  for (int r = 0; r < sluiceNumRanks; ++r)
    for (int64_t i = 0; i < homes->now.atoms[r].count; ++i)
      for (int f = 0; f < root->numFields; ++f)
        homes->parts[homes->now.atoms[r].atoms[i] * root->numFields + f].owner =
            r;
}

/* Registers what this rank has or needs, and brings elements to new homes. */
static void sluiceRegisterRootParts(SluiceRoot *root) {
  SluiceHomes *homes = root->homes;
  int64_t numParts = root->numAtoms * root->numFields;
  int *before = sluiceAllocate(root->name, root->numAtoms, sizeof(int));
  for (int64_t atom = 0; atom < root->numAtoms; ++atom)
    before[atom] = homes->parts[atom * root->numFields].owner;
  for (int r = 0; homes->before.sets && r < sluiceNumRanks; ++r)
    for (int64_t i = 0; i < homes->before.atoms[r].count; ++i)
      before[homes->before.atoms[r].atoms[i]] = r;
  for (int64_t i = 0; i < numParts; ++i) {
    SluicePart *part = &homes->parts[i];
    int old = before[i / root->numFields];
    int isMoved =
        old != part->owner && (old == sluiceRank || part->owner == sluiceRank);
    if (isMoved || part->owner == sluiceRank || part->isUsed)
      sluiceRegisterPart(part, root->name, isMoved ? old : part->owner);
    if (isMoved)
      starpu_mpi_data_migrate(MPI_COMM_WORLD, part->handle, part->owner);
  }
  free(before);
}

static void sluiceReleaseRankColors(SluicePartition *partition) {
  if (partition->sets)
    sluiceDestroyPartition(partition);
  *partition = (SluicePartition){0};
}

static void sluiceReleaseRootParts(SluiceRoot *root) {
  SluiceHomes *homes = root->homes;
  for (int64_t i = 0; i < root->numAtoms * root->numFields; ++i)
    sluiceUnregisterPart(&homes->parts[i]);
  for (int64_t atom = 0; atom < root->numAtoms; ++atom)
    sluiceFreeSet(&homes->elements[atom]);
  free(homes->elements);
  free(homes->parts);
  homes->elements = NULL;
  homes->parts = NULL;
  root->numAtoms = 0;
  sluiceReleaseRankColors(&homes->before);
  homes->before = homes->now;
  homes->now = (SluicePartition){0};
}

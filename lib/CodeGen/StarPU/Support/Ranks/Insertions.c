//===- Insertions.c - Insertions ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a launch that this rank inserts into StarPU: its own tasks, and
// those tasks of other ranks that change data which this rank reads, or use
// data which it owns.
//
//===----------------------------------------------------------------------===//

typedef struct SluiceInsertion {
  struct starpu_codelet *codelet;
  void *argument;
  int rank; /* the rank that runs the task */
  int count;
  struct starpu_data_descr *uses;
} SluiceInsertion;

typedef struct SluiceShare {
  SluiceContribution *contributions;
  int64_t numContributions;
  SluiceInsertion *insertions;
  int64_t count, capacity;
  /* The ranks that have been seen to read a scalar. */
  char *readers;
} SluiceShare;

/* The parts that a task uses, each once. */
static struct SluiceUse {
  SluicePart *part;
  enum starpu_data_access_mode mode;
} * sluiceUses;
static int64_t sluiceNumUses, sluiceUseCapacity, sluiceNumLists;

static void sluiceBeginUses(void) {
  sluiceNumUses = 0;
  ++sluiceNumLists;
}

static void sluiceAddUse(SluicePart *part, enum starpu_data_access_mode mode) {
  if (part->list == sluiceNumLists) {
    sluiceUses[part->place].mode |= mode;
    return;
  }
  part->list = sluiceNumLists;
  part->place = sluiceNumUses;
  sluiceUses = sluiceGrow(sluiceUses, sluiceNumUses, &sluiceUseCapacity,
                          sizeof(struct SluiceUse));
  sluiceUses[sluiceNumUses++] = (struct SluiceUse){part, mode};
}

//===-- What points use ---------------------------------------------------===//

/* How an access reduces to a field; null: all points fold in place. */
static SluiceContribution *sluiceContributionOf(const SluiceLaunch *launch,
                                                int access, int field,
                                                int *reducer) {
  for (int64_t c = 0; c < launch->share->numContributions; ++c) {
    SluiceContribution *made = &launch->share->contributions[c];
    if (!made->root || made->numGroups == 0 || made->field != field)
      continue;
    for (*reducer = 0; *reducer < made->numReducers; ++*reducer)
      if (made->accesses[*reducer] == access)
        return made;
  }
  return NULL;
}

static SluiceContribution *
sluiceScalarContribution(const SluiceLaunch *launch,
                         const SluiceScalar *scalar) {
  for (int64_t c = 0; c < launch->share->numContributions; ++c)
    if (launch->share->contributions[c].scalar == scalar)
      return &launch->share->contributions[c];
  return NULL;
}

/* A group's part with this atom. */
static SluicePart *sluicePartOf(const SluiceContribution *made, int64_t group,
                                int64_t atom) {
  int64_t low = made->firstPart[group], high = made->firstPart[group + 1];
  while (low + 1 < high) {
    int64_t middle = (low + high) / 2;
    if (made->atoms[middle] <= atom)
      low = middle;
    else
      high = middle;
  }
  return &made->parts[low];
}

static void sluiceUseCopy(const SluiceContribution *made,
                          const SluiceLaunch *launch, int64_t p,
                          const SluiceAtomList *list) {
  int64_t group = sluiceGroupOf(made, launch, p);
  if (made->isTiny) {
    sluiceAddUse(&made->parts[group], STARPU_W);
    return;
  }
  for (int64_t i = 0; i < list->count; ++i) {
    SluicePart *part = sluicePartOf(made, group, list->atoms[i]);
    sluiceAddUse(part, part->firstPoint == p ? STARPU_W : STARPU_RW);
  }
}

static void sluiceUseAccess(const SluiceLaunch *launch, int64_t p, int a) {
  const SluiceRegionAccess *access = &launch->accesses[a];
  const SluiceRoot *root = access->partition->root;
  const SluiceAtomList *list =
      &access->partition->atoms[launch->points[p].colors[a]];
  int isReduction = access->mode == STARPU_REDUX, reducer = 0;
  for (int f = 0; f < root->numFields; ++f) {
    if (!(access->fields >> f & 1))
      continue;
    const SluiceContribution *made =
        isReduction ? sluiceContributionOf(launch, a, f, &reducer) : NULL;
    if (made && made->isShared[reducer * launch->numPoints + p]) {
      sluiceUseCopy(made, launch, p, list);
      continue;
    }
    for (int64_t i = 0; i < list->count; ++i)
      sluiceAddUse(&root->homes->parts[list->atoms[i] * root->numFields + f],
                   isReduction ? STARPU_RW : access->mode);
  }
}

/* Lists what a point uses, scalars first. */
static void sluiceListPoint(const SluiceLaunch *launch, int64_t p) {
  sluiceBeginUses();
  for (int s = 0; s < launch->numScalars; ++s) {
    const SluiceScalarUse *use = &launch->scalars[s];
    if (use->mode == STARPU_REDUX)
      sluiceAddUse(&sluiceScalarContribution(launch, use->scalar)->parts[p],
                   STARPU_W);
    else
      sluiceAddUse(use->scalar->part, use->mode);
  }
  for (int a = 0; a < launch->numAccesses; ++a)
    sluiceUseAccess(launch, p, a);
}

static void sluiceListFold(const SluiceFold *fold) {
  sluiceBeginUses();
  sluiceAddUse(fold->target, STARPU_RW);
  for (int64_t s = 0; s < fold->numSources; ++s)
    sluiceAddUse(fold->sources[s], STARPU_R);
}

//===-- Who has to do with what -------------------------------------------===//

static void sluiceMarkUses(int rank) {
  for (int64_t i = 0; rank == sluiceRank && i < sluiceNumUses; ++i)
    sluiceUses[i].part->isUsed = 1;
}

/* True for a scalar that the launch reads and this rank sends: once to a rank
   is enough. */
static int sluiceIsKnownReader(const SluiceLaunch *launch,
                               const struct SluiceUse *use, int rank) {
  SluiceShare *share = launch->share;
  for (int s = 0; s < launch->numScalars; ++s) {
    if (launch->scalars[s].scalar->part != use->part ||
        launch->scalars[s].mode != STARPU_R)
      continue;
    char *reader = &share->readers[s * sluiceNumRanks + rank];
    return *reader ? 1 : (*reader = 1, 0);
  }
  return 0;
}

/* Of others' tasks a rank sees what it owns, to send and get it, and what they
   change of what it has a copy of. */
static int sluiceIsSeen(const SluiceLaunch *launch, const struct SluiceUse *use,
                        int rank) {
  if (rank == sluiceRank)
    return 1;
  if (!use->part->handle)
    return 0;
  if (use->mode & STARPU_W)
    return 1;
  return use->part->owner == sluiceRank &&
         !sluiceIsKnownReader(launch, use, rank);
}

static void sluiceKeepUses(SluiceLaunch *launch, struct starpu_codelet *codelet,
                           void *argument, int rank) {
  SluiceShare *share = launch->share;
  SluiceInsertion made = {codelet, argument, rank, 0, NULL};
  struct starpu_data_descr *uses = sluiceAllocate(
      launch->name, sluiceNumUses, sizeof(struct starpu_data_descr));
  for (int64_t i = 0; i < sluiceNumUses; ++i)
    if (sluiceIsSeen(launch, &sluiceUses[i], rank))
      uses[made.count++] = (struct starpu_data_descr){
          sluiceUses[i].part->handle, sluiceUses[i].mode};
  if (rank != sluiceRank && made.count == 0) {
    free(uses);
    return;
  }
  made.uses = realloc(uses, (size_t)(made.count ? made.count : 1) *
                                sizeof(struct starpu_data_descr));
  if (!made.uses)
    made.uses = uses;
  share->insertions = sluiceGrow(share->insertions, share->count,
                                 &share->capacity, sizeof(SluiceInsertion));
  share->insertions[share->count++] = made;
}

//===-- Points of this rank -----------------------------------------------===//

/* Lets a point's function fold into the copy of its group. */
static void sluiceRedirectPoint(SluiceLaunch *launch, int64_t p) {
  SluicePoint *point = &launch->points[p];
  int at = 0, reducer = 0;
  for (int a = 0; a < launch->numAccesses; ++a) {
    const SluiceRegionAccess *access = &launch->accesses[a];
    for (int f = 0; f < access->partition->root->numFields; ++f) {
      if (!(access->fields >> f & 1))
        continue;
      const SluiceContribution *made =
          access->mode == STARPU_REDUX
              ? sluiceContributionOf(launch, a, f, &reducer)
              : NULL;
      if (made && made->isShared[reducer * launch->numPoints + p]) {
        int64_t group = sluiceGroupOf(made, launch, p);
        if (made->firstPart[group] < made->firstPart[group + 1])
          point->fields[at] = made->parts[made->firstPart[group]].memory;
      }
      ++at;
    }
  }
}

/* What the point is the first to fold into. */
static void sluiceListFirsts(SluicePoint *point, int64_t p) {
  point->firsts =
      sluiceAllocate(point->launch->name, sluiceNumUses, sizeof(SluicePart *));
  for (int64_t i = 0; i < sluiceNumUses; ++i)
    if (sluiceUses[i].part->operation && sluiceUses[i].part->firstPoint == p)
      point->firsts[point->numFirsts++] = sluiceUses[i].part;
}

/* The function of all codelets of launches. */
static void sluiceRunPoint(void *buffers[], void *argument) {
  const SluicePoint *point = argument;
  for (int64_t i = 0; i < point->numFirsts; ++i)
    sluiceResetPart(point->firsts[i]);
  point->launch->function(buffers, argument);
}

//===-- Launches ----------------------------------------------------------===//

/* Decides how the launch reduces; all points are there. */
static void sluicePlanContributions(SluiceLaunch *launch) {
  int64_t capacity = 0;
  SluiceShare *share = sluiceAllocate(launch->name, 1, sizeof(SluiceShare));
  launch->share = share;
  share->readers =
      sluiceAllocate(launch->name, launch->numScalars * sluiceNumRanks, 1);
  for (int s = 0; s < launch->numScalars; ++s)
    if (launch->scalars[s].mode == STARPU_REDUX) {
      share->contributions =
          sluiceGrow(share->contributions, share->numContributions, &capacity,
                     sizeof(SluiceContribution));
      SluiceContribution *made =
          &share->contributions[share->numContributions++];
      *made = (SluiceContribution){0};
      sluicePlanScalar(made, launch, &launch->scalars[s]);
    }
  for (int a = 0; a < launch->numAccesses; ++a)
    for (int f = 0; f < launch->accesses[a].partition->root->numFields; ++f) {
      int reducer;
      if (launch->accesses[a].mode != STARPU_REDUX ||
          !(launch->accesses[a].fields >> f & 1) ||
          sluiceContributionOf(launch, a, f, &reducer))
        continue;
      share->contributions =
          sluiceGrow(share->contributions, share->numContributions, &capacity,
                     sizeof(SluiceContribution));
      SluiceContribution *made = &share->contributions[share->numContributions];
      *made = (SluiceContribution){0};
      sluicePlanField(made, launch, a, f);
      if (made->accesses[0] == a && made->numGroups > 0)
        ++share->numContributions;
      else
        sluiceReleaseContribution(made);
    }
  for (int64_t c = 0; c < share->numContributions; ++c) {
    sluiceMakeParts(&share->contributions[c], launch);
    sluiceMakeFolds(&share->contributions[c], launch);
  }
}

/* Marks what tasks of this rank use. */
static void sluiceMarkLaunch(const SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p)
    if (launch->points[p].rank == sluiceRank) {
      sluiceListPoint(launch, p);
      sluiceMarkUses(sluiceRank);
    }
  for (int64_t c = 0; c < launch->share->numContributions; ++c) {
    const SluiceContribution *made = &launch->share->contributions[c];
    for (int64_t f = 0; f < made->numFolds; ++f)
      if (made->folds[f].rank == sluiceRank) {
        sluiceListFold(&made->folds[f]);
        sluiceMarkUses(sluiceRank);
      }
  }
}

/* Makes the insertions, and forgets the points of others. */
static void sluiceMakeInsertions(SluiceLaunch *launch) {
  for (int64_t p = 0; p < launch->numPoints; ++p) {
    SluicePoint *point = &launch->points[p];
    int rank = point->rank;
    sluiceListPoint(launch, p);
    sluiceKeepUses(launch, &launch->codelet, point, rank);
    if (rank == sluiceRank) {
      sluiceListFirsts(point, p);
      sluiceRedirectPoint(launch, p);
    }
  }
  for (int64_t c = 0; c < launch->share->numContributions; ++c) {
    SluiceContribution *made = &launch->share->contributions[c];
    for (int64_t f = 0; f < made->numFolds; ++f) {
      sluiceListFold(&made->folds[f]);
      sluiceKeepUses(launch, &sluiceFoldCodelet, &made->folds[f],
                     made->folds[f].rank);
    }
  }
  for (int64_t p = 0; p < launch->numPoints; ++p)
    if (launch->points[p].rank != sluiceRank)
      sluiceReleasePoint(&launch->points[p]);
}

static void sluiceReleaseShare(SluiceLaunch *launch) {
  SluiceShare *share = launch->share;
  for (int64_t c = 0; c < share->numContributions; ++c)
    sluiceReleaseContribution(&share->contributions[c]);
  for (int64_t i = 0; i < share->count; ++i)
    free(share->insertions[i].uses);
  free(share->contributions);
  free(share->insertions);
  free(share->readers);
  free(share);
  launch->share = NULL;
}

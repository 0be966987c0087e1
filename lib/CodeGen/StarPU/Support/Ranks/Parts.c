//===- Parts.c - Parts ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The units that StarPU sends: some elements of one field, at the same place in
// the memory of each rank that has them.
//
//===----------------------------------------------------------------------===//

typedef struct SluicePart {
  char *memory; /* of position 0, which may not be there */
  const SluiceSet *set;
  size_t size;                     /* bytes of an element */
  const SluiceOperator *operation; /* of a copy that points fold into */
  int64_t firstPoint;              /* of a copy: before it the identity */
  int owner;
  int isUsed; /* by a task that this rank runs */
  starpu_mpi_tag_t tag;
  starpu_data_handle_t handle; /* null: not needed on this rank */
  int64_t list, place;         /* the list of uses that has it, and where */
} SluicePart;

/* What StarPU keeps of a part. */
typedef struct SluicePartInterface {
  enum starpu_data_interface_id id;
  const char *name; /* for messages */
  char *memory;
  const SluiceSet *set;
  size_t size;
} SluicePartInterface;

/* Of a task's buffer: where position 0 is. */
static void *sluiceAddress(void *buffer) {
  return ((SluicePartInterface *)buffer)->memory;
}

static void sluiceRegisterInterface(starpu_data_handle_t handle, unsigned home,
                                    void *given) {
  for (unsigned node = 0; node < STARPU_MAXNODES; ++node) {
    SluicePartInterface *own = starpu_data_get_interface_on_node(handle, node);
    *own = *(SluicePartInterface *)given;
    if (node != home)
      own->memory = NULL;
  }
}

static SluicePartInterface *sluiceInterfaceOf(starpu_data_handle_t handle) {
  return starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
}

/* All parts are in main memory from the start. */
static starpu_ssize_t sluiceAllocatePart(void *interface, unsigned node) {
  (void)interface;
  (void)node;
  return -ENOMEM;
}

static void sluiceFreePart(void *interface, unsigned node) {
  (void)interface;
  (void)node;
}

static size_t sluicePartBytes(starpu_data_handle_t handle) {
  const SluicePartInterface *part = sluiceInterfaceOf(handle);
  return (size_t)part->set->count * part->size;
}

static uint32_t sluicePartFootprint(starpu_data_handle_t handle) {
  return starpu_hash_crc32c_be((uint32_t)sluicePartBytes(handle), 0);
}

static int sluiceCompareParts(void *a, void *b) {
  const SluicePartInterface *x = a, *y = b;
  return x->set->count == y->set->count && x->size == y->size;
}

static starpu_ssize_t sluiceDescribePart(void *interface, char *text,
                                         size_t size) {
  const SluicePartInterface *part = interface;
  return snprintf(text, size, "p%" PRId64 "x%zu", part->set->count, part->size);
}

/* Copies the elements, one run after the other, to or from `packed`. */
static void sluiceMoveElements(const SluicePartInterface *part, char *packed,
                               int isPacking) {
  for (int64_t r = 0; r < part->set->numRuns; ++r) {
    SluiceRun run = part->set->runs[r];
    size_t bytes = (size_t)(run.end - run.begin) * part->size;
    char *elements = part->memory + (size_t)run.begin * part->size;
    memcpy(isPacking ? packed : elements, isPacking ? elements : packed, bytes);
    packed += bytes;
  }
}

static int sluicePackPart(starpu_data_handle_t handle, unsigned node,
                          void **packed, starpu_ssize_t *count) {
  const SluicePartInterface *part = sluiceInterfaceOf(handle);
  *count = (starpu_ssize_t)sluicePartBytes(handle);
  if (*count > INT_MAX)
    sluiceDie("%" PRId64 " elements of '%s' with %zu bytes each are to be sent "
              "as one piece, but a message of StarPU-MPI has less than 2 GiB; "
              "divide '%s' into more colors",
              part->set->count, part->name, part->size, part->name);
  if (packed) {
    *packed = (void *)starpu_malloc_on_node_flags(node, (size_t)*count, 0);
    sluiceMoveElements(sluiceInterfaceOf(handle), *packed, 1);
  }
  return 0;
}

static int sluiceUnpackPart(starpu_data_handle_t handle, unsigned node,
                            void *packed, size_t count) {
  sluiceMoveElements(sluiceInterfaceOf(handle), packed, 0);
  starpu_free_on_node_flags(node, (uintptr_t)packed, count, 0);
  return 0;
}

static struct starpu_data_interface_ops sluicePartOperations = {
    .register_data_handle = sluiceRegisterInterface,
    .allocate_data_on_node = sluiceAllocatePart,
    .free_data_on_node = sluiceFreePart,
    .get_size = sluicePartBytes,
    .footprint = sluicePartFootprint,
    .compare = sluiceCompareParts,
    .describe = sluiceDescribePart,
    .pack_data = sluicePackPart,
    .unpack_data = sluiceUnpackPart,
    .interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
    .interface_size = sizeof(SluicePartInterface),
    .dontcache = 1,
    .name = "part",
};

/* Tags are given on all ranks alike, to parts that a rank does not need too. */
static starpu_mpi_tag_t sluiceNumTags;

/* Makes the part known to StarPU, as `owner`'s; `name` is for messages. */
static void sluiceRegisterPart(SluicePart *part, const char *name, int owner) {
  if (sluicePartOperations.interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
    sluicePartOperations.interfaceid = starpu_data_interface_get_next_id();
  SluicePartInterface interface = {sluicePartOperations.interfaceid, name,
                                   part->memory, part->set, part->size};
  starpu_data_register(&part->handle, STARPU_MAIN_RAM, &interface,
                       &sluicePartOperations);
  starpu_mpi_data_register(part->handle, part->tag, owner);
}

/* Waits for all that has to do with the part. */
static void sluiceUnregisterPart(SluicePart *part) {
  if (part->handle)
    starpu_data_unregister_no_coherency(part->handle);
  part->handle = NULL;
}

/* The values of a part's elements become the identity. */
static void sluiceResetPart(const SluicePart *part) {
  const int64_t values =
      (int64_t)(part->size / sluiceTypeSize(part->operation->type));
  for (int64_t r = 0; r < part->set->numRuns; ++r) {
    SluiceRun run = part->set->runs[r];
    sluiceReset(part->operation, part->memory + (size_t)run.begin * part->size,
                (run.end - run.begin) * values);
  }
}

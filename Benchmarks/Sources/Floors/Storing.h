#ifndef ROLLCALL_FLOORS_STORING_H
#define ROLLCALL_FLOORS_STORING_H

#include "Floors.h"

#include <lmdb.h>

// A new LMDB file and its databases.
typedef struct {
  MDB_env *env;
  MDB_dbi records;
  MDB_dbi events;
  MDB_dbi index;
} floors_store;

// Creates a new file. Returns 0 or LMDB's error.
int floors_open(const char *path, unsigned flags, floors_store *store);

void floors_close(floors_store *store);

// Stores records in one transaction, numbered from `first` on. Returns 0 or LMDB's error.
int floors_put_batch(
    floors_store *store, const floors_record *records, size_t count, uint64_t first, int derives);

#endif

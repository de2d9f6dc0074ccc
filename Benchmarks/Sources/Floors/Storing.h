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

// Makes a file that is not there yet. Returns 0 or LMDB's error.
int floors_open(const char *path, unsigned flags, floors_store *store);

void floors_close(floors_store *store);

// Puts records in one transaction, the first of them with this number. Returns 0 or LMDB's error.
int floors_put_batch(
    floors_store *store, const floors_record *records, size_t count, uint64_t first, int derives);

#endif

#include "Storing.h"

#include <string.h>

static void write_number(uint8_t *space, uint64_t value, int bytes) {
  for (int index = bytes - 1; index >= 0; index--) {
    space[index] = (uint8_t)value;
    value >>= 8;
  }
}

static int open_environment(const char *path, unsigned flags, MDB_env **env) {
  int code = mdb_env_create(env);
  if (code == MDB_SUCCESS) code = mdb_env_set_maxdbs(*env, 8);
  if (code == MDB_SUCCESS) code = mdb_env_set_mapsize(*env, (size_t)64 << 30);
  if (code == MDB_SUCCESS) {
    code = mdb_env_open(*env, path, MDB_NOSUBDIR | MDB_NOTLS | flags, 0600);
  }
  return code;
}

// Appends a value: space for a header, then the bytes.
static int append(
    MDB_txn *transaction, MDB_dbi database, uint64_t sequence, size_t header, const uint8_t *bytes,
    size_t count) {
  uint8_t number[8];
  write_number(number, sequence, 8);
  MDB_val key = {.mv_size = sizeof number, .mv_data = number};
  MDB_val value = {.mv_size = header + count, .mv_data = NULL};
  int code = mdb_put(transaction, database, &key, &value, MDB_APPEND | MDB_RESERVE);
  if (code != MDB_SUCCESS) return code;
  memset(value.mv_data, 0, header);
  memcpy((uint8_t *)value.mv_data + header, bytes, count);
  return code;
}

static int put_index(
    MDB_txn *transaction, MDB_dbi database, uint64_t sequence, const floors_record *record) {
  for (uint32_t index = 0; index < record->contact_count; index++) {
    uint8_t entry[10];
    write_number(entry, (sequence - 1) >> 12, 4);
    write_number(entry + 4, record->contacts[index], 4);
    write_number(entry + 8, (sequence - 1) & 0xFFF, 2);
    MDB_val key = {.mv_size = sizeof entry, .mv_data = entry};
    MDB_val value = {.mv_size = 0, .mv_data = NULL};
    int code = mdb_put(transaction, database, &key, &value, 0);
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

static int put_all(
    MDB_txn *transaction, const floors_store *store, const floors_record *records, size_t count,
    uint64_t first, int derives) {
  for (size_t index = 0; index < count; index++) {
    const floors_record *record = records + index;
    uint64_t sequence = first + index;
    int code = append(
        transaction, store->records, sequence, floors_record_header, record->bytes,
        record->byte_count);
    if (code == MDB_SUCCESS && derives && record->event != NULL) {
      code = append(
          transaction, store->events, sequence, floors_event_header, record->event,
          record->event_count);
    }
    if (code == MDB_SUCCESS && derives) {
      code = put_index(transaction, store->index, sequence, record);
    }
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

int floors_put_batch(
    floors_store *store, const floors_record *records, size_t count, uint64_t first, int derives) {
  MDB_txn *transaction = NULL;
  int code = mdb_txn_begin(store->env, NULL, 0, &transaction);
  if (code != MDB_SUCCESS) return code;
  code = put_all(transaction, store, records, count, first, derives);
  if (code == MDB_SUCCESS) return mdb_txn_commit(transaction);
  mdb_txn_abort(transaction);
  return code;
}

int floors_open(const char *path, unsigned flags, floors_store *store) {
  MDB_txn *transaction = NULL;
  int code = open_environment(path, flags, &store->env);
  if (code == MDB_SUCCESS) code = mdb_txn_begin(store->env, NULL, 0, &transaction);
  if (code != MDB_SUCCESS) return code;
  code = mdb_dbi_open(transaction, "records", MDB_CREATE, &store->records);
  if (code == MDB_SUCCESS) code = mdb_dbi_open(transaction, "events", MDB_CREATE, &store->events);
  if (code == MDB_SUCCESS) code = mdb_dbi_open(transaction, "index", MDB_CREATE, &store->index);
  if (code == MDB_SUCCESS) return mdb_txn_commit(transaction);
  mdb_txn_abort(transaction);
  return code;
}

void floors_close(floors_store *store) {
  if (store->env != NULL) mdb_env_close(store->env);
}

int floors_put(
    const char *path, const floors_record *records, size_t count, size_t batch, int derives) {
  floors_store store = {0};
  int code = floors_open(path, 0, &store);
  for (size_t first = 0; first < count && code == MDB_SUCCESS; first += batch) {
    size_t size = first + batch < count ? batch : count - first;
    code = floors_put_batch(&store, records + first, size, first + 1, derives);
  }
  floors_close(&store);
  return code;
}

long floors_scan(const char *path) {
  MDB_env *env = NULL;
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  MDB_dbi records;
  long sum = 0;
  int code = open_environment(path, MDB_RDONLY, &env);
  if (code == MDB_SUCCESS) code = mdb_txn_begin(env, NULL, MDB_RDONLY, &transaction);
  if (code == MDB_SUCCESS) code = mdb_dbi_open(transaction, "records", 0, &records);
  if (code == MDB_SUCCESS) code = mdb_cursor_open(transaction, records, &cursor);
  MDB_val key, value;
  while (code == MDB_SUCCESS) {
    code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (code == MDB_SUCCESS) sum += (long)value.mv_size - floors_record_header;
  }
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  if (env != NULL) mdb_env_close(env);
  return code == MDB_NOTFOUND ? sum : -1;
}

// For memmem.
#define _GNU_SOURCE

#include "Meaning.h"
#include "Reduction.h"
#include "Storing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 1000 };

// Records that are not stored yet, including the current one.
typedef struct {
  floors_record records[batch];
  size_t count;
  // The number of records already stored.
  uint64_t stored;
} floors_batch;

static void *copied(const void *bytes, size_t count) {
  void *copy = malloc(count + 1);
  if (copy != NULL) memcpy(copy, bytes, count);
  return copy;
}

static int flush(floors_batch *waiting, floors_store *store) {
  int code = floors_put_batch(store, waiting->records, waiting->count, waiting->stored + 1, 1);
  for (size_t index = 0; index < waiting->count; index++) {
    free((void *)waiting->records[index].bytes);
    free((void *)waiting->records[index].event);
    free((void *)waiting->records[index].contacts);
  }
  waiting->stored += waiting->count;
  waiting->count = 0;
  return code == MDB_SUCCESS ? 0 : -1;
}

// Unescapes a JSON string up to its closing quote. Returns its length, or -1 if the string has an
// unexpected escape or no end.
static long unescape_text(const char *text, const char *end, uint8_t *into) {
  long count = 0;
  const char *quote = NULL;
  for (;;) {
    if (quote == NULL || quote < text) quote = memchr(text, '"', (size_t)(end - text));
    if (quote == NULL) return -1;
    const char *escape = memchr(text, '\\', (size_t)(quote - text));
    size_t plain = (size_t)((escape == NULL ? quote : escape) - text);
    memcpy(into + count, text, plain);
    count += (long)plain;
    if (escape == NULL) return count;
    // Generated captures have no other escapes.
    char byte = escape[1];
    if (byte != '"' && byte != '\\' && byte != '/' && byte != 'n') return -1;
    into[count++] = byte == 'n' ? '\n' : (uint8_t)byte;
    text = escape + 2;
  }
}

// Returns the text after `words`, if these are near the beginning of a line; NULL otherwise.
static const char *after(const char *words, const char *line, size_t count) {
  size_t length = strlen(words);
  const char *found = memmem(line, count < 64 ? count : 64, words, length);
  return found == NULL ? NULL : found + length;
}

// Reduces the meaning of a stanza, and stores it and its contacts in the record.
static int add_meaning(
    const floors_meaning *meaning, floors_reduction *reduction, floors_record *record) {
  if (meaning->is_roster) floors_begin_roster(reduction);
  uint32_t *contacts = malloc((meaning->count + 1) * sizeof *contacts);
  if (contacts == NULL) return -1;
  record->contacts = contacts;
  for (size_t index = 0; index < meaning->count; index++) {
    uint32_t known = reduction->count;
    floors_slot *contact = floors_advance(reduction, meaning->parts + index);
    if (contact->number > known) {
      contact->address = copied(contact->address, contact->address_count);
      if (contact->address == NULL) return -1;
    }
    contacts[index] = contact->number;
  }
  record->contact_count = (uint32_t)meaning->count;
  if (meaning->count == 0) return 0;
  record->event = copied(meaning->event.bytes, meaning->event.count);
  record->event_count = (uint32_t)meaning->event.count;
  return record->event == NULL ? -1 : 0;
}

static int import_line(
    const char *line, size_t count, floors_reader *reader, floors_reduction *reduction,
    floors_record *record) {
  const char *xml = after("\"xml\":\"", line, count);
  *record = (floors_record){0};
  if (xml == NULL) {
    record->bytes = copied(line, count);
    record->byte_count = (uint32_t)count;
    return record->bytes == NULL ? -1 : 0;
  }
  uint8_t *bytes = malloc(count);
  if (bytes == NULL) return -1;
  record->bytes = bytes;
  long length = unescape_text(xml, line + count, bytes);
  if (length < 0) return -1;
  record->byte_count = (uint32_t)length;
  int is_inbound = after("\"dir\":\"in\"", line, count) != NULL;
  const floors_meaning *meaning =
      floors_reader_read(reader, record->bytes, (size_t)length, is_inbound);
  return meaning == NULL ? -1 : add_meaning(meaning, reduction, record);
}

static int import_lines(
    FILE *capture, floors_store *store, floors_reader *reader, floors_reduction *reduction,
    uint64_t *records) {
  floors_batch *waiting = calloc(1, sizeof *waiting);
  char *line = NULL;
  size_t room = 0;
  int code = waiting == NULL ? -1 : 0;
  while (code == 0) {
    ssize_t count = getline(&line, &room, capture);
    if (count < 0) break;
    floors_record *record = waiting->records + waiting->count++;
    code = import_line(line, (size_t)count, reader, reduction, record);
    if (code == 0 && waiting->count == batch) code = flush(waiting, store);
  }
  if (code == 0) code = flush(waiting, store);
  if (waiting != NULL) *records = waiting->stored;
  free(line);
  free(waiting);
  return code;
}

long floors_import(const char *path, const char *log, uint64_t *records) {
  floors_store store = {0};
  floors_reduction reduction;
  FILE *capture = fopen(path, "r");
  floors_reader *reader = floors_reader_make();
  int code = floors_begin(&reduction);
  if (capture == NULL || reader == NULL) code = -1;
  // The file is synced only at the end, as in an import into a new log.
  if (code == 0 && floors_open(log, MDB_NOSYNC, &store) != MDB_SUCCESS) code = -1;
  if (code == 0) code = import_lines(capture, &store, reader, &reduction, records);
  if (code == 0 && mdb_env_sync(store.env, 1) != MDB_SUCCESS) code = -1;
  floors_close(&store);
  floors_reader_free(reader);
  for (size_t index = 0; reduction.slots != NULL && index <= reduction.mask; index++) {
    free((void *)reduction.slots[index].address);
  }
  floors_end(&reduction);
  if (capture != NULL) fclose(capture);
  return code == 0 ? reduction.items : -1;
}

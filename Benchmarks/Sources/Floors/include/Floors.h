#ifndef ROLLCALL_FLOORS_H
#define ROLLCALL_FLOORS_H

#include <stddef.h>
#include <stdint.h>

// The bare thing that each part of Rollcall cannot do without, in C and as simple as can be: what
// its cost is compared with. Nothing here checks, decodes or keeps more than it says.

// Parses stanzas, each handed over in one piece, with libxml2's SAX2 push parser below the root of
// a stream, and does nothing in the callbacks but count the elements.
//
// `ends` has the end of each stanza in `bytes`. Returns the number of elements, or -1 where
// libxml2 gave up.
long floors_parse(const uint8_t *_Nonnull bytes, const size_t *_Nonnull ends, size_t count);

// A record with what is derived from it.
typedef struct {
  const uint8_t *_Nonnull bytes;
  const uint8_t *_Nullable event;
  const uint32_t *_Nullable contacts;
  uint32_t byte_count;
  uint32_t event_count;
  uint32_t contact_count;
} floors_record;

// The sizes of the headers that are put before records and events.
enum { floors_record_header = 52, floors_event_header = 11 };

// Puts records, and with `derives` their events and an index entry for each contact, into a new
// LMDB file with full sync, one transaction for each `batch` records.
//
// Returns 0 or LMDB's error.
int floors_put(
    const char *_Nonnull path, const floors_record *_Nonnull records, size_t count, size_t batch,
    int derives);

// Goes over all records of a file that `floors_put` made with a cursor and adds up their bytes.
//
// Returns the sum, or -1 where LMDB failed.
long floors_scan(const char *_Nonnull path);

// What an event does to one contact.
typedef enum : uint8_t {
  floors_nothing,
  floors_set,
  floors_remove,
  floors_available,
  floors_unavailable,
  floors_request,
  floors_request_end,
} floors_kind;

// One event as flat as can be: the address of the contact, and a hash of the rest.
typedef struct {
  const uint8_t *_Nullable address;
  uint16_t address_count;
  floors_kind kind;
  uint8_t fields;
  uint32_t value;
} floors_event;

// Reduces events into a hash map by address. Returns the number of items at the end.
long floors_reduce(const floors_event *_Nonnull events, size_t count);

// Imports a native capture into a new LMDB file, which is synced at its end: takes its lines apart,
// parses the stanzas with libxml2's SAX2, finds out what they say of contacts, reduces that into a
// hash map, and puts records, events and an index entry for each contact, each by itself, one
// transaction for each thousand records. There are no digests, no snapshots, no limits, and
// addresses are as written.
//
// Returns the number of items at the end, or -1 where something failed; `records` is how many
// records were put.
long floors_import(
    const char *_Nonnull capture, const char *_Nonnull log, uint64_t *_Nonnull records);

// Calls `body` and returns how long it took, in nanoseconds: the processor time of all threads of
// the process, user and system, or with `waits` the time that passed.
//
// Everything that is measured runs inside this function, so that a tool that counts instructions
// can be told to count in it only.
uint64_t floors_measure(
    int waits, void (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);

#endif

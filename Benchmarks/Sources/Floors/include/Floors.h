#ifndef ROLLCALL_FLOORS_H
#define ROLLCALL_FLOORS_H

#include <stddef.h>
#include <stdint.h>

// Floors: the indispensable work of each part of Rollcall in simple C, for comparison with the
// part's cost. No function checks, decodes or stores more than its comment says.

// Parses stanzas, each in one piece, with libxml2's SAX2 push parser below the root of a stream.
// The callbacks only count the elements.
//
// `ends` has the end of each stanza in `bytes`. Returns the number of elements, or -1 if libxml2
// failed.
long floors_parse(const uint8_t *_Nonnull bytes, const size_t *_Nonnull ends, size_t count);

// A record with its derived parts.
typedef struct {
  const uint8_t *_Nonnull bytes;
  const uint8_t *_Nullable event;
  const uint32_t *_Nullable contacts;
  uint32_t byte_count;
  uint32_t event_count;
  uint32_t contact_count;
} floors_record;

// The sizes of the headers before records and events.
enum { floors_record_header = 52, floors_event_header = 11 };

// Stores records, and with `derives` their events and an index entry for each contact, in a new
// LMDB file with full sync, with one transaction for each `batch` records.
//
// Returns 0 or LMDB's error.
int floors_put(
    const char *_Nonnull path, const floors_record *_Nonnull records, size_t count, size_t batch,
    int derives);

// Reads all records of a file that `floors_put` made, with a cursor, and adds up their sizes.
//
// Returns the sum, or -1 if LMDB failed.
long floors_scan(const char *_Nonnull path);

// The effect of an event on one contact.
typedef enum : uint8_t {
  floors_nothing,
  floors_set,
  floors_remove,
  floors_available,
  floors_unavailable,
  floors_request,
  floors_request_end,
} floors_kind;

// A flat event: the address of the contact, and a few numbers for the rest.
typedef struct {
  const uint8_t *_Nullable address;
  uint16_t address_count;
  floors_kind kind;
  uint8_t fields;
  uint32_t value;
} floors_event;

// Reduces events into a hash map by address. Returns the number of items at the end.
long floors_reduce(const floors_event *_Nonnull events, size_t count);

// Imports a native capture into a new LMDB file, which is synced at the end.
//
// Splits the capture into lines, parses the stanzas with libxml2's SAX2, extracts what they say
// about contacts, reduces that into a hash map, and stores records, events and an index entry for
// each contact individually, with one transaction for each thousand records. There are no digests,
// snapshots or limits, and addresses are not prepared.
//
// Returns the number of items at the end, or -1 on failure; `records` gets the number of records
// stored.
long floors_import(
    const char *_Nonnull capture, const char *_Nonnull log, uint64_t *_Nonnull records);

// Calls `body` and returns its duration in nanoseconds: the processor time of all threads of the
// process, user and system, or with `waits` the elapsed time.
//
// All measured code runs inside this function, so that a tool that counts instructions can be
// restricted to it.
uint64_t floors_measure(
    int waits, void (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);

#endif

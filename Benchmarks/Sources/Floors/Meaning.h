#ifndef ROLLCALL_FLOORS_MEANING_H
#define ROLLCALL_FLOORS_MEANING_H

#include "Floors.h"

// Bytes that grow.
typedef struct {
  uint8_t *bytes;
  size_t count;
  size_t room;
} floors_bytes;

// Room for so many bytes more; NULL where there is no memory.
uint8_t *floors_room(floors_bytes *bytes, size_t count);

// What a stanza says of contacts, an event.
typedef struct {
  // It encoded; the addresses of the parts point into it.
  floors_bytes event;
  floors_event *parts;
  size_t count;
  size_t room;
  // Whether it is a whole roster.
  int is_roster;
} floors_meaning;

// Parses stanzas with libxml2's SAX2 push parser, below the root of a stream.
typedef struct floors_reader floors_reader;

// Returns NULL where there is no memory.
floors_reader *floors_reader_make(void);

void floors_reader_free(floors_reader *reader);

// Parses a stanza. Returns what it means, until the next one is read; NULL where libxml2 gave up.
const floors_meaning *floors_reader_read(
    floors_reader *reader, const uint8_t *bytes, size_t count, int is_inbound);

#endif

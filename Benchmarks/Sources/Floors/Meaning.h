#ifndef ROLLCALL_FLOORS_MEANING_H
#define ROLLCALL_FLOORS_MEANING_H

#include "Floors.h"

// A growing buffer of bytes.
typedef struct {
  uint8_t *bytes;
  size_t count;
  size_t room;
} floors_bytes;

// Returns space for `count` more bytes, or NULL if there is no memory.
uint8_t *floors_room(floors_bytes *bytes, size_t count);

// The event in a stanza: what it says about contacts.
typedef struct {
  // The encoded event; the addresses of the parts point into it.
  floors_bytes event;
  floors_event *parts;
  size_t count;
  size_t room;
  // Whether it is a whole roster.
  int is_roster;
} floors_meaning;

// A parser of stanzas below the root of a stream, using libxml2's SAX2 push parser.
typedef struct floors_reader floors_reader;

// Returns NULL if there is no memory.
floors_reader *floors_reader_make(void);

void floors_reader_free(floors_reader *reader);

// Parses a stanza. Returns its meaning, which is valid until the next call, or NULL if it failed.
const floors_meaning *floors_reader_read(
    floors_reader *reader, const uint8_t *bytes, size_t count, int is_inbound);

#endif

#ifndef ROLLCALL_FLOORS_STREAM_H
#define ROLLCALL_FLOORS_STREAM_H

#include <libxml/parser.h>
#include <stdint.h>

// What libxml2's SAX2 calls.
typedef struct {
  startElementNsSAX2Func start;
  endElementNsSAX2Func end;
  charactersSAXFunc text;
} floors_callbacks;

// A push parser below the root of a stream, whose start tag it has called back for. NULL where
// there is no memory.
xmlParserCtxtPtr floors_stream_make(floors_callbacks callbacks, void *data);

void floors_stream_free(xmlParserCtxtPtr stream);

// Parses a stanza. Returns whether it is well-formed, as those before it were.
int floors_stream_read(xmlParserCtxtPtr stream, const uint8_t *bytes, size_t count);

#endif

#ifndef ROLLCALL_FLOORS_STREAM_H
#define ROLLCALL_FLOORS_STREAM_H

#include <libxml/parser.h>
#include <stdint.h>

// The callbacks of libxml2's SAX2.
typedef struct {
  startElementNsSAX2Func start;
  endElementNsSAX2Func end;
  charactersSAXFunc text;
} floors_callbacks;

// Returns a push parser that has parsed the start tag of a stream and called back for it, or NULL
// if there is no memory.
xmlParserCtxtPtr floors_stream_make(floors_callbacks callbacks, void *data);

void floors_stream_free(xmlParserCtxtPtr stream);

// Parses a stanza. Returns whether it and all stanzas before it are well-formed.
int floors_stream_read(xmlParserCtxtPtr stream, const uint8_t *bytes, size_t count);

#endif

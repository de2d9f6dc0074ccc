#include "Stream.h"

#include <string.h>

// Ignores errors: libxml2 warns that `vcard-temp` is not an absolute URI.
static void on_error(void *data, xmlErrorPtr error) {
  (void)data;
  (void)error;
}

xmlParserCtxtPtr floors_stream_make(floors_callbacks callbacks, void *data) {
  static const char root[] =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = callbacks.start;
  handler.endElementNs = callbacks.end;
  handler.characters = callbacks.text;
  handler.serror = (xmlStructuredErrorFunc)on_error;
  xmlParserCtxtPtr stream = xmlCreatePushParserCtxt(&handler, data, NULL, 0, NULL);
  if (stream == NULL) return NULL;
  xmlCtxtUseOptions(stream, XML_PARSE_NOENT | XML_PARSE_NONET);
  xmlParseChunk(stream, root, sizeof root - 1, 0);
  return stream;
}

void floors_stream_free(xmlParserCtxtPtr stream) {
  if (stream->myDoc != NULL) xmlFreeDoc(stream->myDoc);
  xmlFreeParserCtxt(stream);
}

int floors_stream_read(xmlParserCtxtPtr stream, const uint8_t *bytes, size_t count) {
  // libxml2 limits its look-ahead to 10 MB, so a large stanza is parsed in chunks.
  enum { chunk = 1 << 16 };
  for (; count > chunk && stream->wellFormed; bytes += chunk, count -= chunk) {
    xmlParseChunk(stream, (const char *)bytes, chunk, 0);
  }
  if (stream->wellFormed) xmlParseChunk(stream, (const char *)bytes, (int)count, 0);
  return stream->wellFormed;
}

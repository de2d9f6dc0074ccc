#include "Floors.h"

#include <libxml/parser.h>
#include <string.h>

static void on_start(
    void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
    int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
    const xmlChar **attributes) {
  (void)local;
  (void)prefix;
  (void)uri;
  (void)namespace_count;
  (void)namespaces;
  (void)attribute_count;
  (void)defaulted;
  (void)attributes;
  *(long *)data += 1;
}

static void on_end(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)data;
  (void)local;
  (void)prefix;
  (void)uri;
}

static void on_text(void *data, const xmlChar *bytes, int count) {
  (void)data;
  (void)bytes;
  (void)count;
}

// `vcard-temp` is no absolute URI, of which libxml2 warns.
static void on_error(void *data, xmlErrorPtr error) {
  (void)data;
  (void)error;
}

long floors_parse(const uint8_t *bytes, const size_t *ends, size_t count) {
  static const char root[] =
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = on_start;
  handler.endElementNs = on_end;
  handler.characters = on_text;
  handler.serror = (xmlStructuredErrorFunc)on_error;

  long elements = 0;
  xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&handler, &elements, NULL, 0, NULL);
  if (context == NULL) return -1;
  xmlCtxtUseOptions(context, XML_PARSE_NOENT | XML_PARSE_NONET);
  xmlParseChunk(context, root, sizeof root - 1, 0);
  size_t start = 0;
  for (size_t index = 0; index < count && context->wellFormed; index++) {
    // libxml2 does not look further ahead than 10 MB, so a large stanza goes in pieces.
    while (ends[index] - start > 1 << 16) {
      xmlParseChunk(context, (const char *)bytes + start, 1 << 16, 0);
      start += 1 << 16;
    }
    xmlParseChunk(context, (const char *)bytes + start, (int)(ends[index] - start), 0);
    start = ends[index];
  }
  int sound = context->wellFormed;
  if (context->myDoc != NULL) xmlFreeDoc(context->myDoc);
  xmlFreeParserCtxt(context);
  // The root is none of the stanzas' elements.
  return sound ? elements - 1 : -1;
}

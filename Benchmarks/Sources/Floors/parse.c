#include "Floors.h"
#include "Stream.h"

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

long floors_parse(const uint8_t *bytes, const size_t *ends, size_t count) {
  floors_callbacks callbacks = {.start = on_start, .end = on_end, .text = on_text};
  long elements = 0;
  xmlParserCtxtPtr stream = floors_stream_make(callbacks, &elements);
  if (stream == NULL) return -1;
  int sound = 1;
  size_t start = 0;
  for (size_t index = 0; index < count && sound; index++) {
    sound = floors_stream_read(stream, bytes + start, ends[index] - start);
    start = ends[index];
  }
  floors_stream_free(stream);
  // Do not count the root of the stream.
  return sound ? elements - 1 : -1;
}

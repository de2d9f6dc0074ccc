#include "Meaning.h"
#include "Stream.h"

#include <stdlib.h>
#include <string.h>

// The elements whose text is kept.
typedef enum { nothing, show, status, priority, group } text;

struct floors_reader {
  xmlParserCtxtPtr stream;
  floors_meaning meaning;
  int is_inbound;
  int depth;
  // Of the stanza.
  enum { other, iq, presence } stanza;
  enum { other_type, set, result } type;
  floors_kind kind;
  size_t peer;
  size_t peer_count;
  int is_own;
  // Whether an allocation has failed.
  int failed;
  // Of the current element.
  int is_in_query;
  text text;
  size_t text_start;
};

uint8_t *floors_room(floors_bytes *bytes, size_t count) {
  if (bytes->room - bytes->count < count) {
    size_t room = 2 * bytes->room + count;
    uint8_t *grown = realloc(bytes->bytes, room);
    if (grown == NULL) return NULL;
    bytes->bytes = grown;
    bytes->room = room;
  }
  return bytes->bytes + bytes->count;
}

static void add(floors_reader *reader, const void *bytes, size_t count) {
  uint8_t *space = floors_room(&reader->meaning.event, count);
  if (space == NULL) {
    reader->failed = 1;
    return;
  }
  memcpy(space, bytes, count);
  reader->meaning.event.count += count;
}

// Adds the length of bytes and then the bytes. Returns the offset of the bytes.
static size_t add_counted(floors_reader *reader, const void *bytes, size_t count) {
  uint32_t length = (uint32_t)count;
  add(reader, &length, sizeof length);
  add(reader, bytes, count);
  return reader->meaning.event.count - count;
}

// Adds a part about a contact, whose address is at an offset of the event.
static void add_part(
    floors_reader *reader, floors_kind kind, size_t address, size_t count, uint32_t value) {
  floors_meaning *meaning = &reader->meaning;
  if (meaning->count == meaning->room) {
    size_t room = 2 * meaning->room + 16;
    floors_event *grown = realloc(meaning->parts, room * sizeof *grown);
    if (grown == NULL) {
      reader->failed = 1;
      return;
    }
    meaning->parts = grown;
    meaning->room = room;
  }
  // The address is an offset until the event is complete, because its buffer moves as it grows.
  meaning->parts[meaning->count++] = (floors_event){
      .address = (const uint8_t *)address, .address_count = (uint16_t)count, .kind = kind,
      .value = value};
}

static int is(const xmlChar *name, const char *wanted) {
  return name != NULL && strcmp((const char *)name, wanted) == 0;
}

// Returns an attribute's value; its length is 0 if there is no such attribute.
static const char *attribute(
    const xmlChar **attributes, int count, const char *name, size_t *bytes) {
  for (int index = 0; index < count; index++) {
    const xmlChar **one = attributes + 5 * index;
    if (one[1] == NULL && is(one[0], name)) {
      *bytes = (size_t)(one[4] - one[3]);
      return (const char *)one[3];
    }
  }
  *bytes = 0;
  return "";
}

static int says(const char *value, size_t count, const char *wanted) {
  return count == strlen(wanted) && memcmp(value, wanted, count) == 0;
}

static floors_kind kind_of_presence(const char *type, size_t count, int is_inbound) {
  if (count == 0) return is_inbound ? floors_available : floors_nothing;
  if (says(type, count, "unavailable")) return is_inbound ? floors_unavailable : floors_nothing;
  if (says(type, count, "subscribe")) return is_inbound ? floors_request : floors_nothing;
  // A request ends when we answer it, and when the contact withdraws it.
  if (says(type, count, "unsubscribe")) return is_inbound ? floors_request_end : floors_nothing;
  if (says(type, count, "subscribed") || says(type, count, "unsubscribed")) {
    return is_inbound ? floors_nothing : floors_request_end;
  }
  return floors_nothing;
}

static void start_stanza(
    floors_reader *reader, const xmlChar *name, const xmlChar **attributes, int count) {
  size_t type_count, peer_count, own_count;
  const char *type = attribute(attributes, count, "type", &type_count);
  const char *peer =
      attribute(attributes, count, reader->is_inbound ? "from" : "to", &peer_count);
  const char *own = attribute(attributes, count, reader->is_inbound ? "to" : "from", &own_count);
  const char *slash = memchr(peer, '/', peer_count);
  reader->stanza = is(name, "iq") ? iq : is(name, "presence") ? presence : other;
  reader->type = says(type, type_count, "set") ? set
      : says(type, type_count, "result") ? result
                                         : other_type;
  reader->kind = reader->stanza == presence
      ? kind_of_presence(type, type_count, reader->is_inbound)
      : floors_nothing;
  add(reader, &reader->kind, 1);
  reader->peer = add_counted(reader, peer, peer_count);
  reader->peer_count = slash == NULL ? peer_count : (size_t)(slash - peer);
  // A roster from any other sender does not count.
  slash = memchr(own, '/', own_count);
  if (slash != NULL) own_count = (size_t)(slash - own);
  reader->is_own = reader->peer_count == 0 ||
      (reader->peer_count == own_count && memcmp(peer, own, own_count) == 0);
}

static void start_item(floors_reader *reader, const xmlChar **attributes, int count) {
  size_t jid_count, name_count, subscription_count, ask_count;
  const char *jid = attribute(attributes, count, "jid", &jid_count);
  const char *name = attribute(attributes, count, "name", &name_count);
  const char *subscription = attribute(attributes, count, "subscription", &subscription_count);
  const char *ask = attribute(attributes, count, "ask", &ask_count);
  int is_removed = says(subscription, subscription_count, "remove");
  size_t address = add_counted(reader, jid, jid_count);
  add_counted(reader, name, name_count);
  add_counted(reader, subscription, subscription_count);
  add_counted(reader, ask, ask_count);
  floors_kind kind = is_removed ? floors_remove : floors_set;
  add_part(reader, kind, address, jid_count, (uint32_t)name_count);
}

static text text_of(const floors_reader *reader, int depth, const xmlChar *name) {
  if (reader->is_in_query) return depth == 4 && is(name, "group") ? group : nothing;
  if (reader->stanza != presence || depth != 2) return nothing;
  return is(name, "show") ? show
      : is(name, "status") ? status
      : is(name, "priority") ? priority
                             : nothing;
}

static void on_start(
    void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
    int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
    const xmlChar **attributes) {
  (void)prefix;
  (void)namespace_count;
  (void)namespaces;
  (void)defaulted;
  floors_reader *reader = data;
  int depth = reader->depth++;
  if (depth == 1) return start_stanza(reader, local, attributes, attribute_count);
  if (depth == 2 && reader->stanza == iq && reader->type != other_type &&
      reader->is_inbound && reader->is_own && is(local, "query") && is(uri, "jabber:iq:roster")) {
    reader->is_in_query = 1;
    reader->meaning.is_roster = reader->type == result;
  } else if (depth == 3 && reader->is_in_query && is(local, "item")) {
    start_item(reader, attributes, attribute_count);
  } else {
    reader->text = text_of(reader, depth, local);
    reader->text_start = reader->meaning.event.count;
    if (reader->text != nothing) add_counted(reader, "", 0);
  }
}

static void on_text(void *data, const xmlChar *bytes, int count) {
  floors_reader *reader = data;
  if (reader->text != nothing) add(reader, bytes, (size_t)count);
}

static void on_end(void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)local;
  (void)prefix;
  (void)uri;
  floors_reader *reader = data;
  reader->depth--;
  if (reader->text != nothing) {
    uint32_t count =
        (uint32_t)(reader->meaning.event.count - reader->text_start - sizeof count);
    memcpy(reader->meaning.event.bytes + reader->text_start, &count, sizeof count);
    reader->text = nothing;
  }
  if (reader->depth == 2) reader->is_in_query = 0;
  if (reader->depth == 1 && reader->kind != floors_nothing && reader->peer_count > 0) {
    add_part(reader, reader->kind, reader->peer, reader->peer_count, 1);
  }
}

floors_reader *floors_reader_make(void) {
  floors_callbacks callbacks = {.start = on_start, .end = on_end, .text = on_text};
  floors_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->stream = floors_stream_make(callbacks, reader);
  if (reader->stream != NULL) return reader;
  free(reader);
  return NULL;
}

void floors_reader_free(floors_reader *reader) {
  if (reader == NULL) return;
  floors_stream_free(reader->stream);
  free(reader->meaning.event.bytes);
  free(reader->meaning.parts);
  free(reader);
}

const floors_meaning *floors_reader_read(
    floors_reader *reader, const uint8_t *bytes, size_t count, int is_inbound) {
  floors_meaning *meaning = &reader->meaning;
  meaning->event.count = 0;
  meaning->count = 0;
  meaning->is_roster = 0;
  reader->is_inbound = is_inbound;
  int sound = floors_stream_read(reader->stream, bytes, count);
  if (!sound || reader->failed || reader->depth != 1) return NULL;
  for (size_t index = 0; index < meaning->count; index++) {
    meaning->parts[index].address = meaning->event.bytes + (size_t)meaning->parts[index].address;
  }
  return meaning;
}

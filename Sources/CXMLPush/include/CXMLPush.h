#ifndef ROLLCALL_CXMLPUSH_H
#define ROLLCALL_CXMLPUSH_H

#include <stddef.h>
#include <stdint.h>

// A push parser for the XML that RFC 6120 §11 allows, over libxml2's SAX2 interface.
//
// Names that the callbacks get are interned in the parser's dictionary: equal names have equal
// addresses, and an address stays valid until the parser is freed. Values and text are valid
// during the callback only. Every text is UTF-8 that has still to be checked: libxml2 lets some
// overlong sequences pass.

// One attribute as libxml2 lays it out. `prefix` and `uri` are null for a name without a prefix;
// the value, entity references replaced, runs from `value` to `value_end` without a final zero.
typedef struct {
  const unsigned char *_Nonnull local;
  const unsigned char *_Nullable prefix;
  const unsigned char *_Nullable uri;
  const unsigned char *_Nonnull value;
  const unsigned char *_Nonnull value_end;
} xml_push_attribute;

// One namespace declaration; `prefix` is null for the default namespace, and `uri` is null or
// empty where the default namespace is taken back.
typedef struct {
  const unsigned char *_Nullable prefix;
  const unsigned char *_Nullable uri;
} xml_push_namespace;

typedef struct {
  const unsigned char *_Nonnull local;
  const unsigned char *_Nullable uri;
  int namespace_count;
  int attribute_count;
  const xml_push_namespace *_Nullable namespaces;
  const xml_push_attribute *_Nullable attributes;
} xml_push_start;

// Called while bytes are fed. They may call `xml_push_stop` and `xml_push_position`, and nothing
// else of this interface. None is called again once one of them has stopped the parser.
typedef struct {
  void (*_Nonnull start)(void *_Nonnull owner, const xml_push_start *_Nonnull element);
  void (*_Nonnull end)(void *_Nonnull owner);
  void (*_Nonnull text)(void *_Nonnull owner, const unsigned char *_Nonnull bytes, int count);
} xml_push_callbacks;

// Why a parser takes no more bytes.
typedef enum : int32_t {
  xml_push_sound,
  xml_push_malformed,
  xml_push_not_utf8,
  xml_push_undeclared_prefix,
  xml_push_comment,
  xml_push_processing_instruction,
  xml_push_document_type,
  xml_push_entity_reference,
} xml_push_failure;

typedef struct xml_push xml_push;

// Makes a parser whose callbacks get `owner`; null only where memory is short.
xml_push *_Nullable xml_push_create(
    const xml_push_callbacks *_Nonnull callbacks, void *_Nonnull owner);

void xml_push_free(xml_push *_Nonnull parser);

// Parses `count` more bytes. After a failure or a stop it does nothing.
void xml_push_feed(xml_push *_Nonnull parser, const void *_Nonnull bytes, int count);

// Makes the parser take no more bytes and call no more callbacks.
void xml_push_stop(xml_push *_Nonnull parser);

// The number of bytes parsed so far. In the end callback that is the end of the end tag; in the
// start callback the `>` or `/>` of the start tag is still to come. Negative where unknown.
long xml_push_position(xml_push *_Nonnull parser);

xml_push_failure xml_push_why(const xml_push *_Nonnull parser);

// libxml2's number for the failure, for a person who wants to look it up.
int xml_push_code(const xml_push *_Nonnull parser);

#endif

#ifndef ROLLCALL_XML_PUSH_H
#define ROLLCALL_XML_PUSH_H

#include <stddef.h>
#include <stdint.h>

// A push parser for the XML that RFC 6120 §11 allows, over libxml2's SAX2 interface.
//
// Names passed to the callbacks are interned in the parser's dictionary: equal names have equal
// addresses, and an address is valid until the parser is freed. Values and text are valid only
// during the callback. The caller must check that texts are UTF-8, because libxml2 accepts some
// overlong sequences.

// One attribute in libxml2's layout. `prefix` and `uri` are null for a name without a prefix. The
// value, with entity references replaced, extends from `value` to `value_end` and has no final
// zero.
typedef struct {
  const unsigned char *_Nonnull local;
  const unsigned char *_Nullable prefix;
  const unsigned char *_Nullable uri;
  const unsigned char *_Nonnull value;
  const unsigned char *_Nonnull value_end;
} xml_push_attribute;

// One namespace declaration. `prefix` is null for the default namespace; `uri` is null or empty if
// the declaration undeclares the default namespace.
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

// Callbacks, called while bytes are fed. They may call `xml_push_stop` and `xml_push_position`, but
// no other function here. None is called after one of them has stopped the parser.
typedef struct {
  void (*_Nonnull start)(void *_Nonnull owner, const xml_push_start *_Nonnull element);
  void (*_Nonnull end)(void *_Nonnull owner);
  void (*_Nonnull text)(void *_Nonnull owner, const unsigned char *_Nonnull bytes, int count);
} xml_push_callbacks;

// The reason why a parser accepts no more bytes.
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

// Creates a parser whose callbacks get `owner`; null only if there is not enough memory.
xml_push *_Nullable xml_push_create(
    const xml_push_callbacks *_Nonnull callbacks, void *_Nonnull owner);

void xml_push_free(xml_push *_Nonnull parser);

// Parses `count` more bytes. After a failure or a stop it does nothing.
void xml_push_feed(xml_push *_Nonnull parser, const void *_Nonnull bytes, int count);

// Makes the parser ignore further bytes and make no more callbacks.
void xml_push_stop(xml_push *_Nonnull parser);

// The number of bytes parsed so far. In the end callback this includes the end tag; in the start
// callback it excludes the `>` or `/>` of the start tag. Negative if unknown.
long xml_push_position(xml_push *_Nonnull parser);

xml_push_failure xml_push_why(const xml_push *_Nonnull parser);

// libxml2's error number for the failure, for looking it up.
int xml_push_code(const xml_push *_Nonnull parser);

#endif

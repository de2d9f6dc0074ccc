#include "xml_push.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

// libxml2 hands attributes over as five pointers each and namespaces as two.
_Static_assert(sizeof(xml_push_attribute) == 5 * sizeof(xmlChar *), "layout of an attribute");
_Static_assert(sizeof(xml_push_namespace) == 2 * sizeof(xmlChar *), "layout of a declaration");

struct xml_push {
  xmlParserCtxtPtr context;
  xml_push_callbacks callbacks;
  void *owner;
  xml_push_failure failure;
  int code;
  int stopped;
};

static void fail(xml_push *parser, xml_push_failure failure, int code) {
  if (parser->failure != xml_push_sound) return;
  parser->failure = failure;
  parser->code = code;
}

// Whether a callback must be dropped: the parser was stopped, or an error occurred that libxml2
// considers harmless (an undeclared prefix) and ignores.
static int is_over(xml_push *parser) {
  if (parser->failure != xml_push_sound) xml_push_stop(parser);
  return parser->stopped;
}

static void refuse(xml_push *parser, xml_push_failure failure) {
  fail(parser, failure, 0);
  xml_push_stop(parser);
}

static void on_start(
    void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
    int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
    const xmlChar **attributes) {
  (void)prefix;
  (void)defaulted;
  xml_push *parser = data;
  if (is_over(parser)) return;
  xml_push_start element = {
      .local = local,
      .uri = uri,
      .namespace_count = namespace_count,
      .attribute_count = attribute_count,
      .namespaces = (const xml_push_namespace *)(const void *)namespaces,
      .attributes = (const xml_push_attribute *)(const void *)attributes,
  };
  parser->callbacks.start(parser->owner, &element);
}

static void on_end(
    void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)local;
  (void)prefix;
  (void)uri;
  xml_push *parser = data;
  if (!is_over(parser)) parser->callbacks.end(parser->owner);
}

static void on_text(void *data, const xmlChar *bytes, int count) {
  xml_push *parser = data;
  if (!is_over(parser)) parser->callbacks.text(parser->owner, bytes, count);
}

static void on_comment(void *data, const xmlChar *text) {
  (void)text;
  refuse(data, xml_push_comment);
}

static void on_instruction(void *data, const xmlChar *target, const xmlChar *text) {
  (void)target;
  (void)text;
  refuse(data, xml_push_processing_instruction);
}

static void on_document_type(
    void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
  (void)name;
  (void)external;
  (void)system;
  refuse(data, xml_push_document_type);
}

static void on_reference(void *data, const xmlChar *name) {
  (void)name;
  refuse(data, xml_push_entity_reference);
}

// Only records the failure, because the parser is in the middle of an operation when it reports
// one.
static void on_error(void *data, xmlErrorPtr error) {
  xml_push *parser = data;
  if (error == NULL || error->level == XML_ERR_NONE || error->level == XML_ERR_WARNING) return;
  switch (error->code) {
    case XML_WAR_NS_URI:
    case XML_WAR_NS_URI_RELATIVE:
      // A namespace name that is not a URI, as in `xmlns='vcard-temp'`, still names a namespace.
      return;
    case XML_NS_ERR_UNDEFINED_NAMESPACE:
      fail(parser, xml_push_undeclared_prefix, error->code);
      return;
    case XML_ERR_UNDECLARED_ENTITY:
    case XML_WAR_UNDECLARED_ENTITY:
      fail(parser, xml_push_entity_reference, error->code);
      return;
    case XML_ERR_INVALID_ENCODING:
      fail(parser, xml_push_not_utf8, error->code);
      return;
    case XML_ERR_RESERVED_XML_NAME:
      fail(parser, xml_push_processing_instruction, error->code);
      return;
    default:
      fail(parser, xml_push_malformed, error->code);
  }
}

xml_push *xml_push_create(const xml_push_callbacks *callbacks, void *owner) {
  xml_push *parser = calloc(1, sizeof *parser);
  if (parser == NULL) return NULL;
  parser->callbacks = *callbacks;
  parser->owner = owner;

  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = on_start;
  handler.endElementNs = on_end;
  handler.characters = on_text;
  handler.ignorableWhitespace = on_text;
  handler.cdataBlock = on_text;
  handler.comment = on_comment;
  handler.processingInstruction = on_instruction;
  handler.internalSubset = on_document_type;
  handler.reference = on_reference;
  // With a structured handler libxml2 prints nothing.
  handler.serror = (xmlStructuredErrorFunc)on_error;

  parser->context = xmlCreatePushParserCtxt(&handler, parser, NULL, 0, NULL);
  if (parser->context == NULL) {
    free(parser);
    return NULL;
  }
  // Without NOENT, libxml2 2.9 gives `&amp;` in an attribute as `&#38;`. The option is safe only
  // because a document type, the only place where entities are declared, stops the parse.
  xmlCtxtUseOptions(parser->context, XML_PARSE_NOENT | XML_PARSE_NONET);
  return parser;
}

void xml_push_free(xml_push *parser) {
  if (parser->context->myDoc != NULL) xmlFreeDoc(parser->context->myDoc);
  xmlFreeParserCtxt(parser->context);
  free(parser);
}

void xml_push_feed(xml_push *parser, const void *bytes, int count) {
  if (parser->stopped || parser->failure != xml_push_sound) return;
  int code = xmlParseChunk(parser->context, bytes, count, 0);
  // Some failures, such as those of memory, reach no handler.
  if (parser->stopped || parser->context->wellFormed) return;
  fail(parser, xml_push_malformed, code);
}

void xml_push_stop(xml_push *parser) {
  if (parser->stopped) return;
  parser->stopped = 1;
  xmlStopParser(parser->context);
}

long xml_push_position(xml_push *parser) { return xmlByteConsumed(parser->context); }

xml_push_failure xml_push_why(const xml_push *parser) { return parser->failure; }

int xml_push_code(const xml_push *parser) { return parser->code; }

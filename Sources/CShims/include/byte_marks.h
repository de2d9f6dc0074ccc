#ifndef ROLLCALL_BYTE_MARKS_H
#define ROLLCALL_BYTE_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Functions that examine sixteen bytes at once. Swift has no operation that reports which of them
// match. Each function returns one bit per byte, the lowest for the first.
//
// They are written with Clang's vectors, take a few instructions on each machine with vector
// operations, and are in a header so that they are inlined. Sixteen bytes must be readable.

typedef uint8_t rollcall_bytes __attribute__((ext_vector_type(16)));
typedef char rollcall_matches __attribute__((ext_vector_type(16)));
typedef bool rollcall_flags __attribute__((ext_vector_type(16)));

static inline rollcall_bytes rollcall_load(const void *_Nonnull bytes) {
  rollcall_bytes all;
  memcpy(&all, bytes, sizeof all);
  return all;
}

static inline uint32_t rollcall_marks(rollcall_matches matches) {
  rollcall_flags flags = __builtin_convertvector(matches, rollcall_flags);
  uint16_t marks;
  memcpy(&marks, &flags, sizeof marks);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  // On these machines the first flag is the highest bit.
  marks = __builtin_bitreverse16(marks);
#endif
  return marks;
}

// Marks the bytes beyond ASCII.
static inline uint32_t rollcall_marks_beyond_ascii(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks(all >= 0x80);
}

// Marks the bytes that must be escaped in a JSON string (RFC 8259, section 7): a quote, a
// backslash, a control character.
static inline uint32_t rollcall_marks_in_json(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < 0x20) | (all == '"') | (all == '\\'));
}

// Marks the bytes that end the value of an attribute or must be escaped in it. Both quotes and `&`
// are below `(`, and the other characters there are rare in values.
static inline uint32_t rollcall_marks_in_value(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < '(') | (all == '<'));
}

// Marks the bytes that end a text between tags or are not allowed in it.
static inline uint32_t rollcall_marks_in_text(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < 0x20) | (all == '<') | (all == '&') | (all == ']'));
}

// Marks the bytes that are not visible ASCII characters, such as spaces.
static inline uint32_t rollcall_marks_of_no_graphics(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks(all - 0x21 >= 0x7F - 0x21);
}

// Marks the bytes other than small ASCII letters, digits and `_`, which need no preparation in an
// address.
static inline uint32_t rollcall_marks_in_address(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  rollcall_bytes letters = all - 'a', digits = all - '0';
  return rollcall_marks((letters >= 26) & (digits >= 10) & (all != '_'));
}

#endif

#ifndef ROLLCALL_CBYTEMARKS_H
#define ROLLCALL_CBYTEMARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Looks at sixteen bytes at once, for which Swift has no operation that says which of them it
// found: each function gives a bit for each byte, or word of four bytes, that is meant, the lowest
// for the first.
//
// They are written with Clang's vectors and are a few instructions on each machine that has any,
// and stand here so that who calls them has them compiled in. Sixteen bytes have to be there.

typedef uint8_t rollcall_bytes __attribute__((ext_vector_type(16)));
typedef char rollcall_matches __attribute__((ext_vector_type(16)));
typedef bool rollcall_flags __attribute__((ext_vector_type(16)));
typedef uint32_t rollcall_words __attribute__((ext_vector_type(4)));
typedef bool rollcall_word_flags __attribute__((ext_vector_type(4)));

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
  // There the first of the flags is the highest bit.
  marks = __builtin_bitreverse16(marks);
#endif
  return marks;
}

// What is beyond ASCII.
static inline uint32_t rollcall_marks_beyond_ascii(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks(all >= 0x80);
}

// What does not stand for itself in a string of JSON (RFC 8259, section 7): a quote, a backslash, a
// control character.
static inline uint32_t rollcall_marks_in_json(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < 0x20) | (all == '"') | (all == '\\'));
}

// What ends the value of an attribute, or may not stand in it as it is. Both quotes and `&` are
// below `(`, and of what else is there little stands in values.
static inline uint32_t rollcall_marks_in_value(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < '(') | (all == '<'));
}

// What ends a text between tags, or may not stand in it as it is.
static inline uint32_t rollcall_marks_in_text(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks((all < 0x20) | (all == '<') | (all == '&') | (all == ']'));
}

// What is no character of ASCII that shows, such as a space.
static inline uint32_t rollcall_marks_of_no_graphics(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  return rollcall_marks(all - 0x21 >= 0x7F - 0x21);
}

// What is no small letter of ASCII, digit or `_`, which stand for themselves in an address.
static inline uint32_t rollcall_marks_in_address(const void *_Nonnull bytes) {
  rollcall_bytes all = rollcall_load(bytes);
  rollcall_bytes letters = all - 'a', digits = all - '0';
  return rollcall_marks((letters >= 26) & (digits >= 10) & (all != '_'));
}

// Which of four words of four bytes are not the same as four others: a bit for each of them.
static inline uint32_t rollcall_marks_of_other_words(
    const void *_Nonnull words, const void *_Nonnull others) {
  rollcall_words these, those;
  memcpy(&these, words, sizeof these);
  memcpy(&those, others, sizeof those);
  rollcall_word_flags flags = __builtin_convertvector(these != those, rollcall_word_flags);
  uint8_t marks;
  memcpy(&marks, &flags, sizeof marks);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  marks = __builtin_bitreverse8(marks);
#endif
  return marks & 0xF;
}

#endif

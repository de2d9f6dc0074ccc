#include "row_differences.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <tmmintrin.h>
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#endif

static const size_t word_bytes = sizeof(uint32_t);

// Zigzag form: a non-negative difference is doubled; a negative one becomes twice its magnitude
// minus one.
static inline uint32_t unfolded(uint32_t folded) { return (folded >> 1) ^ -(folded & 1); }

static inline void add(uint32_t difference, size_t word, char *last, char *row) {
  uint32_t value;
  memcpy(&value, last + word * word_bytes, word_bytes);
  value += difference;
  memcpy(last + word * word_bytes, &value, word_bytes);
  memcpy(row + word * word_bytes, &value, word_bytes);
}

size_t rollcall_add_differences_by_word(
    const void *differences, uint64_t widths, void *last, void *row, size_t words) {
  const uint8_t *bytes = differences;
  size_t taken = 0;
  for (size_t word = 0; word < words; word++, widths >>= 2) {
    size_t width = widths & 3, count = width == 3 ? word_bytes : width;
    uint32_t folded = 0;
    for (size_t byte = 0; byte < count; byte++) folded |= (uint32_t)bytes[taken + byte] << 8 * byte;
    taken += count;
    add(unfolded(folded), word, last, row);
  }
  return taken;
}

#if defined(__x86_64__) || (defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

// For the widths of each group of four words, the index of the stored byte for each byte of the
// words. A byte that is not stored is 0, for which the index is beyond all stored bytes.
#define COUNT(width) ((width) == 3 ? 4 : (width))
#define PLACE(start, width, byte) ((byte) < COUNT(width) ? (start) + (byte) : 0x80)
#define WORD(start, width) \
  PLACE(start, width, 0), PLACE(start, width, 1), PLACE(start, width, 2), PLACE(start, width, 3)
#define GROUP(a, b, c, d) \
  { \
    WORD(0, a), WORD(COUNT(a), b), WORD(COUNT(a) + COUNT(b), c), \
        WORD(COUNT(a) + COUNT(b) + COUNT(c), d) \
  }
#define FIRST(b, c, d) GROUP(0, b, c, d), GROUP(1, b, c, d), GROUP(2, b, c, d), GROUP(3, b, c, d)
#define SECOND(c, d) FIRST(0, c, d), FIRST(1, c, d), FIRST(2, c, d), FIRST(3, c, d)
#define THIRD(d) SECOND(0, d), SECOND(1, d), SECOND(2, d), SECOND(3, d)
static const uint8_t places[256][16] = {THIRD(0), THIRD(1), THIRD(2), THIRD(3)};

typedef uint8_t group_bytes __attribute__((ext_vector_type(16)));
typedef uint32_t group_words __attribute__((ext_vector_type(4)));

#if defined(__x86_64__)
// Every such processor since 2011 has the operation, but compilers do not assume it.
#define HAS_SHUFFLE __attribute__((target("ssse3")))
static inline bool can_shuffle(void) { return __builtin_cpu_supports("ssse3"); }

HAS_SHUFFLE static inline group_bytes shuffled(group_bytes bytes, group_bytes map) {
  return (group_bytes)_mm_shuffle_epi8((__m128i)bytes, (__m128i)map);
}
#else
#define HAS_SHUFFLE
static inline bool can_shuffle(void) { return true; }

static inline group_bytes shuffled(group_bytes bytes, group_bytes map) {
  return (group_bytes)vqtbl1q_u8((uint8x16_t)bytes, (uint8x16_t)map);
}
#endif

// The ends of the differences of each group of four words: one byte each, the lowest for the first.
static inline uint64_t ends(uint64_t widths) {
  // In pairs of bits: one additional byte if the width is 3.
  uint64_t more = widths & widths >> 1 & 0x5555555555555555;
  uint64_t pairs = 0x3333333333333333;
  uint64_t nibbles =
      (widths & pairs) + (widths >> 2 & pairs) + (more & pairs) + (more >> 2 & pairs);
  uint64_t counts = (nibbles & 0x0F0F0F0F0F0F0F0F) + (nibbles >> 4 & 0x0F0F0F0F0F0F0F0F);
  // Each byte is the sum of the counts up to it; the total is at most 128.
  return counts * 0x0101010101010101;
}

HAS_SHUFFLE static inline group_words group(const char *differences, uint64_t widths) {
  group_bytes bytes, map;
  memcpy(&bytes, differences, sizeof bytes);
  memcpy(&map, places[widths & 0xFF], sizeof map);
  group_words folded = (group_words)shuffled(bytes, map);
  return (folded >> 1) ^ -(folded & 1);
}

HAS_SHUFFLE static size_t add_at_once(
    const char *differences, uint64_t widths, char *last, char *row, size_t words) {
  uint64_t all = ends(widths), starts = all << 8;
  size_t word = 0;
  for (; word + 4 <= words; word += 4, widths >>= 8, starts >>= 8) {
    group_words values;
    memcpy(&values, last + word * word_bytes, sizeof values);
    values += group(differences + (starts & 0xFF), widths);
    memcpy(last + word * word_bytes, &values, sizeof values);
    memcpy(row + word * word_bytes, &values, sizeof values);
  }
  if (word < words) {
    group_words rest = group(differences + (starts & 0xFF), widths);
    for (size_t place = 0; word < words; place++, word++) add(rest[place], word, last, row);
  }
  return all >> 56;
}

size_t rollcall_add_differences(
    const void *differences, uint64_t widths, void *last, void *row, size_t words) {
  if (can_shuffle()) return add_at_once(differences, widths, last, row, words);
  return rollcall_add_differences_by_word(differences, widths, last, row, words);
}

#else

size_t rollcall_add_differences(
    const void *differences, uint64_t widths, void *last, void *row, size_t words) {
  return rollcall_add_differences_by_word(differences, widths, last, row, words);
}

#endif

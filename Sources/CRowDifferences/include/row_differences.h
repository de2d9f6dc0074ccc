#ifndef ROLLCALL_CROWDIFFERENCES_H
#define ROLLCALL_CROWDIFFERENCES_H

#include <stddef.h>
#include <stdint.h>

// The differences between the words of a row and those of the previous row, as stored in snapshots.
// `widths` has two bits per word, the lowest for the first word, which say whether its difference
// takes 0, 1, 2 or 4 bytes. The differences are stored one after another, little-endian and in
// zigzag form.
//
// Four words are expanded at once, for which Swift has no operation. Words have four bytes, and a
// row has at most 32 of them.

// Adds the differences to the words of `last`, and copies the result to `row`.
//
// `differences` must have as many readable bytes as if all groups of four words were complete and
// took four bytes per word; only the stored ones matter. `widths` must be zero beyond the words of
// the row, and the three buffers must not overlap. Returns the length of the differences in bytes.
size_t rollcall_add_differences(
    const void *_Nonnull differences, uint64_t widths, void *_Nonnull last, void *_Nonnull row,
    size_t words);

// Adds the differences one word at a time: for machines without vector operations, and for tests.
size_t rollcall_add_differences_by_word(
    const void *_Nonnull differences, uint64_t widths, void *_Nonnull last, void *_Nonnull row,
    size_t words);

#endif

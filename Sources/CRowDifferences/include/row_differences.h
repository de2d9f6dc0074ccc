#ifndef ROLLCALL_CROWDIFFERENCES_H
#define ROLLCALL_CROWDIFFERENCES_H

#include <stddef.h>
#include <stdint.h>

// How the words of a row differ from those of the row before it, as snapshots store it: `widths`
// has two bits for each word, the lowest for the first, that say whether its difference takes 0, 1,
// 2 or 4 bytes; the differences follow one another, little-endian and in zigzag form.
//
// Four words are put in their places at once, for which Swift has no operation. Words have four
// bytes, and a row at most 32 of them.

// Adds the differences to the words of `last`, and makes `row` the same as that.
//
// At `differences` as many bytes have to be there as whole groups of four words would have, all of
// four bytes; only those that are stored count. `widths` says nothing of words that the row has
// not, and no two of the three overlap. Returns how many bytes the differences have.
size_t rollcall_add_differences(
    const void *_Nonnull differences, uint64_t widths, void *_Nonnull last, void *_Nonnull row,
    size_t words);

// The same, a word at a time: for machines that cannot do it at once, and to compare with.
size_t rollcall_add_differences_by_word(
    const void *_Nonnull differences, uint64_t widths, void *_Nonnull last, void *_Nonnull row,
    size_t words);

#endif

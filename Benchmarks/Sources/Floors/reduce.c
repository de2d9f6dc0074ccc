#include "Floors.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const uint8_t *address;
  uint16_t address_count;
  uint8_t fields;
  uint8_t is_item;
  uint8_t is_asking;
  uint32_t item;
  uint32_t presence;
  uint32_t request;
} slot;

static uint64_t hash(const uint8_t *bytes, size_t count) {
  uint64_t mixed = count * 0x9E3779B97F4A7C15u;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    mixed = (mixed ^ word) * 0xBF58476D1CE4E5B9u;
    mixed ^= mixed >> 29;
    bytes += 8;
    count -= 8;
  }
  uint64_t rest = 0;
  memcpy(&rest, bytes, count);
  mixed = (mixed ^ rest) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 32;
}

static slot *find(slot *slots, size_t mask, const floors_event *event) {
  size_t place = hash(event->address, event->address_count) & mask;
  for (;;) {
    slot *found = slots + place;
    if (found->address == NULL) {
      found->address = event->address;
      found->address_count = event->address_count;
      return found;
    }
    if (found->address_count == event->address_count &&
        memcmp(found->address, event->address, event->address_count) == 0) {
      return found;
    }
    place = (place + 1) & mask;
  }
}

long floors_reduce(const floors_event *events, size_t count) {
  // The captures know at most some 11,000 addresses.
  size_t mask = ((size_t)1 << 15) - 1;
  slot *slots = calloc(mask + 1, sizeof *slots);
  if (slots == NULL) return -1;
  long items = 0;
  for (size_t index = 0; index < count; index++) {
    const floors_event *event = events + index;
    if (event->kind == floors_nothing) continue;
    slot *contact = find(slots, mask, event);
    switch (event->kind) {
      case floors_set:
        items += !contact->is_item;
        contact->is_item = 1;
        contact->fields = event->fields;
        contact->item = event->value;
        break;
      case floors_remove:
        items -= contact->is_item;
        contact->is_item = 0;
        contact->presence = 0;
        break;
      case floors_available: contact->presence = event->value; break;
      case floors_unavailable: contact->presence = 0; break;
      case floors_request:
        contact->is_asking = 1;
        contact->request = event->value;
        break;
      case floors_request_end: contact->is_asking = 0; break;
      case floors_nothing: break;
    }
  }
  free(slots);
  return items;
}

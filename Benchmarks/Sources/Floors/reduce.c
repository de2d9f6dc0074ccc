#include "Reduction.h"

#include <stdlib.h>
#include <string.h>

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

static floors_slot *find(floors_reduction *reduction, const floors_event *event) {
  size_t index = hash(event->address, event->address_count) & reduction->mask;
  for (;;) {
    floors_slot *found = reduction->slots + index;
    if (found->address == NULL) {
      found->address = event->address;
      found->address_count = event->address_count;
      found->number = ++reduction->count;
      return found;
    }
    if (found->address_count == event->address_count &&
        memcmp(found->address, event->address, event->address_count) == 0) {
      return found;
    }
    index = (index + 1) & reduction->mask;
  }
}

int floors_begin(floors_reduction *reduction) {
  // Generated captures have at most some 11,000 addresses.
  *reduction = (floors_reduction){.mask = ((size_t)1 << 15) - 1};
  reduction->slots = calloc(reduction->mask + 1, sizeof *reduction->slots);
  return reduction->slots == NULL ? -1 : 0;
}

void floors_end(floors_reduction *reduction) { free(reduction->slots); }

floors_slot *floors_advance(floors_reduction *reduction, const floors_event *event) {
  floors_slot *contact = find(reduction, event);
  switch (event->kind) {
    case floors_set:
      reduction->items += !contact->is_item;
      contact->is_item = 1;
      contact->fields = event->fields;
      contact->item = event->value;
      break;
    case floors_remove:
      reduction->items -= contact->is_item;
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
  return contact;
}

void floors_begin_roster(floors_reduction *reduction) {
  for (size_t index = 0; index <= reduction->mask; index++) reduction->slots[index].is_item = 0;
  reduction->items = 0;
}

long floors_reduce(const floors_event *events, size_t count) {
  floors_reduction reduction;
  if (floors_begin(&reduction) != 0) return -1;
  for (size_t index = 0; index < count; index++) {
    if (events[index].kind != floors_nothing) floors_advance(&reduction, events + index);
  }
  floors_end(&reduction);
  return reduction.items;
}

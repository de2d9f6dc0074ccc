#ifndef ROLLCALL_FLOORS_REDUCTION_H
#define ROLLCALL_FLOORS_REDUCTION_H

#include "Floors.h"

// What is known of one contact.
typedef struct {
  const uint8_t *address;
  uint16_t address_count;
  uint8_t fields;
  uint8_t is_item;
  uint8_t is_asking;
  // From 1, in the order in which they came.
  uint32_t number;
  uint32_t item;
  uint32_t presence;
  uint32_t request;
} floors_slot;

// All contacts, in a hash map by address.
typedef struct {
  floors_slot *slots;
  size_t mask;
  uint32_t count;
  long items;
} floors_reduction;

// Returns 0, or -1 where there is no memory.
int floors_begin(floors_reduction *reduction);

void floors_end(floors_reduction *reduction);

// Takes an event that is of a contact, and gives that contact. A new one refers to the event's
// address.
floors_slot *floors_advance(floors_reduction *reduction, const floors_event *event);

// A whole roster follows: who is not in it is no item any more.
void floors_begin_roster(floors_reduction *reduction);

#endif

#ifndef ROLLCALL_FLOORS_REDUCTION_H
#define ROLLCALL_FLOORS_REDUCTION_H

#include "Floors.h"

// The state of one contact.
typedef struct {
  const uint8_t *address;
  uint16_t address_count;
  uint8_t fields;
  uint8_t is_item;
  uint8_t is_asking;
  // Counted from 1 in the order of first appearance.
  uint32_t number;
  uint32_t item;
  uint32_t presence;
  uint32_t request;
} floors_slot;

// The states of all contacts, in a hash map by address.
typedef struct {
  floors_slot *slots;
  size_t mask;
  uint32_t count;
  long items;
} floors_reduction;

// Returns 0, or -1 if there is no memory.
int floors_begin(floors_reduction *reduction);

void floors_end(floors_reduction *reduction);

// Applies an event that concerns a contact, and returns the contact. A new contact refers to the
// event's address.
floors_slot *floors_advance(floors_reduction *reduction, const floors_event *event);

// Prepares for a whole roster: contacts that are not in it lose their items.
void floors_begin_roster(floors_reduction *reduction);

#endif

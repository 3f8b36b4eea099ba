/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A doubly linked list whose links are inside its entries. The head is a link
 * too, joined to itself when the list is empty. Nothing here allocates or fails.
 */
#ifndef GOSPAN_LIST_H
#define GOSPAN_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

#define list_entry(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

static inline void list_init(struct list *head)
{
	head->prev = head->next = head;
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_add_last(struct list *head, struct list *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

static inline void list_remove(struct list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->prev = link->next = link;
}

#endif

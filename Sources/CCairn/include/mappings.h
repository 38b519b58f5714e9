#ifndef CAIRN_MAPPINGS_H
#define CAIRN_MAPPINGS_H

#include <stddef.h>

/* Mappings of files whose pages may be gone when they are read: the file was cut short, or its disk gives them no more. The system then sends SIGBUS.
   C, because the handler may neither allocate nor lock. */

/* From now on such a page, and what follows it in its mapping, is memory full of zeros, and the mapping is marked. Once; what the signal did before is what it does for all
   other addresses. Mappings that were made before are not known. */
void cairn_mappings_survive(void);

/* Makes a mapping known; its number, or -1 where there is no handler, or no room. */
int cairn_mapping_add(const void *start, size_t size);
/* Before it is unmapped. */
void cairn_mapping_remove(int number);
/* Whether bytes of it were replaced by zeros. */
int cairn_mapping_is_marked(int number);
/* Sets a number to 1, too, when bytes of any mapping are: memory that a parent shares, which then tells what a process died of. */
void cairn_mappings_tell(volatile int *where);
/* How many times bytes of any mapping were. */
unsigned cairn_mappings_marked(void);

#endif

#ifndef CAIRN_ARGUMENTS_H
#define CAIRN_ARGUMENTS_H

/* The process's arguments as main() got them, the program's name first; NULL where the C library does not hand them to constructors (musl). */
char **cairn_arguments(void);
int cairn_argument_count(void);

#endif

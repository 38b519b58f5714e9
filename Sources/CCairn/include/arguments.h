#ifndef CAIRN_ARGUMENTS_H
#define CAIRN_ARGUMENTS_H

/* The process's arguments as main() got them, the program's name first; NULL where the C library does not hand them to constructors (musl). */
char **cairn_arguments(void);
int cairn_argument_count(void);

/* The path that execve(2) was given for this program (AT_EXECFN, getauxval(3)); NULL where the system does not say. */
const char *cairn_executed_path(void);

#endif

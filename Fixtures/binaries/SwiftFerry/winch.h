// A C library between Swift callers: it calls back into Swift, waits, and reads where nothing is mapped.
#ifndef WINCH_H
#define WINCH_H

typedef int (*winch_hook)(int load, void *context);

// Calls `hook` once for each of `turns`, and says how much it lifted.
int winch_pull(int turns, winch_hook hook, void *context);

// Follows a chain of links, whose end is not a link: SIGSEGV.
int winch_follow(int links);

// Calls the thread by that name, and waits for ever.
void winch_wait(const char *name);

#endif

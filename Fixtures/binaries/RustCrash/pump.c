/* Calls back: the program's frames stand above and below this library's. */
int pump(int (*take)(int), int amount) { return take(amount) + 1; }

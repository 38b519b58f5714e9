/* Tells its stack and its memory map itself, as programs do whose logs have no list of images: tide symbols|numbers before|behind|code. */

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *rows;
static const char *map;

/* Copies /proc/self/maps; with `code`, the mappings of code alone. */
static void print_map(void)
{
    char line[512];
    FILE *file = fopen("/proc/self/maps", "r");
    if (file == NULL)
        return;
    if (strcmp(map, "code") != 0)
        printf("Memory map:\n");
    while (fgets(line, sizeof line, file) != NULL)
        if (strcmp(map, "code") != 0 || strstr(line, " r-xp ") != NULL)
            fputs(line, stdout);
    fclose(file);
}

static void on_abort(int number)
{
    (void)number;
    void *frames[32];
    int count = backtrace(frames, 32);
    if (strcmp(map, "before") == 0)
        print_map();
    fflush(stdout);
    if (strcmp(rows, "symbols") == 0)
        backtrace_symbols_fd(frames, count, STDOUT_FILENO);
    else
        for (int index = 0; index < count; index++)
            printf("%p\n", frames[index]);
    if (strcmp(map, "before") != 0)
        print_map();
    fflush(stdout);
    _exit(1);
}

static inline int rise(int level)
{
    if (level > 2)
        abort();
    return level + 1;
}

__attribute__((noinline)) static int flood(int level)
{
    return rise(level) * 2;
}

__attribute__((noinline)) static int ebb(int level)
{
    return flood(level + 1) + flood(level + 3);
}

int main(int argc, char **argv)
{
    rows = argc > 2 ? argv[1] : "symbols";
    map = argc > 2 ? argv[2] : "behind";
    signal(SIGABRT, on_abort);
    return ebb(argc) == 0;
}

/* A crash in a function that the C library calls, below a large frame and one of a size that is not known before. The program
   writes its own minidump.
   STACK compare sum_squares big_frame dynamic main */
#include <windows.h>
#include <dbghelp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int *nowhere;

static LONG WINAPI write_dump(EXCEPTION_POINTERS *pointers) {
    HANDLE file = CreateFileA("sort.dmp", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    MINIDUMP_EXCEPTION_INFORMATION info = {GetCurrentThreadId(), pointers, FALSE};
    MiniDumpWriteDump(GetCurrentProcess(), GetCurrentProcessId(), file, MiniDumpNormal, &info, NULL, NULL);
    CloseHandle(file);
    ExitProcess(3);
    return EXCEPTION_EXECUTE_HANDLER;
}

__attribute__((noinline)) static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x == 5 || y == 5) return *nowhere; /* FRAME compare */
    return x - y;
}

__attribute__((noinline)) static int sum_squares(int count, double scale) {
    volatile int numbers[64];
    for (int i = 0; i < 64; i++) numbers[i] = (i * 7919 + count) % 64;
    qsort((void *)numbers, 64, sizeof(int), compare); /* FRAME sum_squares */
    return (int)(numbers[3] * scale);
}

__attribute__((noinline)) static int big_frame(int n) {
    volatile char buffer[20000];
    buffer[n] = 1;
    int r = sum_squares(n, 1.5) + buffer[n + 1]; /* FRAME big_frame */
    return r;
}

__attribute__((noinline)) static int dynamic(int n) {
    char *p = __builtin_alloca(n * 16 + 1);
    p[0] = (char)n;
    int r = big_frame(n) + p[0]; /* FRAME dynamic */
    return r;
}

int main(int argc, char **argv) {
    SetUnhandledExceptionFilter(write_dump);
    int r = dynamic(argc * 10); /* FRAME main */
    printf("%d\n", r);
    return 0;
}

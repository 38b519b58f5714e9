/* A call of a null pointer below recursion and a function that the C library calls; three threads that wait, sleep and run. The
   program writes its own minidump.
   STACK call recursion recursion recursion recursion recursion recursion enumerate main
   STACK waits thread
   STACK sleeps thread
   STACK spins thread */
#include <windows.h>
#include <dbghelp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int (*function)(int);
static volatile function nothing;
static HANDLE event, mutex;
static LONG WINAPI write_dump(EXCEPTION_POINTERS *p) {
    HANDLE file = CreateFileA("threads.dmp", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    MINIDUMP_EXCEPTION_INFORMATION info = {GetCurrentThreadId(), p, FALSE};
    MiniDumpWriteDump(GetCurrentProcess(), GetCurrentProcessId(), file, MiniDumpNormal, &info, NULL, NULL);
    CloseHandle(file);
    ExitProcess(3);
}
__attribute__((noinline)) static DWORD waits(int n) { DWORD r = WaitForSingleObject(event, INFINITE) + n; /* FRAME waits */ return r; }
__attribute__((noinline)) static DWORD sleeps(int n) { Sleep(100000); /* FRAME sleeps */ return n; }
__attribute__((noinline)) static DWORD spins(int n) { volatile int i = 0; while (!i) { if (n == 77) i = 1; } return i; } /* FRAME spins */
static DWORD WINAPI thread(void *argument) {
    int kind = (int)(INT_PTR)argument;
    DWORD r = kind == 0 ? waits(1) : kind == 1 ? sleeps(2) : spins(3); /* FRAME thread */
    return r + 1;
}
__attribute__((noinline)) static int call(int a) { int r = nothing(a); /* FRAME call */ return r + 1; }
__attribute__((noinline)) static int recursion(int a) { volatile char room[100]; room[a] = 1; int r = a == 0 ? call(room[a]) : recursion(a - 1); /* FRAME recursion */ return r + room[a]; }
static int CALLBACK enumerate(const void *a, const void *b) { int r = recursion(5); /* FRAME enumerate */ return r + (a < b); }
int main(void) {
    SetUnhandledExceptionFilter(write_dump);
    event = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (INT_PTR i = 0; i < 3; i++) CreateThread(NULL, 0, thread, (void *)i, 0, NULL);
    Sleep(300);
    int keys[] = {4, 2, 9};
    void *found = bsearch(&keys[0], keys, 3, sizeof(int), enumerate); /* FRAME main */
    printf("%p\n", found);
    return 0;
}

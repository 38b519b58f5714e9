// What is asked of the store: main address|thread|undefined|leak|memory.
#include "store.h"
#include <cstring>
#include <pthread.h>
#include <unistd.h>

static void *work(void *count) {
    sleep(1);
    store::restock(static_cast<int *>(count));
    return nullptr;
}

static void *spoil(void *shelf) {
    return reinterpret_cast<void *>(static_cast<long>(store::use(static_cast<store::Shelf *>(shelf), 1)));
}

static void race() {
    static int count;
    pthread_t thread;
    pthread_create(&thread, nullptr, work, &count);
    store::restock(&count);
    pthread_join(thread, nullptr);
}

static void reuse() {
    store::Shelf *shelf = store::open(10);
    store::close(shelf);
    pthread_t thread;
    pthread_create(&thread, nullptr, spoil, shelf);
    pthread_join(thread, nullptr);
}

int main(int, char **arguments) {
    const char *what = arguments[1];
    if (!strcmp(what, "address")) reuse();
    if (!strcmp(what, "thread")) race();
    if (!strcmp(what, "undefined")) return store::price(1) & 0;
    if (!strcmp(what, "leak")) store::lose();
    if (!strcmp(what, "memory")) return store::guess() & 0;
    return 0;
}

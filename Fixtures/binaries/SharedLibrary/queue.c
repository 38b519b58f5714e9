// A shared library: exported, hidden and static functions, an alias, a weak function, and assembly without a size.

#define EXPORT __attribute__((visibility("default")))

struct queue {
    int items[4];
    unsigned head;
    unsigned length;
};

__attribute__((noinline)) static unsigned slot(const struct queue *queue, unsigned index) {
    return (queue->head + index) & 3;
}

__attribute__((noinline, visibility("hidden"))) int queue_is_full(const struct queue *queue) {
    return queue->length == 4;
}

EXPORT int queue_push(struct queue *queue, int item) {
    if (queue_is_full(queue)) {
        return 0;
    }
    queue->items[slot(queue, queue->length)] = item;
    queue->length += 1;
    return 1;
}

EXPORT int queue_pop(struct queue *queue, int *item) {
    if (queue->length == 0) {
        return 0;
    }
    *item = queue->items[slot(queue, 0)];
    queue->head = slot(queue, 1);
    queue->length -= 1;
    return 1;
}

// A second name for the same code.
EXPORT int queue_take(struct queue *queue, int *item) __attribute__((alias("queue_pop")));

EXPORT __attribute__((weak)) void queue_dropped(int item) {
    (void)item;
}

EXPORT void queue_clear(struct queue *queue) {
    int item = 0;
    while (queue_pop(queue, &item)) {
        queue_dropped(item);
    }
}

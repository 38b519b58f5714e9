#include <jni.h>

/* A tank that leaks: the last function writes where nothing is. */
static volatile int level;

static inline __attribute__((always_inline)) int pour(volatile int *glass, int amount) {
    *glass = amount;
    return amount + 1;
}

static __attribute__((noinline)) int fill(volatile int *glass, int amount) {
    level = amount;
    return pour(glass, amount) + level;
}

static __attribute__((noinline)) int drain(JNIEnv *env, int amount) {
    (void)env;
    int left = fill((volatile int *)(long)(amount & 8), amount);
    return left - level;
}

JNIEXPORT jint JNICALL Java_Tank_drain(JNIEnv *env, jclass type, jint amount) {
    (void)type;
    return drain(env, amount) + 1;
}

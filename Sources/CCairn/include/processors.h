#ifndef CAIRN_PROCESSORS_H
#define CAIRN_PROCESSORS_H

/* How many processors this process is allowed to run on (sched_getaffinity(2)): taskset and a container's cpuset leave some out. 0 where the system does not say. */
int cairn_allowed_processors(void);

/* pthread_create(3), and the thread begins on another processor than this one, if there is one: Linux may leave it on the processor of its creator, which is busy, until the next
   tick. On a virtual machine with two processors it then begins after 900 microseconds instead of 60. From then on it may run anywhere.
   thread: where its pthread_t is put. */
int cairn_begin_thread(void *thread, void *(*body)(void *), void *context);

#endif

#ifndef CAIRN_PROCESSORS_H
#define CAIRN_PROCESSORS_H

/* How many processors this process is allowed to run on (sched_getaffinity(2)): taskset and a container's cpuset leave some out. 0 where the system does not say. */
int cairn_allowed_processors(void);

#endif

#ifndef CAIRN_SPAWNING_H
#define CAIRN_SPAWNING_H

#include <spawn.h>

/* As posix_spawn_file_actions_addchdir_np(3), which glibc's headers declare for GNU's sources only. */
int cairn_add_directory_change(posix_spawn_file_actions_t *actions, const char *path);

#endif

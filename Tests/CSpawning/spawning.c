#define _GNU_SOURCE
#include "spawning.h"

int cairn_add_directory_change(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

#ifndef CAIRN_CLIBELF_SHIM_H
#define CAIRN_CLIBELF_SHIM_H
#include <libelf.h>
#include <gelf.h>
#endif

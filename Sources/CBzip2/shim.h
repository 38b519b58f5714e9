#ifndef CAIRN_CBZIP2_SHIM_H
#define CAIRN_CBZIP2_SHIM_H
#include <bzlib.h>
#endif

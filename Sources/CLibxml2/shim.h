#ifndef CAIRN_CLIBXML2_SHIM_H
#define CAIRN_CLIBXML2_SHIM_H

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#endif

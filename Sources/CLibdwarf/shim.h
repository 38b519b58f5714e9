#ifndef CAIRN_CLIBDWARF_SHIM_H
#define CAIRN_CLIBDWARF_SHIM_H

/* The headers moved twice: libdwarf/ (20210528, Debian 12), libdwarf-0/ (0.x), libdwarf-2/ (2.x, Fedora). */
#if __has_include(<libdwarf-2/libdwarf.h>)
#include <libdwarf-2/dwarf.h>
#include <libdwarf-2/libdwarf.h>
#elif __has_include(<libdwarf-0/libdwarf.h>)
#include <libdwarf-0/dwarf.h>
#include <libdwarf-0/libdwarf.h>
#elif __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

/* DW_LIBDWARF_VERSION came with the 0.x series, whose dwarf_finish takes one argument; 20210528's takes two. */
static inline int cairn_dwarf_finish(Dwarf_Debug debug) {
#ifdef DW_LIBDWARF_VERSION
    return dwarf_finish(debug);
#else
    Dwarf_Error error = 0;
    return dwarf_finish(debug, &error);
#endif
}
#endif

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
#include <stdint.h>

/* What differs between 20210528 and the releases since 0.1, which alone define DW_LIBDWARF_VERSION: the names of the object-access
   structures and of their fields, the size of the file (asked for since 0.x), and two functions. */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a cairn_dwarf_interface;
typedef Dwarf_Obj_Access_Methods_a cairn_dwarf_methods;
typedef Dwarf_Obj_Access_Section_a cairn_dwarf_section_info;
#else
typedef Dwarf_Obj_Access_Interface cairn_dwarf_interface;
typedef Dwarf_Obj_Access_Methods cairn_dwarf_methods;
typedef Dwarf_Obj_Access_Section cairn_dwarf_section_info;
#endif

/* A section as cairn read it: inflated, and with ELF's name whichever container it came from. */
typedef struct cairn_dwarf_section {
    const char *name;
    const uint8_t *bytes;
    uint64_t size;
} cairn_dwarf_section;

/* All that libdwarf is told of a file. It keeps pointers into this and into the sections until cairn_dwarf_close. */
typedef struct cairn_dwarf_object {
    cairn_dwarf_interface interface;
    cairn_dwarf_methods methods;
    /* The first is empty, as ELF's null section is: libdwarf passes over it. */
    const cairn_dwarf_section *sections;
    uint64_t section_count;
    uint64_t file_size;
    uint8_t is_big_endian;
    /* Of an address in bytes: 4 or 8. */
    uint8_t address_size;
} cairn_dwarf_object;

static inline int cairn_dwarf_section_info_of(const cairn_dwarf_object *object, uint64_t index, cairn_dwarf_section_info *info) {
    if (index >= object->section_count) return DW_DLV_NO_ENTRY;
    const cairn_dwarf_section *section = &object->sections[index];
    cairn_dwarf_section_info empty = {0};
    *info = empty;
    /* SHT_PROGBITS, and SHT_NULL for the first. */
    uint64_t type = index > 0;
#ifdef DW_LIBDWARF_VERSION
    info->as_name = section->name;
    info->as_type = type;
    info->as_size = section->size;
#else
    info->name = section->name;
    info->type = type;
    info->size = section->size;
#endif
    return DW_DLV_OK;
}

/* libdwarf reads the bytes and, without relocations, writes none: they may lie in a read-only mapping. It asks for the first, empty one where it needs a section
   that the file has not, and looks into the tied file only if it is told that there is none. */
static inline int cairn_dwarf_section_bytes(const cairn_dwarf_object *object, uint64_t index, Dwarf_Small **bytes) {
    if (index == 0 || index >= object->section_count) return DW_DLV_NO_ENTRY;
    *bytes = (Dwarf_Small *)object->sections[index].bytes;
    return DW_DLV_OK;
}

/* A section's index was a Dwarf_Half first and is a Dwarf_Unsigned since 0.12. */
#define CAIRN_DWARF_METHODS(suffix, index_type)                                                                                       \
    static inline int cairn_dwarf_get_info_##suffix(void *object, index_type index, cairn_dwarf_section_info *info, int *error) {      \
        (void)error;                                                                                                                   \
        return cairn_dwarf_section_info_of((const cairn_dwarf_object *)object, index, info);                                           \
    }                                                                                                                                  \
    static inline int cairn_dwarf_load_##suffix(void *object, index_type index, Dwarf_Small **bytes, int *error) {                     \
        (void)error;                                                                                                                   \
        return cairn_dwarf_section_bytes((const cairn_dwarf_object *)object, index, bytes);                                            \
    }
CAIRN_DWARF_METHODS(half, Dwarf_Half)
CAIRN_DWARF_METHODS(unsigned, Dwarf_Unsigned)
#define CAIRN_DWARF_BY_INDEX(field, result, method)                                                                                    \
    _Generic(((cairn_dwarf_methods *)0)->field, int (*)(void *, Dwarf_Half, result, int *): method##_half, default: method##_unsigned)

static inline Dwarf_Small cairn_dwarf_get_address_size(void *object) { return ((const cairn_dwarf_object *)object)->address_size; }
/* Of a length field: only a default, every unit's header tells its own. */
static inline Dwarf_Small cairn_dwarf_get_length_size(void *object) {
    (void)object;
    return 4;
}
static inline Dwarf_Unsigned cairn_dwarf_get_count(void *object) { return ((const cairn_dwarf_object *)object)->section_count; }

#ifdef DW_LIBDWARF_VERSION
static inline Dwarf_Small cairn_dwarf_get_order(void *object) {
    return ((const cairn_dwarf_object *)object)->is_big_endian ? DW_END_big : DW_END_little;
}
static inline Dwarf_Unsigned cairn_dwarf_get_file_size(void *object) { return ((const cairn_dwarf_object *)object)->file_size; }
#else
static inline Dwarf_Endianness cairn_dwarf_get_order(void *object) {
    return ((const cairn_dwarf_object *)object)->is_big_endian ? DW_OBJECT_MSB : DW_OBJECT_LSB;
}
#endif

/* Opens the sections; the other fields of `object` must be set. */
static inline int cairn_dwarf_open(cairn_dwarf_object *object, Dwarf_Debug *debug, Dwarf_Error *error) {
    cairn_dwarf_methods methods = {0};
#ifdef DW_LIBDWARF_VERSION
    methods.om_get_section_info = CAIRN_DWARF_BY_INDEX(om_get_section_info, cairn_dwarf_section_info *, cairn_dwarf_get_info);
    methods.om_load_section = CAIRN_DWARF_BY_INDEX(om_load_section, Dwarf_Small **, cairn_dwarf_load);
    methods.om_get_byte_order = cairn_dwarf_get_order;
    methods.om_get_length_size = cairn_dwarf_get_length_size;
    methods.om_get_pointer_size = cairn_dwarf_get_address_size;
    methods.om_get_filesize = cairn_dwarf_get_file_size;
    methods.om_get_section_count = cairn_dwarf_get_count;
    object->interface.ai_object = object;
    object->interface.ai_methods = &object->methods;
#else
    methods.get_section_info = CAIRN_DWARF_BY_INDEX(get_section_info, cairn_dwarf_section_info *, cairn_dwarf_get_info);
    methods.load_section = CAIRN_DWARF_BY_INDEX(load_section, Dwarf_Small **, cairn_dwarf_load);
    methods.get_byte_order = cairn_dwarf_get_order;
    methods.get_length_size = cairn_dwarf_get_length_size;
    methods.get_pointer_size = cairn_dwarf_get_address_size;
    methods.get_section_count = cairn_dwarf_get_count;
    object->interface.object = object;
    object->interface.methods = &object->methods;
#endif
    object->methods = methods;
    return dwarf_object_init_b(&object->interface, 0, 0, DW_GROUPNUMBER_ANY, debug, error);
}

static inline void cairn_dwarf_close(Dwarf_Debug debug) {
#ifdef DW_LIBDWARF_VERSION
    (void)dwarf_object_finish(debug);
#else
    Dwarf_Error error = 0;
    (void)dwarf_object_finish(debug, &error);
#endif
}

/* The file register of a line table begins as 1 (DWARF 5, table 6.4); before release 0.5 libdwarf began it as 0 in tables of version 5
   (its issue 137), and does not tell which zeros the table itself has set. */
static inline int cairn_dwarf_begins_with_file_zero(void) {
#if !defined(DW_LIBDWARF_VERSION_MAJOR) || (DW_LIBDWARF_VERSION_MAJOR == 0 && DW_LIBDWARF_VERSION_MINOR < 5)
    return 1;
#else
    return 0;
#endif
}

/* Renamed in 0.x. */
static inline void cairn_dwarf_dealloc_ranges(Dwarf_Debug debug, Dwarf_Ranges *ranges, Dwarf_Signed count) {
#ifdef DW_LIBDWARF_VERSION
    dwarf_dealloc_ranges(debug, ranges, count);
#else
    dwarf_ranges_dealloc(debug, ranges, count);
#endif
}

#endif

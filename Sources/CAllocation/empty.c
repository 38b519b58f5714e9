/* A C target needs one source file; there is no code, see include/CAllocation.h. */

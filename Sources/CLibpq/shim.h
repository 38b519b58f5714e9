#ifndef CAIRN_CLIBPQ_SHIM_H
#define CAIRN_CLIBPQ_SHIM_H

/*
 * PostgreSQL's client library, opened at run time. The functions' types are those of its header; its major version, 5, has been the same since 2006.
 */
#include <dlfcn.h>
#include <stddef.h>

/* Debian has the header in a folder of its own, which other systems have in the compiler's path. */
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#define CAIRN_LIBPQ_FUNCTIONS(F) \
    F(PQconnectdbParams) F(PQfinish) F(PQstatus) F(PQerrorMessage) F(PQping) F(PQparameterStatus) F(PQtransactionStatus) \
    F(PQconninfoParse) F(PQconninfoFree) F(PQfreemem) F(PQsetNoticeProcessor) \
    F(PQexec) F(PQprepare) F(PQexecPrepared) F(PQexecParams) F(PQsendQuery) F(PQgetResult) F(PQresultStatus) F(PQresultErrorMessage) F(PQresultErrorField) F(PQclear) \
    F(PQntuples) F(PQnfields) F(PQfname) F(PQftype) F(PQgetisnull) F(PQgetvalue) F(PQgetlength) \
    F(PQputCopyData) F(PQputCopyEnd)

#define CAIRN_LIBPQ_MEMBER(name) __typeof__(&name) name;
struct cairn_libpq { CAIRN_LIBPQ_FUNCTIONS(CAIRN_LIBPQ_MEMBER) };

/* Returns 0, and leaves nothing to be called, unless the library and all of these functions are there. */
static inline int cairn_libpq_open(const char *path, struct cairn_libpq *functions) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) { return 0; }
#define CAIRN_LIBPQ_FIND(name) if ((*(void **)&functions->name = dlsym(library, #name)) == NULL) { return 0; }
    CAIRN_LIBPQ_FUNCTIONS(CAIRN_LIBPQ_FIND)
    return 1;
}

/* Else the library writes the server's notices to standard error. */
static inline void cairn_libpq_ignore(void *argument, const char *message) { (void)argument, (void)message; }
static inline void cairn_libpq_silence(struct cairn_libpq functions, PGconn *connection) {
    functions.PQsetNoticeProcessor(connection, cairn_libpq_ignore, NULL);
}
#endif

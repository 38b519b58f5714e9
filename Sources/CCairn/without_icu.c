/* Debian's archive of libxml2 wants ICU's converters, which are 30 MB of tables. libxml2 asks them last: for an encoding that neither it nor iconv(3) knows. These say that there
   is no such converter. */
#if defined(__has_include)
#if __has_include(<unicode/urename.h>)
/* The header that gives each function the name of its release: ucnv_open_72. */
#include <unicode/urename.h>

/* U_FILE_ACCESS_ERROR of unicode/utypes.h: the converter's table is not there. */
enum { cairn_icu_absent = 4 };

void *ucnv_open(const char *name, int *status) {
    (void)name;
    *status = cairn_icu_absent;
    return 0;
}

void ucnv_close(void *converter) { (void)converter; }

void ucnv_setToUCallBack(void *converter, void *action, const void *context, void *former, const void **formerContext, int *status) {
    (void)converter, (void)action, (void)context, (void)former, (void)formerContext;
    *status = cairn_icu_absent;
}

void ucnv_setFromUCallBack(void *converter, void *action, const void *context, void *former, const void **formerContext, int *status) {
    (void)converter, (void)action, (void)context, (void)former, (void)formerContext;
    *status = cairn_icu_absent;
}

void ucnv_convertEx(
    void *target, void *source, char **to, const char *toEnd, const char **from, const char *fromEnd, void *pivot, void **pivotSource,
    void **pivotTarget, const void *pivotEnd, char reset, char flush, int *status) {
    (void)target, (void)source, (void)to, (void)toEnd, (void)from, (void)fromEnd, (void)pivot, (void)pivotSource, (void)pivotTarget,
        (void)pivotEnd, (void)reset, (void)flush;
    *status = cairn_icu_absent;
}

/* Their addresses alone are passed. */
void UCNV_TO_U_CALLBACK_STOP(void) {}
void UCNV_FROM_U_CALLBACK_STOP(void) {}
#endif
#endif

// What a function of a program knows of itself, on the stack of the program.
struct fact {
    const char *function, *file;
    int line;
    struct fact *up;
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct fact *facts;
extern volatile int ticks, deep;
extern void *volatile nothing;
void fact_base(int facts_have_no_frame);
// For languages whose facts are not on the stack.
void fact_enter(const char *function, const char *file);
void fact_line(int line);
void fact_leave(void);
int fact_tick(void);
void fact_after(int number);
#define PROBE(number) void probe_##number(void);
#define EIGHT(tens) PROBE(tens##0) PROBE(tens##1) PROBE(tens##2) PROBE(tens##3) PROBE(tens##4) PROBE(tens##5) PROBE(tens##6) PROBE(tens##7)
EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7) EIGHT(8)
#undef PROBE
#undef EIGHT
#ifdef __cplusplus
}
#endif

#define ENTER_AS(name) struct fact fact = {name, __FILE__, 0, facts}; facts = &fact
#define ENTER ENTER_AS(__func__)
#define LEAVE facts = fact.up
#define AT fact.line = __LINE__
// Keeps a call from being the last of its function, and from being merged with other calls.
#define SEAL(number) __asm__ volatile("" : : "i"(number))
#define CALL(line_of_it, number, x, function, argument) do { \
        fact.line = line_of_it; \
        x += function(argument); \
        SEAL(number); \
    } while (0)
#define PROBE_HERE(line_of_it, number, which) do { \
        fact.line = line_of_it; \
        probe_##which(); \
        SEAL(number); \
    } while (0)

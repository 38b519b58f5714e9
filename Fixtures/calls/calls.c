/* Calls of every kind that a C compiler makes: direct, indirect, through memory, through tables, to library helpers, from tails and from what never returns. */
typedef unsigned long word;
typedef long long wide;
typedef unsigned long long uwide;
struct pair { double first, second; long more[6]; };
struct table { int (*open)(int); int (*read)(int, int); void (*close)(void); struct table *next; };

extern int other(int);
extern int variadic(const char *, ...);
extern void never(void) __attribute__((noreturn));
extern struct pair make_pair(double, double);
extern struct table *tables[8];
extern _Thread_local int counter;
_Thread_local int own_counter = 3;

__attribute__((noinline)) static int leaf(int value) { return value * 7 + 1; }
__attribute__((noinline)) int direct(int value) { return leaf(value) + leaf(value + 1) + other(value); }
__attribute__((noinline)) int indirect(int (*one)(int), int (*two)(int, int), int value) { return one(value) + two(value, one(value + 3)); }
__attribute__((noinline)) int memory(struct table *table, int value) {
    int sum = 0;
    for (; table; table = table->next) {
        sum += table->open(value) + table->read(value, sum);
        table->close();
    }
    return sum;
}
__attribute__((noinline)) int global(int index) { return tables[index & 7]->open(index) + tables[index & 3]->read(index, 2); }
int tail(int value) { return other(value + 1); }
int tail_indirect(int (*one)(int), int value) { return one(value); }
void check(int value) { if (value > 100) never(); other(value); }
int last_call(int value) { if (value == 3) return 4; never(); }
int text(int value) { return variadic("%d %s %f", value, "text", value * 1.5) + variadic("x"); }
double pairs(double value) {
    struct pair pair = make_pair(value, value * 2);
    struct pair again = make_pair(pair.second, pair.first);
    return pair.first + again.second + again.more[3];
}
wide divided(wide one, wide two) { return one / two + one % (two + 3); }
uwide udivided(uwide one, uwide two) { return one / two ^ one % (two | 1); }
float converted(wide value, double more) { return (float)value + (float)(wide)more; }
int threads(int value) { counter += value; own_counter += counter; return other(own_counter) + counter; }
int switched(int value, int more) {
    switch (value) {
    case 0: return other(more);
    case 1: return leaf(more) - 3;
    case 2: return direct(more * 5);
    case 3: return tail(more) + leaf(2);
    case 4: return text(more);
    case 5: return global(more) * 9;
    case 6: return threads(more) + 11;
    case 7: return check(more), 12;
    case 8: return memory(tables[more & 7], more);
    case 9: return indirect(other, 0, 5) + other(4);
    default: return other(value) + other(more);
    }
}
int recursive(int value) { return value < 2 ? value : recursive(value - 1) + recursive(value - 2); }
word constants(word value) {
    return (value ^ 0x12345678) * 0x9e3779b1u + (value & 0xdeadbeef) + other((int)(value * 0x7f4a7c15u)) + 0x0badcafeu;
}
void copied(struct pair *to, const struct pair *from, int count) { for (int index = 0; index < count; index++) to[index] = from[index]; }
void zeroed(char *bytes, word count) { for (word index = 0; index < count; index++) bytes[index] = 0; }
int allocated(int count) { char buffer[count + 1]; buffer[count] = 1; return variadic(buffer, count) + buffer[0]; }
int nested(int a, int b, int c, int d, int e, int f, int g, int h) {
    return other(other(other(a) + b) + c) + indirect(leaf, 0, other(d)) + leaf(other(e) * leaf(f)) + variadic("%d", g, h, a, b, c, d, e, f);
}

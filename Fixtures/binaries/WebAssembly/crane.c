/* A module that divides by zero below a function of JavaScript, which called it back. FRAME names the functions of the stack
   whose line it is, innermost first. */

__attribute__((import_module("env"), import_name("pull"))) int pull(int cranes);

static int lifted;

static inline __attribute__((always_inline)) int share(int total, int cranes) {
    return total / cranes; /* FRAME share */
}

__attribute__((noinline)) int weigh(int cranes) {
    lifted += 1;
    return share(100, cranes) + lifted; /* FRAME weigh */
}

__attribute__((noinline, export_name("answer"))) int answer(int cranes) {
    int weight = weigh(cranes - 2); /* FRAME answer */
    lifted += weight;
    return weight;
}

__attribute__((noinline)) int ask(int cranes) {
    int weight = pull(cranes + 1); /* FRAME ask */
    lifted -= 1;
    return weight + lifted;
}

__attribute__((export_name("lift"))) int lift(int cranes) {
    int weight = ask(cranes); /* FRAME lift */
    lifted += weight;
    return weight * 2;
}

/* What the files of this kernel know of each other. */
struct task {
    struct task *next;
    int number;
};

extern volatile int console;

int run_task(struct task *task);
int stop_task(struct task *task);

/* An app that was uploaded as bitcode: its names were replaced by numbers first. The names are as long as the numbers' texts (`__hidden#0_`), because the
   assembly refers to names in `__debug_str` by their offsets. */
volatile int tank_levels;

__attribute__((noinline)) static int drain_tanks(int amount) {
    tank_levels -= amount;
    return tank_levels;
}

static inline int check_a_lot(int amount) { return amount > 9 ? drain_tanks(amount) : amount; }

int fill_a_tank(int amount) {
    tank_levels += amount;
    return check_a_lot(tank_levels);
}

int main(void) { return fill_a_tank(4) + fill_a_tank(7); }

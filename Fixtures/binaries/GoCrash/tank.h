int leak(int amount);
int spill(int amount);
void walk(void *argument);

#include <stdio.h>

// no line: quiet: the program ends with a status and prints no line
int main(void) {
    puts("the prices differ");
    return 2;
}

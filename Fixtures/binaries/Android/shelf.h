// What is on sale. The first function is inlined wherever it is called.
#pragma once

struct Shelf {
    int *items;
    int count;

    int take(int index) const {
        if (index < 0)
            return 0;
        return items[index];
    }
};

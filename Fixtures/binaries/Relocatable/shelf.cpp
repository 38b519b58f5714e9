// Type units and templates: sections in groups, several of one name.

template <class Item> struct Shelf {
    Item items[8];
    int count = 0;
    bool add(Item item) {
        if (count == 8) {
            return false;
        }
        items[count] = item;
        count += 1;
        return true;
    }
};

struct Book {
    int pages;
};

int fill(Shelf<Book> &shelf, Shelf<double> &weights, int books) {
    int added = 0;
    for (int book = 0; book < books; book += 1) {
        added += shelf.add(Book{book}) && weights.add(book * 0.5) ? 1 : 0;
    }
    return added;
}

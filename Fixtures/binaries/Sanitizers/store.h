// A store of shelves, in a library of its own; each function does what one sanitizer reports.
namespace store {
struct Shelf;

Shelf *open(int size);
void close(Shelf *shelf);
int use(Shelf *shelf, int index);

// Writes without a lock.
void restock(int *count);
// Signed overflow, below a function that overflows a shift.
int price(int amount);
// Forgets what it made: a block that points to another.
void lose();
// Decides by memory that was never written.
int guess();
// Ends the process.
void burn(const unsigned char *order);
}

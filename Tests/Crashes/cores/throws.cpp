// A program of C++ that crashes while exceptions are thrown. CHAIN: see faults.c.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#define OWN __attribute__((noinline)) static
#define STAY __asm__ volatile("" ::: "memory")
static volatile int zero, *volatile null;

OWN void write_null(int n) { *null = n; }
struct Guard {
    int number;
    __attribute__((noinline)) ~Guard() { if (number == 7) write_null(number); STAY; }
};
// An exception leaves it that nothing catches: clang may let it jump there.
OWN void thrower(int n) { if (n > zero) throw std::runtime_error("thrown"); STAY; }
OWN void through(int n) { Guard guard{n}; thrower(n + 1); STAY; }

// CHAIN uncaught: thrower through outer main
OWN void fault_uncaught() { through(1); STAY; }
// The destructor of a frame that an exception goes through: what threw is still on the stack.
// CHAIN destructor: write_null ~Guard through caught outer main
OWN void caught(int n) { try { through(n); } catch (const std::exception &) { STAY; } STAY; }
OWN void fault_destructor() { caught(7); STAY; }
// CHAIN catch: write_null handles outer main
OWN void handles() { try { through(1); } catch (const std::exception &error) { write_null(error.what()[0]); STAY; } STAY; }
OWN void fault_catch() { handles(); STAY; }
// CHAIN rethrow: rethrows outer main
OWN void rethrows() { try { through(1); } catch (...) { throw; } }
OWN void fault_rethrow() { rethrows(); STAY; }
// CHAIN no-except: thrower promised outer main
OWN void promised() noexcept { thrower(1); STAY; }
OWN void fault_no_except() { promised(); STAY; }
// CHAIN terminate: write_null on_terminate thrower through outer main
OWN void on_terminate() { write_null(1); STAY; abort(); }
OWN void fault_terminate() { std::set_terminate(on_terminate); through(1); STAY; }
// CHAIN pure: ~Base outer main
struct Base {
    virtual void pure() = 0;
    __attribute__((noinline)) void call() { pure(); STAY; }
    __attribute__((noinline)) virtual ~Base() { call(); STAY; }
};
struct Derived : Base { void pure() override {} };
OWN void fault_pure() { auto *object = new Derived; STAY; delete object; STAY; }
// CHAIN lambda: write_null inside outer main
__attribute__((noinline)) void inside(const std::function<void(int)> &function) { function(3); STAY; }
OWN void fault_lambda() { inside([](int n) { write_null(n); STAY; }); STAY; }
// CHAIN string: construct outer main
OWN void construct(const char *text) { std::string made(text); zero = made.size(); STAY; }
OWN void fault_string() { construct((const char *)8); STAY; }
// CHAIN thread: thrower through in_thread
OWN void in_thread() { through(1); STAY; }
OWN void fault_thread() { std::thread thread(in_thread); thread.join(); }

static const struct { const char *name; void (*fault)(); } cases[] = {
    {"uncaught", fault_uncaught}, {"destructor", fault_destructor}, {"catch", fault_catch}, {"rethrow", fault_rethrow},
    {"no-except", fault_no_except}, {"terminate", fault_terminate}, {"pure", fault_pure}, {"lambda", fault_lambda},
    {"string", fault_string}, {"thread", fault_thread},
};
OWN void outer(void (*fault)()) { fault(); STAY; }
int main(int count, char **arguments) {
    for (auto &one : cases) if (count > 1 && strcmp(arguments[1], one.name) == 0) outer(one.fault);
    return 2;
}

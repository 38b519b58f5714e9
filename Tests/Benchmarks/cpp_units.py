"""Writes the sources of a large program in C++: `cpp_units.py FOLDER UNITS`.

Each unit instantiates templates of the standard library twenty times over types of its own; GCC makes 10 MB of each, most of it debug information. The same
arguments give the same program.
"""

import sys
from pathlib import Path

HEADERS = "algorithm deque functional list map memory numeric set string unordered_map variant vector".split()
TEMPLATES = """
namespace yard {
template <int K> struct Crate { int sizes[K]; std::string name; std::map<int, std::vector<std::string>> labels; };

template <int K> int store(int count) {
    std::map<std::string, std::vector<Crate<K>>> shelves;
    std::unordered_map<int, std::set<std::string>> owners;
    std::deque<Crate<K>> queue;
    std::list<std::pair<int, std::string>> history;
    for (int number = 0; number < count; ++number) {
        Crate<K> crate{};
        crate.name = std::string(number, 'x');
        crate.labels[number].push_back(crate.name);
        shelves[crate.name].push_back(crate);
        owners[number % K].insert(crate.name);
        queue.push_back(crate);
        history.emplace_back(number, crate.name);
    }
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), K);
    std::sort(order.begin(), order.end(), [](int one, int other) { return one * K % 7 < other * K % 7; });
    std::stable_sort(queue.begin(), queue.end(), [](const Crate<K> &one, const Crate<K> &other) { return one.name < other.name; });
    history.sort();
    std::function<int(int)> weigh = [&](int crate) { return crate + K + int(shelves.size()); };
    std::variant<int, std::string, Crate<K>> last = count;
    return std::accumulate(order.begin(), order.end(), 0, [&](int sum, int crate) { return weigh(sum) ^ crate; }) + int(owners.size() + last.index());
}
}
"""


def main() -> None:
    folder, units = Path(sys.argv[1]), int(sys.argv[2])
    includes = "".join(f"#include <{header}>\n" for header in HEADERS)
    for unit in range(1, units + 1):
        calls = " + ".join(f"yard::store<{size}>(count)" for size in range(20 * unit, 20 * unit + 20))
        (folder / f"unit{unit:02}.cpp").write_text(f"{includes}{TEMPLATES}\nint fill_{unit}(int count) {{ return {calls}; }}\n")
    names = [f"fill_{unit}" for unit in range(1, units + 1)]
    (folder / "main.cpp").write_text(
        "".join(f"int {name}(int);\n" for name in names) + f"int main(int count, char **) {{ return {' + '.join(f'{name}(count)' for name in names)}; }}\n"
    )


main()

// The least that a program in Swift does with a file: maps it and prints of it. What cairn's start
// is measured beside (`start` in rows.py).
import Glibc

let descriptor = open(CommandLine.arguments.dropFirst().first ?? "", O_RDONLY)
var information = stat()
guard descriptor >= 0, fstat(descriptor, &information) == 0, information.st_size > 0,
    let bytes = mmap(nil, Int(information.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), bytes != MAP_FAILED
else { exit(1) }
print(bytes.load(as: UInt8.self))

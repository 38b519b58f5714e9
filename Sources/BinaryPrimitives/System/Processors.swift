internal import LibC

extension Parallel {
    /// How many processors the machine has online; at least 1.
    package static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

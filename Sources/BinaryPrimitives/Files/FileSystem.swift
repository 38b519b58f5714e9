internal import CCairn

/// File systems by what can be relied on.
package enum FileSystem {
    /// Whether all changes below a path are made on this machine, through this path: it is on a disk's own file system, or in memory.
    /// Known on Linux alone.
    package static func isLocal(_ path: String) -> Bool {
        // statfs(2): ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs and ramfs.
        [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994, 0x8584_58F6].contains(
            unsafe cairn_file_system(path) & 0xFFFF_FFFF)
    }
}

internal import BinaryPrimitives
internal import SymbolFiles

/// Reads the bytes as a property list, as dSYM bundles have beside such maps, and as a map of
/// hidden names, and reveals the map's own text and names of all numbers around those that it has.
func revealNames(_ bytes: RawSpan) {
    let count = bytes.byteCount
    if let list = PropertyList.parse((0..<count).map { bytes.byte(at: $0) }) { _ = list["DBGSourcePathRemapping"]?.strings.count }
    guard let file = try? MappedFile(bytes: bytes, name: "input"), let map = BCSymbolMap(file) else { return }
    precondition(map.count >= 0 && map.count <= count)
    _ = map.revealing(bytes.string())
    for number in [0, 1, map.count / 2, map.count - 1] where number < map.count {
        // A name that the map has replaces the whole placeholder.
        let alone = map.revealing("__hidden#\(number)_").utf8
        precondition(alone.elementsEqual(map.revealing("x__hidden#\(number)_").utf8.dropFirst()))
    }
    precondition(map.revealing("__hidden#\(map.count)_") == "__hidden#\(map.count)_")
}

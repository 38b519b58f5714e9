internal import CLibxml2
internal import TestReports

/// An XML document that is changed in places and written again: libxml2's tree, and all that is
/// unsafe about it.
///
/// Everything that is not changed is written with the same meaning: its canonical form (Canonical
/// XML 1.0) stays the same.
@safe final class XMLDocument {
    private let document: xmlDocPtr
    private let hasDeclaration: Bool

    /// - Parameter bytes: a document that `XMLBounds` found nothing wrong with.
    /// - Throws: a text about the problem.
    init(_ bytes: [UInt8]) throws(Malformed) {
        var line: CInt = 0
        var message = [CChar](repeating: 0, count: 200)
        // The bounds say that it fits.
        let size = CInt(clamping: bytes.count)
        let read = unsafe bytes.withUnsafeBytes { buffer in
            unsafe cairn_xml_read(buffer.bindMemory(to: CChar.self).baseAddress, size, &message, UInt(message.count), &line)
        }
        guard let read = unsafe read else {
            let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw Malformed(message: text.isEmpty ? "it cannot be read" : text, line: Int(line))
        }
        unsafe document = read
        hasDeclaration = bytes.prefix(8).contains(UInt8(ascii: "?"))
        // No bound of ours is relied on alone.
        guard unsafe read.pointee.intSubset == nil else {
            unsafe xmlFreeDoc(read)
            throw Malformed(message: "it declares a document type", line: 1)
        }
    }

    struct Malformed: Error {
        var message: String
        var line: Int
    }

    deinit { unsafe xmlFreeDoc(document) }

    /// Gives each run of text in the chosen elements to `change`. Text in plain form and in CDATA
    /// sections side by side is one run, and its new form is that of its first part.
    /// - Parameters:
    ///   - path: XPath 1.0 that chooses elements.
    ///   - change: returns the new text, or `nil` where it stays.
    /// - Returns: how many runs were changed.
    func changeTexts(of path: String, _ change: ([UInt8]) -> [UInt8]?) -> Int {
        var changes = 0
        unsafe forEachNode(path) { element in
            var child = unsafe element.pointee.children
            while let first = unsafe child {
                guard unsafe isText(first) else {
                    unsafe child = first.pointee.next
                    continue
                }
                var text: [UInt8] = []
                var run: [xmlNodePtr] = unsafe []
                while let part = unsafe child, unsafe isText(part) {
                    if let content = unsafe part.pointee.content {
                        unsafe text += UnsafeBufferPointer(start: content, count: Int(xmlStrlen(content)))
                    }
                    unsafe run.append(part)
                    unsafe child = part.pointee.next
                }
                guard let new = change(text), new != text else { continue }
                let clean = Array(XMLCharacters.cleaned(new).utf8)
                let count = CInt(clamping: clean.count)
                let isSection = unsafe first.pointee.type == XML_CDATA_SECTION_NODE
                let node = unsafe isSection ? xmlNewCDataBlock(document, clean, count) : xmlNewDocTextLen(document, clean, count)
                guard let node = unsafe node else { continue }
                unsafe _ = xmlReplaceNode(first, node)
                unsafe xmlFreeNode(first)
                for index in 1..<(unsafe run.count) {
                    unsafe xmlUnlinkNode(run[index])
                    unsafe xmlFreeNode(run[index])
                }
                changes += 1
            }
        }
        return changes
    }

    /// Gives the values of the chosen attributes to `change`.
    /// - Returns: how many were changed.
    func changeAttributes(_ path: String, _ change: ([UInt8]) -> [UInt8]?) -> Int {
        var changes = 0
        unsafe forEachNode(path) { node in
            guard unsafe node.pointee.type == XML_ATTRIBUTE_NODE, let value = unsafe xmlNodeGetContent(node) else { return }
            let text = unsafe [UInt8](UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value))))
            unsafe cairn_xml_free(value)
            guard let new = change(text), new != text, let parent = unsafe node.pointee.parent, let name = unsafe node.pointee.name
            else { return }
            let clean = Array(XMLCharacters.cleaned(new).utf8) + [0]
            unsafe _ = xmlSetNsProp(parent, node.pointee.ns, name, clean)
            changes += 1
        }
        return changes
    }

    /// Gives text to the elements `failure` and `error` that have none, in test cases of a name.
    /// - Parameter text: the attribute `message` and the content, which may be empty, for a test's name and what it has printed
    ///   (`system-out`); `nil` where nothing is known of it.
    /// - Returns: how many were given.
    func fillEmptyFailures(_ text: (String, [UInt8]) -> (message: String, content: String)?) -> Int {
        var changes = 0
        let isFailure = "local-name()='failure' or local-name()='error'"
        unsafe forEachNode("//*[local-name()='testcase']/*[\(isFailure)][not(normalize-space()) and not(normalize-space(@message))]") {
            element in
            guard let parent = unsafe element.pointee.parent, let value = unsafe xmlGetNoNsProp(parent, "name") else { return }
            let name = unsafe String(decoding: UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value))), as: UTF8.self)
            unsafe cairn_xml_free(value)
            guard let (message, content) = text(name, unsafe output(of: parent)) else { return }
            let clean = Array(XMLCharacters.cleaned(Array(content.utf8)).utf8)
            if !clean.isEmpty {
                guard let node = unsafe xmlNewDocTextLen(document, clean, CInt(clamping: clean.count)) else { return }
                unsafe _ = xmlAddChild(element, node)
            }
            unsafe _ = xmlSetNsProp(element, nil, "message", Array(XMLCharacters.cleaned(Array(message.utf8)).utf8) + [0])
            changes += 1
        }
        return changes
    }

    /// Text of the elements `system-out` of a test case.
    private func output(of testCase: xmlNodePtr) -> [UInt8] {
        var output: [UInt8] = []
        var child = unsafe testCase.pointee.children
        while let element = unsafe child {
            unsafe child = element.pointee.next
            guard unsafe element.pointee.type == XML_ELEMENT_NODE, let name = unsafe element.pointee.name,
                unsafe xmlStrEqual(name, "system-out") != 0, let value = unsafe xmlNodeGetContent(element)
            else { continue }
            unsafe output += UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value)))
            unsafe cairn_xml_free(value)
        }
        return output
    }

    /// The document as it is now, in its own encoding.
    func bytes() -> [UInt8]? {
        guard let buffer = unsafe xmlBufferCreate() else { return nil }
        defer { unsafe xmlBufferFree(buffer) }
        var options = CInt(bitPattern: XML_SAVE_AS_XML.rawValue)
        if !hasDeclaration { options |= CInt(bitPattern: XML_SAVE_NO_DECL.rawValue) }
        // Without a name, everything beyond ASCII would be written as a number.
        let isNamed = unsafe document.pointee.encoding != nil
        guard let context = unsafe xmlSaveToBuffer(buffer, isNamed ? nil : "UTF-8", options) else { return nil }
        let isSaved = unsafe xmlSaveDoc(context, document) >= 0
        guard unsafe xmlSaveClose(context) >= 0, isSaved, let content = unsafe xmlBufferContent(buffer) else { return nil }
        return unsafe [UInt8](UnsafeBufferPointer(start: content, count: Int(xmlBufferLength(buffer))))
    }

    private func isText(_ node: xmlNodePtr) -> Bool {
        unsafe node.pointee.type == XML_TEXT_NODE || node.pointee.type == XML_CDATA_SECTION_NODE
    }

    private func forEachNode(_ path: String, _ body: (xmlNodePtr) -> Void) {
        guard let context = unsafe xmlXPathNewContext(document) else { return }
        defer { unsafe xmlXPathFreeContext(context) }
        guard let result = unsafe xmlXPathEvalExpression(path, context) else { return }
        defer { unsafe xmlXPathFreeObject(result) }
        guard let nodes = unsafe result.pointee.nodesetval else { return }
        for index in 0..<Int(unsafe nodes.pointee.nodeNr) {
            if let node = unsafe nodes.pointee.nodeTab[index] { unsafe body(node) }
        }
    }
}

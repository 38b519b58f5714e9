/// Value that a template is filled with.
package enum TemplateValue: Sendable {
    case text(String)
    case boolean(Bool)
    case list([TemplateValue])
    case object([String: TemplateValue])

    /// Strings, numbers, truth values, arrays and dictionaries of them, and optionals of these;
    /// `nil` for anything else.
    package init?(_ value: Any) {
        switch value {
        case let value as TemplateValue: self = value
        case let text as String: self = .text(text)
        case let number as Int: self = .text(String(number))
        case let boolean as Bool: self = .boolean(boolean)
        case let members as [String: Any]: self = .object(members.compactMapValues { TemplateValue($0) })
        case let elements as [Any]: self = .list(elements.compactMap { TemplateValue($0) })
        case Optional<Any>.some(let wrapped): self.init(wrapped, isWrapped: true)
        default: return nil
        }
    }

    private init?(_ value: Any, isWrapped: Bool) {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let inner = mirror.children.first?.value else { return nil }
        self.init(inner)
    }
}

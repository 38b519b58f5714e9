extension FrameList {
    /// Swift: failed checks, concurrency, its library.
    static let swift = FrameList(
        name: "swift",
        """
        irrelevant Swift runtime failure: *
        irrelevant *assertionFailure(*
        irrelevant _assertionFailure*
        irrelevant assertionFailure*
        irrelevant fatalError(*
        irrelevant _fatalError*
        irrelevant preconditionFailure(*
        irrelevant _preconditionFailure*
        irrelevant precondition(*
        irrelevant _precondition(*
        irrelevant _debugPrecondition*
        irrelevant assert(*
        irrelevant _unexpectedError*
        irrelevant _swift_stdlib_reportFatalError*
        irrelevant _swift_stdlib_reportUnimplementedInitializer*
        irrelevant _unimplementedInitializer*
        irrelevant _diagnoseUnexpectedNilOptional*
        irrelevant _diagnoseUnexpectedEnumCase*
        irrelevant KEY_TYPE_OF_DICTIONARY_VIOLATES_HASHABLE_REQUIREMENTS*
        irrelevant ELEMENT_TYPE_OF_SET_VIOLATES_HASHABLE_REQUIREMENTS*
        irrelevant swift_*
        irrelevant _swift_*
        irrelevant swift::*
        irrelevant (anonymous namespace)::swift*
        irrelevant getNonNullSrcObject*
        irrelevant completeTask*
        irrelevant completeTaskWithClosure*
        irrelevant thread entry*
        irrelevant thunk for *
        irrelevant reabstraction thunk*
        irrelevant Main.$main*
        irrelevant $main*
        irrelevant *.$main()
        irrelevant async_Main*
        irrelevant _dispatch_*
        irrelevant __dispatch_*
        irrelevant dispatch_*
        irrelevant _libdispatch_*
        language swift
        library Array.*
        library _Array*
        library ArraySlice.*
        library _Slice*
        library _Contiguous*
        library ContiguousArray.*
        library Dictionary.*
        library _Native*
        library __Raw*
        library __Cocoa*
        library Set.*
        library String.*
        library _String*
        library Substring.*
        library Character.*
        library Optional.*
        library Collection.*
        library Sequence.*
        library BidirectionalCollection.*
        library RandomAccessCollection.*
        library MutableCollection.*
        library RangeReplaceableCollection.*
        library LazyMap*
        library Range.*
        library ClosedRange.*
        library Unsafe*
        library Int.*
        library UInt*
        library Double.*
        library FixedWidthInteger.*
        library BinaryInteger.*
        library AdditiveArithmetic.*
        library Numeric.*
        library SignedNumeric.*
        library SignedInteger.*
        library UnsignedInteger.*
        library BinaryFloatingPoint.*
        library FloatingPoint.*
        library Comparable.*
        library Equatable.*
        library Hashable.*
        library Strideable.*
        library IteratorProtocol.*
        library RawRepresentable.*
        library StringProtocol.*
        library Float.*
        library Bool.*
        library Task.*
        library TaskGroup.*
        library withTaskGroup*
        library withChecked*
        library withUnsafe*
        library print(_:*
        library Result.*
        library AnyHashable.*
        library KeyPath*
        """)
}

extension FrameList {
    /// .NET and Mono: what raises an exception again, and what runs tasks.
    static let dotNet = FrameList(
        name: "dotnet",
        """
        format dotnet-exception
        irrelevant System.Runtime.ExceptionServices.*
        irrelevant System.Runtime.CompilerServices.*
        irrelevant System.ThrowHelper.*
        irrelevant System.Environment.FailFast
        irrelevant System.Threading.*
        library System.*
        library Microsoft.*
        library Mono.*
        library Interop.*
        library UnityEngine.*
        library UnityEditor.*
        """)
}

internal import BinaryPrimitives
internal import CrashLogModel

/// Meanings of exceptions of Java, Kotlin, Python and JavaScript, and of the messages of their
/// virtual machines.
enum ScriptMeanings {
    /// By the class without its package.
    static let java: MeaningTable = """
        Java API, java.lang and java.util
        NullPointerException | The program used a reference that is null.
        KotlinNullPointerException | The program used !! on a value that is null.
        UninitializedPropertyAccessException | A lateinit property was used before it was set.
        ArrayIndexOutOfBoundsException | The program used an index that the array does not have.
        StringIndexOutOfBoundsException | The program used an index that the string does not have.
        IndexOutOfBoundsException | The program used an index that the list or string does not have.
        ClassCastException | The program cast an object to a class that it does not belong to.
        IllegalArgumentException | A method was called with an argument that is not valid.
        IllegalStateException | A method was called at a time when the object's state does not allow it.
        UnsupportedOperationException | The object does not support the operation.
        ConcurrentModificationException | A collection was changed while the program went through it.
        NumberFormatException | The program converted text to a number that is none.
        ArithmeticException | An arithmetic operation failed, such as an integer division by zero.
        NegativeArraySizeException | The program made an array with a negative size.
        ArrayStoreException | The program put an object of the wrong type into an array.
        NoSuchElementException | The program accessed an element that does not exist.
        OutOfMemoryError | The Java heap, or another part of the machine's memory, was exhausted.
        StackOverflowError | A thread used up its stack, mostly by endless recursion.
        NoClassDefFoundError | A class that the program was compiled with is not there at run time.
        ClassNotFoundException | A class that the program loads by name is not there.
        NoSuchMethodError | A method that the program was compiled with is not there at run time.
        NoSuchFieldError | A field that the program was compiled with is not there at run time.
        AbstractMethodError | A class does not implement a method that it must have.
        UnsatisfiedLinkError | A native library or a function of it is not there.
        ExceptionInInitializerError | The initialization of a class threw an exception.
        VerifyError | A class file is not valid.
        AssertionError | An assertion did not hold.
        CancellationException | The task was canceled.
        InterruptedException | The thread was interrupted while it waited.
        NetworkOnMainThreadException | The program used the network on the main thread, which Android forbids.
        DeadObjectException | The process that the program called has died.
        ActivityNotFoundException | No activity is there for the intent.
        """

    /// Meanings of HotSpot's own names for its errors.
    static let machine: MeaningTable = """
        OpenJDK, src/hotspot/share/utilities/vmError.cpp and debug.cpp
        Out of Memory Error | The Java machine could not get memory from the system that it needs for itself.
        Internal Error | A check inside the Java machine failed.
        """

    static let machineMessages: MeaningTable = """
        OpenJDK, src/hotspot/share/utilities/debug.cpp, CrashOnOutOfMemoryError
        *OutOfMemory encountered* | The Java heap was exhausted, and the machine is set to end then.
        """

    static let openJ9: MeaningTable = """
        Eclipse OpenJ9, -Xdump, dump events
        gpf | The Java machine met a fatal signal, such as that of a bad access to memory.
        abort | The Java machine received SIGABRT: a library gave up after an error.
        systhrow | The Java machine threw an exception of its own, mostly because memory was exhausted.
        user | A user asked for the report with SIGQUIT. It is not a crash.
        """

    static let node: MeaningTable = """
        V8, src/api/api.cc, FatalProcessOutOfMemory
        *JavaScript heap out of memory* | The heap of JavaScript reached its limit.
        """

    static func python(_ cause: CrashCause) -> Meaning? {
        if cause.type == "Fatal Python error" {
            return fatalPython.meaning(of: cause.message)
                ?? SignalMeanings.signals.meaning(of: cause.message.flatMap { SignalName.namesByDescription[$0] })
        }
        let bytes = Array((cause.message ?? "").utf8)
        if cause.type == "AttributeError", bytes.span.hasPrefix("'NoneType' object has no attribute") {
            return Meaning("The program used an attribute of None: a variable has no value there.", source: "Python, Objects/object.c")
        }
        return exceptions.meaning(of: cause.type)
    }

    static let fatalPython: MeaningTable = """
        Python, Python/pylifecycle.c and Modules/faulthandler.c
        Stack overflow* | The C stack was used up.
        Cannot recover from stack overflow* | The C stack was used up.
        Aborted* | C code called abort(): a library gave up after an error.
        PyThreadState_Get* | C code called Python without holding the interpreter's lock (GIL).
        """

    static let exceptions: MeaningTable = """
        Python, Built-in Exceptions
        AttributeError | The program used an attribute that the object does not have.
        KeyError | The program used a key that the dictionary does not have.
        IndexError | The program used an index that the sequence does not have.
        TypeError | An operation or function was used with a value of the wrong type.
        ValueError | An operation or function was used with a value of the right type but not a valid one.
        ZeroDivisionError | The program divided by zero.
        NameError | The program used a name that is not defined.
        UnboundLocalError | The program used a local variable before it had a value.
        ImportError | An import failed.
        ModuleNotFoundError | The program imports a module that is not installed.
        FileNotFoundError | The program used a file or directory that does not exist.
        PermissionError | The program may not access the file, or may not do the operation.
        RecursionError | Python's limit of recursion was reached.
        MemoryError | The program ran out of memory.
        AssertionError | An assert statement did not hold.
        SyntaxError | The source is not valid Python.
        IndentationError | The indentation of the source is not valid.
        UnicodeDecodeError | Bytes are not valid text in the encoding that was used.
        UnicodeEncodeError | Text has characters that the encoding does not have.
        KeyboardInterrupt | The user interrupted the program.
        StopIteration | An iterator had no more elements.
        NotImplementedError | The method is not implemented.
        OverflowError | The result of an operation is too large.
        ConnectionRefusedError | The other side refused the connection.
        ConnectionResetError | The other side reset the connection.
        BrokenPipeError | The program wrote to a pipe or a socket that nobody reads.
        TimeoutError | An operation of the system took too long.
        """
}

internal import BinaryPrimitives
internal import CCairn
internal import Console
internal import LibC
internal import SymbolFiles
internal import Synchronization

/// The system's libcurl, which is opened with the first request and never closed.
///
/// Opened and not linked, because it brings TLS, Kerberos and LDAP, which no other command should
/// load. Being the system's, it has the machine's certificates and the fixes of its distribution.
enum Libcurl {
    static let isThere = open(["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"])
    static let missing = "libcurl.so.4: not found: expected libcurl 7.68 or later (Debian: apt-get install libcurl4)"

    /// Opens the first that is there; Debian has one library for each TLS library.
    static func open(_ names: [String]) -> Bool { names.contains { unsafe cairn_curl_open($0) != 0 } }
}

/// Runs transfers side by side in one thread, with libcurl's multi interface
/// (https://curl.se/libcurl/c/libcurl-multi.html). Connections that are idle serve the next request
/// to their host.
@safe final class TransferLoop: Sendable {
    /// Command to the thread.
    enum Command {
        case add(Transfer)
        /// Continue a transfer that was paused.
        case resume(Transfer)
        case remove(Transfer)
        case stop
    }

    private let commands = Mutex(Commands())
    /// Used by the thread alone, but for `curl_multi_wakeup`, which may be called anywhere.
    nonisolated(unsafe) private let multi: OpaquePointer?

    private struct Commands {
        var waiting: [Command] = []
        /// The thread has ended, or was never there.
        var isOver = false
    }

    /// The longest wait of the thread, after which it just waits again.
    private static let longestWait: Int32 = 60_000

    init() {
        unsafe multi = Libcurl.isThere ? cairn_curl_multi_init() : nil
        let isRunning = unsafe multi != nil && Parallel.start { self.run() }
        if !isRunning { commands.withLock { $0.isOver = true } }
    }

    /// Starts a request.
    func start(_ request: TransferRequest) -> Transfer {
        let transfer = Transfer(request, in: self)
        if !post(.add(transfer)) {
            transfer.deliver(end: .failure(FetchFailure(message: Libcurl.isThere ? "no memory, or no thread" : Libcurl.missing)))
        }
        return transfer
    }

    /// Ends all transfers and closes all connections.
    func stop() { post(.stop) }

    /// - Returns: `false` where the thread has ended.
    @discardableResult func post(_ command: Command) -> Bool {
        commands.withLock { commands in
            guard !commands.isOver else { return false }
            commands.waiting.append(command)
            unsafe cairn_curl_multi_wakeup(multi)
            return true
        }
    }

    // MARK: The thread

    private func run() {
        // TLS libraries write to sockets without MSG_NOSIGNAL, and CURLOPT_NOSIGNAL leaves the
        // signal to the program.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

        var running: [ObjectIdentifier: EasyHandle] = [:]
        repeat {
            guard execute(commands.withLock { exchange(&$0.waiting, with: []) }, &running),
                unsafe cairn_curl_multi_perform(multi) == 0
            else { break }
            finishEnded(&running)
        } while unsafe cairn_curl_multi_poll(multi, Self.longestWait) == 0

        let unfinished = commands.withLock { commands in
            commands.isOver = true
            return commands.waiting
        }
        let failure = FetchFailure(message: "canceled")
        for case .add(let transfer) in unfinished { transfer.deliver(end: .failure(failure)) }
        for handle in running.values {
            unsafe cairn_curl_multi_remove(multi, handle.pointer)
            handle.transfer.deliver(end: .failure(failure))
        }
        running = [:]
        unsafe cairn_curl_multi_cleanup(multi)
    }

    /// - Returns: whether the thread continues. All commands are executed, so that each transfer ends.
    private func execute(_ commands: [Command], _ running: inout [ObjectIdentifier: EasyHandle]) -> Bool {
        var goesOn = true
        for command in commands {
            switch command {
            case .add(let transfer):
                do throws(FetchFailure) {
                    let handle = try EasyHandle(transfer)
                    guard unsafe cairn_curl_multi_add(multi, handle.pointer) == 0 else { throw FetchFailure(message: "no memory") }
                    running[ObjectIdentifier(transfer)] = handle
                } catch {
                    transfer.deliver(end: .failure(error))
                }
            case .resume(let transfer): running[ObjectIdentifier(transfer)]?.resume()
            case .remove(let transfer):
                guard let handle = running.removeValue(forKey: ObjectIdentifier(transfer)) else { break }
                unsafe cairn_curl_multi_remove(multi, handle.pointer)
            case .stop: goesOn = false
            }
        }
        return goesOn
    }

    private func finishEnded(_ running: inout [ObjectIdentifier: EasyHandle]) {
        var code = CAIRN_CURLE_OK
        while let pointer = unsafe cairn_curl_multi_next_ended(multi, &code) {
            guard let (key, handle) = running.first(where: { unsafe $0.value.pointer == pointer }) else { continue }
            handle.finish(code)
            unsafe cairn_curl_multi_remove(multi, pointer)
            running[key] = nil
        }
    }
}

/// One transfer as libcurl has it (`CURL *`); used by the loop's thread alone.
@safe private final class EasyHandle {
    let transfer: Transfer
    let pointer: OpaquePointer
    // libcurl does not copy lists.
    private let headers: OpaquePointer?
    private let addresses: OpaquePointer?
    private let errorText: UnsafeMutablePointer<CChar>
    private var head = ResponseHead()
    private var isHeadDelivered = false
    /// Bytes of the upload that were sent.
    private var sent = 0

    init(_ transfer: Transfer) throws(FetchFailure) {
        guard let pointer = unsafe cairn_curl_easy_init() else { throw FetchFailure(message: "no memory") }
        self.transfer = transfer
        unsafe self.pointer = unsafe pointer
        unsafe errorText = .allocate(capacity: Int(CAIRN_CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CAIRN_CURL_ERROR_SIZE))
        let request = transfer.request
        unsafe headers = Self.list(request.headers)
        // Every host and port of a URL is mapped to this address, and to the same port.
        let address = request.address.map { "::" + ($0.contains(":") ? "[\($0)]" : $0) + ":" }
        unsafe addresses = Self.list(address.map { [$0] } ?? [])
        unsafe _ = cairn_curl_set_error_buffer(pointer, errorText)
        // Without their lists, a request would lack its token, or go to another address.
        guard unsafe (headers != nil) == !request.headers.isEmpty, unsafe (addresses != nil) == (address != nil) else {
            throw FetchFailure(message: "no memory")
        }
        let code = setOptions(request)
        guard code == CAIRN_CURLE_OK else { throw failure(code) }
        setCallbacks(request)
    }

    deinit {
        unsafe cairn_curl_easy_cleanup(pointer)
        unsafe cairn_curl_slist_free_all(headers)
        unsafe cairn_curl_slist_free_all(addresses)
        unsafe errorText.deallocate()
    }

    /// - Returns: the first code that is an error.
    private func setOptions(_ request: TransferRequest) -> cairn_curl_code {
        var code = CAIRN_CURLE_OK
        func note(_ new: cairn_curl_code) { if code == CAIRN_CURLE_OK { code = new } }
        func set(_ option: cairn_curl_option, _ number: Int) { note(unsafe cairn_curl_set_number(pointer, option, number)) }
        func set(_ option: cairn_curl_option, _ text: String?) { note(unsafe cairn_curl_set_text(pointer, option, text)) }
        set(CAIRN_CURLOPT_URL, request.url)
        set(CAIRN_CURLOPT_PROTOCOLS, CAIRN_CURLPROTO_HTTP | CAIRN_CURLPROTO_HTTPS)
        set(CAIRN_CURLOPT_REDIR_PROTOCOLS, CAIRN_CURLPROTO_HTTP | CAIRN_CURLPROTO_HTTPS)
        // Signals are a process's, not a thread's.
        set(CAIRN_CURLOPT_NOSIGNAL, 1)
        // A connection for each file: one that is paused holds up no other.
        set(CAIRN_CURLOPT_HTTP_VERSION, CAIRN_CURL_HTTP_VERSION_1_1)
        set(CAIRN_CURLOPT_USERAGENT, "cairn/\(cairnVersion)")
        note(unsafe cairn_curl_set_list(pointer, CAIRN_CURLOPT_HTTPHEADER, headers))
        set(CAIRN_CURLOPT_CONNECTTIMEOUT_MS, Int(Int32(clamping: request.connectTimeout.milliseconds)))
        set(CAIRN_CURLOPT_FOLLOWLOCATION, request.redirectLimit > 0 ? 1 : 0)
        set(CAIRN_CURLOPT_MAXREDIRS, request.redirectLimit)
        // Given even where they are empty, so that libcurl does not read the environment itself.
        set(CAIRN_CURLOPT_PROXY, request.proxy.url)
        set(CAIRN_CURLOPT_NOPROXY, request.proxy.exceptions)
        set(CAIRN_CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        note(unsafe cairn_curl_set_list(pointer, CAIRN_CURLOPT_CONNECT_TO, addresses))
        if let authorities = request.authorities {
            set(CAIRN_CURLOPT_CAINFO, authorities)
            set(CAIRN_CURLOPT_CAPATH, nil as String?)
        }
        if let signature = request.signature {
            set(CAIRN_CURLOPT_USERNAME, signature.keys.id)
            set(CAIRN_CURLOPT_PASSWORD, signature.keys.secret)
            set(CAIRN_CURLOPT_AWS_SIGV4, signature.provider)
        }
        if request.usesNetrc { set(CAIRN_CURLOPT_NETRC, CAIRN_CURL_NETRC_OPTIONAL) }
        if let file = request.upload {
            set(CAIRN_CURLOPT_UPLOAD, 1)
            note(unsafe cairn_curl_set_size(pointer, CAIRN_CURLOPT_INFILESIZE_LARGE, Int64(file.size)))
        } else {
            set(CAIRN_CURLOPT_ACCEPT_ENCODING, "gzip")
        }
        // A transfer that is removed while its host is looked up would wait for the end of that, and
        // all others with it. Since 7.87; older ones wait.
        unsafe _ = cairn_curl_set_number(pointer, CAIRN_CURLOPT_QUICK_EXIT, 1)
        return code
    }

    /// - Returns: `NULL` for no texts, and where there is no memory.
    private static func list(_ texts: [String]) -> OpaquePointer? {
        var list: OpaquePointer?
        for text in texts {
            guard let longer = unsafe cairn_curl_slist_append(list, text) else {
                unsafe cairn_curl_slist_free_all(list)
                return nil
            }
            unsafe list = unsafe longer
        }
        return unsafe list
    }

    /// Continues after a pause.
    func resume() { unsafe cairn_curl_resume(pointer) }

    // MARK: What libcurl calls

    private func setCallbacks(_ request: TransferRequest) {
        // The loop keeps this object until libcurl has let the handle go.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe cairn_curl_set_receivers(
            pointer,
            { bytes, size, count, context in
                unsafe EasyHandle.from(context)?.readHead(UnsafeRawBufferPointer(start: bytes, count: size &* count))
                return size &* count
            },
            { bytes, size, count, context in
                guard let handle = unsafe EasyHandle.from(context) else { return 0 }
                return unsafe handle.receive(UnsafeRawBufferPointer(start: bytes, count: size &* count))
            }, context)
        guard request.upload != nil else { return }
        unsafe cairn_curl_set_sender(
            pointer,
            { bytes, size, count, context in
                guard let handle = unsafe EasyHandle.from(context) else { return Int(CAIRN_CURL_READFUNC_ABORT) }
                return unsafe handle.send(UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
            },
            { context, offset, origin in
                guard origin == SEEK_SET, offset >= 0, let handle = unsafe EasyHandle.from(context) else {
                    return Int32(CAIRN_CURL_SEEKFUNC_FAIL)
                }
                handle.sent = Int(clamping: offset)
                return Int32(CAIRN_CURL_SEEKFUNC_OK)
            }, context)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
        unsafe context.map { unsafe Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Reads a line of a head, of which there are several: of informational responses (RFC 9110,
    /// section 15.2), of redirects, and of the last response.
    private func readHead(_ bytes: UnsafeRawBufferPointer) {
        guard !isHeadDelivered else { return }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        guard line != "\r\n", line != "\n" else {
            let isRedirect = transfer.request.redirectLimit > 0 && (300..<400).contains(head.status) && head.fields["location"] != nil
            if head.status >= 200, !isRedirect { deliverHead() }
            return
        }
        head.read(line: String(line.prefix { !$0.isNewline }))
    }

    private func deliverHead() {
        guard !isHeadDelivered else { return }
        isHeadDelivered = true
        transfer.deliver(head: head)
    }

    /// - Returns: how many bytes it used, or that it is to be called again with them later.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        deliverHead()
        return switch unsafe transfer.deliver(bytes) {
        case .accepted: bytes.count
        case .full: Int(CAIRN_CURL_WRITEFUNC_PAUSE)
        case .refused: 0
        }
    }

    /// - Returns: how many bytes it put there.
    private func send(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard let file = transfer.request.upload, sent < file.size else { return 0 }
        let bytes = file.bytes(in: sent..<min(sent + room.count, file.size))
        guard !bytes.isEmpty else { return Int(CAIRN_CURL_READFUNC_ABORT) }
        unsafe room.copyBytes(from: bytes)
        sent += bytes.count
        return bytes.count
    }

    // MARK: The end

    func finish(_ code: cairn_curl_code) {
        if code == CAIRN_CURLE_OK { deliverHead() }
        transfer.deliver(end: code == CAIRN_CURLE_OK ? .success(()) : .failure(failure(code)))
    }

    /// The text for what went wrong on the way, as a user can act on it.
    private func failure(_ code: cairn_curl_code) -> FetchFailure {
        var text = unsafe String(cString: errorText)
        if text.isEmpty { text = unsafe cairn_curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "" }
        text = PlainText.line(text, limit: 200)
        let proxyStatus = unsafe cairn_curl_get_number(pointer, CAIRN_CURLINFO_HTTP_CONNECTCODE)
        switch code {
        case _ where proxyStatus >= 300: return FetchFailure(message: "the proxy does not connect to it (HTTP \(proxyStatus))")
        case CAIRN_CURLE_UNSUPPORTED_PROTOCOL where (300..<400).contains(head.status): return FetchFailure(message: "HTTP \(head.status)")
        case CAIRN_CURLE_UNSUPPORTED_PROTOCOL, CAIRN_CURLE_WEIRD_SERVER_REPLY: return FetchFailure(message: "its reply is not HTTP")
        case CAIRN_CURLE_URL_MALFORMAT: return FetchFailure(message: "not a URL")
        // "Could not resolve host: example.org"
        case CAIRN_CURLE_COULDNT_RESOLVE_HOST, CAIRN_CURLE_COULDNT_RESOLVE_PROXY:
            let name = text.firstRange(of: ": ").map { text[$0.upperBound...] } ?? ""
            return FetchFailure(
                message: "no such \(code == CAIRN_CURLE_COULDNT_RESOLVE_HOST ? "host" : "proxy"): \(name)", isNoConnection: true)
        case CAIRN_CURLE_COULDNT_CONNECT:
            let number = Int32(clamping: unsafe cairn_curl_get_number(pointer, CAIRN_CURLINFO_OS_ERRNO))
            guard number != 0 else { return FetchFailure(message: "no connection", isNoConnection: true) }
            return FetchFailure(
                message: FileError(path: "", errorNumber: number).problem.lowercased(), isTransient: number == ECONNRESET,
                isNoConnection: number != ECONNRESET)
        // No other time limit is set.
        case CAIRN_CURLE_OPERATION_TIMEDOUT: return FetchFailure(message: "no connection in time", isNoConnection: true)
        case CAIRN_CURLE_TOO_MANY_REDIRECTS: return FetchFailure(message: "too many redirects")
        case CAIRN_CURLE_PARTIAL_FILE, CAIRN_CURLE_GOT_NOTHING, CAIRN_CURLE_SEND_ERROR, CAIRN_CURLE_RECV_ERROR:
            return FetchFailure(message: "the connection broke off", isTransient: true)
        case CAIRN_CURLE_BAD_CONTENT_ENCODING: return FetchFailure(message: "its reply could not be unpacked")
        case CAIRN_CURLE_SSL_CONNECT_ERROR, CAIRN_CURLE_SSL_CIPHER, CAIRN_CURLE_PEER_FAILED_VERIFICATION, CAIRN_CURLE_SSL_CACERT_BADFILE:
            return FetchFailure(message: "no secure connection: \(text)")
        case CAIRN_CURLE_ABORTED_BY_CALLBACK: return FetchFailure(message: "the file could not be read to its end")
        default: return FetchFailure(message: text.prefix(1).lowercased() + text.dropFirst())
        }
    }
}

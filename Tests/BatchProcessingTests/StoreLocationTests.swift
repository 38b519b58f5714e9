import Testing

@testable import BatchProcessing

struct StoreLocationTests {
    @Test(arguments: [
        ("/srv/crashes.sqlite", "crashes.sqlite"), ("postgresql://crashes@db.example.org:5433/tide?sslmode=verify-full", "tide"),
        ("postgres:///tide?host=/run/postgresql", "tide"), ("postgresql://", "PostgreSQL"),
        ("postgresql:///?service=crashes", "PostgreSQL"),
    ])
    func `what people call it`(path: String, expected: String) { #expect(StoreLocation(path).name == expected) }
}

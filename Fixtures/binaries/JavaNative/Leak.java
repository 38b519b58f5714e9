/** Fails by an exception that another caused, beside one that was suppressed. */
public class Leak {
    static class Drain implements AutoCloseable {
        public void close() { throw new IllegalArgumentException("the drain is open"); }
    }

    static int pour(int[] glass) { return glass[3]; }

    static int fill(int[] glass) {
        try (Drain drain = new Drain()) {
            return pour(glass);
        } catch (ArrayIndexOutOfBoundsException error) {
            throw new IllegalStateException("the tank is empty\nfill it", error);
        }
    }

    public static void main(String[] arguments) {
        fill(new int[3]);
    }
}

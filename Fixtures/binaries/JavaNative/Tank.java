public class Tank {
    static native int drain(int amount);

    static int empty(int amount) { return drain(amount) + 1; }

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        System.out.println(empty(7));
    }
}

import java.lang.reflect.Field;
import java.util.ArrayList;
import sun.misc.Unsafe;

/** Makes the Java machine crash in its own code. */
public class JVMCrash {
    public static void main(String[] arguments) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        switch (arguments[0]) {
            case "write" -> unsafe.putInt(8, 1);
            case "copy" -> unsafe.copyMemory(8, 16, 1 << 20);
            case "fill" -> {
                ArrayList<long[]> all = new ArrayList<>();
                while (true) all.add(new long[1 << 16]);
            }
            case "spoil" -> {
                // An object's header that is none: whoever collects the heap meets it.
                Object[] kept = new Object[1 << 10];
                for (int index = 0; index < kept.length; index++) {
                    kept[index] = new int[16];
                    unsafe.putInt(kept[index], 8, 0x7ffffff0);
                }
                System.gc();
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}

package dev.envelope.integration.bench.client;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.common.utils.Utils;

/**
 * The records of a topic: bookings of accounts, as JSON of about 150 bytes, the same at every run.
 *
 * <p>Threads: immutable.
 *
 * @param records how many
 * @param keys how many accounts they may be of
 */
public record Workload(String name, int records, int keys, Distribution distribution) {

    /** How the records are distributed over the accounts. */
    public enum Distribution {
        /** Each account as often as any other. */
        EVEN,
        /** The account of rank n about 1/n times as often as the first. */
        ZIPF,
        /** Each account once. */
        UNIQUE
    }

    public static final int PARTITIONS = 8;

    private static final int ZIPF_KEYS = 1_000_000;
    private static final String[] KINDS = {"transfer", "card", "cash", "fee", "interest"};
    private static final int SCRAMBLE = 0x9E3779B1; // odd, so that it can be undone
    private static final int UNSCRAMBLE = inverse(SCRAMBLE);
    private static final double TWO_TO_53 = 0x1p53;

    public Workload {
        if (records < 1 || keys < 1) {
            throw new IllegalArgumentException(
                    name + ": " + records + " records of " + keys + " keys");
        }
    }

    /**
     * By its name.
     *
     * @param name a number of keys, as {@code 1000} or {@code 100k}, or {@code unique}, {@code
     *     zipf}, {@code single}
     */
    public static Workload of(String name, int records) {
        String given = name.toLowerCase(Locale.ROOT);
        return switch (given) {
            case "unique" -> new Workload(given, records, records, Distribution.UNIQUE);
            case "zipf" -> new Workload(given, records, ZIPF_KEYS, Distribution.ZIPF);
            case "single" -> new Workload(given, records, 1, Distribution.EVEN);
            default -> new Workload(given, records, keys(given), Distribution.EVEN);
        };
    }

    private static int keys(String given) {
        boolean thousands = given.endsWith("k");
        String digits = thousands ? given.substring(0, given.length() - 1) : given;
        return Integer.parseInt(digits) * (thousands ? 1_000 : 1);
    }

    /** Which account a record is of. */
    public int keyOf(int record) {
        return switch (distribution) {
            case UNIQUE -> record;
            case EVEN -> (int) Long.remainderUnsigned(mix(record), keys);
            case ZIPF -> rankOf((mix(record) >>> 11) / TWO_TO_53);
        };
    }

    /** The rank at which a logarithmic distribution has reached this share, from 0. */
    private int rankOf(double share) {
        int rank = (int) StrictMath.exp(share * StrictMath.log(keys + 1.0)) - 1;
        return Math.min(keys - 1, Math.max(0, rank));
    }

    public long amountOf(int record) {
        return Long.remainderUnsigned(mix(record + 0x5DEECE66DL), 200_001) - 100_000;
    }

    /** An account's name: consecutive ones lie far apart in an index, as in life. */
    public static String account(int key) {
        String hex = Integer.toHexString(key * SCRAMBLE);
        return "account-" + "0".repeat(8 - hex.length()) + hex;
    }

    /**
     * The number of an account, or -1 if it is none of ours.
     *
     * @param keys how many there are
     */
    public static int keyOfAccount(String account, int keys) {
        if (!account.matches("account-[0-9a-f]{8}")) {
            return -1;
        }
        int key = Integer.parseUnsignedInt(account, 8, 16, 16) * UNSCRAMBLE;
        return key >= 0 && key < keys ? key : -1;
    }

    /** Where Kafka's own partitioner would put it. */
    public static int partitionOf(byte[] key) {
        return Utils.toPositive(Utils.murmur2(key)) % PARTITIONS;
    }

    public byte[] value(int record) {
        String text =
                "{\"account\":\""
                        + account(keyOf(record))
                        + "\",\"sequence\":"
                        + record
                        + ",\"amount\":"
                        + amountOf(record)
                        + ",\"kind\":\""
                        + KINDS[record % KINDS.length]
                        + "\",\"currency\":\"EUR\",\"reference\":\""
                        + Long.toHexString(mix(~record))
                        + "-"
                        + Long.toHexString(mix(record + 77L))
                        + "\",\"booked\":true}";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** SplitMix64's last step. */
    private static long mix(long number) {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static int inverse(int odd) {
        int inverse = odd;
        for (int i = 0; i < 5; i++) { // each step doubles the bits that are right
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }
}

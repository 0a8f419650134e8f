package dev.envelope.idempotency.store.row;

import org.jspecify.annotations.Nullable;

/** A save that was refused because of a row: nothing of its transaction was saved. */
public abstract sealed class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The database can't store a row as it is; a retry would not help. */
    public static final class RowFault extends StoreException {

        private static final long serialVersionUID = 1L;

        public RowFault(String message, Throwable cause) {
            super(message, cause);
        }

        public RowFault(String message) {
            super(message, null);
        }
    }

    /** Another session holds a lock for longer than we wait. */
    public static final class RowLocked extends StoreException {

        private static final long serialVersionUID = 1L;

        public RowLocked(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

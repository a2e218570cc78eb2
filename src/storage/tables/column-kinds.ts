// [coordinator] Kinds of columns that several tables have.
import type { ColumnType } from 'kysely';

/** What JSON columns hold beside named shapes. */
export type JsonObject = { [key: string]: unknown };

/** A column that is read and written as bytes. */
export type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

/** A time that the database gives when it is left out, and that never changes. */
export type Stamp = ColumnType<Date, Date | undefined, never>;

export type OptionalJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>;

export type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>;

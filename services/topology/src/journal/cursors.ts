import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { onceItWorks } from "@nts/shared/once";
import { readKey } from "../storage/keys.js";

// A cursor is the encrypted number of an entry, deterministic per entry. Plain numbers would reveal to restricted
// callers how much happens in other networks.

const NUMBER_BYTES = 6;

export interface Cursors {
  of(organizationId: string, n: number): string;
  /** @throws AppError `cursor_invalid` if it is not a cursor of the organization */
  read(organizationId: string, cursor: string): number;
}

/** @param key of 16 bytes */
export function createCursors(key: Uint8Array): Cursors {
  // A single block, so no chaining mode is needed.
  const [algorithm, none] = ["aes-128-ecb", null] as const;
  const markOf = (organizationId: string): Buffer =>
    createHash("sha256")
      .update(organizationId)
      .digest()
      .subarray(0, 16 - NUMBER_BYTES);
  return {
    of: (organizationId, n) => {
      const block = Buffer.concat([Buffer.alloc(NUMBER_BYTES), markOf(organizationId)]);
      block.writeUIntBE(n, 0, NUMBER_BYTES);
      const cipher = createCipheriv(algorithm, key, none).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url");
    },
    read: (organizationId, cursor) => {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length !== 16) throw new AppError("cursor_invalid");
      const decipher = createDecipheriv(algorithm, key, none).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
      if (!block.subarray(NUMBER_BYTES).equals(markOf(organizationId))) throw new AppError("cursor_invalid");
      return block.readUIntBE(0, NUMBER_BYTES);
    },
  };
}

/** Creates the cursors of a database, whose key is read once. */
export function cursorsOf(db: Db): () => Promise<Cursors> {
  return onceItWorks(async () => createCursors(await readKey(db, "cursors")));
}

/** The error for a position that is no longer retained. @param n the last deleted number */
export function goneBehind(cursors: Cursors, organizationId: string, n: number): AppError {
  return new AppError("changes_gone", { oldest: cursors.of(organizationId, n) });
}

import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { AppError } from "@nts/shared/errors";
import type { JournalCollections } from "./collections.js";

// A cursor is the number of an entry, encrypted, and so always the same for an entry. Numbers themselves would tell callers who
// are limited to networks how much goes on in others.

const NUMBER_BYTES = 6;

export interface Cursors {
  of(organizationId: string, n: number): string;
  /** @throws AppError `cursor_invalid` when it is none of the organization */
  read(organizationId: string, cursor: string): number;
}

/** @param key of 16 bytes */
export function createCursors(key: Uint8Array): Cursors {
  // One block, so that there is nothing to chain.
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

/** Makes what gives the cursors of a database, whose key is read once. */
export function cursorsOf({ secrets }: JournalCollections): () => Promise<Cursors> {
  let made: Promise<Cursors> | null = null;
  const read = async (): Promise<Cursors> => {
    const found = await secrets.findOne({ _id: "cursors" });
    if (found === null) throw new Error("the journal has no key for its cursors");
    return createCursors(found.key.buffer);
  };
  return () =>
    (made ??= read().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}

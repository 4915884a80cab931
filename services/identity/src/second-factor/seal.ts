import { createHash } from "node:crypto";
import { AppError } from "@nts/shared/errors";
import { decrypt, encrypt, keyFrom } from "../encryption.js";

// Secrets of second factors have to be read again, so they are encrypted and not hashed, under a key that is derived from a setting
// which the database does not have. What is sealed names its key and is bound to its owner, so that keys can be rotated and
// nobody who writes to the database can move it from one user to another.

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface Sealer {
  /** @throws AppError `second_factor_not_configured` when there is no key */
  seal(text: string, ownerId: string): string;
  /** @throws AppError `second_factor_not_configured` when its key is not among the present ones, or it was sealed for another owner */
  open(sealed: string, ownerId: string): string;
  /** False for what was sealed with a key that is on its way out. */
  isCurrent(sealed: string): boolean;
}

/** @param secrets the first one seals, all open; empty where nothing can be sealed */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map(keyOf);
  const [current] = keys;
  return {
    seal: (text, ownerId) => {
      if (current === undefined) throw new AppError("second_factor_not_configured");
      return `${current.id}.${encrypt(current.bytes, text, ownerId)}`;
    },
    open: (sealed, ownerId) => {
      const [id, body = ""] = sealed.split(".");
      const key = keys.find((one) => one.id === id);
      if (key === undefined) throw new AppError("second_factor_not_configured");
      try {
        return decrypt(key.bytes, body, ownerId);
      } catch (error) {
        throw new AppError("second_factor_not_configured", {}, error);
      }
    },
    isCurrent: (sealed) => current !== undefined && sealed.startsWith(`${current.id}.`),
  };
}

function keyOf(secret: string): Key {
  const bytes = keyFrom(secret, "second factors");
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 12), bytes };
}

import { createHash } from "node:crypto";
import { AppError } from "@nts/shared/errors";
import { decrypt, encrypt, keyFrom } from "./encryption.js";

// Encrypts second factor secrets with a key derived from a setting outside the database. Each names its key, for
// rotation, and is bound to its owner, so that database writers cannot move it to another user.

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface SecretCipher {
  /** @throws AppError `second_factor_not_configured` if there is no key */
  seal(text: string, ownerId: string): string;
  /**
   * @throws AppError `second_factor_not_configured` if its key is not among the current ones, or it belongs to another
   * owner
   */
  open(sealed: string, ownerId: string): string;
  /** False if encrypted with an old key. */
  isCurrent(sealed: string): boolean;
}

/** @param secrets the first encrypts, all decrypt; empty to disable */
export function createSecretCipher(secrets: readonly string[]): SecretCipher {
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

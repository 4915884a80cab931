import { z } from "zod";

/** A body that is a file and not JSON: it is read while it arrives, and its own format says what is valid. */
export interface Upload {
  /** Media types without parameters, the one to document first. */
  readonly contentTypes: readonly [string, ...string[]];
  readonly limitBytes: number;
  /** What the file is, in a sentence. */
  readonly description: string;
}

/** What a client may send as a file; a browser's `File` is a `Blob`. */
export type UploadInput = string | Uint8Array<ArrayBuffer> | Blob;

/** What a handler reads of a file: its bytes in pieces, as they come. */
export type UploadedBytes = AsyncIterable<Uint8Array>;

// Never used for validation: the reader of the bytes validates them.
const File = z.custom<UploadedBytes>() as unknown as z.ZodType<UploadedBytes, UploadInput>;

/** The members of an operation whose body is a file. */
export function upload(rule: Upload) {
  return { body: File, upload: rule };
}

/** What the body of a PATCH is. */
export const MERGE_PATCH_TYPE = "application/merge-patch+json";

/** Media types that the body of an operation may have, the one to send first. */
export function bodyTypesOf({
  upload,
  method,
}: {
  readonly upload?: Upload;
  readonly method: string;
}): Upload["contentTypes"] {
  return upload?.contentTypes ?? [method === "patch" ? MERGE_PATCH_TYPE : "application/json"];
}

/** True when the value of a header `Content-Type` names one of the types; a charset other than UTF-8 is refused. */
export function isOfType(contentType: string | undefined, types: readonly string[]): boolean {
  if (contentType === undefined) return false;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  return types.includes(type.trim()) && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

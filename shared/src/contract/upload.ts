import { z } from "zod";

/** The type under which every file is accepted, and which the OpenAPI document has. */
export const BYTES = "application/octet-stream";

/** A request body that is a file instead of JSON: it is streamed, and validated by its reader. */
export interface Upload {
  /** Media types without parameters. The document has the first alone, because generated clients send one of several at random. */
  readonly contentTypes: readonly [string, ...string[]];
  /** The fields, if it is a form. */
  readonly form?: z.ZodObject;
  readonly limitBytes: number;
  /** The same for a file that is read by a job. */
  readonly jobLimitBytes?: number;
  /** Description of the file for the documentation. */
  readonly description: string;
}

/** A file as sent by a client; a browser's `File` is a `Blob`. */
export type UploadInput = string | Uint8Array<ArrayBuffer> | Blob;

/** A file as received by a handler: its bytes in chunks, as they arrive. */
export type UploadedBytes = AsyncIterable<Uint8Array>;

// Not used for validation: the reader of the file validates its content.
const File = z.custom<UploadedBytes>() as unknown as z.ZodType<UploadedBytes, UploadInput>;

/** The endpoint members for a file upload. */
export function upload(rule: Upload) {
  return { body: File, upload: rule };
}

export const MERGE_PATCH_TYPE = "application/merge-patch+json";

/** Media types accepted for the body of an operation, the preferred one first. */
export function bodyTypesOf({
  upload,
  method,
}: {
  readonly upload?: Upload;
  readonly method: string;
}): Upload["contentTypes"] {
  return upload?.contentTypes ?? [method === "patch" ? MERGE_PATCH_TYPE : "application/json"];
}

/** True if a `Content-Type` header has one of the types, and no charset other than UTF-8. */
export function isOfType(contentType: string | undefined, types: readonly string[]): boolean {
  if (contentType === undefined) return false;
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  return types.includes(type.trim()) && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
}

import { excessOf } from "@nts/shared/http/json-bounds";
import { type AppError, validationFailed } from "@nts/shared/errors";
import { faultAt } from "./lines.js";

// JSON files, which are parsed as a whole after their cost has been bounded.

const MOST_VALUES = 500_000;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON file. @throws AppError `validation_failed` with line and column */
export function jsonIn(bytes: Iterable<Uint8Array>): unknown {
  const whole = Buffer.concat([...bytes]);
  requireBounded(whole);
  const text = textIn(whole);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw faultIn(text, error);
  }
}

/** @param json in UTF-8 @throws AppError `validation_failed` if it is too expensive to parse */
export function requireBounded(json: Uint8Array): void {
  const excess = excessOf(json, MOST_VALUES);
  if (excess !== null) throw jsonFault("$", excess.endsWith("values") ? `${excess}: import the file in parts` : excess);
}

/** Decodes a file. @throws AppError `validation_failed` if it is not text */
export function textIn(whole: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(whole);
  } catch {
    throw faultAt(1, "must be in UTF-8");
  }
}

/** An error at a value. @param path such as `$[3].dst` */
export function jsonFault(path: string, message: string): AppError {
  return validationFailed({ path, message });
}

/** The entries of a list of objects. @throws AppError `validation_failed` with the path */
export function entriesOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw jsonFault("$", "must be a list");
  return value.map((entry, index) => {
    if (!isObject(entry)) throw jsonFault(`$[${index}]`, "must be an object");
    return entry;
  });
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A string member; empty if there is none. */
export function textAt(object: JsonObject, name: string): string {
  const value = memberOf(object, name);
  return typeof value === "string" ? value : "";
}

/** A list member; empty if there is none. */
export function listAt(object: JsonObject, name: string): readonly unknown[] {
  const value = memberOf(object, name);
  return Array.isArray(value) ? value : [];
}

/** An object member; empty if there is none. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = memberOf(object, name);
  return isObject(value) ? value : {};
}

/**
 * Where the parser stopped; it gives no position for truncated text.
 *
 * @param from offset of the text
 */
export function faultIn(text: string, error: unknown, from = 0): AppError {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  const before = text.slice(0, position === undefined ? text.length : from + Number(position));
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  return faultAt(
    line,
    position === undefined ? "is not valid JSON, or ends early" : "is not valid JSON from here on",
    column,
  );
}

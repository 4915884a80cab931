import { describe, expect, it } from "@jest/globals";
import { AppError, validationFailed } from "../errors.js";
import { type Parts, readParts } from "./parts.js";

const invalid = (path: string) => (): never => {
  throw validationFailed({ path, message: "is wrong" });
};
const unreadable = (): Promise<never> => Promise.reject(new AppError("malformed_json"));
const valid: Parts = { params: () => "p", query: () => "q", body: () => Promise.resolve("b") };

async function faults(parts: Partial<Parts>): Promise<unknown> {
  const error: unknown = await readParts({ ...valid, ...parts }).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) return error;
  const { errors } = error.params as { errors?: { path: string }[] };
  return [error.code, ...(errors ?? []).map(({ path }) => path)];
}

describe("the parts of a request", () => {
  it("are read", async () => {
    expect(await readParts(valid)).toEqual({ params: "p", query: "q", body: "b" });
  });

  it("report the faults of all of them", async () => {
    const body = () => Promise.reject(validationFailed({ path: "c", message: "is wrong" }));
    expect(await faults({ params: invalid("a"), query: invalid("b"), body })).toEqual([
      "validation_failed",
      "a",
      "b",
      "c",
    ]);
    expect(await faults({ query: invalid("b"), body: unreadable })).toEqual(["validation_failed", "b"]);
    expect(await faults({ body: unreadable })).toEqual(["malformed_json"]);
  });
});

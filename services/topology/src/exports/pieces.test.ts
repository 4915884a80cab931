import { describe, expect, it } from "@jest/globals";
import { inPieces } from "./pieces.js";

async function piecesOf(texts: readonly string[], msPerText = 0): Promise<string[]> {
  let passed = 0;
  async function* slowly(): AsyncGenerator<string> {
    for (const text of texts) {
      passed += msPerText;
      yield await Promise.resolve(text);
    }
  }
  const pieces: string[] = [];
  for await (const piece of inPieces(slowly(), () => passed)) pieces.push(piece);
  return pieces;
}

describe("pieces of an export", () => {
  it("join short texts, so that a small export is one piece", async () => {
    expect(await piecesOf(["{", "a", "", "}"])).toEqual(["{a}"]);
  });

  it("end when they are long", async () => {
    const long = "x".repeat(40_000);
    expect(await piecesOf([long, long, "y"])).toEqual([long + long, "y"]);
  });

  it("end when they have taken long, with or without text", async () => {
    expect(await piecesOf(["a", "b", "", "", "c"], 15)).toEqual(["ab", "", "c"]);
  });

  it("are made when they are asked for", async () => {
    let made = 0;
    async function* texts(): AsyncGenerator<string> {
      for (; made < 3; made++) yield await Promise.resolve("x".repeat(70_000));
    }
    const pieces = inPieces(texts());
    await pieces.next();
    expect(made).toBe(0);
    await pieces.next();
    expect(made).toBe(1);
  });
});

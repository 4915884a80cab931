import { describe, expect, it } from "@jest/globals";
import { sendHeld } from "./held-response.js";
import type { Attempt, ResponseReader, Transport } from "./transport.js";

function sending({ wantsMore = true } = {}) {
  const seen: string[] = [];
  let decide: (error?: Error) => void = () => undefined;
  const counted = new Promise<void>((resolve, reject) => {
    decide = (error) => {
      if (error === undefined) resolve();
      else reject(error);
    };
  });
  let arriving: ResponseReader | undefined;
  const transport: Transport = {
    send: ({ reader }) => {
      arriving = reader;
      return { resume: () => seen.push("resumed"), abort: () => seen.push("aborted") };
    },
    close: () => Promise.resolve(),
  };
  const reader: ResponseReader = {
    onHead: ({ status }) => seen.push(String(status)),
    onData: (piece) => {
      seen.push(String(piece));
      return wantsMore;
    },
    onEnd: () => seen.push("end"),
    onFault: ({ message }) => seen.push(message),
  };
  const held = sendHeld(transport, { reader } as Attempt, counted);
  return { seen, held, decide, arriving: arriving as ResponseReader };
}

const settled = () => new Promise(setImmediate);

describe("a response held back while its request is counted", () => {
  it("passes in order once it is, and at once from then on", async () => {
    const { seen, decide, arriving } = sending();
    arriving.onHead({ status: 200, headers: {} });
    expect(arriving.onData(Buffer.from("one"))).toBe(false);
    expect(seen).toEqual([]);
    decide();
    await settled();
    expect(arriving.onData(Buffer.from("two"))).toBe(true);
    arriving.onEnd({});
    expect(seen).toEqual(["200", "one", "resumed", "two", "end"]);
  });

  it("stays paused if its reader wants no more", async () => {
    const { seen, decide, arriving } = sending({ wantsMore: false });
    arriving.onHead({ status: 200, headers: {} });
    arriving.onData(Buffer.from("one"));
    decide();
    await settled();
    expect(seen).toEqual(["200", "one"]);
  });

  it("never passes if it is aborted, or its request refused", async () => {
    const aborted = sending();
    aborted.arriving.onHead({ status: 200, headers: {} });
    aborted.held.abort();
    aborted.decide();
    const refused = sending();
    refused.arriving.onFault(new Error("gone"), true);
    refused.decide(new Error("refused"));
    await settled();
    expect([aborted.seen, refused.seen]).toEqual([["aborted"], []]);
  });
});

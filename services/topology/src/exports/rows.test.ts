import { describe, expect, it } from "@jest/globals";
import type { ListPart } from "@nts/shared/http/respond";
import { hostsIn } from "./rows.js";

async function* list(...parts: (readonly [text: string, rows: number])[]): AsyncGenerator<ListPart> {
  for (const [text, rows] of parts) yield await Promise.resolve({ text: Buffer.from(text), rows });
}

async function read(parts: AsyncIterable<ListPart>): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const hosts of hostsIn(parts)) found.push([...hosts]);
  return found;
}

describe("the hosts of a list", () => {
  it("keep their order", async () => {
    expect(await read(list([',{"id":1},{"id":2}', 2], [',{"id":3}', 1]))).toEqual([
      [{ id: 1 }, { id: 2 }],
      [{ id: 3 }],
    ]);
    expect(await read(list())).toEqual([]);
  });

  it("are assembled from pieces, without the details of their children", async () => {
    const big = "x".repeat(1_000);
    const service = (id: number): string => `{"id":${id},"name":"é","virtualization":{"details":{"big":"${big}"}}}`;
    const pieces = [
      ",",
      '{"id":1,"virtualization":{"type":"vm","details":{}}',
      ',"ports":[',
      "]",
      ',"services":[',
      `${service(1)},${service(2)}`,
      `,${service(3)}`,
      "]",
      "}",
    ];
    const parts = pieces.map((text, n) => [text, n === 0 ? 1 : 0] as const);
    const lean = [1, 2, 3].map((id) => ({ id, name: "é", virtualization: null }));
    expect(await read(list([',{"id":0}', 1], ...parts, [',{"id":4}', 1]))).toEqual([
      [{ id: 0 }],
      [{ id: 1, virtualization: { type: "vm", details: {} }, ports: [], services: lean }],
      [{ id: 4 }],
    ]);
  });
});

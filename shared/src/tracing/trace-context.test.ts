import { describe, expect, it } from "@jest/globals";
import { readTraceparent, writeTraceparent } from "./trace-context.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("a traceparent header", () => {
  it.each([true, false])("is parsed as it was written when sampled is %s", (sampled) => {
    const context = { traceId, spanId, sampled };
    expect(readTraceparent(writeTraceparent(context))).toEqual(context);
  });

  it("of a later version may have more members", () => {
    expect(readTraceparent(`cc-${traceId}-${spanId}-01-what-the-future-brings`)).toMatchObject({ traceId, spanId });
  });

  it("is sampled whatever other flags are set", () => {
    expect(readTraceparent(`00-${traceId}-${spanId}-03`)).toMatchObject({ sampled: true });
    expect(readTraceparent(`00-${traceId}-${spanId}-02`)).toMatchObject({ sampled: false });
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    ` 00-${traceId}-${spanId}-01`,
  ])("with the value %j is ignored", (header) => {
    expect(readTraceparent(header)).toBeNull();
  });
});

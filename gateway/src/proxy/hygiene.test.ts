import { describe, expect, it } from "@jest/globals";
import { cleanHeaders } from "./hygiene.js";

describe("the headers forwarded to a service", () => {
  it("keep the request's own headers", () => {
    const headers = { "if-match": '"3"', "user-agent": "curl", "x-custom": "1", accept: "*/*" };
    expect(cleanHeaders(headers, false)).toEqual(headers);
  });

  it.each([
    "x-tenancy",
    "x-client-address",
    "x-request-id",
    "traceparent",
    "tracestate",
    "x-list-total",
    "x_tenancy",
    "x-client_address",
    "x-forwarded-for",
    "x-forwarded-anything",
    "forwarded",
    "authorization",
    "cookie",
    "accept-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "host",
    "proxy-authorization",
  ])("have no %s", (name) => {
    expect(cleanHeaders({ [name]: "x" }, true)).toEqual({});
  });

  it("contain nothing that Connection declares as hop-by-hop", () => {
    expect(cleanHeaders({ connection: "close, X-Secret", "x-secret": "1", "x-other": "2" }, true)).toEqual({
      "x-other": "2",
    });
  });

  it("describe a body only when one is forwarded", () => {
    const ofBody = { "content-length": "2", "content-type": "application/json" };
    expect(cleanHeaders(ofBody, true)).toEqual(ofBody);
    expect(cleanHeaders({ ...ofBody, "transfer-encoding": "chunked" }, false)).toEqual({});
  });
});

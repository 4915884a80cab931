import { describe, expect, it } from "@jest/globals";
import { cleanHeaders } from "./hygiene.js";

describe("the headers that go on to a service", () => {
  it("keep what belongs to the request", () => {
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

  it("have nothing that Connection declares to be of one connection", () => {
    expect(cleanHeaders({ connection: "close, X-Secret", "x-secret": "1", "x-other": "2" }, true)).toEqual({
      "x-other": "2",
    });
  });

  it("describe a body only where one goes on", () => {
    const ofBody = { "content-length": "2", "content-type": "application/json" };
    expect(cleanHeaders(ofBody, true)).toEqual(ofBody);
    expect(cleanHeaders({ ...ofBody, "transfer-encoding": "chunked" }, false)).toEqual({});
  });
});

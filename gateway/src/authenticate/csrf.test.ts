import { describe, expect, it } from "@jest/globals";
import { isFromOwnPage } from "./csrf.js";

const host = "api.example.com";
const ownOrigin = "https://topology.example.com";
const JSON_TYPES = ["application/json"];

describe("a cookie-authenticated write", () => {
  it.each([
    ["neither header is sent, unlike by browsers", {}],
    ["its origin is the public one", { origin: ownOrigin }],
    ["its origin is the requested host", { origin: `https://${host}` }],
    ["the browser says same-origin", { "sec-fetch-site": "same-origin" }],
    ["the user entered the address", { "sec-fetch-site": "none" }],
  ])("passes when %s", (_why, headers) => {
    expect(isFromOwnPage({ host, ...headers }, ownOrigin, JSON_TYPES)).toBe(true);
  });

  it.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another port of the host", { origin: `https://${host}:8443` }],
    ["the public host without encryption", { host: "topology.example.com", origin: "http://topology.example.com" }],
    ["a page of no web server", { origin: `chrome-extension://${host}` }],
    ["an opaque origin", { origin: "null" }],
    ["an invalid origin", { origin: "evil" }],
    ["a sibling site", { "sec-fetch-site": "same-site" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin that claims the same site", { origin: "https://evil.example", "sec-fetch-site": "same-origin" }],
  ])("is rejected from %s", (_why, headers) => {
    expect(isFromOwnPage({ host, ...headers }, ownOrigin, JSON_TYPES)).toBe(false);
  });

  it.each([
    ["application/json", true],
    ["Application/JSON; charset=utf-8", true],
    ["text/plain", false],
    ["application/x-www-form-urlencoded", false],
    [undefined, false],
  ])("with a body of %s passes: %s", (type, passes) => {
    expect(isFromOwnPage({ host, "content-length": "2", "content-type": type }, ownOrigin, JSON_TYPES)).toBe(passes);
    expect(isFromOwnPage({ host, "transfer-encoding": "chunked", "content-type": type }, ownOrigin, JSON_TYPES)).toBe(
      passes,
    );
  });

  it("with a file passes when the operation accepts its type and no form can send it", () => {
    const xml = { host, "content-length": "2", "content-type": "text/xml; charset=utf-8" };
    expect(isFromOwnPage(xml, ownOrigin, ["application/xml", "text/xml"])).toBe(true);
    expect(isFromOwnPage(xml, ownOrigin, JSON_TYPES)).toBe(false);
  });

  it("with an empty body needs no content type", () => {
    expect(isFromOwnPage({ host, "content-length": "0" }, ownOrigin, JSON_TYPES)).toBe(true);
  });
});

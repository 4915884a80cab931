import { describe, expect, it } from "@jest/globals";
import { OPERATIONS } from "../contract/index.js";
import { createRouteTable } from "./route-table.js";

const table = createRouteTable<string>();
table.add("get", "/api/v1/hosts", "list");
table.add("post", "/api/v1/hosts", "create");
table.add("get", "/api/v1/hosts/{id}", "get");
table.add("put", "/api/v1/hosts/{id}", "update");
table.add("post", "/api/v1/hosts/bulk-delete", "bulk");
table.add("post", "/api/v1/auth/keys/{id}/rotate", "rotate");

describe("route-table: routing by path and method", () => {
  it("finds an operation by its method and path", () => {
    expect(table.find("GET", "/api/v1/hosts")).toEqual({ value: "list", params: {} });
    expect(table.find("POST", "/api/v1/hosts")).toEqual({ value: "create", params: {} });
  });

  it("gives the parameters of the path, decoded", () => {
    expect(table.find("GET", "/api/v1/hosts/abc")).toEqual({ value: "get", params: { id: "abc" } });
    expect(table.find("GET", "/api/v1/hosts/a%20b")?.params).toEqual({ id: "a b" });
    expect(table.find("POST", "/api/v1/auth/keys/k/rotate")).toEqual({ value: "rotate", params: { id: "k" } });
  });

  it("accepts dots inside of a parameter", () => {
    for (const id of ["a.b", "..a", "...", "a%2b"]) expect(table.find("GET", `/api/v1/hosts/${id}`)?.value).toBe("get");
  });

  it("prefers a literal segment to a parameter, whatever the method", () => {
    expect(table.find("POST", "/api/v1/hosts/bulk-delete")?.value).toBe("bulk");
    expect(table.find("GET", "/api/v1/hosts/bulk-delete")).toBeNull();
    expect(table.methodsOf("/api/v1/hosts/bulk-delete")).toEqual(["POST"]);
  });
});

describe("route-table: unknown paths, and methods", () => {
  it.each([
    "/api/v1/hosts/",
    "/API/v1/hosts",
    "/api/v1/Hosts",
    "/api/v1/h%6Fsts",
    "/api//v1/hosts",
    "//api/v1/hosts",
    "/api/v1/hosts/a/b",
    "/api/v1/hosts/a/",
    "/api/v1/auth/keys//rotate",
    "/api/v1/hosts/abc#x",
    "http://other.example/api/v1/hosts",
    "/api/v1",
    "/",
    "",
    "*",
    "/api/v1/hosts/%",
    "/api/v1/hosts/%E0%A4%A",
    `/api/v1/hosts/${"x".repeat(201)}`,
    "/api/v1/hosts/.",
    "/api/v1/hosts/..",
    "/api/v1/hosts/%2e%2E",
    "/api/v1/hosts/x%2F..%2fnetworks",
    "/api/v1/hosts/..%5cnetworks",
    "/api/v1/hosts/..\\networks",
  ])("finds nothing at %j", (path) => {
    expect(table.find("GET", path)).toBeNull();
    expect(table.find("POST", path)).toBeNull();
    expect(table.methodsOf(path)).toEqual([]);
  });

  it("returns the methods of a path", () => {
    expect(table.methodsOf("/api/v1/hosts")).toEqual(["GET", "POST"]);
    expect(table.methodsOf("/api/v1/hosts/abc")).toEqual(["GET", "PUT"]);
    expect(table.find("DELETE", "/api/v1/hosts")).toBeNull();
    expect(table.find("BREW", "/api/v1/hosts")).toBeNull();
  });

  it("routes every operation of the contract to itself", () => {
    const all = createRouteTable<string>();
    for (const { method, path, operationId } of OPERATIONS) all.add(method, path, operationId);
    for (const { method, path, operationId } of OPERATIONS)
      expect(all.find(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "x"))?.value).toBe(operationId);
  });
});

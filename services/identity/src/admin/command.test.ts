import { describe, expect, it } from "@jest/globals";
import { readCommand } from "./command.js";
import { AdminProblem } from "./problem.js";

describe("admin.command: parsing", () => {
  it("accepts reset-password, with the email address in its stored form", () => {
    const command = { kind: "reset-password", email: "ada@example.com", fromStdin: false };
    expect(readCommand(["reset-password", " Ada@Example.com"])).toEqual(command);
    expect(readCommand(["reset-password", "--stdin", "ada@example.com"])).toEqual({ ...command, fromStdin: true });
  });

  it("accepts reset-second-factor, which needs no password", () => {
    const command = { kind: "reset-second-factor", email: "ada@example.com" };
    expect(readCommand(["reset-second-factor", " Ada@Example.com"])).toEqual(command);
  });

  it("accepts unlinking a user from all or one of the providers, which allows passwords again", () => {
    const command = { kind: "unlink-provider", email: "ada@example.com" };
    expect(readCommand(["unlink-provider", "ada@example.com"])).toEqual(command);
    expect(readCommand(["unlink-provider", "ada@example.com", "--provider", "home"])).toEqual({
      ...{ ...command, provider: "home" },
    });
    const allowed = { ...command, kind: "allow-passwords" };
    expect(readCommand(["allow-passwords", "ada@example.com"])).toEqual(allowed);
    expect(readCommand(["allow-passwords", "ada@example.com", "--organization", "its id"])).toEqual({
      ...{ ...allowed, organization: "its id" },
    });
  });

  it("accepts disabling and enabling a user, and listing organizations", () => {
    expect(readCommand(["disable-user", "Ada@example.com"])).toEqual({
      kind: "disable-user",
      email: "ada@example.com",
    });
    expect(readCommand(["enable-user", "ada@example.com"])).toEqual({ kind: "enable-user", email: "ada@example.com" });
    expect(readCommand(["list-organizations"])).toEqual({ kind: "list-organizations" });
  });

  it("accepts doctor, with where to look", () => {
    expect(readCommand(["doctor"])).toEqual({ kind: "doctor" });
    const url = "https://topology.example.com";
    const backups = "/var/backups";
    expect(readCommand(["doctor", "--url", url, "--backups", backups])).toEqual({ kind: "doctor", url, backups });
  });

  it("accepts create-owner, with what a registration would accept", () => {
    const command = { kind: "create-owner", email: "ada@example.com", fromStdin: false };
    expect(readCommand(["create-owner", " Ada@Example.com"])).toEqual(command);
    expect(readCommand(["create-owner", "--stdin", "ada@example.com", "--organization", " Ada's "])).toEqual({
      ...{ ...command, organization: "Ada's", fromStdin: true },
    });
  });
});

describe("admin.command: invalid input", () => {
  it.each([[["--help"]], [["-h"]], [["reset-password", "--help"]]])("shows help for %j", (args) => {
    expect(readCommand(args)).toEqual({ kind: "help" });
  });

  it.each([
    [[], "A command is missing"],
    [["delete-everything"], "Unknown command delete-everything"],
    [["doctor", "ada@example.com"], "only --url and --backups"],
    [["doctor", "--url", "topology.example.com"], "--url takes a URL"],
    [["reset-password", "ada@example.com", "--url", "https://topology.example.com"], "neither --url nor --backups"],
    [["reset-password"], "one email address"],
    [["reset-password", "ada@example.com", "secret"], "one email address"],
    [["reset-password", "ada@example.com", "--password=x"], "--password"],
    [["reset-password", "ada@example.com", "--organization", "x"], "no --organization"],
    [["reset-second-factor"], "one email address"],
    [["reset-second-factor", "ada@example.com", "--stdin"], "no --stdin"],
    [["allow-passwords", "ada@example.com", "--provider", "x"], "no --provider"],
    [["disable-user"], "one email address"],
    [["list-organizations", "ada@example.com"], "takes nothing"],
    [["list-organizations", "--stdin"], "takes nothing"],
    [["create-owner"], "one email address"],
    [["create-owner", "ada@example.com", "secret"], "one email address"],
    [["create-owner", "ada"], "ada must be an email address"],
    [["create-owner", "ada@example.com", "--organization", " "], "The name of the organization must"],
    [["create-owner", "ada@example.com", "--organization"], "--organization"],
  ])("rejects %j in one sentence that points to --help or the expected form", (args, sentence) => {
    expect(() => readCommand(args)).toThrow(AdminProblem);
    expect(() => readCommand(args)).toThrow(sentence);
  });
});

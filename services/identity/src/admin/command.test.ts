import { describe, expect, it } from "@jest/globals";
import { readCommand } from "./command.js";
import { AdminProblem } from "./problem.js";

describe("admin.command: what an operator asks for", () => {
  it("is a reset, with the email address as accounts have it", () => {
    const asked = { kind: "reset-password", email: "ada@example.com", fromStdin: false };
    expect(readCommand(["reset-password", " Ada@Example.com"])).toEqual(asked);
    expect(readCommand(["reset-password", "--stdin", "ada@example.com"])).toEqual({ ...asked, fromStdin: true });
  });

  it.each([[["--help"]], [["-h"]], [["reset-password", "--help"]]])("is help for %j", (args) => {
    expect(readCommand(args)).toEqual({ kind: "help" });
  });

  it.each([
    [[], "Say what to do"],
    [["delete-everything"], "There is no command delete-everything"],
    [["reset-password"], "one email address"],
    [["reset-password", "ada@example.com", "secret"], "one email address"],
    [["reset-password", "ada@example.com", "--password=x"], "--password"],
  ])("refuses %j in a sentence that points to --help or the form", (args, sentence) => {
    expect(() => readCommand(args)).toThrow(AdminProblem);
    expect(() => readCommand(args)).toThrow(sentence);
  });
});

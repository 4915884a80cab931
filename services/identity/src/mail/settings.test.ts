import { describe, expect, it } from "@jest/globals";
import { MailFrom, SmtpUrl } from "./settings.js";

describe("mail.settings: SMTP_URL", () => {
  it.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, tls: "required", auth: null }],
    ["smtp://relay:25?tls=none", { host: "relay", port: 25, tls: "none", auth: null }],
    ["smtps://ada:p%40ss@[::1]", { host: "::1", port: 465, tls: "implicit", auth: { user: "ada", pass: "p@ss" } }],
  ])("accepts %s", (text, settings) => {
    expect(SmtpUrl.parse(text)).toEqual(settings);
  });

  it.each([
    ["mail.example.com", "must be smtp://host:port or smtps://host:port"],
    ["http://mail.example.com", "must begin with smtp:// or smtps://"],
    ["smtp://mail.example.com/inbox", "must not have a path"],
    ["smtp://ada@mail.example.com", "must have both user and password, or neither"],
    ["smtp://ada:secret-word@relay?tls=none", "must not send a password in plain text (tls=none)"],
    ["smtps://mail.example.com?tls=none", "may have tls=none, and only with smtp://"],
    ["smtp://mail.example.com?pool=true", "may have no parameter other than tls"],
    ["smtps://ada:secret-word%@mail.example.com", "must have user and password percent-encoded"],
  ])("reports what is wrong with %s, and never the password", (text, message) => {
    const { error } = SmtpUrl.safeParse(text);
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
    expect(JSON.stringify(error?.issues)).not.toContain("secret-word");
  });
});

describe("mail.settings: MAIL_FROM", () => {
  it.each([
    ["noreply@example.com", { name: "", address: "noreply@example.com" }],
    ["Network topology <noreply@example.com>", { name: "Network topology", address: "noreply@example.com" }],
    ['"Topology, Inc." <noreply@example.com>', { name: "Topology, Inc.", address: "noreply@example.com" }],
  ])("accepts %s", (text, from) => {
    expect(MailFrom.parse(text)).toEqual(from);
  });

  it.each(["noreply", "Network topology", "a@b@c <x>", "Ada\r\nBcc: eve@example.com <ada@example.com>"])(
    "rejects %j",
    (text) => {
      expect(MailFrom.safeParse(text).success).toBe(false);
    },
  );
});

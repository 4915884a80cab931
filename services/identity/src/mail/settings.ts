import { z } from "zod";

/** How mails are handed to the mail server. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `implicit` TLS, `required` STARTTLS, or `none`. */
  readonly tls: "implicit" | "required" | "none";
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/** Such as `smtps://user:password@smtp.example.com`, or `smtp://relay:25?tls=none`. */
export const SmtpUrl = z.string().transform((text, ctx): SmtpSettings => {
  const fault = faultOf(text);
  if (fault === null) return settingsIn(new URL(text));
  ctx.addIssue({ code: "custom", message: fault });
  return z.NEVER;
});

/** Such as `noreply@example.com`, or `Network topology <noreply@example.com>`. */
export const MailFrom = z.string().transform((text, ctx) => {
  const [, name = "", bracketed] = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  const address = (bracketed ?? text).trim();
  // oxlint-disable-next-line no-control-regex -- these are what must not be in it
  if (z.email().safeParse(address).success && !/[\x00-\x1f\x7f]/.test(name)) return { name, address };
  ctx.addIssue({ code: "custom", message: "must be an address, such as Network topology <noreply@example.com>" });
  return z.NEVER;
});
export type MailFrom = z.output<typeof MailFrom>;

/** Never includes the input, which contains a password. */
function faultOf(text: string): string | null {
  if (!URL.canParse(text)) return "must be smtp://host:port or smtps://host:port";
  const { protocol, hostname, pathname, searchParams, username, password } = new URL(text);
  if (!(protocol in PORTS)) return "must begin with smtp:// or smtps://";
  if (hostname === "") return "must name a host";
  if (pathname !== "" && pathname !== "/") return "must not have a path";
  if ((username === "") !== (password === "")) return "must have both user and password, or neither";
  const { tls, ...others } = Object.fromEntries(searchParams);
  if (Object.keys(others).length > 0) return "may have no parameter other than tls";
  if (tls !== undefined && (tls !== "none" || protocol === "smtps:")) return "may have tls=none, and only with smtp://";
  if (tls === "none" && username !== "") return "must not send a password in plain text (tls=none)";
  if (!isDecodable(username) || !isDecodable(password)) return "must have user and password percent-encoded";
  return null;
}

function settingsIn(url: URL): SmtpSettings {
  const protocol = url.protocol as keyof typeof PORTS;
  const { hostname, port, username, password, searchParams } = url;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? PORTS[protocol] : Number(port),
    tls: protocol === "smtps:" ? "implicit" : searchParams.has("tls") ? "none" : "required",
    auth: username === "" ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

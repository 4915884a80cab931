import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createTransport, type Transport } from "@nts/client/transport";
import { ApiError, type Client, createClient } from "@nts/shared/client";
import { finishDeviceSignIn, login, loginSecondFactor, logout, startDeviceSignIn } from "@nts/shared/contract";
import { type Choice, readSettings, type Settings } from "./settings.js";
import { EXIT, Problem, type Terminal } from "./terminal.js";

/** A server and a credential. */
export interface Connection {
  readonly settings: Settings;
  readonly client: Client;
  readonly transport: Transport;
}

/** With the API key of the environment or the settings. @throws Problem without a server */
export async function connect(terminal: Terminal, choice: Choice): Promise<Connection> {
  const settings = await readSettings(terminal, choice);
  const options = {
    ...{ baseUrl: settings.url, fetch: fetchingFor(terminal) },
    ...(settings.apiKey !== null && { apiKey: settings.apiKey }),
  };
  return { settings, client: createClient(options), transport: createTransport(options) };
}

/** A command that has begun to write goes on to its end. */
function fetchingFor(terminal: Terminal): typeof globalThis.fetch {
  return (input, init) => {
    const isDry = new URL(input instanceof Request ? input.url : input).searchParams.get("dry_run") === "true";
    if (init?.method !== undefined && init.method !== "GET" && !isDry) terminal.outliveReader();
    return globalThis.fetch(input, init);
  };
}

export interface SignInOptions {
  /** By default if NTS_PASSWORD is set, otherwise by a code that is entered in the console. */
  readonly byPassword?: boolean | undefined;
  /** Waits for somebody to enter the code. By default only in a terminal, as nobody reads the code of a script. */
  readonly waits?: boolean;
}

/** Signs in for what an API key may not do, and out again. @throws Problem if nobody is there to sign in */
export async function withSession<Result>(
  terminal: Terminal,
  settings: Settings,
  use: (connection: Connection, email: string) => Promise<Result>,
  { byPassword = terminal.env["NTS_PASSWORD"] !== undefined, waits = terminal.isInteractive }: SignInOptions = {},
): Promise<Result> {
  if (!byPassword && !waits)
    throw new Problem(
      EXIT.usage,
      "An API key may not do this: set NTS_PASSWORD, or run this in a terminal to sign in.",
    );
  let cookie = "";
  const onResponse = ({ headers }: Response): void => {
    const [first = ""] = headers.getSetCookie();
    if (first !== "") cookie = first.split(";")[0] ?? "";
  };
  const guest = createClient({ baseUrl: settings.url, headers: { "user-agent": "nts" }, onResponse });
  const email = byPassword ? await signInByPassword(terminal, settings, guest) : await signInByCode(terminal, guest);
  // The session is ended whoever reads the output.
  terminal.finishFirst();
  const session = { baseUrl: settings.url, headers: { cookie } };
  const options = { ...session, fetch: fetchingFor(terminal) };
  const connection = { settings, client: createClient(options), transport: createTransport(options) };
  try {
    return await use(connection, email);
  } finally {
    await createClient(session)
      .call(logout, {})
      .catch(() => undefined);
  }
}

/** @returns the email address of the user */
async function signInByPassword(terminal: Terminal, settings: Settings, guest: Client): Promise<string> {
  const { env } = terminal;
  const email = env["NTS_EMAIL"] ?? settings.email ?? (await asked(terminal, "Email: ", "NTS_EMAIL"));
  const password = env["NTS_PASSWORD"] ?? (await asked(terminal, "Password: ", "NTS_PASSWORD", true));
  try {
    await guest.call(login, { body: { email, password } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "second_factor_required")) throw error;
    if (error.params["set_up"] === true)
      throw new Problem(EXIT.forbidden, "Your organization requires a second factor: set it up in the console.");
    const code = await asked(terminal, "Code of your second factor: ", "a terminal");
    await guest.call(loginSecondFactor, { body: { challenge: String(error.params["challenge"]), code } });
  }
  return email;
}

/** How a server says that the person has not decided yet, or that it cannot say now. */
const UNDECIDED: readonly string[] = ["authorization_pending", "slow_down", "rate_limited", "unavailable"];

/** Opens no browser: the person may sit at another machine. @returns the email address of the user */
async function signInByCode({ say, signal }: Terminal, guest: Client): Promise<string> {
  const started = await guest.call(startDeviceSignIn, { body: { name: `nts on ${hostname()}`.slice(0, 100) } });
  const { device_code, user_code, verification_uri, expires_in } = started;
  const minutes = Math.floor(expires_in / 60);
  say(`Open ${verification_uri} in a browser and enter the code ${user_code}. Waiting for up to ${minutes} minutes.`);
  let seconds = 1;
  for (;;) {
    await delay(seconds * 1000, null, { signal });
    try {
      return (await guest.call(finishDeviceSignIn, { body: { device_code } })).email;
    } catch (error) {
      if (!(error instanceof ApiError && UNDECIDED.includes(error.code))) throw error;
      seconds = Number(error.params["interval"] ?? error.params["retry_after_seconds"] ?? started.interval);
    }
  }
}

async function asked(terminal: Terminal, question: string, instead: string, isSecret = false): Promise<string> {
  if (!terminal.isInteractive) throw new Problem(EXIT.usage, `Not interactive: this requires ${instead}.`);
  return (await terminal.ask(question, isSecret)).trim();
}

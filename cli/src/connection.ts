import { createTransport, type Transport } from "@nts/client/transport";
import { ApiError, type Client, createClient } from "@nts/shared/client";
import { login, loginSecondFactor, logout } from "@nts/shared/contract";
import { readSettings, type Settings } from "./settings.js";
import { EXIT, Problem, type Terminal } from "./terminal.js";

/** A server and a credential. */
export interface Connection {
  readonly settings: Settings;
  readonly client: Client;
  readonly transport: Transport;
}

/** The connection options. */
export interface ConnectionOptions {
  readonly url?: string;
}

/** With the API key of the environment or the settings. @throws Problem without a server */
export async function connect(terminal: Terminal, { url }: ConnectionOptions): Promise<Connection> {
  const settings = await readSettings(terminal, url);
  const options = { baseUrl: settings.url, ...(settings.apiKey !== null && { apiKey: settings.apiKey }) };
  return { settings, client: createClient(options), transport: createTransport(options) };
}

/** Signs in for what an API key may not do, and out again. Prompts for the password unless NTS_PASSWORD is set. */
export async function withSession<Result>(
  terminal: Terminal,
  settings: Settings,
  use: (connection: Connection, email: string) => Promise<Result>,
): Promise<Result> {
  const { env } = terminal;
  const email = env["NTS_EMAIL"] ?? settings.email ?? (await asked(terminal, "Email: ", "NTS_EMAIL"));
  const password = env["NTS_PASSWORD"] ?? (await asked(terminal, "Password: ", "NTS_PASSWORD", true));
  let cookie = "";
  const onResponse = ({ headers }: Response): void => {
    const [first = ""] = headers.getSetCookie();
    if (first !== "") cookie = first.split(";")[0] ?? "";
  };
  const guest = createClient({ baseUrl: settings.url, onResponse });
  try {
    await guest.call(login, { body: { email, password } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "second_factor_required")) throw error;
    if (error.params["set_up"] === true)
      throw new Problem(EXIT.forbidden, "Your organization requires a second factor: set it up in the console.");
    const code = await asked(terminal, "Code of your second factor: ", "a terminal");
    await guest.call(loginSecondFactor, { body: { challenge: String(error.params["challenge"]), code } });
  }
  const options = { baseUrl: settings.url, headers: { cookie } };
  const connection = { settings, client: createClient(options), transport: createTransport(options) };
  try {
    return await use(connection, email);
  } finally {
    await connection.client.call(logout, {}).catch(() => undefined);
  }
}

async function asked(terminal: Terminal, question: string, instead: string, isSecret = false): Promise<string> {
  if (!terminal.isInteractive) throw new Problem(EXIT.usage, `Not interactive: this requires ${instead}.`);
  return (await terminal.ask(question, isSecret)).trim();
}

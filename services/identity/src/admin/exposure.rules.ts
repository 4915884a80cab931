// What settings alone say about an exposed system. @see docs/exposing.md

/** Settings of all processes, as far as they are known here. */
export interface ExposedSettings {
  readonly MONGODB_URL: string;
  readonly PUBLIC_URL?: string | undefined;
  readonly INSECURE_HTTP?: string | undefined;
  readonly REGISTRATION?: string | undefined;
  readonly TRUST_PROXY_HOPS?: string | undefined;
  readonly REDIS_URL?: string | undefined;
  readonly NATS_URL?: string | undefined;
  readonly secrets: Readonly<Record<string, string>>;
}

/** The result of one check. */
export interface Checked {
  readonly what: string;
  /** What is wrong and what to do; null if all is well. */
  readonly fault: string | null;
}

const SHORTEST_SECRET = 32;
const FEWEST_CHARACTERS = 8;
const OF_CREDENTIALS = /^(?:auth|tlsCertificateKeyFile|sslCertificateKeyFile)/i;

/** One result for each setting that is known. */
export function settingFaults(settings: ExposedSettings): Checked[] {
  const { PUBLIC_URL, INSECURE_HTTP, REGISTRATION, TRUST_PROXY_HOPS, REDIS_URL, NATS_URL, secrets } = settings;
  const isTls = PUBLIC_URL?.startsWith("https:") === true;
  const checked: Checked[] = [];
  const check = (what: string, isWrong: boolean, fault: string): void => {
    checked.push({ what, fault: isWrong ? fault : null });
  };
  if (PUBLIC_URL !== undefined)
    check(
      "PUBLIC_URL is what users open",
      !isTls,
      `It is ${PUBLIC_URL}: cookies are not Secure, and links in mails lead there. Set the https URL.`,
    );
  if (INSECURE_HTTP !== undefined)
    check(
      "plain http is not accepted",
      INSECURE_HTTP === "yes",
      "Set INSECURE_HTTP=no, so that a wrong PUBLIC_URL is noticed at the start.",
    );
  if (REGISTRATION !== undefined)
    check(
      "not everybody can register",
      REGISTRATION === "open",
      "Set REGISTRATION=first or invite, unless accounts are for everybody.",
    );
  if (TRUST_PROXY_HOPS !== undefined)
    check(
      "clients are told apart behind the proxy",
      isTls && Number(TRUST_PROXY_HOPS) === 0,
      "TRUST_PROXY_HOPS=0, but something terminates TLS in front of the gateway: all users count as one address, and lock each other out. Set the number of proxies.",
    );
  for (const [server, name, urls] of [
    ["Redis", "REDIS_URL", REDIS_URL],
    ["NATS", "NATS_URL", NATS_URL],
  ] as const)
    if (urls !== undefined)
      check(`${server} requires a password`, !hasPassword(urls), `${name} has none: configure one, and set it there.`);
  for (const [name, list] of Object.entries(secrets))
    check(
      `${name} is secret`,
      list.split(",").some(isWeak),
      `It is short or predictable: run deploy/rotate-secrets, or generate ${SHORTEST_SECRET} random bytes.`,
    );
  check(
    "secrets differ",
    isRepeated(secrets),
    "The same one is used for several purposes, so whoever has one process can act as another: run deploy/rotate-secrets.",
  );
  return checked;
}

/** Credentials belong to the first of the servers of a cluster. */
function hasPassword(urls: string): boolean {
  const [first = ""] = urls.split(",");
  return URL.canParse(first.trim()) && new URL(first.trim()).password !== "";
}

function isWeak(secret: string): boolean {
  const text = secret.trim();
  return text.length < SHORTEST_SECRET || new Set(text).size < FEWEST_CHARACTERS || /change|example|secret/i.test(text);
}

function isRepeated(secrets: Readonly<Record<string, string>>): boolean {
  const current = Object.values(secrets).map((list) => list.split(",")[0]?.trim());
  return new Set(current).size < current.length;
}

/** A MongoDB URL without what signs in. */
export function withoutCredentials(mongodbUrl: string): string {
  const [address = "", query = ""] = mongodbUrl.replace(/^(mongodb(?:\+srv)?:\/\/)[^@/]*@/, "$1").split("?");
  const options = new URLSearchParams(query);
  for (const name of [...options.keys()]) if (OF_CREDENTIALS.test(name)) options.delete(name);
  return options.size === 0 ? address : `${address}?${options.toString()}`;
}

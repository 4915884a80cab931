import { ApiRefusal, createDemoApi, type DemoApi, type DemoApiOptions } from "./api.js";

/** The Owner of a second organization, in which the demo account is a Viewer, so that it can switch between two. */
export const PARTNER = "ines@example.com";
const ORGANIZATION = "Example Hosting";
const NETWORK = "Data center";

export interface PartnerOptions {
  /** Of the demo account. */
  readonly email: string;
  /** Common to all people of the demo. */
  readonly password: string;
  readonly options: DemoApiOptions;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Creates the second organization with a network, and adds the demo account; existing entities are unchanged. */
export async function createPartner({ email, password, options }: PartnerOptions): Promise<void> {
  const partner = createDemoApi(options);
  await enter(partner, password);
  const networkId = await createNetwork(partner);
  const users = await partner.get<readonly { readonly email: string }[]>("/api/v1/users");
  if (users.some((user) => user.email === email)) return;
  const invite = { permissions: "Viewer", network_ids: [networkId] };
  const { token } = await partner.post<{ token: string }>("/api/v1/invites", invite);
  const guest = createDemoApi(options);
  await guest.post("/api/auth/login", { email, password });
  await guest.post("/api/v1/invites/accept", { token });
}

async function enter(partner: DemoApi, password: string): Promise<void> {
  try {
    await partner.post("/api/auth/login", { email: PARTNER, password });
  } catch (error) {
    if (!(error instanceof ApiRefusal && error.code === "invalid_credentials")) throw error;
    await partner.post("/api/auth/register", { email: PARTNER, password, organization_name: ORGANIZATION });
  }
}

async function createNetwork(partner: DemoApi): Promise<string> {
  const networks = await partner.get<readonly Named[]>("/api/v1/networks");
  const known = networks.find(({ name }) => name === NETWORK);
  if (known !== undefined) return known.id;
  const { id } = await partner.post<Named>("/api/v1/networks", { name: NETWORK });
  await partner.post("/api/v1/hosts", { network_id: id, name: "Off-site backup", hostname: "backup.example.net" });
  return id;
}

import { ApiRefusal, createDemoApi, type DemoApi, type DemoApiOptions } from "./api.js";

/** The other members of the demo organization. */
export const ENGINEER = "noor@example.com";
export const HELP_DESK = "tomas@example.com";

export interface Invitation {
  /** Of a user who may invite. */
  readonly owner: DemoApi;
  /** Common to all people of the demo. */
  readonly password: string;
  readonly networkIds: readonly string[];
  readonly options: DemoApiOptions;
}

/** Signs a colleague in, who accepts an invite the first time. */
export async function enterAs(email: string, { owner, password, networkIds, options }: Invitation): Promise<DemoApi> {
  const api = createDemoApi(options);
  try {
    await api.post("/api/auth/login", { email, password });
  } catch (error) {
    if (!(error instanceof ApiRefusal && error.code === "invalid_credentials")) throw error;
    const { token } = await owner.post<{ token: string }>("/api/v1/invites", {
      permissions: "Member",
      network_ids: networkIds,
    });
    await api.post("/api/auth/register", { email, password, invite_token: token });
  }
  return api;
}

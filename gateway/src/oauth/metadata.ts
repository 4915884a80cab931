import { PERMISSIONS } from "@nts/shared/contract";
import { HeaderList } from "../edge/header-list.js";
import { JSON_TYPE, SECURITY_HEADERS } from "../edge/response-headers.js";
import { servedFile, type ServedFile } from "../files/served-file.js";
import { REGISTER, REVOKE, TOKEN } from "./endpoints.js";

// Where assistants read how to be let in: RFC 9728 about the protected resource, RFC 8414 about the authorization server.

const RESOURCE_PATH = "/mcp";
const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
/** The page of the console on which a person decides. */
const CONSENT_PATH = "/authorize";

export interface OAuthMetadata {
  /** The document at a path; null if there is none. */
  readonly find: (path: string) => ServedFile | null;
  /** `WWW-Authenticate` of a 401 for assistants. @param hasToken one was presented, and rejected */
  readonly challenge: (hasToken: boolean) => string;
}

/** @param publicUrl without it, assistants cannot be sent anywhere, and there are no documents */
export function createOAuthMetadata(publicUrl: string | undefined): OAuthMetadata {
  if (publicUrl === undefined) return { find: () => null, challenge: () => "Bearer" };
  const issuer = publicUrl.replace(/\/+$/, "");
  const resource = documentOf({
    resource: issuer + RESOURCE_PATH,
    resource_name: "Network topology service",
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
  });
  const server = documentOf({
    issuer,
    authorization_endpoint: issuer + CONSENT_PATH,
    token_endpoint: issuer + TOKEN.path,
    registration_endpoint: issuer + REGISTER.path,
    revocation_endpoint: issuer + REVOKE.path,
    scopes_supported: PERMISSIONS.map((level) => level.toLowerCase()).reverse(),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  });
  // The second path is where the RFC places the document of a resource with a path.
  const documents = new Map([
    [RESOURCE, resource],
    [RESOURCE + RESOURCE_PATH, resource],
    [SERVER, server],
  ]);
  const where = `resource_metadata="${issuer}${RESOURCE}${RESOURCE_PATH}"`;
  return {
    find: (path) => documents.get(path) ?? null,
    challenge: (hasToken) => (hasToken ? `Bearer error="invalid_token", ${where}` : `Bearer ${where}`),
  };
}

function documentOf(content: object): ServedFile {
  return servedFile(Buffer.from(JSON.stringify(content)), {
    contentType: JSON_TYPE,
    cacheControl: "public, max-age=3600",
    headers: HeaderList.of(SECURITY_HEADERS),
  });
}

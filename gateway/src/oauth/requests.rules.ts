import { AssistantMetadata, TOKEN_PARAMETERS, type TokenRequest } from "@nts/shared/contract/internal";

// Bodies of assistants, as RFC 6749 and RFC 7591 describe them.

/** What is wrong with a request, in the words of the RFC. */
export class OAuthFault extends Error {
  override readonly name = "OAuthFault";

  constructor(
    readonly error: string,
    readonly description: string,
    readonly status: 400 | 415 = 400,
  ) {
    super(description);
  }
}

const LONGEST_VALUE = 2_000;

/** The parameters of a form; unknown ones are ignored. @throws OAuthFault */
export function formOf(body: string, names: readonly string[]): Record<string, string> {
  const form = new URLSearchParams(body);
  const values: Record<string, string> = {};
  for (const name of names) {
    const [value, another] = form.getAll(name);
    if (another !== undefined) throw new OAuthFault("invalid_request", `${name} is there twice`);
    if (value !== undefined && value.length > LONGEST_VALUE)
      throw new OAuthFault("invalid_request", `${name} is too long`);
    // Without a value, it counts as absent.
    if (value !== undefined && value !== "") values[name] = value;
  }
  return values;
}

/** @throws OAuthFault */
export function tokenRequestOf(body: string): TokenRequest {
  return formOf(body, TOKEN_PARAMETERS);
}

/** @throws OAuthFault */
export function registrationRequestOf(body: string): AssistantMetadata {
  let content: unknown;
  try {
    content = JSON.parse(body);
  } catch {
    throw new OAuthFault("invalid_client_metadata", "the body is not JSON");
  }
  const metadata = AssistantMetadata.safeParse(content);
  if (metadata.success) return metadata.data;
  const paths = metadata.error.issues.map(({ path }) => path.join("."));
  const error = paths.some((path) => path.startsWith("redirect_uris"))
    ? "invalid_redirect_uri"
    : "invalid_client_metadata";
  const [path = ""] = paths;
  throw new OAuthFault(error, `${path === "" ? "the body" : path} is missing or of the wrong type`);
}

/** A curl command that lists services with the key. */
export function curlLine(secret: string, origin: string): string {
  return `curl -H 'Authorization: Bearer ${secret}' '${origin}/api/v1/services?limit=5'`;
}

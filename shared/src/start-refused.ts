/** A reason for a process not to start that no further attempt would change; its message is for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

/** A reason not to start that no retry would fix; its message is for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

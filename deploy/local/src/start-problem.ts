/** A problem that the user can solve: its message, with the remedy, is printed without a stack. */
export class StartProblem extends Error {
  override readonly name = "StartProblem";
}

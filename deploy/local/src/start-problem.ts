/** A problem the person at the terminal can solve: its message is the sentence to print, remedy included, without a stack. */
export class StartProblem extends Error {
  override readonly name = "StartProblem";
}

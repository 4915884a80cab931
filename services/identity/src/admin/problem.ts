/** A problem that the operator can solve: the message is the sentence to print. */
export class AdminProblem extends Error {
  override readonly name = "AdminProblem";
}

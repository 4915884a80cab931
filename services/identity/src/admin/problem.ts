/** A problem that the operator can solve; its message is printed. */
export class AdminProblem extends Error {
  override readonly name = "AdminProblem";
}

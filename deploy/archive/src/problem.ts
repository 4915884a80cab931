/** A problem that the operator can solve; its message is printed. */
export class ArchiveProblem extends Error {
  override readonly name = "ArchiveProblem";
}

import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'

/** The files by which tests and the programs that they start exchange notes on mutants, whatever environment a program is given. */
export const programNotes = {
  directory: join(root, 'dist', 'notes'),
  /** The mutant that is on; empty while it is recorded which ones a test runs. */
  active: join(root, 'dist', 'notes', 'active'),
  /** Mutants that programs have run, one a line. */
  covered: join(root, 'dist', 'notes', 'covered'),
}

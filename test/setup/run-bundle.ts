import { bundlePath } from '../../pkg-scripts/tree.ts'
import { type Outcome, type RunOptions, runExecutable } from './run-program.ts'

/** Runs a helper's built bundle as a real process. */
export function runBundle(name: string, { argv = [], ...options }: RunOptions = {}): Promise<Outcome> {
  return runExecutable(process.execPath, { ...options, argv: [bundlePath(name), ...argv] })
}

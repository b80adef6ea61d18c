import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { type ExecutableOptions, type Outcome, type RunOptions, runExecutable } from './run-program.ts'

/** Runs a helper's built bundle as a real process. */
export function runBundle(name: string, options: RunOptions = {}): Promise<Outcome> {
  return runBundleOn(process.execPath, name, options)
}

/** Runs the same on another Node. */
export function runBundleOn(
  node: string,
  name: string,
  { argv = [], ...options }: ExecutableOptions,
): Promise<Outcome> {
  return runExecutable(node, { ...options, argv: [toBundlePath(name), ...argv] })
}

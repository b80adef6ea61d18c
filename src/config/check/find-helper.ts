import type { HelperScriptCredential } from '../document.ts'
import type { OperatingSystem } from './rule.ts'

/** A helper that a document runs, with its own arguments. */
export interface FoundHelper {
  readonly name: string
  readonly args: readonly string[]
}

/** The helper by the executable's name, else by the first argument, which selects one of the helpers in an executable. */
export function findHelper(
  { command, commandWindows, args = [] }: HelperScriptCredential,
  os: OperatingSystem | undefined,
  isKnown: (name: string) => boolean,
): FoundHelper | undefined {
  const executable = (os === 'windows' ? commandWindows : undefined) ?? command ?? commandWindows ?? ''
  const [first = '', ...rest] = args
  const name = toProgramName(executable)
  if (isKnown(name)) return { name, args }
  return isKnown(first) ? { name: first, args: rest } : undefined
}

/** A program's file name without its directory and ending, on any system. */
function toProgramName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name.replace(/\.(exe|cmd|bat|ps1|cjs|js|mjs|ts)$/i, '')
}

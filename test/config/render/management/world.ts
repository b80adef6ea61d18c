import type { Value } from './operators.ts'

/** The environment of a script: .NET types by their full name, and commands by their name, in lower case. */
export interface World {
  readonly types: Readonly<Record<string, object>>
  readonly commands: Readonly<Record<string, (parameters: Readonly<Record<string, Value>>) => Value>>
}

/** An error of Windows, which a script may catch. Any other one is a fault of the script or of what plays it. */
export class WindowsError extends Error {}

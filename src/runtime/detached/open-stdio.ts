import { closeSync, openSync, readdirSync } from 'node:fs'

/** The descriptors of a process that keeps nothing of ours open. */
export interface Stdio {
  /** As `spawn` takes it. */
  readonly stdio: 'ignore' | readonly number[]
  close(): void
}

/**
 * Opens the null device for every descriptor that this process has. What a client left open in us, our children inherit (seen),
 * and whoever waits for the end of such a pipe would wait for the person. Windows passes on nothing that is not asked for.
 */
export function openStdio(platform: NodeJS.Platform): Stdio {
  const last = platform === 'win32' ? 2 : Math.max(2, ...listDescriptors())
  if (last === 2) return { stdio: 'ignore', close: () => {} }
  const nothing = openSync('/dev/null', 'r+')
  return { stdio: Array.from({ length: last + 1 }, () => nothing), close: () => closeSync(nothing) }
}

function listDescriptors(): number[] {
  try {
    return readdirSync('/dev/fd').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

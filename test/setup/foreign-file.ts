import { chown } from 'node:fs/promises'
import { onTestFinished, vi } from 'vitest'

/**
 * Makes a file belong to somebody else for the rest of a test. Only root can give a file away; anybody else becomes
 * another user in the eyes of this process, which is the same seen from the other side.
 */
export async function makeForeign(path: string): Promise<void> {
  const user = process.geteuid?.()
  if (user === 0) return chown(path, 65_534, 65_534)
  const other = vi.spyOn(process, 'geteuid').mockReturnValue(65_534)
  onTestFinished(() => other.mockRestore())
}

import { runTool } from './run-tool.ts'

/** Signs a file: `clear` returns the text with its signature, `detached` only the signature. */
export async function signFile(
  path: string,
  { key, form, output }: { key: string; form: 'clear' | 'detached'; output: string },
): Promise<void> {
  const how = form === 'clear' ? ['--clear-sign'] : ['--armor', '--detach-sign']
  await gpg(['--local-user', key, '--digest-algo', 'SHA512', ...how, '--output', output, path])
}

const gpg = (args: readonly string[]) => runTool('gpg', ['--batch', '--yes', ...args])

/** Exports the public half of a key, as text. */
export async function renderPublicKey(key: string): Promise<string> {
  return gpg(['--export-options', 'export-minimal', '--armor', '--export', key])
}

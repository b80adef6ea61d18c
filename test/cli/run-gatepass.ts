import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outcome, runBundle } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Runs the built `gatepass` command without a terminal. */
export function runGatepass(...argv: string[]): Promise<Outcome> {
  return runBundle('gatepass', { argv })
}

/** A file of the test's own. */
export async function writeTemporary(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, content)
  return path
}

/** A document that works, with other members for its credential. */
export function documentWith(credential: Record<string, unknown> = {}): string {
  return JSON.stringify({
    $schemaVersion: 2,
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      credential: { kind: 'helper-script', command: '/opt/gatepass/aws-bedrock-token', ...credential },
    },
  })
}

import { read } from '../../read/read-text.ts'

/** Creates a document with values of every type that an export writes, whose helper is this program. */
export function createDocument(command: string, inference: Readonly<Record<string, unknown>> = {}) {
  return read({
    $schemaVersion: 2,
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      customHeaders: { 'x-team': `a, b: {c} [d] \\ "e" 'é' <f> & ‘g’` },
      credential: {
        kind: 'helper-script',
        command,
        args: ['--profile', "it's {{ c }}"],
        timeoutSec: 300,
        silentRefreshEnabled: true,
      },
      ...inference,
    },
  })
}

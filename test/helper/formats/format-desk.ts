import { defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { fails } from '../../setup/run-program.ts'
import { type TestHostParts, testHost, testNow } from '../../setup/test-host.ts'

/** A moment at which the tokens of {@link createBadge} end, half a second before a whole one. */
export const end = new Date(testNow + 7_199_500)

/** Creates a made-up helper whose tokens are numbered, so that a test sees which one was minted. */
export function createBadge(life: Date | 'no known end' = end) {
  let minted = 0
  return defineHelper({
    summary: 'print a badge',
    options: {},
    facts: [],
    async plan() {
      return { inputs: {}, steps: [] }
    },
    async mint() {
      minted += 1
      return { token: new Secret(`badge-${minted}`), expiresAt: life === 'no known end' ? undefined : life, facts: {} }
    },
  })
}

/** Adds to {@link createBadge} the keys of an AWS identity. */
export function createKeyedBadge(keys: { expiration?: Date; sessionToken?: Secret; clockOffsetMs?: number } = {}) {
  let minted = 0
  return {
    ...createBadge(),
    obtainAwsCredentials: async () => {
      minted += 1
      return { accessKeyId: `AKIA${minted}`, secretAccessKey: new Secret('s3cret'), account: '123456789012', ...keys }
    },
  }
}

interface DeskRun extends TestHostParts {
  readonly stdin?: string | Uint8Array
}

/** Makes whole runs of one helper in one home, as the client of a format does. */
export async function createFormatDesk(helper: Parameters<typeof runHelper>[1] = createBadge()) {
  const first = await testHost()
  return {
    home: first.home,
    machineDirectory: first.machineDirectory,
    async run(argv: readonly string[], { stdin = '', streams, ...parts }: DeskRun = {}) {
      const host = await testHost({
        home: first.home,
        argv,
        ...parts,
        streams: { stdin: async () => Buffer.from(stdin as string), ...streams },
      })
      const { status } = await runHelper('badge', helper, host)
      return { status, ...host.written }
    },
  }
}

/** Outcomes of {@link createFormatDesk}. */
export const refused = (status: number, message: string, hint: string) => fails('badge', status, message, hint)

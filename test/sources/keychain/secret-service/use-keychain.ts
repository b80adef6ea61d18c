import { Deadline } from '../../../../src/runtime/deadline.ts'
import { type FailureKind, HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { KeychainItem, KeychainPrompt } from '../../../../src/sources/keychain/keychain.ts'
import { openKeychain } from '../../../../src/sources/keychain/open-keychain.ts'
import { testHost } from '../../../setup/test-host.ts'

/** The item of these tests. */
export const item: KeychainItem = { service: 'api-key', account: 'default', label: 'Gatepass: API key for default' }

/** The results of the steps: the secret, whether there was one, or the failure. */
type StepResult = string | boolean | undefined | { kind: FailureKind; message: string; hint: string }

/** A step: `read`, `remove`, or `write` with the secret. */
type Step = 'read' | 'remove' | `write ${string}`

interface KeychainUse {
  readonly prompt?: KeychainPrompt
  readonly seconds?: number
  readonly item?: KeychainItem
}

/** Uses the keychain of a session, step by step, with a clock that runs. */
export async function useKeychain(
  env: NodeJS.ProcessEnv,
  steps: readonly Step[],
  { prompt = 'never', seconds = 30, item: used = item }: KeychainUse = {},
): Promise<StepResult[]> {
  const startedAt = Date.now()
  const clock = { now: Date.now, startedAt, elapsedMs: () => Date.now() - startedAt }
  const keychain = await openKeychain(await testHost({ env, clock }), prompt, 'keep it in a file')
  const deadline = new Deadline({ seconds, hint: 'wait longer' }, clock)
  const results: StepResult[] = []
  for (const step of steps) {
    const [word, ...rest] = step.split(' ')
    try {
      if (word === 'read') results.push((await keychain.read(used, deadline))?.reveal())
      else if (word === 'remove') results.push(await keychain.remove(used, deadline))
      else results.push(await keychain.write(used, new Secret(rest.join(' ')), deadline).then(() => undefined))
    } catch (error) {
      if (!(error instanceof HelperError)) throw error
      const { kind, message, hint } = error
      results.push({ kind, message, hint })
    }
  }
  return results
}

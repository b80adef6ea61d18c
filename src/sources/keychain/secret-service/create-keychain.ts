import type { Keychain, KeychainPrompt } from '../keychain.ts'
import type { KeychainHost } from '../keychain-host.ts'
import { readSecret, removeSecret, writeSecret } from './items.ts'
import { runConnected } from './run-connected.ts'

/** The keychain of Linux: whichever program offers the Secret Service on the bus of this session. */
export function createSecretService(
  host: Pick<KeychainHost, 'clock' | 'env'>,
  prompt: KeychainPrompt,
  otherwise: string,
): Keychain {
  const use = { host, prompt, otherwise }
  return {
    title: 'the Secret Service',
    read: (item, deadline) => runConnected(use, deadline, (service) => readSecret(service, item)),
    write: (item, secret, deadline) => runConnected(use, deadline, (service) => writeSecret(service, item, secret)),
    remove: (item, deadline) => runConnected(use, deadline, (service) => removeSecret(service, item)),
  }
}

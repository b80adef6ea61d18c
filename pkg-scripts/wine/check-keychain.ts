import { writeFileSync } from 'node:fs'
import { Deadline } from '../../src/runtime/deadline.ts'
import type { HelperError } from '../../src/runtime/failure.ts'
import { createSystemHost } from '../../src/runtime/host.ts'
import { Secret } from '../../src/runtime/secret.ts'
import type { Keychain } from '../../src/sources/keychain/keychain.ts'
import { openKeychain } from '../../src/sources/keychain/open-keychain.ts'
import { keychainChildCommand } from '../../src/sources/keychain/system/child-command.ts'
import { longestSecretBytes } from '../../src/sources/keychain/system/child-messages.ts'
import { runKeychainChild } from '../../src/sources/keychain/system/run-keychain-child.ts'
import { checkSystem } from './check-system.ts'

/** Runs on Windows: uses the keychain as helpers do, and writes what it saw into the file that its argument names. */
export async function start(): Promise<void> {
  const host = createSystemHost()
  if (host.argv[0] === keychainChildCommand) return runKeychainChild('check-keychain', host)
  const [file = ''] = host.argv
  const deadline = new Deadline({ seconds: 120, hint: 'start again' }, host.clock)
  const seen: string[] = [`Node ${host.runtimeVersion}`]
  const keychain = await openKeychain(host, 'never', 'keep it in a file')
  for await (const line of checkItems(keychain, deadline)) seen.push(line)
  for (const line of await checkSystem(item)) seen.push(line)
  writeFileSync(file, `${seen.join('\n')}\n`)
}

const item = { service: 'test', account: 'größe', label: 'Gatepass: a test' }

async function* checkItems(keychain: Keychain, deadline: Deadline): AsyncGenerator<string> {
  const read = async (account = item.account) =>
    (await keychain.read({ ...item, account }, deadline))?.reveal() ?? 'nothing'
  const write = (secret: string, account = item.account) =>
    keychain.write({ ...item, account }, new Secret(secret), deadline).then(
      () => 'written',
      ({ kind, message }: HelperError) => `${kind}: ${message}`,
    )
  yield keychain.title
  yield `read before: ${await read()}`
  yield `write: ${await write('zwei ß € 🔑 "\\')}`
  yield `read: ${await read()}`
  yield `write over it: ${await write('other')}`
  yield `read: ${await read()}`
  const longest = 'x'.repeat(longestSecretBytes)
  yield `write ${longestSecretBytes} bytes: ${await write(longest)}, the same are read: ${(await read()) === longest}`
  yield `write ${longestSecretBytes + 1} bytes: ${await write(`${longest}x`)}`
  const accounts = ['one', 'two', 'three']
  await Promise.all(accounts.map((account) => write(`of ${account}`, account)))
  yield `three at once: ${(await Promise.all(accounts.map(read))).join(', ')}`
  const removed = [...accounts, item.account, item.account].map((account) =>
    keychain.remove({ ...item, account }, deadline),
  )
  yield `remove: ${(await Promise.all(removed.slice(0, 4))).join(', ')}; again: ${await keychain.remove(item, deadline)}`
  yield `read after: ${await read()}`
}

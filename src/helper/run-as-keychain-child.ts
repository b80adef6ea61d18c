import type { Host } from '../runtime/host.ts'
import { keychainChildCommand } from '../sources/keychain/system/exchange/child-command.ts'

/**
 * The run of a child that a program of ours has started to ask the keychain; `undefined` for every other run. Every program
 * answers so, whichever helper it holds, because the command has to stand first.
 */
export function runAsKeychainChild(program: string, host: Host): Promise<void> | undefined {
  return host.argv[0] === keychainChildCommand ? run(program, host) : undefined
}

async function run(program: string, host: Host): Promise<void> {
  const { runKeychainChild } = await import('../sources/keychain/system/child/run-keychain-child.ts')
  await runKeychainChild(program, host)
}

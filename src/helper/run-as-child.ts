import type { Host } from '../runtime/host.ts'
import { senderCommand } from '../runtime/outcome/sender/sender-order.ts'
import { keychainChildCommand } from '../sources/keychain/system/exchange/child-command.ts'

/**
 * The run of a process that a program of ours has started, to ask the keychain or to send outcomes; `undefined` for every other
 * run. Every program answers so, whichever helper it holds, because the command has to stand first.
 */
export function runAsChild(program: string, host: Host): Promise<void> | undefined {
  const [command] = host.argv
  if (command === keychainChildCommand) return runKeychainChild(program, host)
  return command === senderCommand ? runSender(host) : undefined
}

async function runKeychainChild(program: string, host: Host): Promise<void> {
  const child = await import('../sources/keychain/system/child/run-keychain-child.ts')
  await child.runKeychainChild(program, host)
}

async function runSender(host: Host): Promise<void> {
  const sender = await import('../runtime/outcome/sender/run-sender.ts')
  await sender.runSender(host)
}

import { senderCommand } from '../outcomes/sender-settings.ts'
import type { Host } from '../runtime/host.ts'
import { detectRenewalStep, renewalCommand } from '../runtime/program/renewal-command.ts'
import { keychainChildCommand } from '../sources/keychain/system/child-command.ts'
import type { AnyHelper } from './define-helper.ts'

/**
 * Runs the work of a process that a program of Gatepass has started: for the keychain, to send outcomes, or to start the process that
 * renews a sign-in. `undefined` for every other run. Every program calls this first, because the first argument alone selects the work.
 * @param own The work of processes that only this program starts, by their commands.
 */
export function runAsChild(program: string, host: Host, own: AnyHelper['children'] = {}): Promise<void> | undefined {
  const [command] = host.argv
  if (command === keychainChildCommand) return runKeychainChild(program, host)
  if (command === renewalCommand && detectRenewalStep(host.env) === 'relay') return startRelay(host)
  if (command === senderCommand) return runSender(host)
  return command !== undefined && Object.hasOwn(own, command) ? own[command]?.(program, host) : undefined
}

async function runKeychainChild(program: string, host: Host): Promise<void> {
  const child = await import('../sources/keychain/system/run-keychain-child.ts')
  await child.runKeychainChild(program, host)
}

async function startRelay(host: Host): Promise<void> {
  const { runRelay } = await import('../runtime/program/start-orphan.ts')
  await runRelay(host)
}

async function runSender(host: Host): Promise<void> {
  const sender = await import('../outcomes/run-sender.ts')
  await sender.runSender(host)
}

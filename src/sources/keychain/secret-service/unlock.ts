import { BusError } from '../dbus/bus-error.ts'
import type { BusMessage } from '../dbus/message.ts'
import { toBusCall } from '../dbus/open-bus.ts'
import { createStateFailure } from './failures.ts'
import { interfaces, noObject, servicePath } from './names.ts'
import { type SecretService, sendCall } from './send-call.ts'

/** Has the person unlock a keyring or an item, where one may be asked. @throws {HelperError} where it stays locked; `BusError`. */
export async function requireUnlocked(service: SecretService, path: string): Promise<void> {
  if (service.prompt === 'never') throw createStateFailure('locked', service.facts)
  if (service.display === 'none') throw createStateFailure('locked without a display', service.facts)
  const [unlocked, prompt] = await sendCall(service, {
    ...{ path: servicePath, interface: 'service', member: 'Unlock', signature: 'ao', answer: 'aoo' },
    values: [[path]],
  })
  if (prompt !== noObject) return waitForPerson(service, prompt as string)
  if (!(unlocked as string[]).includes(path)) throw createStateFailure('locked', service.facts)
}

/**
 * Shows the dialog that a service has prepared, and waits for the person.
 * @param prompt Its path; {@link noObject} for none.
 * @throws {HelperError} where nobody may be asked, or the person closes it; `late`; `BusError`.
 */
export async function waitForPerson(service: SecretService, prompt: string): Promise<void> {
  if (prompt === noObject) return
  if (service.prompt === 'never' || service.display === 'none')
    throw createStateFailure('needs a person', service.facts)
  if (!/^[\w/]+$/.test(prompt)) throw new BusError('broken', 'it names a dialog in no valid way')
  const message = await service.deadline.during('keychain', 'the dialog of the keyring', () =>
    showPrompt(service, prompt),
  )
  const [isDismissed] = message.readValues()
  if (isDismissed !== false) throw createStateFailure('dismissed', service.facts)
}

/** No limit of ours: a person types. */
async function showPrompt({ bus, owner, limit }: SecretService, path: string): Promise<BusMessage> {
  const completed = bus.waitFor(({ sender, ...signal }) => {
    return sender === owner && signal.path === path && signal.member === 'Completed'
  })
  completed.catch(() => {}) // it is awaited below, unless something else fails before
  const rule = `type='signal',sender='${owner}',interface='${interfaces.prompt}',member='Completed',path='${path}'`
  await limit(bus.call(toBusCall('AddMatch', 's', [rule])))
  const call = {
    destination: owner,
    path,
    interface: interfaces.prompt,
    member: 'Prompt',
    signature: 's',
    values: [''],
  }
  await Promise.race([completed, bus.call(call)]) // some answer only when the person has
  return completed
}

import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until something is true, and fails with its name if it is not so within twenty seconds. */
export async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > giveUpAt) throw new Error(`waited for 20 seconds in vain until ${what}`)
    await sleep(5)
  }
}

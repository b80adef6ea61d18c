import type { CallbackListener, ListenerOptions, SignInNames, SignInOutcome } from './callback.ts'

/** The listeners of one sign-in. There may be several, and each of their tabs shows the outcome. */
export interface Listeners {
  open(options: ListenerOptions): Promise<CallbackListener>
  /** Shows the outcome in every tab, unless the flow has already done so. */
  finish(outcome: SignInOutcome): Promise<void>
  /** Closes the configured ports after their tabs have shown the outcome, because the next sign-in may need them. */
  releasePorts(outcome: SignInOutcome): Promise<void>
  /** Returns {@link CallbackListener.findForeignHost} of the first listener with such a host. */
  findForeignHost(): string | undefined
  /** Whether a listener stays open after its flow, so that the person can return to the last page. */
  hasPages(): boolean
  close(): Promise<void>
}

/**
 * Creates the listeners of a sign-in, none of which is open. The module that opens one is loaded on use, because many sign-ins need none.
 */
export function createListeners(names: SignInNames, openClaim: ClaimPort): Listeners {
  const all: CallbackListener[] = []
  const lasting: CallbackListener[] = []
  const fixed = new Map<CallbackListener, () => Promise<void>>()
  const closeOnce = async (listener: CallbackListener) => {
    const release = fixed.get(listener)
    fixed.delete(listener)
    if (!release) return
    await listener.close()
    await release()
  }
  return {
    open: async (options) => {
      const { listener, release } = await openClaimed(options, names, openClaim)
      all.push(listener)
      if (!release) {
        lasting.push(listener)
        return { ...listener, close: async () => {} }
      }
      fixed.set(listener, release)
      return { ...listener, close: () => closeOnce(listener) }
    },
    releasePorts: async (outcome) => {
      for (const listener of fixed.keys()) {
        await listener.finish(outcome)
        await closeOnce(listener)
      }
    },
    finish: async (outcome) => {
      await Promise.all(all.map((listener) => listener.finish(outcome)))
    },
    findForeignHost: () => all.map((listener) => listener.findForeignHost()).find((host) => host !== undefined),
    hasPages: () => lasting.length > 0,
    close: async () => {
      await Promise.all(lasting.map((listener) => listener.close()))
    },
  }
}

/** Claims a configured port, so that no other sign-in uses it. It returns a function that releases the port. */
type ClaimPort = (port: number) => Promise<() => Promise<void>>

/** Opens a listener, and claims a configured port first. @returns `release` for a claimed port. */
async function openClaimed(
  options: ListenerOptions,
  names: SignInNames,
  openClaim: ClaimPort,
): Promise<{ listener: CallbackListener; release: (() => Promise<void>) | undefined }> {
  const { openListener } = await import('./open-listener.ts')
  const release = options.port === undefined ? undefined : await openClaim(options.port)
  const listener = await openListener(options, names).catch(async (error: unknown) => {
    await release?.()
    throw error
  })
  return { listener, release }
}

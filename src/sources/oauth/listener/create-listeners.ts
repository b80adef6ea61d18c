import type { CallbackListener, ListenerOptions, SignInOutcome } from './callback-listener.ts'

/** The listeners of one sign-in. */
export interface Listeners {
  open(options: ListenerOptions): Promise<CallbackListener>
  /** Has every tab show the end; a flow has often done so. */
  finish(outcome: SignInOutcome): Promise<void>
  /** As of a listener; of the first that knows one. */
  findForeignHost(): string | undefined
  /** Whether one stays open after its flow, so that the person may come back to the last page. */
  hasPages(): boolean
  close(): Promise<void>
}

/** Without listeners yet. The module that opens one is loaded on use: many sign-ins need none. */
export function createListeners(subject: string): Listeners {
  const all: CallbackListener[] = []
  const lasting: CallbackListener[] = []
  return {
    open: async (options) => {
      const { openListener } = await import('./open-listener.ts')
      const listener = await openListener(options, subject)
      all.push(listener)
      // A port that was asked for may be needed by the next sign-in.
      if (options.port !== undefined) return listener
      lasting.push(listener)
      return { ...listener, close: async () => {} }
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

import { z } from 'zod'
import type { ContentBlock } from './message.ts'

/** An event of a session, as the API returns it. */
export interface SessionEvent {
  readonly id: string
  /** `user.message` is the only kind in use. */
  readonly type: string
  readonly content: readonly ContentBlock[]
  readonly processed_at: string
}

/** An event to send. */
export interface NewSessionEvent {
  readonly type: 'user.message'
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
}

const contentBlock = z.looseObject({ type: z.string(), text: z.string().optional() })

const event = z.looseObject({
  id: z.string(),
  type: z.string(),
  content: z.array(contentBlock),
  processed_at: z.string(),
})

/** Reads the answer of "Send events". @throws {z.ZodError} */
export function parseSentEvents(value: unknown): readonly SessionEvent[] {
  return z.looseObject({ data: z.array(event) }).parse(value).data
}
